package linalg_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
)

// Factors, triangular systems and products of complex numbers are compiled, and equal the evaluator's.
func TestComplexIsCompiled(t *testing.T) {
	var want []float64
	for _, backend := range []string{"eval", "cpu"} {
		var options []lazy.Option
		if backend == "cpu" {
			options = []lazy.Option{lazy.Compiled()}
		}
		dev, err := lazy.Open(backend, options...)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, dev.Close()) })
		tr := lazy.NewTrace(dev)
		var all []*lazy.Tensor
		add := func(y *lazy.Tensor) { all = append(all, y.ViewAsReal().Reshape(-1)) }
		z := lazy.Complex(formula(tr, types.F64, 1, 2, 5, 5), formula(tr, types.F64, 2, 2, 5, 5))
		b := lazy.Complex(formula(tr, types.F64, 3, 2, 5, 5), formula(tr, types.F64, 4, 2, 5, 5))
		for _, upper := range []bool{false, true} {
			factor := z.MatMul(transposed(z.Conj())).Cholesky(upper)
			add(factor)
			require.Equal(t, make([]float64, 10), values(t, factor.Diagonal(0, 1, 2).Imag().Reshape(-1)), backend)
		}
		for k := range 16 {
			add(z.TriangularSolve(b, k&1 != 0, k&2 != 0, k&4 != 0, k&8 != 0))
		}
		for _, axes := range [][]int{{0}, {1}, {2}, {0, 1}, {1, 2}, {}} {
			add(z.Prod(axes...))
		}
		add(lazy.Zeros(tr, types.C128, 3, 0, 2).Prod(1))
		graded := lazy.From(tr, []float64{0, 0, 1e200, 1e-200}, 2, 2) // a row divided by its diagonal overflows
		graded = lazy.Complex(graded, lazy.From(tr, []float64{1, 0, 0, 0}, 2, 2))
		add(graded.TriangularSolve(lazy.Complex(lazy.From(tr, []float64{0, 1e200}, 2, 1), lazy.From(tr, []float64{1, 0}, 2, 1)), false, false, false, false))
		got := values(t, lazy.Concatenate(0, all...))
		if want == nil {
			want = got
		}
		require.Len(t, got, len(want))
		for i, w := range want {
			require.InDelta(t, w, got[i], 1e-12*max(1, math.Abs(w)), i)
		}
	}
}
