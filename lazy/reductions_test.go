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
