package soa

import (
	"cmp"
	"slices"
)

// sweep finds runs that share memory, of which one at least is an output, among runs
// that come in the order of their first bytes. Columns of records, of which each run
// spans those of all others, are looked up by where in a record they lie, and not
// compared with each other.
type sweep struct{ inputs, outputs lanes }

// add returns a run that a meets; nil if there is none, and then a is one of the
// sweep's.
func (s *sweep) add(a *run) *run {
	if b := s.outputs.meeting(a); b != nil {
		return b
	}
	if !a.output {
		s.inputs.insert(a)
		return nil
	}
	if b := s.inputs.meeting(a); b != nil {
		return b
	}
	s.outputs.insert(a)
	return nil
}

// lanes are runs by their strides, in increasing order.
type lanes []*lane

// lane is the runs of one stride that have not ended where the sweep is, and some that
// have.
type lane struct {
	stride uintptr
	origin uintptr // of phases: where the first run begins, so that runs are appended
	last   *run    // that ends last
	runs   []*run  // by phase
	widest uintptr // size of a run
}

// phase is where in a stride a run begins.
func (l *lane) phase(r *run) uintptr { return (r.lo - l.origin) % max(l.stride, 1) }

// meeting returns a run that a meets, and forgets lanes that have ended.
func (l *lanes) meeting(a *run) *run {
	*l = slices.DeleteFunc(*l, func(l *lane) bool { return l.last.hi <= a.lo })
	for _, of := range *l {
		b := of.last // which a meets if their strides differ or are 0
		if of.stride == a.stride && a.stride != 0 {
			b = of.meeting(a)
		}
		if b != nil {
			return b
		}
	}
	return nil
}

// meeting returns a run of a's stride that a meets.
func (l *lane) meeting(a *run) *run {
	from, reach := l.phase(a), a.size+l.widest-1
	if reach >= l.stride {
		return l.among(a, 0, l.stride)
	}
	from = (from + l.stride - (l.widest - 1)) % l.stride
	if b := l.among(a, from, min(from+reach, l.stride)); b != nil || from+reach <= l.stride {
		return b
	}
	return l.among(a, 0, from+reach-l.stride)
}

// among is meeting for runs of phases from one to before another. It forgets those
// that have ended.
func (l *lane) among(a *run, from, to uintptr) *run {
	for i := l.find(from); i < len(l.runs) && l.phase(l.runs[i]) < to; {
		switch b := l.runs[i]; {
		case b.hi <= a.lo:
			l.runs = slices.Delete(l.runs, i, i+1)
		case a.meets(b):
			return b
		default:
			i++
		}
	}
	return nil
}

// find returns the number of the first run of a phase or of a later one.
func (l *lane) find(phase uintptr) int {
	i, _ := slices.BinarySearchFunc(l.runs, phase, func(r *run, phase uintptr) int { return cmp.Compare(l.phase(r), phase) })
	return i
}

func (l *lanes) insert(a *run) {
	i, ok := slices.BinarySearchFunc(*l, a.stride, func(l *lane, stride uintptr) int { return cmp.Compare(l.stride, stride) })
	if !ok {
		*l = slices.Insert(*l, i, &lane{stride: a.stride, origin: a.lo, last: a})
	}
	(*l)[i].insert(a)
}

func (l *lane) insert(a *run) {
	if a.lo >= l.last.hi { // all have ended
		*l = lane{stride: l.stride, origin: a.lo, last: a}
	}
	if a.hi > l.last.hi {
		l.last = a
	}
	l.widest = max(l.widest, a.size)
	i := l.find(l.phase(a))
	if i < len(l.runs) && l.phase(l.runs[i]) == l.phase(a) && l.runs[i].size == a.size {
		if l.runs[i].hi < a.hi { // what meets the one that ends before, from here on, meets this one
			l.runs[i] = a
		}
		return
	}
	l.runs = slices.Insert(l.runs, i, a)
}
