// Package footprint counts the memory that a value keeps alive. Its central type is
// [Counter].
//
// The package imports only the standard library.
package footprint

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Counter counts the memory of values, each of whose types it reads once. Several
// goroutines may use it at a time.
type Counter struct {
	shared  []reflect.Type
	layouts sync.Map // of *layout, by reflect.Type
}

// New returns a counter for which values of the types in shared, or that implement them,
// belong to others, too: it does not enter them, but asks those that have a method
// ResidentBytes. Contexts always do.
func New(shared ...reflect.Type) *Counter {
	return &Counter{shared: append(slices.Clip(shared), reflect.TypeFor[context.Context]())}
}

// Of returns about how many bytes of the Go heap can be reached from x, each once.
// It does not see what functions, channels, [unsafe.Pointer] and [atomic.Pointer] hold.
// Nobody may change what is reached meanwhile.
func (c *Counter) Of(x any) int {
	if x == nil {
		return 0
	}
	w := walks.Get().(*walk)
	w.Counter = c
	w.copy(reflect.ValueOf(x))
	n := w.bytes
	w.bytes = 0
	w.seen.clear()
	walks.Put(w)
	return int(n)
}

// Slice returns the bytes of a slice's elements, without what they refer to.
func Slice[T any](s []T) int {
	var x T
	return cap(s) * int(unsafe.Sizeof(x))
}

// walks are those that have ended: the memory of their tables serves the next ones.
var walks = sync.Pool{New: func() any { return new(walk) }}

// walk follows what can be reached. It reads memory by layouts: a [reflect.Value] for
// each field and element would take several times as long, and each program that is
// compiled is counted.
type walk struct {
	*Counter
	seen  objects
	bytes uintptr
}

// layout says where a value of a type holds references.
type layout struct {
	of     reflect.Type
	size   uintptr
	shared bool                  // a value of the type belongs to others, too
	refs   atomic.Pointer[[]ref] // nil: not known yet, as a type can contain pointers to itself
}

// ref is a reference within a value.
type ref struct {
	offset uintptr
	kind   reflect.Kind // Pointer, Interface, String, Slice, Array or Map
	of     reflect.Type // of the reference
	elem   *layout      // what a pointer points to; elements of slices and arrays
	n      int          // elements of an array
	shared bool         // the pointer is of a type that others share
	says   bool         // such a pointer has a method ResidentBytes
}

// layout returns the layout of t.
func (c *Counter) layout(t reflect.Type) *layout {
	if l, ok := c.layouts.Load(t); ok {
		return l.(*layout)
	}
	l, _ := c.layouts.LoadOrStore(t, &layout{of: t, size: t.Size(), shared: c.isShared(t)})
	return l.(*layout)
}

// refsOf returns the references of values of l.
func (c *Counter) refsOf(l *layout) []ref {
	refs := l.refs.Load()
	if refs == nil {
		all := c.references(l)
		refs = &all
		l.refs.Store(refs)
	}
	return *refs
}

func (c *Counter) references(l *layout) []ref {
	t := l.of
	switch r := (ref{kind: t.Kind(), of: t}); r.kind {
	case reflect.Pointer:
		r.elem, r.shared = c.layout(t.Elem()), l.shared
		r.says = l.shared && t.Implements(reflect.TypeFor[resident]())
		return []ref{r}
	case reflect.Interface:
		return []ref{r} // whose value may be shared, whatever the interface is
	}
	if l.shared {
		return nil
	}
	switch r := (ref{kind: t.Kind(), of: t}); r.kind {
	case reflect.String, reflect.Map:
		return []ref{r}
	case reflect.Slice:
		r.elem = c.layout(t.Elem())
		return []ref{r}
	case reflect.Array:
		r.elem, r.n = c.layout(t.Elem()), t.Len()
		if r.n > 0 && len(c.refsOf(r.elem)) > 0 {
			return []ref{r}
		}
	case reflect.Struct:
		var all []ref
		for i := range t.NumField() {
			f := t.Field(i)
			if !refers(f.Type.Kind()) {
				continue
			}
			for _, r := range c.refsOf(c.layout(f.Type)) {
				r.offset += f.Offset
				all = append(all, r)
			}
		}
		return all
	}
	return nil
}

