package lazy

import (
	"fmt"
	"math"

	"ltc/ir/types"
)

// RandInt records integers of [low, high), all equally probable but for a
// relative difference of at most 2^-32. It is the upper half of the product of
// high-low and 64 random bits, of 128 where high-low exceeds 2^32 (Lemire: Fast
// random integer generation in an interval, 2019, without his rejection, which
// would need a number of draws that depends on their values): of n = high-low
// values and b bits, the relative difference is below n/2^b, and 0 where n is a
// power of two.
func (r *Random) RandInt(tr *Trace, dtype types.DType, low, high int64, dims ...int) *Tensor {
	const op = "randint"
	if !dtype.IsInteger() {
		return refused(tr, op, fmt.Sprintf("there are no random integers of %v; draw an integer dtype and convert it", dtype))
	}
	if low >= high {
		return refused(tr, op, fmt.Sprintf("low %d is not below high %d, and there is no integer to draw", low, high))
	}
	if lo, hi := integerRange(dtype); low < lo || high-1 > hi {
		return refused(tr, op, fmt.Sprintf("[%d, %d) is not within %v, which holds [%d, %d]", low, high, dtype, lo, hi))
	}
	n := uint64(high) - uint64(low)
	if n <= 1<<32 {
		x := r.words64(tr, op, dims...)
		x = high32(high32(x).Mul(x.word(n)).Add(high32(low32(x).Mul(x.word(n)))))
		return shifted(x, dtype, low)
	}
	words := r.words64(tr, op, append(append([]int(nil), dims...), 2)...)
	if words.err != nil {
		return words
	}
	_, carry := product64(last(words, 0), n)
	lo, hi := product64(last(words, 1), n)
	sum := lo.Add(carry)
	return shifted(hi.Add(sum.Less(lo).Convert(types.U64)), dtype, low)
}

// integerRange returns the smallest and the largest integer of a dtype, as far
// as int64 goes.
func integerRange(d types.DType) (lo, hi int64) {
	bits := 8 * d.Size()
	if d.IsSigned() {
		return math.MinInt64 >> (64 - bits), math.MaxInt64 >> (64 - bits)
	}
	return 0, math.MaxInt64 >> max(0, 63-bits)
}

// product64 returns the halves of the products of u64 elements and n.
func product64(x *Tensor, n uint64) (lo, hi *Tensor) {
	y := x.word(n)
	x1, x0, y1, y0 := high32(x), low32(x), high32(y), low32(y)
	middle := x1.Mul(y0).Add(high32(x0.Mul(y0)))
	other := x0.Mul(y1).Add(low32(middle))
	return x.Mul(y), x1.Mul(y1).Add(high32(middle)).Add(high32(other))
}

// shifted returns low + x, of u64, as a tensor of dtype, which can hold it. A
// signed sum is made of halves of x that i64 can hold.
func shifted(x *Tensor, dtype types.DType, low int64) *Tensor {
	if dtype.IsSigned() {
		half, bit := x.ShiftRight(x.word(1)).Convert(types.I64), x.And(x.word(1)).Convert(types.I64)
		x = half.Add(half).Add(bit)
	}
	return x.Add(x.word(uint64(low))).Convert(dtype)
}

// Permutation records the numbers 0 to n-1, of i64, in random order: the order
// that sorts as many keys of 64 bits, among which equal ones, of which there are
// any with a probability below n²/2⁶⁵, stay in theirs.
func (r *Random) Permutation(tr *Trace, n int) *Tensor {
	return r.words64(tr, "permutation", n).ArgSort(0)
}
