package reference

import (
	"unsafe"

	"ltc/mlir"
	"ltc/stablehlo"
)

// foldFunc combines *acc with n elements.
type foldFunc func(f *frame, acc, a unsafe.Pointer, n int)

// folding is a foldFunc of elements of T. A run that is cancelled ends it early.
type folding[T any] func(f *frame, acc T, a []T) T

// inTurn makes a folding of what combines elements one after the other.
func inTurn[T any](k func(acc T, a []T) T) folding[T] {
	return func(f *frame, acc T, a []T) T {
		for len(a) > tank {
			if acc, a = k(acc, a[:tank]), a[tank:]; f.due(tank) {
				return acc
			}
		}
		return k(acc, a)
	}
}

// foldKernel returns the fold of an associative op; nil if there is none.
func foldKernel(op mlir.Code, d dtype) foldFunc {
	switch d {
	case i1:
		return eraseFold(foldBool(op))
	case i8:
		return eraseFold(foldInt[int8](op))
	case i16:
		return eraseFold(foldInt[int16](op))
	case i32:
		return eraseFold(foldInt[int32](op))
	case i64:
		return eraseFold(foldInt[int64](op))
	case u8:
		return eraseFold(foldInt[uint8](op))
	case u16:
		return eraseFold(foldInt[uint16](op))
	case u32:
		return eraseFold(foldInt[uint32](op))
	case u64:
		return eraseFold(foldInt[uint64](op))
	case f32:
		return eraseFold(foldNumber[float32](op))
	case f64:
		return eraseFold(foldNumber[float64](op))
	}
	return nil
}

func eraseFold[T any](k folding[T]) foldFunc {
	if k == nil {
		return nil
	}
	return func(f *frame, acc, a unsafe.Pointer, n int) {
		p := (*T)(acc)
		*p = k(f, *p, unsafe.Slice((*T)(a), n))
	}
}

func foldBool(op mlir.Code) folding[uint8] {
	switch op {
	case stablehlo.Add, stablehlo.Maximum, stablehlo.Or:
		op = stablehlo.Or
	case stablehlo.Multiply, stablehlo.Minimum, stablehlo.And:
		op = stablehlo.And
	case stablehlo.Xor:
	default:
		return nil
	}
	return foldInt[uint8](op)
}

func foldInt[T integer](op mlir.Code) folding[T] {
	switch op {
	case stablehlo.And:
		return inTurn(func(acc T, a []T) T {
			for _, x := range a {
				acc &= x
			}
			return acc
		})
	case stablehlo.Or:
		return inTurn(func(acc T, a []T) T {
			for _, x := range a {
				acc |= x
			}
			return acc
		})
	case stablehlo.Xor:
		return inTurn(func(acc T, a []T) T {
			for _, x := range a {
				acc ^= x
			}
			return acc
		})
	}
	return foldNumber[T](op)
}

func foldNumber[T number](op mlir.Code) folding[T] {
	switch op {
	case stablehlo.Add:
		return foldAdd[T]
	case stablehlo.Multiply:
		return inTurn(func(acc T, a []T) T {
			for _, x := range a {
				acc *= x
			}
			return acc
		})
	case stablehlo.Maximum:
		return inTurn(func(acc T, a []T) T {
			for _, x := range a {
				acc = max(acc, x)
			}
			return acc
		})
	case stablehlo.Minimum:
		return inTurn(func(acc T, a []T) T {
			for _, x := range a {
				acc = min(acc, x)
			}
			return acc
		})
	}
	return nil
}

// foldLanes is the number of partial sums of a sum: lane i takes elements i,
// i+8, i+16, …; what is left over goes to lane 0 in order. The lanes are added
// in pairs, then the initial value.
const foldLanes = 8

func foldAdd[T number](f *frame, acc T, a []T) T {
	if len(a) < foldLanes {
		for _, x := range a {
			acc += x
		}
		return acc
	}
	var s [foldLanes]T
	for len(a) > tank {
		if addLanes(&s, a[:tank]); f.due(tank) {
			return acc
		}
		a = a[tank:]
	}
	for _, x := range addLanes(&s, a) {
		s[0] += x
	}
	return acc + ((s[0] + s[1]) + (s[2] + s[3]) + ((s[4] + s[5]) + (s[6] + s[7])))
}

// addLanes adds a to the lanes and returns what is left over.
func addLanes[T number](s *[foldLanes]T, a []T) []T {
	for len(a) >= foldLanes {
		v := (*[foldLanes]T)(a)
		s[0] += v[0]
		s[1] += v[1]
		s[2] += v[2]
		s[3] += v[3]
		s[4] += v[4]
		s[5] += v[5]
		s[6] += v[6]
		s[7] += v[7]
		a = a[foldLanes:]
	}
	return a
}
