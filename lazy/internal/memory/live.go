package memory

import (
	"runtime"
	"sync"
	"weak"

	"ltc/internal/callsite"
	"ltc/ir/types"
)

// Live knows the values of a device that have not been found unreachable.
type Live struct {
	mu   sync.Mutex
	next uint64
	of   map[uint64]Value
}

// Value is a live value: where it was made and as what.
type Value struct {
	Site callsite.Site
	Kind string
	Type types.Type

	reachable func() bool // false before died is called, which may take a while
}

// Track remembers v for as long as it lives.
func Track[T any](l *Live, v *T, x Value) {
	w := weak.Make(v)
	x.reachable = func() bool { return w.Value() != nil }
	l.mu.Lock()
	id := l.next
	l.next++
	if l.of == nil {
		l.of = map[uint64]Value{}
	}
	l.of[id] = x
	l.mu.Unlock()
	runtime.AddCleanup(v, l.died, id)
}

func (l *Live) died(id uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.of, id)
}

// Values returns the values that something still reaches.
func (l *Live) Values() []Value {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []Value
	for _, x := range l.of {
		if x.reachable() {
			all = append(all, x)
		}
	}
	return all
}
