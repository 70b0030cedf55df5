// Package alloc allocates elements: a [Slab] many at a time, a [WeakList] each by itself, to find them
// again while they are alive. They belong to one goroutine at a time.
//
// The package imports only the standard library.
package alloc

// Slab is memory to use. Taking from it changes a number and no pointer, which the garbage
// collector would want to know of. An element that is reachable keeps the others of its
// allocation alive.
type Slab[T any] struct {
	all []T
	at  int // of the next element
}

// Next takes a zero element from the slab. An empty slab allocates n elements.
func (s *Slab[T]) Next(n int) *T {
	if s.at == len(s.all) {
		s.all, s.at = make([]T, n), 0
	}
	x := &s.all[s.at]
	s.at++
	return x
}
