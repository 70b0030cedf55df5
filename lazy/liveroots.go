package lazy

import (
	"runtime"
	"slices"
	"weak"
)

// LiveRoots makes a root of every tensor of a step that the program can still reach when it
// calls MarkStep. MarkStep without roots then computes what is read later, as the lazy tensor
// core does. It is off in a new trace. It returns the setting before.
//
// A step then begins with a garbage collection, to find what is reachable, which takes as long
// as the heap of the program asks for. A variable of Go that is not used after MarkStep reaches
// nothing, unless the compiler's optimizations are off.
func (tr *Trace) LiveRoots(on bool) (before bool) {
	tr = tr.some()
	before = tr.live != nil
	if on != before {
		tr.live = nil
		if on {
			tr.live = &liveTensors{}
		}
	}
	return before
}

// liveTensors are the handles made in a step of a trace whose live tensors are roots.
type liveTensors struct {
	handles []weak.Pointer[Tensor]
}

// handle returns a handle in memory of its own: one that shares memory lives as long as the
// others there.
func (l *liveTensors) handle() *Tensor {
	t := &Tensor{}
	l.handles = append(l.handles, weak.Make(t))
	return t
}

// roots calls yield with each handle of the step that is reachable and not among roots.
func (l *liveTensors) roots(roots []*Tensor) func(yield func(*Tensor) bool) {
	return func(yield func(*Tensor) bool) {
		if l == nil || len(l.handles) == 0 {
			return
		}
		runtime.GC()
		for _, h := range l.handles {
			if t := h.Value(); t != nil && !slices.Contains(roots, t) && !yield(t) {
				return
			}
		}
	}
}

// forget ends the step.
func (l *liveTensors) forget() {
	if l != nil {
		clear(l.handles)
		l.handles = l.handles[:0]
	}
}
