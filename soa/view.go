package soa

import (
	"fmt"
	"reflect"
	"runtime"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// View is a strided window onto memory that it does not own but keeps alive.
// Element (i, j, …) lies at base + (i*Strides[0] + j*Strides[1] + …) * size;
// when Table is set, axis TableAxis is given by base pointers instead: its
// index chooses Table[i], and Strides[TableAxis] is ignored. The zero View has
// an invalid type and stands for "none".
type View struct {
	Type      types.Type
	Strides   []int // in elements, one per dimension; may be 0 or negative
	Table     []unsafe.Pointer
	TableAxis int
	base      unsafe.Pointer
	hold      *Buffer // of memory off the Go heap, which base does not keep
	bounds    bounds
}

// Dense returns the strides of row-major memory without gaps.
func Dense(s types.Shape) []int {
	strides := make([]int, len(s))
	n := 1
	for i := len(s) - 1; i >= 0; i-- {
		strides[i] = n
		n *= s[i]
	}
	return strides
}

// IsZero reports whether v is the zero View. It has a pointer for its receiver, as all small
// methods of views do: those of values copy the view, even where they are inlined.
func (v *View) IsZero() bool { return !v.Type.DType.Valid() }

// OffHeap reports whether the elements are not Go memory: then only views keep
// them, and there is no [Slice] of them.
func (v *View) OffHeap() bool { return v.hold != nil }

// Base returns the address of element (0, 0, …); nil when the view has a table.
// It does not keep memory off the Go heap: see [KeepAlive].
func (v *View) Base() unsafe.Pointer { return v.base }

// Start returns the address of the first element; of a table, that of its first column.
func (v *View) Start() unsafe.Pointer {
	if len(v.Table) > 0 {
		return v.Table[0]
	}
	return v.base
}

// IsDense reports whether the elements lie row-major without gaps.
func (v *View) IsDense() bool { return v.Table == nil && isDense(v.Type.Shape, v.Strides) }

// isDense is apart so that [View.IsDense] is inlined and copies no view.
func isDense(s types.Shape, strides []int) bool {
	n := 1
	for i := len(strides) - 1; i >= 0; i-- {
		if d := s[i]; d != 1 {
			if strides[i] != n {
				return s.Elements() == 0
			}
			n *= d
		}
	}
	return true
}

// String describes the view, as in
//
//	f32[2,3] dense
//	f32[2,3] strides [0 1]
//	f32[8,1000] strides [0 1] table along axis 0
//
// It never looks at the elements: they may be of a step that runs, or memory
// that a backend has taken back. To see them, copy them ([Copy]) to a dense view.
func (v View) String() string {
	if v.IsZero() {
		return "no view"
	}
	s := v.Type.String()
	if v.IsDense() {
		s += " dense"
	} else {
		s += fmt.Sprintf(" strides %v", v.Strides)
	}
	if v.Table != nil {
		s += fmt.Sprintf(" table along axis %d", v.TableAxis)
	}
	if m := v.Remote(); m != nil {
		s += " on " + m.String()
	} else if v.OffHeap() {
		s += " off the Go heap"
	}
	return s
}

// Locate makes v show the elements that w shows and leaves v's type, which must
// be w's, as it is: who reads only the type need not wait for the elements.
func (v *View) Locate(w *View) {
	v.Strides, v.Table, v.TableAxis, v.base, v.hold, v.bounds = w.Strides, w.Table, w.TableAxis, w.base, w.hold, w.bounds
}

// Element is a Go type that elements of a dtype can be read as.
type Element interface {
	~bool | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int8 | ~int16 | ~int32 | ~int64 | ~float32 | ~float64
}

// Slice returns the elements of a dense view in place. It panics when v is not dense, its
// dtype is not T's, or its elements are off the Go heap, where a slice would not keep them:
// see [With]. float32 holds f32, [types.BFloat16] bf16, and types of the caller's what
// their underlying type holds; for patterns of bits see [Bits].
func Slice[T Element](v View) []T {
	mustHold[T](v)
	v.mustBeHeap()
	return elements[T](v)
}

// Bits returns the elements of a dense view in place as patterns of bits, of
// whatever dtype they are: T is the unsigned integer of their size. Of bools there
// are 0 and 1 alone. It panics as [Slice] does otherwise.
func Bits[T uint8 | uint16 | uint32 | uint64](v View) []T {
	v.mustBeHeap()
	return elements[T](v)
}

// mustBeHeap panics when the elements are where a slice would not keep them.
func (v View) mustBeHeap() {
	if v.hold != nil {
		panic(fmt.Sprintf("soa: slice of %v off the Go heap; use With, or copy it to a buffer of New", v.Type))
	}
}

// mustHold panics when elements of v are no Ts.
func mustHold[T Element](v View) {
	if !holds[T](v.Type.DType) {
		panic(fmt.Sprintf("soa: slice of %v: %T does not hold elements of %v", v.Type, *new(T), v.Type.DType))
	}
}

// holds reports whether Ts are elements of d.
func holds[T Element](d types.DType) bool {
	of, ok := dtypeOf(reflect.TypeFor[T]())
	return ok && of == d
}

// With calls use with the elements of a dense view in place, wherever they
// are, but for remote memory. The slice must not be kept. It panics as [Slice]
// does otherwise.
func With[T Element](v View, use func([]T)) {
	mustHold[T](v)
	use(elements[T](v))
	runtime.KeepAlive(v.hold)
}

func elements[T Element](v View) []T {
	var zero T
	if m := v.Remote(); m != nil {
		panic(fmt.Sprintf("soa: slice of %v, which is in the memory of %v: copy it to a buffer of New", v.Type, m))
	}
	if int(unsafe.Sizeof(zero)) != v.Type.DType.Size() || !v.IsDense() {
		panic(fmt.Sprintf("soa: %T slice of %v with strides %v", zero, v.Type, v.Strides))
	}
	if v.Type.Bytes() > v.bounds.after {
		panic(fmt.Sprintf("soa: slice of %v in memory of %s", v.Type, diag.Count(v.bounds.after, "byte")))
	}
	return unsafe.Slice((*T)(v.base), v.Type.Elements())
}

// Borrow returns a dense view of s, which the view then shares. It reports an
// error when t does not have len(s) elements of the dtype that T holds: see [Slice].
func Borrow[T Element](s []T, t types.Type) (View, error) {
	if err := t.Check(); err != nil {
		return View{}, err
	}
	if !holds[T](t.DType) {
		return View{}, fmt.Errorf("%T does not hold elements of %v", *new(T), t.DType)
	}
	if len(s) != t.Elements() {
		return View{}, fmt.Errorf("%s for %v, which has %d", diag.Count(len(s), "element"), t, t.Elements())
	}
	return View{Type: t, Strides: Dense(t.Shape), base: unsafe.Pointer(unsafe.SliceData(s)), bounds: bounds{after: t.Bytes()}}, nil
}

// Restride returns the elements of a dense view at offset + i*strides[0] + …
// for each index (i, …) of t's shape, where they lie. It reports an error when
// one lies outside the view or t's elements are of another dtype.
func (v View) Restride(t types.Type, offset int, strides []int) (View, error) {
	switch err := t.Check(); {
	case err != nil:
		return View{}, fmt.Errorf("restride of %v: %w", v.Type, err)
	case !v.IsDense():
		return View{}, fmt.Errorf("restride of %v: it is not dense", v.Type)
	case t.DType != v.Type.DType || len(strides) != t.Rank():
		return View{}, fmt.Errorf("restride of %v to %v with %s", v.Type, t, diag.Count(len(strides), "stride"))
	case t.Elements() == 0:
		return View{Type: t, Strides: strides, base: v.base, hold: v.hold, bounds: v.bounds}, nil
	}
	left := v.Type.Elements() - 1 - offset
	out := offset < 0 || left < 0
	for i, d := range t.Shape {
		if out || d == 1 {
			continue
		}
		if out = strides[i] < 0 || strides[i] > left/(d-1); !out {
			left -= (d - 1) * strides[i]
		}
	}
	if out {
		return View{}, fmt.Errorf("restride of %v: %v with strides %v from %d leaves it", v.Type, t, strides, offset)
	}
	r := View{Type: t, Strides: strides, base: v.base, hold: v.hold, bounds: v.bounds}
	return r.offset(offset), nil
}
