package reference

import (
	"runtime"
	"sync/atomic"
	"time"
)

// crew runs the parts of launches on the goroutine that calls it, and on as many
// helpers as are worth it. A worker that is done takes another part, so a helper that
// wakes late, or whose processor is slower, costs little. The result of a part does not
// depend on its worker. The caller takes parts from the first on, helpers from the last
// on: the memory of successive launches stays in the same caches.
//
// Helpers start with a launch that is worth waking a thread for, and end when no launch
// has come for a while. They are awake for the launches of a run, and for a run that
// follows at once. A launch of one part starts no helper.
type crew struct {
	run     func(worker, part, n int) // n parts from one on; worker 0 is who asks, others are helpers
	helpers []helper
	most    atomic.Int32  // of helpers, the first so many have parts: see limit
	wake    chan struct{} // to who waits in do

	number uint64        // of launches so far
	state  atomic.Uint64 // number, the first of the parts that nobody has taken, where they end: see take
	left   atomic.Int64  // parts that have not ended, and parked if somebody sleeps until none is left
	live   atomic.Int32  // helpers that are awake

	each atomic.Bool // parts are taken one by one: see doEach

	streak int       // short launches without helpers, each soon after the one before
	last   time.Time // when the last of them began
}

// helper is a goroutine that may be awake.
type helper struct {
	assist func() // made once, so that starting it allocates nothing
	live   atomic.Bool
}

const (
	mostParts = 1<<16 - 1
	parked    = 1 << 32
	// patience is how often it is looked whether there is something to do before
	// sleep, about 40 µs together: what waking takes, which was measured as 20 to 70.
	patience = 1 << 16
	// loyalty is how many times that a helper looks while others still work on the
	// launch that it has had a part of: the next one follows that.
	loyalty = 8
	// habit is how many short launches, each so soon after the one before, are a reason
	// to start helpers. The helpers will then be awake for the next launch. In the
	// worst case each of these launches has paid a few µs for a helper that comes in
	// vain.
	habit = 16
	soon  = 50 * time.Microsecond
)

// threads returns how many threads a program uses of which so many are wanted,
// 0 standing for all: no more than can run at once.
func threads(wanted int) int {
	most := min(runtime.GOMAXPROCS(0), mostParts)
	if wanted == 0 {
		return most
	}
	return min(wanted, most)
}

// init makes a crew for so many threads, the one that asks among them.
func (c *crew) init(threads int, run func(worker, part, n int)) {
	c.run, c.wake = run, make(chan struct{}, 1)
	c.helpers = make([]helper, threads-1)
	for i := range c.helpers {
		c.helpers[i].assist = func() { c.assist(i + 1) }
	}
	c.limit(threads)
}

// limit says how many threads have parts of the launches that follow, at most as many
// as the crew is for. Helpers that are awake for others have none: a helper is the same
// worker for as long as it lives, and who runs another may have no memory now.
func (c *crew) limit(threads int) { c.most.Store(int32(threads - 1)) }

// do runs all parts, of at most mostParts, and returns when they have ended. If
// start is set, as many helpers as can have parts are started, unless they are
// awake.
func (c *crew) do(parts int, start bool) {
	c.left.Store(int64(parts))
	c.number++
	c.state.Store(c.number<<32 | uint64(parts))
	if most := min(int(c.most.Load()), parts-1); start && int(c.live.Load()) < most {
		c.start(most)
	}
	for c.take(0, false) {
		continue
	}
	c.wait()
}

// doEach is do for parts of which some may take much longer than others: a worker takes one part at
// a time. Helpers are started.
func (c *crew) doEach(parts int) {
	c.each.Store(true)
	c.do(parts, true)
	c.each.Store(false)
}

// short reports whether a launch that takes less time than to wake a thread is worth
// cutting, and whether helpers are worth starting.
func (c *crew) short() (cut, start bool) {
	if c.live.Load() > 0 {
		return true, false
	}
	now := time.Now()
	if c.streak++; now.Sub(c.last) > soon {
		c.streak = 0
	}
	c.last = now
	if c.streak < habit {
		return false, false
	}
	c.streak = 0
	return true, true
}

// start starts helpers, until there are so many.
func (c *crew) start(most int) {
	for i := range c.most.Load() {
		h := &c.helpers[i]
		if int(c.live.Load()) >= most {
			break
		}
		if h.live.CompareAndSwap(false, true) {
			c.live.Add(1)
			go h.assist()
		}
	}
	// Gosched runs a helper here at once, and this goroutine on a thread that wakes. A
	// waking thread takes from the global queue first. It leaves the goroutine that was
	// started here last to this thread for a while. Gosched is worth 100 µs.
	runtime.Gosched()
}

// wait returns when all parts have ended.
func (c *crew) wait() {
	for range patience {
		if c.left.Load() == 0 {
			return
		}
	}
	if c.left.Add(parked) != parked {
		<-c.wake
	}
}

// take takes some of the first parts, or of the last, and runs them; it returns
// false when there is none. Those who come later take fewer.
func (c *crew) take(worker int, last bool) bool {
	for {
		s := c.state.Load()
		helpers := int(c.most.Load())
		if !untaken(s) || worker > helpers {
			return false
		}
		from, end := s>>16&mostParts, s&mostParts
		n := max((end-from)/uint64(2*helpers+2), 1)
		if c.each.Load() {
			n = 1
		}
		to := s + n<<16
		if last {
			to, from = s-n, end-n
		}
		if !c.state.CompareAndSwap(s, to) {
			continue
		}
		c.run(worker, int(from), int(n))
		if c.left.Add(-int64(n)) == parked {
			c.wake <- struct{}{}
		}
		return true
	}
}

// untaken reports whether a state has a part that nobody has taken.
func untaken(state uint64) bool { return state>>16&mostParts < state&mostParts }

// offers reports whether there is a part for a helper.
func (c *crew) offers(worker int) bool {
	return untaken(c.state.Load()) && worker <= int(c.most.Load())
}

// assist takes parts until none has come for a while.
func (c *crew) assist(worker int) {
	h := &c.helpers[worker-1]
	for {
		for c.take(worker, true) {
			continue
		}
		if c.comes(worker) {
			continue
		}
		c.live.Add(-1)
		h.live.Store(false)
		// do might have counted on this helper, and have started none.
		if !c.offers(worker) || !h.live.CompareAndSwap(false, true) {
			return
		}
		c.live.Add(1)
	}
}

// comes waits for a part to take, for a while.
func (c *crew) comes(worker int) bool {
	for range loyalty {
		for range patience {
			if c.offers(worker) {
				return true
			}
		}
		if c.left.Load() == 0 {
			break
		}
	}
	return c.offers(worker)
}
