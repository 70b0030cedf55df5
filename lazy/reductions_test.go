package lazy_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// The largest and the smallest of no elements are no norms.
func TestNormsOfNothing(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	for _, p := range []float64{math.Inf(1), math.Inf(-1)} {
		require.ErrorContains(t, lazy.Zeros(tr, lazy.F32, 2, 0).Norm(p, -1).Err(), "norm(f32[2,0]): x is f32[2,0], and no elements have no norm for p = ")
		require.ErrorContains(t, lazy.Zeros(tr, lazy.C64, 0).Norm(p).Err(), "and no elements have no norm for p = ")
		require.NoError(t, lazy.Zeros(tr, lazy.F32, 2, 0).Norm(p, 0).Err())
	}
}

// A scalar has the norm of its one element, over an axis that it does not have, too, as in PyTorch.
func TestNormsOfScalars(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := lazy.NewTrace(open(t, backend))
		x := lazy.Full(tr, lazy.F32, -3)
		for _, p := range []float64{math.Inf(1), math.Inf(-1), 2} {
			for _, axes := range [][]int{nil, {0}, {-1}} {
				require.Equal(t, []float32{3}, floats(t, x.Norm(p, axes...)), "p = %v, axes %v", p, axes)
			}
		}
	}
}

// The values of Mode have the dtype of x.
func TestModeKeepsTheDType(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	values, _ := lazy.From(tr, []int32{1, 2, 2, 7}).Mode(0)
	require.Equal(t, lazy.I32, values.DType())
	got, err := lazy.ToSlice[int32](values)
	require.NoError(t, err)
	require.Equal(t, []int32{2}, got)
	values, _ = lazy.From(tr, []uint8{200, 100, 200}).Mode(0)
	require.Equal(t, lazy.U8, values.DType())
}
