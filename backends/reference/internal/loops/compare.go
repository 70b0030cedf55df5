package loops

import (
	"math"
	"unsafe"
)

// Compare returns the loop of a comparison, EQ to LT; of floats in their total order if total
// is set. It is nil for other directions and types.
func Compare(direction string, total bool, d DType) Loop2 {
	if f := ByInteger(d.Layout(), compareInts[int8], compareInts[int16], compareInts[int32], compareInts[int64], compareInts[uint8], compareInts[uint16], compareInts[uint32], compareInts[uint64]); f != nil {
		return f(direction)
	}
	switch {
	case d == F32:
		return Erase2(compareFloat[float32](direction, total))
	case d == F64:
		return Erase2(compareFloat[float64](direction, total))
	case d.isNarrow():
		return inFloat32To(d, compareFloat[float32](direction, total))
	case d == C64:
		return Erase2(compareComplex[complex64](direction))
	case d == C128:
		return Erase2(compareComplex[complex128](direction))
	}
	return nil
}

func compareInts[T Integer](direction string) Loop2 { return Erase2(compareOrdered[T](direction)) }

func compareFloat[T Float](direction string, total bool) func(o []uint8, a, b []T) {
	if !total {
		return compareOrdered[T](direction)
	}
	// -NaN < -infinity < … < -0 < +0 < … < infinity < NaN: the order of the
	// bits once those of negative numbers are reversed.
	keys := compareOrdered[int64](direction)
	if keys == nil {
		return nil
	}
	return func(o []uint8, a, b []T) {
		a, b = a[:len(o)], b[:len(o)]
		for i := range o {
			x, y := [1]int64{totalOrder(a[i])}, [1]int64{totalOrder(b[i])}
			keys(o[i:i+1], x[:], y[:])
		}
	}
}

func totalOrder[T Float](x T) int64 {
	var k int64
	if unsafe.Sizeof(x) == 4 {
		k = int64(int32(math.Float32bits(float32(x)))) << 32
	} else {
		k = int64(math.Float64bits(float64(x)))
	}
	if k < 0 {
		return k ^ math.MaxInt64
	}
	return k
}

func compareOrdered[T number](direction string) func(o []uint8, a, b []T) {
	switch direction {
	case "EQ":
		return func(o []uint8, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = bit(a[i] == b[i])
			}
		}
	case "NE":
		return func(o []uint8, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = bit(a[i] != b[i])
			}
		}
	case "GE":
		return func(o []uint8, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = bit(a[i] >= b[i])
			}
		}
	case "GT":
		return func(o []uint8, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = bit(a[i] > b[i])
			}
		}
	case "LE":
		return func(o []uint8, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = bit(a[i] <= b[i])
			}
		}
	case "LT":
		return func(o []uint8, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = bit(a[i] < b[i])
			}
		}
	}
	return nil
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
