package loops

import (
	"unsafe"

	"ltc/mlir"
	"ltc/stablehlo"
)

// FoldFunc combines *acc with n elements.
type FoldFunc func(run *Budget, acc, a unsafe.Pointer, n int)

// folding is a FoldFunc of elements of T. A run that is cancelled ends it early.
type folding[T any] func(run *Budget, acc T, a []T) T

// inTurn makes a folding of what combines elements one after the other.
func inTurn[T any](k func(acc T, a []T) T) folding[T] {
	return func(run *Budget, acc T, a []T) T {
		for len(a) > Tank {
			if acc, a = k(acc, a[:Tank]), a[Tank:]; run.Due(Tank) {
				return acc
			}
		}
		return k(acc, a)
	}
}

// Fold returns the fold of an associative op; nil if there is none.
func Fold(op mlir.Code, d DType) FoldFunc {
	if f := ByInteger(d, foldInts[int8], foldInts[int16], foldInts[int32], foldInts[int64], foldInts[uint8], foldInts[uint16], foldInts[uint32], foldInts[uint64]); f != nil {
		return f(op)
	}
	switch d {
	case I1:
		return eraseFold(foldBool(op))
	case F32:
		return eraseFold(foldNumber[float32](op))
	case F64:
		return eraseFold(foldNumber[float64](op))
	}
	return nil
}

func foldInts[T Integer](op mlir.Code) FoldFunc { return eraseFold(foldInt[T](op)) }

func eraseFold[T any](k folding[T]) FoldFunc {
	if k == nil {
		return nil
	}
	return func(run *Budget, acc, a unsafe.Pointer, n int) {
		p := (*T)(acc)
		*p = k(run, *p, unsafe.Slice((*T)(a), n))
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

func foldInt[T Integer](op mlir.Code) folding[T] {
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

func foldAdd[T number](run *Budget, acc T, a []T) T {
	if len(a) < foldLanes {
		for _, x := range a {
			acc += x
		}
		return acc
	}
	var s [foldLanes]T
	for len(a) > Tank {
		if addLanes(&s, a[:Tank]); run.Due(Tank) {
			return acc
		}
		a = a[Tank:]
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
