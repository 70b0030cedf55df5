package kernel

import (
	"math"

	"ltc/ir/types"
)

// Neutral returns the bits of the identity of op for values of type t: 0 for sums, the lowest
// number or -infinity for maxima, and so on. The identity is the value of a reduction of no
// elements.
func Neutral(op Op, t types.DType) uint64 {
	all := ^uint64(0) >> (64 - 8*max(t.Size(), 1))
	if t == types.Bool {
		all = 1
	}
	switch op {
	case And:
		return all
	case Multiply:
		return one(t)
	case Maximum:
		switch {
		case t.IsFloat():
			return narrow(t, math.Inf(-1))
		case t.IsInteger() && t.IsSigned():
			return all>>1 + 1
		}
	case Minimum:
		switch {
		case t.IsFloat():
			return narrow(t, math.Inf(1))
		case t.IsInteger() && t.IsSigned():
			return all >> 1
		}
		return all
	}
	return 0
}

func one(t types.DType) uint64 {
	if t.IsFloat() {
		return narrow(t, 1)
	}
	return 1
}
