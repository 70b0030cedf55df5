package reference

import (
	"math"
	"math/bits"
	"unsafe"

	"ltc/mlir"
	"ltc/stablehlo"
)

// Integers of 2 and 4 bits are computed in 8 bits and wrapped to their width.

// storage is the type of 8 bits that holds an integer of fewer.
func (d dtype) storage() dtype {
	if d.isSigned() {
		return i8
	}
	return u8
}

// wrapInts returns what wraps elements to the width of d.
func wrapInts(d dtype) func(o unsafe.Pointer, n int) {
	unused := 8 - d.bits()
	if d.isSigned() {
		return func(o unsafe.Pointer, n int) {
			for i, x := range unsafe.Slice((*int8)(o), n) {
				unsafe.Slice((*int8)(o), n)[i] = x << unused >> unused
			}
		}
	}
	return func(o unsafe.Pointer, n int) {
		for i, x := range unsafe.Slice((*uint8)(o), n) {
			unsafe.Slice((*uint8)(o), n)[i] = x << unused >> unused
		}
	}
}

func smallUnary(op mlir.Code, d dtype) kernel1 {
	mask := uint8(1)<<d.bits() - 1
	var k kernel1
	switch op {
	case stablehlo.Popcnt:
		k = erase1(each1(func(x uint8) uint8 { return uint8(bits.OnesCount8(x & mask)) }))
	case stablehlo.CountLeadingZeros:
		k = erase1(each1(func(x uint8) uint8 { return uint8(bits.LeadingZeros8(x&mask) - 8 + d.bits()) }))
	default:
		k = unaryKernel(op, d.storage())
	}
	if k == nil {
		return nil
	}
	wrap := wrapInts(d) // 2 is none of the numbers of i2
	return func(o, a unsafe.Pointer, n int) {
		k(o, a, n)
		wrap(o, n)
	}
}

func smallBinary(op mlir.Code, d dtype) kernel2 {
	width := uint8(d.bits())
	mask := uint8(1)<<width - 1
	wrap := wrapInts(d)
	var k kernel2
	switch op {
	case stablehlo.ShiftRightLogical: // the bits above the width are none of the value's
		k = erase2(each2(func(a, b uint8) uint8 {
			if b >= width { // a negative count too
				return 0
			}
			return a & mask >> b
		}))
	case stablehlo.ShiftRightArithmetic:
		k = erase2(each2(func(a, b uint8) uint8 {
			return uint8(int8(a<<(8-width)) >> (8 - width) >> min(b, width-1))
		}))
	default:
		k = binaryKernel(op, d.storage())
	}
	if k == nil {
		return nil
	}
	return func(o, a, b unsafe.Pointer, n int) {
		k(o, a, b, n)
		wrap(o, n)
	}
}

// toSmallInt wraps integers; floats are truncated and saturate.
func toSmallInt[S number](d dtype) kernel1 {
	if !isFloat[S]() {
		wrap := wrapInts(d)
		return func(o, a unsafe.Pointer, n int) {
			cast(unsafe.Slice((*uint8)(o), n), unsafe.Slice((*S)(a), n))
			wrap(o, n)
		}
	}
	lo, hi := 0.0, float64(int(1)<<d.bits()-1)
	if d.isSigned() {
		lo, hi = float64(-(int(1) << (d.bits() - 1))), float64(int(1)<<(d.bits()-1)-1)
	}
	return erase1(func(o []int8, a []S) {
		for i, x := range a {
			v := float64(x)
			if math.IsNaN(v) {
				v = 0
			}
			o[i] = int8(min(max(math.Trunc(v), lo), hi))
		}
	})
}

// repack moves the bits of the elements of src, the lowest first, to those of
// dst, whose values may have another width.
func repack(f *frame, dst, src unsafe.Pointer, out, in tensor) {
	from, to := unsafe.Slice((*byte)(src), in.bytes()), unsafe.Slice((*byte)(dst), out.bytes())
	if f.clear(dst, len(to)) {
		return
	}
	place := func(t tensor, i int) (int, int) { // byte and bit of the i-th bit of the values
		e, k := i/t.dt.bits(), i%t.dt.bits()
		return e*t.dt.size() + k/8, k % 8
	}
	ended := f.stretches(in.n*in.dt.bits(), tank, func(first, n int) {
		for i := first; i < first+n; i++ {
			a, x := place(in, i)
			b, y := place(out, i)
			to[b] |= from[a] >> x & 1 << y
		}
	})
	if !ended && out.dt.isSmallInt() {
		wrap := wrapInts(out.dt)
		f.stretches(out.n, tank, func(i, n int) { wrap(unsafe.Add(dst, i), n) })
	}
}
