package alloc

import (
	"slices"
	"weak"
)

// WeakList is a list of elements that it does not keep alive. It drops elements that are
// gone, or not wanted any more, when it has grown to twice of what it had after the last time.
type WeakList[T any] struct {
	all     []weak.Pointer[T]
	compact int // how many there may be before some are dropped; 0: minWeak
}

// minWeak is how many elements there may be at least before some are dropped.
const minWeak = 1024

// New returns a new zero element of the list, in memory of its own: one that shares memory
// lives as long as the others there. Elements that are not wanted may be dropped.
func (l *WeakList[T]) New(wanted func(*T) bool) *T {
	if len(l.all) == max(l.compact, minWeak) {
		l.all = slices.DeleteFunc(l.all, func(p weak.Pointer[T]) bool {
			x := p.Value()
			return x == nil || !wanted(x)
		})
		l.compact = 2 * len(l.all)
	}
	x := new(T)
	l.all = append(l.all, weak.Make(x))
	return x
}

// Len returns the number of elements, with those that are gone and were not dropped yet.
func (l *WeakList[T]) Len() int { return len(l.all) }

// All calls yield with each element that is reachable.
func (l *WeakList[T]) All(yield func(*T) bool) {
	for _, p := range l.all {
		if x := p.Value(); x != nil && !yield(x) {
			return
		}
	}
}

// Clear removes all elements.
func (l *WeakList[T]) Clear() {
	clear(l.all)
	l.all, l.compact = l.all[:0], 0
}
