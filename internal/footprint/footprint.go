// Package footprint counts the memory that a value keeps alive. Its central
// function is [Of].
//
// imports only the standard library.
package footprint

import (
	"reflect"
	"unsafe"
)

// Of returns about how many bytes of the Go heap can be reached from x, each once.
// It does not see what functions, channels, [unsafe.Pointer] and [atomic.Pointer] hold.
// Values of the types in shared, or that implement them, belong to others, too: Of does
// not enter them, but asks those that have a method ResidentBytes. Nobody may change what
// is reached meanwhile.
func Of(x any, shared ...reflect.Type) int {
	w := walk{seen: map[unsafe.Pointer]uintptr{}, stops: map[reflect.Type]bool{}, plain: map[reflect.Type]bool{}, shared: shared}
	w.value(reflect.ValueOf(x))
	return int(w.bytes)
}

type walk struct {
	seen   map[unsafe.Pointer]uintptr // bytes counted of the object at an address
	bytes  uintptr
	stops  map[reflect.Type]bool
	plain  map[reflect.Type]bool
	shared []reflect.Type
}

// add counts n bytes at p; false if they have been counted.
func (w *walk) add(p unsafe.Pointer, n uintptr) bool {
	before, ok := w.seen[p]
	if p == nil || ok && before >= n {
		return false
	}
	w.seen[p] = n
	w.bytes += n - before
	return true
}

// value counts what v points to, not v itself.
func (w *walk) value(v reflect.Value) {
	if !v.IsValid() || w.flat(v.Type()) {
		return
	}
	if k := v.Kind(); k != reflect.Pointer && k != reflect.Interface && w.stopped(v.Type()) { // these may be asked
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if w.stopped(v.Type()) {
			w.ask(v)
			return
		}
		if !v.IsNil() && !w.stopped(v.Type().Elem()) && w.add(v.UnsafePointer(), v.Type().Elem().Size()) {
			w.value(v.Elem())
		}
	case reflect.Interface:
		if e := v.Elem(); e.IsValid() {
			if k := e.Kind(); k != reflect.Pointer && k != reflect.Func && k != reflect.Map {
				w.bytes += e.Type().Size() // boxed
			}
			w.value(e)
		}
	case reflect.String:
		w.add(unsafe.Pointer(unsafe.StringData(v.String())), uintptr(v.Len()))
	case reflect.Slice:
		if v.Cap() > 0 && w.add(v.UnsafePointer(), uintptr(v.Cap())*v.Type().Elem().Size()) {
			w.elements(v)
		}
	case reflect.Array:
		w.elements(v)
	case reflect.Struct:
		for i := range v.NumField() {
			w.value(v.Field(i))
		}
	case reflect.Map:
		const header, perEntry = 48, 9 // about, at the usual load
		if !v.IsNil() && w.add(v.UnsafePointer(), header) {
			w.bytes += uintptr(v.Len()) * (v.Type().Key().Size() + v.Type().Elem().Size() + perEntry) * 4 / 3
			for i := v.MapRange(); i.Next(); {
				w.value(i.Key())
				w.value(i.Value())
			}
		}
	}
}

// resident is what says itself how much memory it takes.
type resident interface{ ResidentBytes() int }

// ask counts what a pointer that is not followed says of itself.
func (w *walk) ask(v reflect.Value) {
	if !v.IsNil() && v.Type().Implements(reflect.TypeFor[resident]()) && w.add(v.UnsafePointer(), 1) {
		x := reflect.NewAt(v.Type().Elem(), v.UnsafePointer()).Interface() // v may be a field that is not exported
		w.bytes += uintptr(x.(resident).ResidentBytes())
	}
}

func (w *walk) elements(v reflect.Value) {
	if !w.flat(v.Type().Elem()) {
		for i := range v.Len() {
			w.value(v.Index(i))
		}
	}
}

// stopped reports whether values of type t are not entered.
func (w *walk) stopped(t reflect.Type) bool {
	stop, ok := w.stops[t]
	if !ok {
		for _, s := range w.shared {
			stop = stop || t == s || s.Kind() == reflect.Interface && t.Implements(s)
		}
		w.stops[t] = stop
	}
	return stop
}

// flat reports whether values of type t point to nothing that is counted.
func (w *walk) flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.String, reflect.Slice, reflect.Map:
		return false
	case reflect.Array:
		return t.Len() == 0 || w.flat(t.Elem())
	case reflect.Struct:
		flat, ok := w.plain[t]
		if !ok {
			flat = true
			for i := 0; i < t.NumField() && flat; i++ {
				flat = w.flat(t.Field(i).Type)
			}
			w.plain[t] = flat
		}
		return flat
	}
	return true
}
