package maps

import "slices"

// Ordered has keys, each once, in the order in which they came, with a value for each. Any
// key leaves in constant time: a hole stays behind. The zero key cannot be in it.
type Ordered[K comparable, V any] struct {
	all []entry[K, V]
	at  map[K]int
}

// minHoles is how many holes a map may have before it looks at closing them.
const minHoles = 32

// Put adds a key with its value, unless it is there.
func (r *Ordered[K, V]) Put(key K, value V) {
	if _, ok := r.at[key]; ok {
		return
	}
	if len(r.all) > 2*len(r.at)+minHoles {
		var none K
		r.all = slices.DeleteFunc(r.all, func(e entry[K, V]) bool { return e.key == none })
		for i, e := range r.all {
			r.at[e.key] = i
		}
	}
	if r.at == nil {
		r.at = map[K]int{}
	}
	r.at[key] = len(r.all)
	r.all = append(r.all, entry[K, V]{key, value})
}

// Of returns the value of key, and whether there is one.
func (r *Ordered[K, V]) Of(key K) (value V, ok bool) {
	i, ok := r.at[key]
	if ok {
		value = r.all[i].value
	}
	return value, ok
}

// Drop removes a key, if it is there.
func (r *Ordered[K, V]) Drop(key K) {
	if i, ok := r.at[key]; ok {
		r.all[i] = entry[K, V]{}
		delete(r.at, key)
	}
}

// Len returns the number of keys.
func (r *Ordered[K, V]) Len() int { return len(r.at) }

// All calls yield with each key and its value.
func (r *Ordered[K, V]) All(yield func(K, V) bool) {
	var none K
	for _, e := range r.all {
		if e.key != none && !yield(e.key, e.value) {
			return
		}
	}
}

// Emptied returns a map without keys that has the memory of r.
func (r Ordered[K, V]) Emptied() Ordered[K, V] {
	clear(r.all)
	clear(r.at)
	return Ordered[K, V]{r.all[:0], r.at}
}
