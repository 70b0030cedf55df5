package linalg_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
	"ltc/linalg"
)

// named are matrices with which the QR algorithm has trouble: those that equal shifts leave as they are, and those
// without as many eigenvectors as rows.
var named = map[string][]float64{
	"zero":      {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
	"cyclic":    {0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
	"rotations": {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 0, -2, 0, 0, 2, 0},
	"Jordan":    {2, 1, 0, 0, 0, 2, 1, 0, 0, 0, 2, 1, 0, 0, 0, 2},
	"companion": {10, -35, 50, -24, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},                    // of 1, 2, 3 and 4
	"large":     {1e308, 1e308, 0, 0, -1e308, 1e308, 0, 0, 0, 0, 1e308, 0, 0, 0, 0, 1e308}, // whose sum overflows
	"far apart": {1e-150, 1e150, 0, 0, 1e-150, 1, 0, 0, 0, 0, 1e100, 1, 0, 0, 1, 1e-100},
}

// A matrix times its eigenvectors, which have the length 1, is these times the eigenvalues. Those of a real matrix
// are real, or conjugates.
func TestEig(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		matrices := map[string]*lazy.Tensor{
			"one": formula(tr, lazy.F64, 1, 1, 1), "two": formula(tr, lazy.F64, 1, 2, 2), "batch": formula(tr, lazy.F64, 2, 2, 3, 5, 5),
			"f32": formula(tr, lazy.F32, 3, 2, 4, 4), "f16": formula(tr, lazy.F16, 3, 3, 3),
			"c64":  lazy.Complex(formula(tr, lazy.F32, 4, 2, 4, 4), formula(tr, lazy.F32, 5, 2, 4, 4)),
			"c128": lazy.Complex(formula(tr, lazy.F64, 4, 5, 5), formula(tr, lazy.F64, 5, 5, 5)),
		}
		if backend == "cpu" {
			matrices["large"] = formula(tr, lazy.F64, 6, 60, 60)
		}
		for name, all := range named {
			matrices[name] = lazy.From(tr, all, 4, 4)
		}
		for name, x := range matrices {
			n := x.Dim(-1)
			l, v := linalg.Eig(x)
			require.NoError(t, l.Err(), name)
			bound := 1e-13 * float64(n)
			if l.DType() == lazy.C64 {
				bound = 1e-5
			}
			size := x.Abs().Max().Convert(l.DType())
			scaled := x.Convert(l.DType()).Div(size.EqualScalar(0).ScalarWhere(1, size))
			far := scaled.MatMul(v).Sub(v.Mul(l.Div(size.EqualScalar(0).ScalarWhere(1, size)).Unsqueeze(-2)))
			small(t, far.Abs(), bound, backend, name)
			small(t, v.Abs().Square().Sum(-2).AddScalar(-1), bound, backend, name)
			if x.DType().IsComplex() {
				continue
			}
			imaginary := values(t, l.Imag().Sum())[0]
			require.InDelta(t, 0, imaginary, bound*max(1, values(t, size.Real())[0]), "%s: imaginary parts on %s", name, backend)
		}
		l, _ := linalg.Eig(matrices["companion"])
		got := values(t, l.Real())
		slices.Sort(got)
		require.InDeltaSlice(t, []float64{1, 2, 3, 4}, got, 1e-11, backend)
		require.Equal(t, make([]float64, 4), values(t, l.Imag()), backend)
	}
}

// A matrix with NaNs, or infinities, has NaNs, and nothing to do with the others of its batch.
func TestEigOfNaN(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		x := formula(tr, lazy.F64, 5, 1, 3, 3)
		bad := lazy.From(tr, []float64{1, 0, 0, 0, 1, 0, math.Inf(1), 0, 1}, 1, 3, 3)
		l, v := linalg.Eig(lazy.Concatenate(0, x, bad))
		require.True(t, finite(values(t, l.Narrow(0, 0, 1).Real())))
		require.True(t, finite(values(t, v.Narrow(0, 0, 1).Real())))
		for _, y := range []*lazy.Tensor{l.Narrow(0, 1, 1), v.Narrow(0, 1, 1)} {
			require.False(t, slices.ContainsFunc(values(t, y.Real()), func(x float64) bool { return !math.IsNaN(x) }), backend)
		}
	}
}

// Results are complex, of the parts that x is computed in.
func TestEigDTypes(t *testing.T) {
	tr := trace(t, "cpu")
	for d, want := range map[types.DType]types.DType{lazy.BF16: lazy.C64, lazy.F16: lazy.C64, lazy.F32: lazy.C64, lazy.F64: lazy.C128, lazy.C64: lazy.C64, lazy.C128: lazy.C128} {
		l, v := linalg.Eig(lazy.Zeros(tr, d, 2, 3, 3))
		require.Equal(t, types.Of(want, 2, 3), l.Type())
		require.Equal(t, types.Of(want, 2, 3, 3), v.Type())
		require.Equal(t, l.Type(), linalg.Eigvals(lazy.Zeros(tr, d, 2, 3, 3)).Type())
	}
}
