package linalg_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/linalg"
)

// trace returns a trace of a device.
func trace(t testing.TB, backend string) *lazy.Trace {
	dev, err := lazy.Open(backend)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return lazy.NewTrace(dev)
}

// formula returns numbers that follow no pattern, from -1 to 1, as the goldens of torch have them.
func formula(tr *lazy.Trace, d types.DType, seed int, dims ...int) *lazy.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	all := make([]float64, n)
	for i := range all {
		v := math.Sin(float64(i+1)*12.9898+float64(seed)*78.233) * 43758.5453
		all[i] = 2*(v-math.Floor(v)) - 1
	}
	return lazy.From(tr, all, dims...).Convert(d)
}

func values(t testing.TB, x *lazy.Tensor) []float64 {
	got, err := lazy.ToSlice[float64](x.Convert(lazy.F64))
	require.NoError(t, err)
	return got
}

func transposed(x *lazy.Tensor) *lazy.Tensor { return x.SwapAxes(-2, -1) }

// small demands that all elements are within bound of 0.
func small(t testing.TB, x *lazy.Tensor, bound float64, message ...any) {
	t.Helper()
	for _, v := range values(t, x) {
		require.LessOrEqual(t, math.Abs(v), bound, message...)
	}
}

// off is how far xᵀx is from the identity.
func off(x *lazy.Tensor) *lazy.Tensor {
	n := x.Dim(-1)
	return transposed(x).MatMul(x).Sub(lazy.Eye(x.Trace(), x.DType(), n, n))
}

// Products of the factors are the matrix, for all forms of matrices, and the factors are what their
// names say.
func TestFactors(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		for _, dims := range [][]int{{1, 1}, {2, 2}, {3, 3}, {5, 3}, {3, 5}, {2, 4, 4}, {2, 5, 2}, {1, 7}, {7, 1}, {40, 37}} {
			for _, d := range []types.DType{lazy.F32, lazy.F64} {
				if dims[0] > 9 && (backend == "eval" || d == lazy.F64) {
					continue
				}
				bound := 1e-12
				if d == lazy.F32 {
					bound = 3e-5
				}
				name := fmt.Sprint(backend, d, dims)
				x := formula(tr, d, 1, dims...)
				p, l, u := linalg.LU(x)
				small(t, p.MatMul(l).MatMul(u).Sub(x), bound, "lu", name)
				require.LessOrEqual(t, values(t, l.Abs().Max())[0], 1.0)
				q, r := linalg.QR(x, false)
				small(t, q.MatMul(r).Sub(x), bound, "qr", name)
				small(t, off(q), bound, "q", name)
				q, r = linalg.QR(x, true)
				small(t, q.MatMul(r).Sub(x), bound, "complete qr", name)
				small(t, off(q), bound, "complete q", name)
				v, tau := linalg.Reflect(x)
				if dims[len(dims)-1] <= dims[len(dims)-2] {
					thin, _ := linalg.QR(x, false)
					small(t, linalg.HouseholderProduct(v, tau).Sub(thin), bound, "householder", name)
				}
				for _, full := range []bool{false, true} {
					u, s, vt := linalg.SVD(x, full)
					k := s.Dim(-1)
					product := u.Narrow(-1, 0, k).Mul(s.Unsqueeze(-2)).MatMul(vt.Narrow(-2, 0, k))
					small(t, product.Sub(x), bound, "svd", name)
					small(t, off(u), bound, "u", name)
					small(t, off(transposed(vt)), bound, "v", name)
				}
				if dims[len(dims)-1] == dims[len(dims)-2] {
					a := x.Add(transposed(x))
					l, v := linalg.Eigh(a, false)
					small(t, v.Mul(l.Unsqueeze(-2)).MatMul(transposed(v)).Sub(a), bound, "eigh", name)
					small(t, off(v), bound, "v", name)
				}
			}
		}
	}
}

// The functions of the host that the backend cpu has for small matrices give what the bodies do, signs and phases
// included.
func TestFunctionsOfTheHost(t *testing.T) {
	for n, want := range map[int]string{3: backends.Standard("linalg.eigh"), 20: backends.Standard("linalg.eigh"), 21: ""} {
		matrix, values := types.Of(lazy.F64, n, n), types.Of(lazy.F64, n)
		require.Equal(t, want, backends.HostFor("linalg.eigh", []types.Type{matrix}, []types.Type{values, matrix}, nil), "%d rows", n)
		require.Equal(t, strings.Replace(want, "eigh", "svd", 1), backends.HostFor("linalg.svd", []types.Type{matrix}, []types.Type{matrix, values, matrix}, nil), "%d rows", n)
	}
	eval, cpu := trace(t, "eval"), trace(t, "cpu")
	all := func(tr *lazy.Trace, d types.DType, dims []int) []*lazy.Tensor {
		x := formula(tr, d.Part(), 3, dims...)
		if d.IsComplex() {
			x = lazy.Complex(x, formula(tr, d.Part(), 4, dims...))
		}
		u, s, vt := linalg.SVD(x, true)
		ys := []*lazy.Tensor{u, s, vt, linalg.SVDVals(x.MulScalar(0))}
		if dims[len(dims)-1] == dims[len(dims)-2] {
			l, v := linalg.Eigh(x, true)
			ys = append(ys, l, v)
		}
		for i, y := range ys {
			if y.DType().IsComplex() {
				ys[i] = y.ViewAsReal()
			}
		}
		return ys
	}
	for _, dims := range [][]int{{1, 1}, {2, 3, 3}, {5, 2}, {2, 4}} {
		for _, d := range []types.DType{lazy.F32, lazy.F64, lazy.C64, lazy.C128} {
			bound := 1e-12
			if d.Part() == lazy.F32 {
				bound = 1e-5
			}
			want, got := all(eval, d, dims), all(cpu, d, dims)
			require.NoError(t, eval.MarkStep(want...))
			require.NoError(t, cpu.MarkStep(got...))
			for i := range want {
				is := values(t, got[i])
				for k, v := range values(t, want[i]) {
					require.InDelta(t, v, is[k], bound, "%v of %v: result %d", d, dims, i)
				}
			}
		}
	}
}

// A matrix with NaNs has nothing to do with the others of its batch.
func TestNaNInBatch(t *testing.T) {
	tr := trace(t, "cpu")
	x := formula(tr, lazy.F64, 5, 2, 6, 6)
	a := lazy.Concatenate(0, x, x.Narrow(0, 0, 1).Mul(lazy.Const(tr, lazy.F64, math.NaN())))
	for _, f := range []func(x *lazy.Tensor) *lazy.Tensor{
		linalg.SVDVals,
		func(x *lazy.Tensor) *lazy.Tensor { return linalg.EigvalsH(x, false) },
	} {
		all := f(a)
		small(t, all.Narrow(0, 0, 2).Sub(f(x)), 1e-13)
		require.True(t, math.IsNaN(values(t, all)[12]))
	}
}
