package llvm

import (
	"sync"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/prebuilt"
	"ltc/backends/reference/llvm/rowsort"
	"ltc/backends/reference/llvm/tileloops"
	"ltc/backends/reference/llvm/vector"
	"ltc/backends/reference/tiles"
	"ltc/ir/types"
)

// tileVectors are loops whose code is built in: they take no libLLVM.
type tileVectors struct {
	on   vector.Level
	made *units // of products

	mu    sync.Mutex
	units map[string]*native.Image // by name; nil: there is none for the processor

	products map[types.DType]*builtInProducts // nil: there are none
}

var _ tiles.Vectors = (*tileVectors)(nil)

func newTileVectors(on vector.Level, made *units) *tileVectors {
	if on == vector.AVX512BF16 { // which adds nothing here
		on = vector.AVX512
	}
	return &tileVectors{on: on, made: made, units: map[string]*native.Image{}, products: map[types.DType]*builtInProducts{}}
}

// there reports whether any are built in for the processor.
func (v *tileVectors) there() bool {
	return prebuilt.Object(v.on.String(), tileloops.Moving(tileloops.Fill, 1).UnitOf()) != nil
}

// loop returns the code of a loop.
func (v *tileVectors) loop(l tileloops.Loop) (native.Kernel, bool) {
	return v.kernel(l.UnitOf(), l.Name())
}

// kernel returns a function of a unit that is built in.
func (v *tileVectors) kernel(unit, name string) (native.Kernel, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	image, known := v.units[unit]
	if !known {
		if object := prebuilt.Object(v.on.String(), unit); object != nil {
			image, _ = native.Load(object) // where the system has no room for code, Go needs none
		}
		v.units[unit] = image
	}
	if image == nil {
		return native.Kernel{}, false
	}
	return image.Kernel(name)
}

// Unary implements [tiles.Vectors].
func (v *tileVectors) Unary(op kernel.Op, from, to types.DType) func(o, a unsafe.Pointer, n int) {
	return v.onOne(tileloops.Loop{Op: op, From: from, To: to})
}

// Binary implements [tiles.Vectors].
func (v *tileVectors) Binary(op kernel.Op, from, to types.DType) func(o, a, b unsafe.Pointer, n int) {
	f, ok := v.loop(tileloops.Loop{Op: op, From: from, To: to})
	if !ok {
		return nil
	}
	return func(o, a, b unsafe.Pointer, n int) {
		args := struct {
			o, a, b unsafe.Pointer
			n       int
		}{o, a, b, n}
		f.CallShort(unsafe.Pointer(&args))
	}
}

// Fold implements [tiles.Vectors].
func (v *tileVectors) Fold(op kernel.Op, t types.DType) func(acc, a unsafe.Pointer, n int) {
	return v.onOne(tileloops.Loop{Kind: tileloops.Fold, Op: op, From: t, To: t})
}

// Fused implements [tiles.Vectors].
func (v *tileVectors) Fused(op kernel.Op, t types.DType) func(o, x, y, z unsafe.Pointer, n int) {
	f, ok := v.loop(tileloops.Loop{Kind: tileloops.Fused, Op: op, From: t, To: t})
	if !ok {
		return nil
	}
	return func(o, x, y, z unsafe.Pointer, n int) {
		args := struct {
			o, x, y, z unsafe.Pointer
			n          int
		}{o, x, y, z, n}
		f.CallShort(unsafe.Pointer(&args))
	}
}

// Choose implements [tiles.Vectors].
func (v *tileVectors) Choose(size int) func(o, c, yes, no unsafe.Pointer, n int) {
	f, ok := v.loop(tileloops.Moving(tileloops.Choose, size))
	if !ok {
		return nil
	}
	return func(o, c, yes, no unsafe.Pointer, n int) {
		args := struct {
			o, c, yes, no unsafe.Pointer
			n             int
		}{o, c, yes, no, n}
		f.CallShort(unsafe.Pointer(&args))
	}
}

// Fill implements [tiles.Vectors].
func (v *tileVectors) Fill(size int) func(o, a unsafe.Pointer, n int) {
	return v.onOne(tileloops.Moving(tileloops.Fill, size))
}

// Products implements [tiles.Vectors].
func (v *tileVectors) Products(t types.DType) tiles.Products {
	v.mu.Lock()
	defer v.mu.Unlock()
	p, known := v.products[t]
	if !known {
		p = newProducts(t, v.made)
		v.products[t] = p
	}
	if p == nil {
		return nil
	}
	return p
}

// mostShort is how many elements a sort has that takes no more than some milliseconds.
const mostShort = 1 << 18

// Sort implements [tiles.Vectors].
func (v *tileVectors) Sort(size int) func(s tiles.Sorting) (why tiles.Stop, row int) {
	f, ok := v.kernel(rowsort.Name(size), rowsort.Name(size))
	if !ok {
		return nil
	}
	return func(s tiles.Sorting) (why tiles.Stop, row int) {
		args := struct {
			from, to                       unsafe.Pointer
			n, rows                        int
			negative, flip, sign, infinity uint64
			checks                         int
		}{s.From, s.To, s.N, s.Rows, s.Negative, s.Flip, s.Sign, s.Infinity, 0}
		if s.Checks {
			args.checks = 1
		}
		status := int32(0)
		if s.N*s.Rows <= mostShort {
			status = f.CallShort(unsafe.Pointer(&args))
		} else {
			status = f.Call(unsafe.Pointer(&args))
		}
		switch reason, row := rowsort.Stopped(status); reason {
		case rowsort.Special:
			return tiles.Special, row
		case rowsort.Unsorted:
			return tiles.Unsorted, row
		}
		return 0, s.Rows
	}
}

// onOne returns a loop of one operand.
func (v *tileVectors) onOne(l tileloops.Loop) func(o, a unsafe.Pointer, n int) {
	f, ok := v.loop(l)
	if !ok {
		return nil
	}
	return func(o, a unsafe.Pointer, n int) {
		args := struct {
			o, a unsafe.Pointer
			n    int
		}{o, a, n}
		f.CallShort(unsafe.Pointer(&args))
	}
}
