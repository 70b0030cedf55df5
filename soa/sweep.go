package soa

import (
	"cmp"
	"slices"
)

// sweep finds two segments that share memory, of which at least one is an output. It takes the
// segments in the order of their first bytes. Fields of an array of records are segments of one
// stride whose ranges overlap. They are looked up by their offset in the record, instead of
// comparing each pair.
type sweep struct{ inputs, outputs buckets }

// add returns an earlier segment that a meets. If there is none it returns nil and adds a.
func (s *sweep) add(a *segment) *segment {
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

// buckets holds segments by their strides, in increasing order.
type buckets []*bucket

// bucket holds the segments of one stride. Segments that end before the sweep's position are
// removed lazily.
type bucket struct {
	stride   uintptr
	origin   uintptr    // address of phase 0: the start of the first segment, so that insert appends
	last     *segment   // the segment with the highest end
	segments []*segment // sorted by phase
	widest   uintptr    // the largest size of a segment
}

// phase returns the start of a segment modulo the stride.
func (l *bucket) phase(r *segment) uintptr { return (r.lo - l.origin) % max(l.stride, 1) }

// meeting returns a segment that a meets, and removes buckets whose segments have all ended.
func (l *buckets) meeting(a *segment) *segment {
	*l = slices.DeleteFunc(*l, func(l *bucket) bool { return l.last.hi <= a.lo })
	for _, of := range *l {
		b := of.last // it overlaps a, and so meets a if the strides differ or are 0
		if of.stride == a.stride && a.stride != 0 {
			b = of.meeting(a)
		}
		if b != nil {
			return b
		}
	}
	return nil
}

// meeting returns a segment of the bucket that a, of the same stride, meets.
func (l *bucket) meeting(a *segment) *segment {
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

// among is meeting for the segments with phases in [from, to). It removes those that have
// ended.
func (l *bucket) among(a *segment, from, to uintptr) *segment {
	for i := l.find(from); i < len(l.segments) && l.phase(l.segments[i]) < to; {
		switch b := l.segments[i]; {
		case b.hi <= a.lo:
			l.segments = slices.Delete(l.segments, i, i+1)
		case a.meets(b):
			return b
		default:
			i++
		}
	}
	return nil
}

// find returns the index of the first segment whose phase is at least the given one.
func (l *bucket) find(phase uintptr) int {
	i, _ := slices.BinarySearchFunc(l.segments, phase, func(r *segment, phase uintptr) int { return cmp.Compare(l.phase(r), phase) })
	return i
}

func (l *buckets) insert(a *segment) {
	i, ok := slices.BinarySearchFunc(*l, a.stride, func(l *bucket, stride uintptr) int { return cmp.Compare(l.stride, stride) })
	if !ok {
		*l = slices.Insert(*l, i, &bucket{stride: a.stride, origin: a.lo, last: a})
	}
	(*l)[i].insert(a)
}

func (l *bucket) insert(a *segment) {
	if a.lo >= l.last.hi { // all segments of the bucket have ended
		*l = bucket{stride: l.stride, origin: a.lo, last: a}
	}
	if a.hi > l.last.hi {
		l.last = a
	}
	l.widest = max(l.widest, a.size)
	i := l.find(l.phase(a))
	if i < len(l.segments) && l.phase(l.segments[i]) == l.phase(a) && l.segments[i].size == a.size {
		if l.segments[i].hi < a.hi { // later segments that meet the shorter segment meet a too
			l.segments[i] = a
		}
		return
	}
	l.segments = slices.Insert(l.segments, i, a)
}
