package reference

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"ltc/backends/kit/exec"
)

// loopGroup is what loops that run at the same time have in common: see [compiled.findGroups].
type loopGroup struct {
	ctx   context.Context // nil: there are none under way
	first int             // the step of the first
	last  []int           // by loop, the result of [kernelLoop.run]
}

// leastLoop is what a loop takes at least in a group.
var leastLoop = int64(50 * time.Microsecond)

// lastLoop is what is known of a loop from its last run that ended.
type lastLoop struct {
	took atomic.Int64 // ns
	cut  atomic.Bool  // a launch is cut, and takes long
}

// LoopsFrom implements [exec.GroupLooper]. Loops of a group have run before, so that it is known how
// long they take. Those whose launches are cut run on one thread each in a group. They take about
// the same time then, since the thread of a short one would wait for the other.
func (l *launcher) LoopsFrom(i int) (end int) {
	most := l.of.groupEnd(i)
	least, longest, cut := int64(math.MaxInt64), int64(0), false
	for end = i; end < most; end++ {
		last := l.of.steps[end].loop
		took := last.took.Load()
		if took < leastLoop {
			break
		}
		least, longest, cut = min(least, took), max(longest, took), cut || last.cut.Load()
	}
	if end < i+2 || cut && least < longest/4*3 {
		return i + 1
	}
	return end
}

// Loops implements [exec.GroupLooper].
func (l *launcher) Loops(ctx context.Context, i int, m []*exec.LoopMemory, last []int) (failed int, ran bool, err error) {
	if !l.isApart(i, i+len(m)) {
		return 0, false, nil
	}
	defer func() {
		for k := range m {
			l.loop(i + k).forget()
		}
		l.loopGroup = loopGroup{}
	}()
	for k := range m {
		c := l.loop(i + k)
		if c.programs[condition] == nil {
			return 0, false, nil
		}
		if ready, err := c.prepare(ctx, m[k], l.Sizes); err != nil || !ready {
			return 0, false, nil
		}
		c.grouped = true
		for _, r := range c.regions {
			r.crew.limit(1)
		}
	}
	l.loopGroup = loopGroup{ctx, i, last}
	l.crew.doEach(len(m))
	if l.failed.Load() {
		w := l.firstFailed()
		return i + w.first, true, w.err
	}
	return 0, true, nil
}

// runLoops has a worker run loops of the group under way: n, from loop k on.
func (l *launcher) runLoops(worker, k, n int) {
	g, w := &l.loopGroup, &l.workers[worker]
	for end := k + n; k < end; k++ {
		var err error
		if g.last[k], err = l.runLoop(g.ctx, g.first+k); err != nil {
			if l.failed.Store(true); w.err == nil || k < w.first {
				w.err, w.first = err, k
			}
		}
	}
}

// runLoop runs step i, a loop that is prepared. A panic is the error of the loop.
func (l *launcher) runLoop(ctx context.Context, i int) (last int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = l.Panicked(l.of.steps[i].Step, l, r)
		}
	}()
	return l.loop(i).run(ctx)
}
