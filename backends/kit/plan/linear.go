package plan

import (
	"slices"

	"ltc/ir/dims"
)

// Linear is a number of elements that is known when a program runs: N and the
// strides of dimensions of a value of the caller's, each so many times.
type Linear struct {
	N  int64
	By []Factor // by dimension, ascending; no factor is 0
}

// Factor is how many times the stride of a dimension is counted.
type Factor struct {
	Dim int
	By  int64
}

// Equal reports whether x and y are the same whatever strides are.
func (x Linear) Equal(y Linear) bool { return x.N == y.N && slices.Equal(x.By, y.By) }

// Is reports whether x is the number n whatever strides are.
func (x Linear) Is(n int64) bool { return x.N == n && len(x.By) == 0 }

// Plus returns x and k times y.
func (x Linear) Plus(y Linear, k int64) Linear {
	r := Linear{dims.GoAdd(x.N, dims.GoMul(k, y.N)), slices.Clone(x.By)}
	for _, f := range y.By {
		at, found := slices.BinarySearchFunc(r.By, f.Dim, func(g Factor, dim int) int { return g.Dim - dim })
		if !found {
			r.By = slices.Insert(r.By, at, Factor{Dim: f.Dim})
		}
		if r.By[at].By = dims.GoAdd(r.By[at].By, dims.GoMul(k, f.By)); r.By[at].By == 0 {
			r.By = slices.Delete(r.By, at, at+1)
		}
	}
	return r
}

// Of returns the number that x is, given the strides of the value.
func (x Linear) Of(strides []int64) int64 { return x.N + Along(x.By, strides) }

// Along returns what so many times the strides of a value are together.
func Along[N int | int64](by []Factor, strides []N) int64 {
	n := int64(0)
	for _, f := range by {
		n += f.By * int64(strides[f.Dim])
	}
	return n
}
