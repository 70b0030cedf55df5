package soa

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// View is borrowed memory with a type and strides. A View does not own the memory, but keeps the
// memory alive. Element (i, j, …) is at address base + (i*Strides[0] + j*Strides[1] + …) * size,
// where size is that of an element. A view with a Table has one base address for each index of
// dimension TableAxis: index i selects Table[i], and Strides[TableAxis] is ignored. The zero
// View has an invalid type and stands for no view.
type View struct {
	Type      types.Type
	Strides   []int // in elements, one per dimension; may be 0 or negative
	Table     []unsafe.Pointer
	TableAxis int
	base      unsafe.Pointer
	hold      *Buffer // keeps memory off the Go heap, as base does not; else nil
	bounds    bounds
	readOnly  bool // whatever hold is: see AsReadOnly
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

// IsZero reports whether v is the zero View. The small methods of View have pointer
// receivers, since a call with a value copies the view even when it is inlined.
func (v *View) IsZero() bool { return !v.Type.DType.Valid() }

// OffHeap reports whether the elements are off the Go heap. Only views and buffers keep such
// memory from being freed, and [Slice] panics for it.
func (v *View) OffHeap() bool { return v.hold != nil }

// Base returns the address of element (0, 0, …); nil if the view has a table. The view
// keeps its memory alive, and an address does not: see [KeepAlive].
func (v *View) Base() unsafe.Pointer { return v.base }

// Start returns the address of element (0, 0, …), also of a view with a table.
func (v *View) Start() unsafe.Pointer {
	if len(v.Table) > 0 {
		return v.Table[0]
	}
	return v.base
}

// IsDense reports whether the elements are in row-major order without gaps, and not in a
// table.
func (v *View) IsDense() bool { return v.Table == nil && isDense(v.Type.Shape, v.Strides) }

// isDense is a function of its own so that [View.IsDense] is inlined and copies no view.
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
// String never reads the elements: a step in flight may be writing them, or a backend may have
// reused their memory. To read the elements, [Copy] them to a dense view.
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

// Locate makes v borrow the memory of w, with the strides and the table of w. The types of v and
// w must be equal. Locate does not write v.Type, so that other goroutines may read v.Type
// meanwhile.
func (v *View) Locate(w *View) {
	v.Strides, v.Table, v.TableAxis, v.base, v.hold, v.bounds, v.readOnly = w.Strides, w.Table, w.TableAxis, w.base, w.hold, w.bounds, w.readOnly
}

// Clone returns a view of the same memory with sizes, strides and a table of its own.
func (v View) Clone() View {
	v.Type.Shape, v.Strides, v.Table = slices.Clone(v.Type.Shape), slices.Clone(v.Strides), slices.Clone(v.Table)
	return v
}

// Element is a type constraint: the Go types that can hold an element of a dtype.
type Element interface {
	~bool | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int8 | ~int16 | ~int32 | ~int64 | ~float32 | ~float64 |
		~complex64 | ~complex128
}

// Slice returns the elements of a dense view as a slice, without a copy. Slice panics if v is
// not dense, T does not hold v's dtype, or the elements are off the Go heap: a slice would not
// keep such elements from being freed, see [With]. A float32 holds f32, a [types.BFloat16] holds
// bf16, and a type of the caller holds what its underlying type holds. See [Bits] for the bits
// of any dtype.
func Slice[T Element](v View) []T {
	mustHold[T](v)
	v.mustBeHeap()
	return elements[T](v)
}

// Bits returns the bits of the elements of a dense view, of any dtype, without a copy. T must be
// the unsigned integer of the element's size. A bool must stay 0 or 1. Bits panics if v is not
// dense, T has another size, or the elements are off the Go heap.
func Bits[T uint8 | uint16 | uint32 | uint64](v View) []T {
	v.mustBeHeap()
	return elements[T](v)
}

// mustBeHeap panics if the elements are off the Go heap, where a slice would not keep them.
func (v View) mustBeHeap() {
	if v.hold != nil {
		panic(fmt.Sprintf("soa: slice of %v off the Go heap; use With, or copy it to a buffer of New", v.Type))
	}
}

// mustHold panics if T does not hold the dtype of v.
func mustHold[T Element](v View) {
	if !holds[T](v.Type.DType) {
		panic(fmt.Sprintf("soa: slice of %v: %T does not hold elements of %v", v.Type, *new(T), v.Type.DType))
	}
}

// holds reports whether T holds elements of d.
func holds[T Element](d types.DType) bool {
	of, ok := dtypeOf(reflect.TypeFor[T]())
	return ok && of == d
}

// With calls the function use. The argument of the call is a slice of the elements of a dense
// view, without a copy, on or off the Go heap. The slice must not be kept after use returns. With panics if v is not dense, T does not hold v's
// dtype (see Slice), or v is in remote memory.
func With[T Element](v View, use func([]T)) {
	mustHold[T](v)
	use(elements[T](v))
	runtime.KeepAlive(v.hold)
}

// elements is Slice without the checks of dtype and heap.
func elements[T Element](v View) []T {
	var zero T
	if m := v.Remote(); m != nil {
		panic(fmt.Sprintf("soa: slice of %v, which is in the memory of %v: copy it to a buffer of New", v.Type, m))
	}
	if int(unsafe.Sizeof(zero)) != v.Type.DType.Size() {
		panic(fmt.Sprintf("soa: slice of %v: an element of %T has another size", v.Type, zero))
	}
	if !v.IsDense() {
		panic(fmt.Sprintf("soa: slice of %v: its strides are %v, but a slice is dense: Copy it to a dense view", v.Type, v.Strides))
	}
	if v.Type.Bytes() > v.bounds.after {
		panic(fmt.Sprintf("soa: slice of %v: its memory has only %s", v.Type, diag.Count(v.bounds.after, "byte")))
	}
	return unsafe.Slice((*T)(v.base), v.Type.Elements())
}

// Borrow returns a dense view of type t on the memory of s. Borrow returns an error if t does
// not have len(s) elements, or T does not hold t's dtype: see [Slice].
func Borrow[T Element](s []T, t types.Type) (View, error) {
	if err := t.Check(); err != nil {
		return View{}, err
	}
	if !holds[T](t.DType) {
		return View{}, fmt.Errorf("%T does not hold elements of %v", *new(T), t.DType)
	}
	if len(s) != t.Elements() {
		return View{}, fmt.Errorf("the slice has %s, but %v has %d", diag.Count(len(s), "element"), t, t.Elements())
	}
	return View{Type: t, Strides: Dense(t.Shape), base: unsafe.Pointer(unsafe.SliceData(s)), bounds: bounds{after: t.Bytes()}}, nil
}

// Restride returns a view of type t on the memory of the dense view v. Number the elements of v
// from 0 in row-major order: element (i, j, …) of the result is the element of v with the number
// offset + i*strides[0] + j*strides[1] + …. Strides must not be negative. Restride returns an
// error if an element is outside of v, or t has another dtype than v.
func (v View) Restride(t types.Type, offset int, strides []int) (View, error) {
	switch err := t.Check(); {
	case err != nil:
		return View{}, fmt.Errorf("restride of %v: %w", v.Type, err)
	case !v.IsDense():
		return View{}, fmt.Errorf("restride of %v: it is not dense", v.Type)
	case t.DType != v.Type.DType:
		return View{}, fmt.Errorf("restride of %v to %v: the dtypes differ", v.Type, t)
	case len(strides) != t.Rank():
		return View{}, fmt.Errorf("restride of %v to %v: %s, want one for each dimension", v.Type, t, diag.Count(len(strides), "stride"))
	case t.Elements() == 0:
		return View{Type: t, Strides: strides, base: v.base, hold: v.hold, bounds: v.bounds, readOnly: v.readOnly}, nil
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
		return View{}, fmt.Errorf("restride of %v: %v with strides %v from element %d on reaches outside of it", v.Type, t, strides, offset)
	}
	r := View{Type: t, Strides: strides, base: v.base, hold: v.hold, bounds: v.bounds, readOnly: v.readOnly}
	return r.offset(offset), nil
}
