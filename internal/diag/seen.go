package diag

import "sync"

// Seen is the keys that were met: that a warning was logged for, say. Any goroutine may use it.
type Seen[K comparable] struct {
	mu  sync.Mutex
	met map[K]struct{}
}

// First reports whether the key is met for the first time.
func (s *Seen[K]) First(key K) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, met := s.met[key]; met {
		return false
	}
	if s.met == nil {
		s.met = map[K]struct{}{}
	}
	s.met[key] = struct{}{}
	return true
}
