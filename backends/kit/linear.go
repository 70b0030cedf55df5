package kit

import "slices"

// linear is a number of elements that is known when a program runs: n and the
// strides of dimensions of a value of the caller's, each so many times.
type linear struct {
	n  int64
	by []Factor // by dimension, ascending; no factor is 0
}

// Factor is how many times the stride of a dimension is counted.
type Factor struct {
	Dim int
	By  int64
}

func (x linear) equal(y linear) bool { return x.n == y.n && slices.Equal(x.by, y.by) }

// is reports whether x is the number n whatever strides are.
func (x linear) is(n int64) bool { return x.n == n && len(x.by) == 0 }

// plus returns x and k times y.
func (x linear) plus(y linear, k int64) linear {
	r := linear{x.n + k*y.n, slices.Clone(x.by)}
	for _, f := range y.by {
		at, found := slices.BinarySearchFunc(r.by, f.Dim, func(g Factor, dim int) int { return g.Dim - dim })
		if !found {
			r.by = slices.Insert(r.by, at, Factor{Dim: f.Dim})
		}
		if r.by[at].By += k * f.By; r.by[at].By == 0 {
			r.by = slices.Delete(r.by, at, at+1)
		}
	}
	return r
}

// of returns the number that x is, given the strides of the value.
func (x linear) of(strides []int64) int64 { return x.n + Along(x.by, strides) }

// Along returns what so many times the strides of a value are together.
func Along[N int | int64](by []Factor, strides []N) int64 {
	n := int64(0)
	for _, f := range by {
		n += f.By * int64(strides[f.Dim])
	}
	return n
}
