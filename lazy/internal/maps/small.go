// Package maps has maps that keep their memory when they are emptied: [Small] is for few keys, and
// [Ordered] yields keys in the order in which they came. They belong to one goroutine at a time.
//
// The package imports only the standard library.
package maps

// Small is a map that mostly has few keys. The first of them are in a list, which takes
// less to fill, to search and to empty than a map of Go.
type Small[K comparable, V any] struct {
	list [8]entry[K, V]
	n    int     // in list
	more map[K]V // nil while the list is enough
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// Of returns the value of a key; the zero value if there is none.
func (m *Small[K, V]) Of(key K) V {
	for i := range m.list[:m.n] {
		if m.list[i].key == key {
			return m.list[i].value
		}
	}
	return m.more[key]
}

// Put adds a key that is not in the map.
func (m *Small[K, V]) Put(key K, value V) {
	if m.n < len(m.list) {
		m.list[m.n] = entry[K, V]{key, value}
		m.n++
		return
	}
	if m.more == nil {
		m.more = map[K]V{}
	}
	m.more[key] = value
}

// Clear removes all keys.
func (m *Small[K, V]) Clear() {
	clear(m.list[:m.n])
	m.n = 0
	clear(m.more)
}
