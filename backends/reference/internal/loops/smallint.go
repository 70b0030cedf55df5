package loops

import (
	"math"
	"math/bits"
	"unsafe"

	"ltc/mlir"
	"ltc/stablehlo"
)

// Integers of 2 and 4 bits are computed in 8 bits and wrapped to their width.

// storage is the type of 8 bits that holds an integer of fewer.
func (d DType) storage() DType {
	if d.IsSigned() {
		return I8
	}
	return U8
}

// WrapInts returns what wraps elements to the width of d.
func WrapInts(d DType) func(o unsafe.Pointer, n int) {
	unused := 8 - d.Bits()
	if d.IsSigned() {
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

func smallUnary(op mlir.Code, d DType) Loop1 {
	mask := uint8(1)<<d.Bits() - 1
	var k Loop1
	switch op {
	case stablehlo.Popcnt:
		k = Erase1(each1(func(x uint8) uint8 { return uint8(bits.OnesCount8(x & mask)) }))
	case stablehlo.CountLeadingZeros:
		k = Erase1(each1(func(x uint8) uint8 { return uint8(bits.LeadingZeros8(x&mask) - 8 + d.Bits()) }))
	default:
		k = Unary(op, d.storage())
	}
	if k == nil {
		return nil
	}
	wrap := WrapInts(d) // 2 is none of the numbers of i2
	return func(o, a unsafe.Pointer, n int) {
		k(o, a, n)
		wrap(o, n)
	}
}

func smallBinary(op mlir.Code, d DType) Loop2 {
	width := uint8(d.Bits())
	mask := uint8(1)<<width - 1
	wrap := WrapInts(d)
	var k Loop2
	switch op {
	case stablehlo.ShiftRightLogical: // the bits above the width are none of the value's
		k = Erase2(each2(func(a, b uint8) uint8 {
			if b >= width { // a negative count too
				return 0
			}
			return a & mask >> b
		}))
	case stablehlo.ShiftRightArithmetic:
		k = Erase2(each2(func(a, b uint8) uint8 {
			return uint8(int8(a<<(8-width)) >> (8 - width) >> min(b, width-1))
		}))
	default:
		k = Binary(op, d.storage())
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
func toSmallInt[S number](d DType) Loop1 {
	if !isFloat[S]() {
		wrap := WrapInts(d)
		return func(o, a unsafe.Pointer, n int) {
			Cast(unsafe.Slice((*uint8)(o), n), unsafe.Slice((*S)(a), n))
			wrap(o, n)
		}
	}
	lo, hi := 0.0, float64(int(1)<<d.Bits()-1)
	if d.IsSigned() {
		lo, hi = float64(-(int(1) << (d.Bits() - 1))), float64(int(1)<<(d.Bits()-1)-1)
	}
	return Erase1(func(o []int8, a []S) {
		for i, x := range a {
			v := float64(x)
			if math.IsNaN(v) {
				v = 0
			}
			o[i] = int8(min(max(math.Trunc(v), lo), hi))
		}
	})
}
