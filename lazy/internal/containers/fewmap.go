package containers

// FewMap is a map that mostly has few keys. The first of them are in a list, which takes
// less to fill, to search and to empty than a map of Go.
type FewMap[K comparable, V any] struct {
	list [8]entry[K, V]
	n    int     // in list
	more map[K]V // nil while the list is enough
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// Of returns the value of a key; the zero value if there is none.
func (m *FewMap[K, V]) Of(key K) V {
	for i := range m.list[:m.n] {
		if m.list[i].key == key {
			return m.list[i].value
		}
	}
	return m.more[key]
}

// Put adds a key that is not in the map.
func (m *FewMap[K, V]) Put(key K, value V) {
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
func (m *FewMap[K, V]) Clear() {
	clear(m.list[:m.n])
	m.n = 0
	clear(m.more)
}
