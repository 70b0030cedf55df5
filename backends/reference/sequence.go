package reference

import (
	"context"

	"ltc/backends/kit/kernel"
)

// sequence has the launches of short steps that follow each other as links of a chain, so that
// they run without Go code in between. That code takes some 40 ns a launch. Steps and links
// have the same numbers.
type sequence struct {
	linked uint64       // the fit of the launcher that it is for; 0: none
	chain  kernel.Chain // nil: no step is in it
	calls  []kernel.Call
	ends   []int // by step: the step behind the last that runs with it
	// pending says that a stand-in still runs a step, which may be in the chain later.
	pending bool
}

// settle has the next run link the steps anew if code was not ready for this one.
func (q *sequence) settle() {
	if q.pending {
		q.linked, q.pending = 0, false
	}
}

// LaunchFrom implements [exec.Sequencer].
func (l *launcher) LaunchFrom(ctx context.Context, i, watch int, done <-chan struct{}) (last int, err error) {
	q := &l.sequence
	if q.linked != l.fitted {
		l.link()
	}
	if q.chain == nil || q.ends[i] <= i+1 {
		end := l.of.groupEnd(i)
		if end == 0 || !l.isApart(i, end) {
			return i, l.Launch(ctx, i, done)
		}
		if watch < end { // what a member writes then is not to be left half done
			done = nil
		}
		return end - 1, l.launchGroup(i, end, done)
	}
	for k := i; k < q.ends[i]; k++ {
		s := &l.of.steps[k]
		s.point(q.calls[k].Mem, l.Mem)
	}
	for at := i; ; {
		next, ended, err := q.chain.Run(at, loopTime)
		switch {
		case err != nil:
			return next, l.of.steps[next].Failed(err)
		case ended:
			return next, nil
		}
		if at = next; at >= watch {
			continue
		}
		select {
		case <-done:
			return at - 1, context.Cause(ctx)
		default:
		}
	}
}

// link finds the steps that run together. It allocates nothing for other sizes of a program.
func (l *launcher) link() {
	q, steps := &l.sequence, l.of.steps
	q.linked, q.pending = l.fitted, false
	if l.of.views != nil { // which the host prepares for each launch
		return
	}
	for i := range steps { // the first step that another follows makes the chain
		if q.chain == nil && i+1 < len(steps) && l.joins(i) && l.joins(i+1) {
			if c, ok := steps[i].code.(kernel.Chainer); ok {
				q.chain = c.NewChain(len(steps))
				q.calls, q.ends = make([]kernel.Call, len(steps)), make([]int, len(steps))
			}
		}
	}
	if q.chain == nil {
		return
	}
	end := len(steps) // behind the steps in the chain that follow i
	for i := len(steps) - 1; i >= 0; i-- {
		next := i + 1
		if next >= end {
			next = kernel.ChainEnds
		}
		if !l.joins(i) || !l.set(i, next) {
			q.ends[i], end = i+1, i
			continue
		}
		q.ends[i] = end
	}
}

// joins reports whether step i is one that may run with its neighbours: short, in one part,
// and launched in every run.
func (l *launcher) joins(i int) bool {
	s := &l.of.steps[i]
	switch {
	case s.code == nil || s.Launch == nil || s.parts != 1 || !s.short || s.Copies || len(s.Moving) > 0:
		return false
	case l.of.Done != nil && l.of.Done[i]:
		return false
	case s.pending():
		l.sequence.pending = true
		return false
	}
	return true
}

// set makes step i a link of the chain that next follows, and reports whether it can be one.
func (l *launcher) set(i, next int) bool {
	s, call := &l.of.steps[i], &l.sequence.calls[i]
	call.Mem = l.pointers[s.first : s.first+len(s.Operands)]
	call.Sizes, call.Strides, call.Scratch, call.Parts = s.Sizes, s.Strides, l.workers[0].call.Scratch, 1
	return l.sequence.chain.Set(i, s.now(), call, nil, next)
}
