package kernel

import (
	"math"
	"math/bits"

	"ltc/ir/types"
)

// interval holds the bounds of an integer, both inclusive; a bool is 0 or 1. A u64 that
// may be 1<<63 or more has the interval of all i64, since indices read its bits as an
// i64.
type interval struct{ lo, hi int64 }

var whole = interval{math.MinInt64, math.MaxInt64}

func exactly(n int64) interval { return interval{n, n} }

// rangeOf returns the interval of all values of a type; whole for floats.
func rangeOf(t types.DType) interval {
	n := 8 * t.Size()
	switch {
	case t == types.Bool:
		return interval{0, 1}
	case !t.IsInteger() || n == 64:
		return whole
	case t.IsSigned():
		return interval{-1 << (n - 1), 1<<(n-1) - 1}
	}
	return interval{0, 1<<n - 1}
}

// as returns the interval of a's values after a conversion to type t: all of t if some
// value wraps. Ok says that a itself did not overflow.
func (a interval) as(t types.DType, ok bool) interval {
	r := rangeOf(t)
	if t == types.U64 {
		r.lo = 0
	}
	if !ok || a.lo < r.lo || a.hi > r.hi {
		return rangeOf(t)
	}
	return a
}

func (a interval) union(b interval) interval {
	return interval{min(a.lo, b.lo), max(a.hi, b.hi)}
}

func (a interval) max(b interval) interval {
	return interval{max(a.lo, b.lo), max(a.hi, b.hi)}
}

func (a interval) min(b interval) interval {
	return interval{min(a.lo, b.lo), min(a.hi, b.hi)}
}

// add, sub and mul report whether no result overflows an i64.
func (a interval) add(b interval) (interval, bool) {
	lo, ok1 := sum(a.lo, b.lo)
	hi, ok2 := sum(a.hi, b.hi)
	return interval{lo, hi}, ok1 && ok2
}

func (a interval) sub(b interval) (interval, bool) {
	if b.lo == math.MinInt64 {
		return whole, false
	}
	return a.add(interval{-b.hi, -b.lo})
}

func (a interval) mul(b interval) (interval, bool) {
	r, ok := interval{math.MaxInt64, math.MinInt64}, true
	for _, x := range [2]int64{a.lo, a.hi} {
		for _, y := range [2]int64{b.lo, b.hi} {
			p, fits := times(x, y)
			r, ok = interval{min(r.lo, p), max(r.hi, p)}, ok && fits
		}
	}
	return r, ok
}

// div is a truncating division by an interval of at least 1.
func (a interval) div(b interval) interval {
	lo, hi := a.lo/b.hi, a.hi/b.lo
	if a.lo < 0 {
		lo = a.lo / b.lo
	}
	if a.hi < 0 {
		hi = a.hi / b.hi
	}
	return interval{lo, hi}
}

// rem is the remainder of div: it has the sign of a, and its size is below b's.
func (a interval) rem(b interval) interval {
	return interval{max(min(a.lo, 0), 1-b.hi), min(max(a.hi, 0), b.hi-1)}
}

func sum(a, b int64) (int64, bool) {
	s := a + b
	return s, (a < 0) != (b < 0) || (s < 0) == (a < 0)
}

func times(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if (a < 0) != (b < 0) {
		return -int64(lo), hi == 0 && lo <= 1<<63
	}
	return int64(lo), hi == 0 && lo < 1<<63
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
