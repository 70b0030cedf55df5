package reference

import (
	"runtime"
	"sync/atomic"
)

// crew runs the parts of launches: on the goroutine that asks, and on helpers,
// as many as are worth it. Who comes first takes a part, so that a helper that
// wakes late costs nothing; what a part computes does not depend on who runs it.
// Helpers begin with the first launch that has parts and end when none has come
// for a while: they are awake for the launches of a run and for the run that
// follows at once. A launch of one part starts nothing.
type crew struct {
	run  func(part int)
	help func()        // assist; made once, so that starting a helper allocates nothing
	most int32         // helpers at a time
	wake chan struct{} // to who waits in do

	number uint64        // of launches so far
	state  atomic.Uint64 // number, parts, parts that are taken: see claim
	left   atomic.Int64  // parts that have not ended, and parked if somebody sleeps until none is left
	live   atomic.Int32  // helpers
}

const (
	mostParts = 1<<16 - 1
	parked    = 1 << 32
	// patience is how often it is looked whether there is something to do before
	// sleep, about 40 µs together: what waking takes, which was measured as 20 to 70.
	patience = 1 << 16
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
func (c *crew) init(threads int, run func(part int)) {
	c.run, c.most = run, int32(threads-1)
	c.help, c.wake = c.assist, make(chan struct{}, 1)
}

// do runs all parts and returns when they have ended.
func (c *crew) do(parts int) {
	c.left.Store(int64(parts))
	c.number++
	c.state.Store(c.number<<32 | uint64(parts)<<16)
	n, enough := c.live.Load(), min(c.most, int32(parts-1))
	if n < enough {
		for ; n < enough; n++ {
			c.live.Add(1)
			go c.help()
		}
		// A helper runs here at once, and this goroutine where a thread wakes: such
		// a thread takes what waits for all sooner than what was started here last,
		// which it leaves to us for a while. That is worth 100 µs.
		runtime.Gosched()
	}
	for c.part() {
		continue
	}
	for range patience {
		if c.left.Load() == 0 {
			return
		}
	}
	if c.left.Add(parked) != parked {
		<-c.wake
	}
}

// part takes a part and runs it; it returns false when there is none.
func (c *crew) part() bool {
	for {
		s := c.state.Load()
		if !untaken(s) {
			return false
		}
		if c.state.CompareAndSwap(s, s+1) {
			c.run(int(s & mostParts))
			if c.left.Add(-1) == parked {
				c.wake <- struct{}{}
			}
			return true
		}
	}
}

// untaken reports whether a state has a part that nobody has taken.
func untaken(state uint64) bool { return state&mostParts < state>>16&mostParts }

// assist takes parts until none has come for a while.
func (c *crew) assist() {
	for {
		for c.part() {
			continue
		}
		for range patience {
			if untaken(c.state.Load()) {
				break
			}
		}
		if untaken(c.state.Load()) {
			continue
		}
		c.live.Add(-1)
		if !untaken(c.state.Load()) { // do might have counted on this helper
			return
		}
		c.live.Add(1)
	}
}
