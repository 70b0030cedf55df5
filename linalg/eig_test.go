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

// closePairs is a real matrix with the eigenvalues 1 ± i three times, but for a little, and few vectors for them:
// rounding moves them far more than they are apart.
func closePairs(tr *lazy.Trace) *lazy.Tensor {
	return lazy.From(tr, []float64{
		1, -1, 3, 1, 0, 2,
		1, 1, -1, 2, 1, 0,
		0, 0, 1, -1 - 1e-9, 2, -1,
		0, 0, 1, 1, 1, 3,
		0, 0, 0, 0, 1, -1 + 1e-9,
		0, 0, 0, 0, 1, 1,
	}, 6, 6)
}

// Eigenvalues of a real matrix that are not real are pairs of conjugates, bit by bit, and so are their vectors.
func TestEigPairs(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		turn := linalg.MatrixExp(formula(tr, lazy.F64, 7, 6, 6).Sub(formula(tr, lazy.F64, 7, 6, 6).SwapAxes(0, 1)))
		x := closePairs(tr)
		for name, x := range map[string]*lazy.Tensor{
			"close": x, "turned": turn.MatMul(x).MatMul(turn.SwapAxes(0, 1)), "f32": turn.MatMul(x).MatMul(turn.SwapAxes(0, 1)).Convert(lazy.F32),
			"twice": lazy.BlockDiag(x, x), "other": formula(tr, lazy.F64, 9, 9, 9),
		} {
			l, v := linalg.Eig(x)
			re, im := values(t, l.Real().Convert(lazy.F64)), values(t, l.Imag().Convert(lazy.F64))
			n := len(re)
			vRe, vIm := values(t, v.Real().Convert(lazy.F64)), values(t, v.Imag().Convert(lazy.F64))
			mates := map[int]bool{}
			for i := range n {
				if im[i] <= 0 {
					continue
				}
				mate := -1
				for j := range n {
					same := re[j] == re[i] && im[j] == -im[i] && !mates[j]
					for row := 0; same && row < n; row++ {
						same = vRe[row*n+j] == vRe[row*n+i] && vIm[row*n+j] == -vIm[row*n+i]
					}
					if same {
						mate = j
						break
					}
				}
				require.GreaterOrEqual(t, mate, 0, "%s on %s: %v%+vi has no conjugate", name, backend, re[i], im[i])
				mates[mate] = true
			}
			below := 0
			for _, y := range im {
				if y < 0 {
					below++
				}
			}
			require.Len(t, mates, below, "%s on %s", name, backend)
			if name == "close" {
				require.Equal(t, 3, below, backend)
			}
		}
	}
}

// Complex numbers whose moduli are no numbers of the dtype are numbers of a matrix.
func TestEigNearOverflow(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		const most = math.MaxFloat64
		parts := lazy.From(tr, []float64{most, 0, 0, -most / 2}, 2, 2)
		l, v := linalg.Eig(lazy.Complex(parts, parts))
		require.Equal(t, []float64{-most / 2, most}, values(t, l.Real()), backend)
		require.Equal(t, []float64{-most / 2, most}, values(t, l.Imag()), backend)
		require.True(t, finite(values(t, v.Real())), backend)
		small := lazy.From(tr, []float32{math.MaxFloat32, math.MaxFloat32 / 2, math.MaxFloat32 / 4, math.MaxFloat32}, 2, 2)
		l, v = linalg.Eig(lazy.Complex(small.MulScalar(0.5), small))
		require.True(t, finite(values(t, v.Real().Convert(lazy.F64))), backend)
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
