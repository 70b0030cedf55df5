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
// It counts for tensors that are recorded from then on. No other goroutine may use a tensor of
// the step while MarkStep runs. Tensors that hold an error are left alone.
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
			tr.live = &liveTensors{compact: minHandles}
		}
	}
	return before
}

// liveTensors are the handles made in a step of a trace whose live tensors are roots.
type liveTensors struct {
	handles []weak.Pointer[Tensor]
	compact int // how many there may be before those that are gone are dropped
}

// minHandles is how many handles there may be at least before some are dropped.
const minHandles = 1024

// handle returns a handle in memory of its own: one that shares memory lives as long as the
// others there.
func (l *liveTensors) handle() *Tensor {
	if len(l.handles) == l.compact {
		l.handles = slices.DeleteFunc(l.handles, func(h weak.Pointer[Tensor]) bool { return computed(h) == nil })
		l.compact = max(2*len(l.handles), minHandles)
	}
	t := &Tensor{}
	l.handles = append(l.handles, weak.Make(t))
	return t
}

// computed returns the tensor of a handle, if it is reachable and has neither a value nor an
// error; else nil.
func computed(h weak.Pointer[Tensor]) *Tensor {
	if t := h.Value(); t != nil && t.err == nil && t.val == nil {
		return t
	}
	return nil
}

// roots returns the tensors of the step that the program reaches, after a garbage collection.
func (l *liveTensors) roots() []*Tensor {
	if l == nil || len(l.handles) == 0 {
		return nil
	}
	runtime.GC()
	return l.reachable()
}

// reachable returns the tensors of the step that are reachable and to be computed.
func (l *liveTensors) reachable() (all []*Tensor) {
	if l != nil {
		for _, h := range l.handles {
			if t := computed(h); t != nil {
				all = append(all, t)
			}
		}
	}
	return all
}

// forget ends the step.
func (l *liveTensors) forget() {
	if l != nil {
		clear(l.handles)
		l.handles, l.compact = l.handles[:0], minHandles
	}
}