// refers reports whether a value of a kind can hold references that are followed.
func refers(k reflect.Kind) bool {
	switch k {
	case reflect.Pointer, reflect.Interface, reflect.String, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		return true
	}
	return false
}

// isShared reports whether values of t belong to others, too.
func (c *Counter) isShared(t reflect.Type) bool {
	return slices.ContainsFunc(c.shared, func(s reflect.Type) bool {
		return t == s || s.Kind() == reflect.Interface && t.Implements(s)
	})
}

// add counts n bytes at p; false if they have been counted.
func (w *walk) add(p unsafe.Pointer, n uintptr) bool {
	if p == nil {
		return false
	}
	o, found := w.seen.at(uintptr(p))
	if found && o.bytes() >= n {
		return false
	}
	w.bytes += n - o.bytes()
	o.set(n, w.seen.round)
	return true
}

// slice is how a slice lies in memory.
type slice struct {
	data     unsafe.Pointer
	len, cap int
}

// value follows the references of the value at p.
func (w *walk) value(p unsafe.Pointer, l *layout) {
	for _, r := range w.refsOf(l) {
		at := unsafe.Add(p, r.offset)
		switch r.kind {
		case reflect.Pointer:
			to := *(*unsafe.Pointer)(at)
			switch {
			case to == nil:
			case r.shared:
				if r.says && w.add(to, 1) {
					says := reflect.NewAt(r.of.Elem(), to).Interface().(resident)
					w.bytes += uintptr(says.ResidentBytes())
				}
			case !r.elem.shared && w.add(to, r.elem.size):
				w.value(to, r.elem)
			}
		case reflect.Interface:
			if v := reflect.NewAt(r.of, at).Elem().Elem(); v.IsValid() {
				if k := v.Kind(); k != reflect.Pointer && k != reflect.Func && k != reflect.Map {
					w.bytes += v.Type().Size() // boxed
				}
				w.copy(v)
			}
		case reflect.String:
			s := *(*string)(at)
			w.add(unsafe.Pointer(unsafe.StringData(s)), uintptr(len(s)))
		case reflect.Slice:
			s := (*slice)(at)
			if s.cap > 0 && w.add(s.data, uintptr(s.cap)*r.elem.size) {
				w.elements(s.data, s.len, r.elem)
			}
		case reflect.Array:
			w.elements(at, r.n, r.elem)
		case reflect.Map:
			w.entries(reflect.NewAt(r.of, at).Elem())
		}
	}
}

func (w *walk) elements(p unsafe.Pointer, n int, l *layout) {
	if len(w.refsOf(l)) == 0 {
		return
	}
	for i := range n {
		w.value(unsafe.Add(p, uintptr(i)*l.size), l)
	}
}

// entries counts a map.
func (w *walk) entries(m reflect.Value) {
	const header, perEntry = 48, 9 // about, at the usual load
	if m.IsNil() || !w.add(m.UnsafePointer(), header) {
		return
	}
	w.bytes += uintptr(m.Len()) * (m.Type().Key().Size() + m.Type().Elem().Size() + perEntry) * 4 / 3
	key, value := w.layout(m.Type().Key()), w.layout(m.Type().Elem())
	if len(w.refsOf(key))+len(w.refsOf(value)) == 0 {
		return
	}
	k, v := reflect.New(key.of), reflect.New(value.of)
	for i := m.MapRange(); i.Next(); {
		k.Elem().SetIterKey(i)
		v.Elem().SetIterValue(i)
		w.value(k.UnsafePointer(), key)
		w.value(v.UnsafePointer(), value)
	}
}

// copy follows the references of a value that has no address.
func (w *walk) copy(v reflect.Value) {
	l := w.layout(v.Type())
	if len(w.refsOf(l)) == 0 {
		return
	}
	if v.Kind() == reflect.Pointer {
		p := v.UnsafePointer()
		w.value(unsafe.Pointer(&p), l)
		return
	}
	p := reflect.New(l.of)
	p.Elem().Set(v)
	w.value(p.UnsafePointer(), l)
}

// resident is what a [Counter] asks of shared values.
type resident interface{ ResidentBytes() int }
