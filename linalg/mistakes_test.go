package linalg_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/linalg"
)

// A call that breaks a rule is an error with the op, the types, the rule and the line. Each demand
// that a function of the package checks has a case; that of sizes that are open has TestOpenSizes.
func TestMistakes(t *testing.T) {
	tr := trace(t, "cpu")
	of := func(dims ...int) *lazy.Tensor { return lazy.Zeros(tr, lazy.F32, dims...) }
	first := func(y, _ *lazy.Tensor) *lazy.Tensor { return y }
	first3 := func(y, _, _ *lazy.Tensor) *lazy.Tensor { return y }
	v, s, m, b2 := of(3), of(3, 3), of(2, 3), of(2, 3, 3)
	pivots := lazy.Zeros(tr, lazy.I32, 3)
	v1, f8a, f8b := of(1), lazy.Zeros(tr, lazy.F8E4M3FN, 2, 3), lazy.Zeros(tr, lazy.F8E5M2, 3, 4)
	labels := map[string]bool{}
	for _, bad := range []struct {
		want string
		y    *lazy.Tensor
	}{
		{"linalg.cholesky(i32[2,2]): x must be floating point or complex, is i32; convert it with Convert (linalg.cholesky_c1)", linalg.Cholesky(lazy.Zeros(tr, lazy.I32, 2, 2), false)},
		{"linalg.cholesky(f32[2,3]): the last two dimensions of x differ: 2 and 3 (linalg.cholesky_c2)", linalg.Cholesky(m, false)},
		{"linalg.lu_factor(f32[3]): x has rank 1, must be at least 2 (linalg.lu_factor_c2)", first(linalg.LUFactor(v))},
		{"x has rank 1, must be at least 2 (linalg.qr_c2)", first(linalg.QR(v, false))},
		{"x has rank 1, must be at least 2 (linalg.geqrf_c2)", first(linalg.Reflect(v))},
		{"linalg.householder_product(f32[2,3], f32[2]): x has the shape [2,3], with more columns than rows (linalg.householder_product_c3)", linalg.HouseholderProduct(m, of(2))},
		{"tau has the shape [4] (linalg.householder_product_c4)", linalg.HouseholderProduct(s, of(4))},
		{"the last two dimensions of x differ: 2 and 3 (linalg.eigh_c2)", first(linalg.Eigh(m, false))},
		{"the last two dimensions of x differ: 2 and 3 (linalg.eigvalsh_c2)", linalg.EigvalsH(m, false)},
		{"linalg.eig(f32[2,3]): the last two dimensions of x differ: 2 and 3 (linalg.eig_c2)", first(linalg.Eig(m))},
		{"the last two dimensions of x differ: 2 and 3 (linalg.eigvals_c2)", linalg.Eigvals(m)},
		{"x has rank 1, must be at least 2 (linalg.svd_c2)", first3(linalg.SVD(v, false))},
		{"x has rank 1, must be at least 2 (linalg.svdvals_c2)", linalg.SVDVals(v)},
		{"the last two dimensions of x differ: 2 and 3 (linalg.solve_triangular_c3)", linalg.SolveTriangular(m, m, false, false, false)},
		{"linalg.solve_triangular(f32[3,3], f32[2,3]): b has 2 rows, must have 3 (linalg.solve_triangular_c4)", linalg.SolveTriangular(s, m, false, false, false)},
		{"batch dimensions [2] and [4] do not broadcast (linalg.solve_triangular_c5)", linalg.SolveTriangular(b2, of(4, 3, 3), false, false, false)},
		{"the last two dimensions of x differ: 2 and 3 (linalg.cholesky_solve_c3)", linalg.CholeskySolve(m, m, false)},
		{"b has rank 1, must be at least 2 (linalg.cholesky_solve_c4)", linalg.CholeskySolve(s, v, false)},
		{"batch dimensions [2] and [4] do not broadcast (linalg.cholesky_solve_c5)", linalg.CholeskySolve(b2, of(4, 3, 3), false)},
		{"the last two dimensions of x differ: 2 and 3 (linalg.cholesky_inverse_c2)", linalg.CholeskyInverse(m, false)},
		{"the last two dimensions of x differ: 2 and 3 (linalg.solve_c3)", linalg.Solve(m, m, false)},
		{"linalg.solve(f32[3,3], f32[3,2]): b has 2 columns, must have 3 (linalg.solve_c5)", linalg.Solve(s, of(3, 2), true)},
		{"b has rank 0, must be at least 2 (linalg.solve_c5)", linalg.Solve(s, of(), false)},
		{"batch dimensions [2] and [4] do not broadcast (linalg.solve_c6)", linalg.Solve(b2, of(4, 3, 3), false)},
		{"the last two dimensions of x differ: 2 and 3 (linalg.lu_solve_c4)", linalg.LUSolve(m, pivots, m)},
		{"pivots have the shape [3], must have [2,3] (linalg.lu_solve_c5)", linalg.LUSolve(b2, pivots, b2)},
		{"b has the shape [3] (linalg.lu_solve_c6)", linalg.LUSolve(s, pivots, v)},
		{"the last two dimensions of x differ: 2 and 3 (linalg.inv_c2)", linalg.Inv(m)},
		{"x has rank 1, must be at least 2 (linalg.lstsq_c3)", linalg.LstSq(v, m)},
		{"b has 3 rows, must have 2 (linalg.lstsq_c5)", linalg.LstSq(m, s)},
		{"batch dimensions [2] and [4] do not broadcast (linalg.lstsq_c6)", linalg.LstSq(b2, of(4, 3, 3))},
		{"rtol is NaN, must be a finite number (linalg.pinv_c2)", linalg.PInv(m, math.NaN())},
		{"x has rank 1, must be at least 2 (linalg.pinv_c3)", linalg.PInv(v, -1)},
		{"the last two dimensions of x differ: 2 and 3 (linalg.det_c2)", linalg.Det(m)},
		{"the last two dimensions of x differ: 2 and 3 (linalg.slogdet_c5)", first(linalg.SlogDet(m))},
		{"the last two dimensions of x differ: 2 and 3 (linalg.logdet_c2)", linalg.LogDet(m)},
		{"rtol is NaN, must be a finite number (linalg.matrix_rank_c2)", linalg.MatrixRank(m, math.NaN())},
		{"x has rank 1, must be at least 2 (linalg.matrix_rank_c3)", linalg.MatrixRank(v, -1)},
		{"the last two dimensions of x differ: 2 and 3 (linalg.matrix_power_c2)", linalg.MatrixPower(m, 2)},
		{"the last two dimensions of x differ: 2 and 3 (linalg.matrix_exp_c2)", linalg.MatrixExp(m)},
		{"x has rank 1, must be at least 2 (linalg.matrix_norm_c2)", linalg.MatrixNorm(v, 1)},
		{"p must be 1, -1, 2, -2, +Inf or -Inf (linalg.matrix_norm_c4)", linalg.MatrixNorm(m, 3)},
		{"x has rank 1, must be at least 2 (linalg.cond_c2)", linalg.Cond(v, 1)},
		{"the last two dimensions of x differ: 2 and 3 (linalg.cond_c4)", linalg.Cond(m, 1)},
		{"p must be 1, -1, 2, -2, +Inf or -Inf (linalg.cond_c5)", linalg.Cond(s, 0.5)},
		{"linalg.addmm(f32[3], f32[2,3], f32[3]): beta is NaN, must be a finite number (linalg.addmm_c4)", linalg.AddMM(v, m, v, math.NaN(), 1)},
		{"linalg.addmm(f32[3], f32[2,3], f32[3]): alpha is +Inf, must be a finite number (linalg.addmm_c5)", linalg.AddMM(v, m, v, 1, math.Inf(1))},
		{"y has rank 2 and z rank 0: y must be a matrix, and z a matrix or a vector (linalg.addmm_c6)", linalg.AddMM(v, m, of(), 1, 1)},
		{"linalg.addmm(f32[3], f32[2,3], f32[2,3]): inner dimensions of y and z differ: 3 and 2 (linalg.addmm_c6)", linalg.AddMM(v, m, m, 1, 1)},
		{"batch dimensions [2] and [4] do not broadcast (linalg.addmm_c7)", linalg.AddMM(v, b2, of(4, 3, 3), 1, 1)},
		{"x has the shape [3], must broadcast to that of y·z, [2] (linalg.addmm_c8)", linalg.AddMM(v, m, v, 1, 1)},
		{"x has the shape [2,3,3], must broadcast to that of y·z, [3,3] (linalg.addmm_c8)", linalg.AddMM(b2, s, s, 1, 1)},
		{"x must be f8E4M3FN or f8E5M2, is f32; convert it with Convert (linalg.scaled_mm_c1)", linalg.ScaledMM(m, f8b, v1, v1, nil, lazy.F32)},
		{"dtype is i32, must be floating point (linalg.scaled_mm_c7)", linalg.ScaledMM(f8a, f8b, v1, v1, nil, lazy.I32)},
		{"x has rank 1 and y rank 2: both must be matrices (linalg.scaled_mm_c8)", linalg.ScaledMM(f8a.Reshape(6), f8b, v1, v1, nil, lazy.F32)},
		{"inner dimensions of x and y differ: 3 and 2 (linalg.scaled_mm_c8)", linalg.ScaledMM(f8a, f8a, v1, v1, nil, lazy.F32)},
		{"the scale of y has the shape [2,3], must have one element or the shape [1,4] (linalg.scaled_mm_c9)", linalg.ScaledMM(f8a, f8b, v1, m, nil, lazy.F32)},
		{"bias has the shape [3], must have the shape [4] (linalg.scaled_mm_c10)", linalg.ScaledMM(f8a, f8b, v1, v1, v, lazy.F32)},
		{"x has rank 1, must be at least 2 (linalg.trace_c2)", linalg.Trace(v)},
		{"axis 2 is out of range: a tensor of shape [2,3] has axes 0 and 1 (linalg.cross_c3)", linalg.Cross(m, m, 2)},
		{"x has rank 2, y rank 1 (linalg.cross_c4)", linalg.Cross(m, v, 1)},
		{"dimensions of axis 0 are 2 and 2, must be 3 (linalg.cross_c5)", linalg.Cross(m, m, 0)},
		{"[2,3] and [4,3] do not broadcast at axis -2; reshape one, or give it a dimension of 1 there (linalg.cross_c6)", linalg.Cross(m, of(4, 3), 1)},
		{"x has rank 2, y rank 1 (linalg.vec_dot_c4)", linalg.VecDot(m, v, 1)},
		{"[2,3] and [3,3] do not broadcast at axis -2; reshape one, or give it a dimension of 1 there (linalg.vec_dot_c5)", linalg.VecDot(m, s, 1)},
		{"n is 0, must be positive (linalg.vander_c2)", linalg.Vander(v, 0)},
		{"ind is 2 and the rank of x 2 (linalg.tensorinv_c2)", linalg.TensorInv(s, 2)},
		{"the products of [2] and [3] differ (linalg.tensorinv_c3)", linalg.TensorInv(m, 1)},
		{"x has the shape [3,3], must begin with [2] (linalg.tensorsolve_c3)", linalg.TensorSolve(s, of(2))},
		{"the products of [3] and [2] differ (linalg.tensorsolve_c4)", linalg.TensorSolve(m, of(2))},
		{"b has 2", linalg.Solve(s, m, false)},
	} {
		require.ErrorContains(t, bad.y.Err(), bad.want)
		require.ErrorContains(t, bad.y.Err(), "mistakes_test.go:")
		var e *lazy.OpError
		require.True(t, errors.As(bad.y.Err(), &e))
		labels[e.Label] = true
	}
	require.ErrorContains(t, linalg.MultiDot(m, m).Err(), "mistakes_test.go:")
	require.Error(t, linalg.MultiDot().Err())
	for _, o := range ops.PackageRows("linalg") {
		for i, d := range o.Where {
			if label := fmt.Sprintf("%s_c%d", o.Mnemonic(), len(o.Operands)+i+1); !o.Attribute(d.Name) && d.Name != "closed" {
				require.True(t, labels[label], "no bad call breaks %s: %s", label, d.Text)
			}
		}
	}
}

// Complex matrices without elements have norms of the dtype of parts, and solutions. The nuclear norm of zeros has a
// gradient.
func TestEmptyAndZeroMatrices(t *testing.T) {
	tr := trace(t, "eval")
	none := lazy.Zeros(tr, lazy.C64, 2, 0, 0)
	for _, y := range []*lazy.Tensor{linalg.MatrixNorm(none, 1), linalg.FrobeniusNorm(none), linalg.NuclearNorm(none), linalg.Cond(none, 1)} {
		require.Equal(t, types.Of(lazy.F32, 2), y.Type())
		require.Equal(t, []float64{0, 0}, values(t, y.Convert(lazy.F64)))
	}
	y := linalg.LUSolve(none, lazy.Zeros(tr, lazy.I32, 2, 0), lazy.Zeros(tr, lazy.C64, 2, 0, 3))
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, types.Of(lazy.C64, 2, 0, 3), y.Type())
	for _, shape := range [][]int{{2, 2}, {3, 2}, {2, 3}} {
		x := lazy.Zeros(tr, lazy.C128, shape...)
		g := lazy.Grad(linalg.NuclearNorm(x), x)[0]
		require.True(t, finite(values(t, g.Real())))
		require.True(t, finite(values(t, g.Imag())))
	}
}

// The numbers of singular complex systems that are not finite are NaN, the same ones on each backend.
func TestSingularComplex(t *testing.T) {
	var want [][]float64
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		re := lazy.From(tr, []float64{1, 2, 3, 0, 0, 1, 0, 0, 2}, 3, 3)
		im := lazy.From(tr, []float64{0, 1, -1, 0, 0, 0, 0, 0, 1}, 3, 3)
		b := lazy.From(tr, []float64{1, 0, 2, 1, 1, -1}, 3, 2)
		var got [][]float64
		for _, d := range []types.DType{lazy.C64, lazy.C128} {
			x, b := lazy.Complex(re, im).Convert(d), lazy.Complex(b, b.MulScalar(0)).Convert(d)
			for _, y := range []*lazy.Tensor{linalg.SolveTriangular(x, b, true, false, false), linalg.Solve(x, b, false), linalg.Inv(x), linalg.SolveTriangular(x, b.SwapAxes(0, 1), true, true, false)} {
				got = append(got, values(t, y.Real().Convert(lazy.F64).IsNaN().Convert(lazy.F64)), values(t, y.Imag().Convert(lazy.F64).IsNaN().Convert(lazy.F64)))
				require.Equal(t, got[len(got)-2], got[len(got)-1], backend)
				require.Equal(t, got[len(got)-1], values(t, y.Abs().IsFinite().LogicalNot().Convert(lazy.F64)), backend)
				require.Contains(t, got[len(got)-1], 1.0, backend)
			}
		}
		if want == nil {
			want = got
		}
		require.Equal(t, want, got, backend)
	}
}

// Singular matrices, those that are not definite and those with NaNs are no error: their results are
// what the documentation says.
func TestSingular(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		zero, ones := lazy.Zeros(tr, lazy.F64, 3, 3), lazy.Ones(tr, lazy.F64, 3, 3)
		bad := lazy.From(tr, []float64{1, 2, math.NaN(), 4}, 2, 2)
		require.Equal(t, []float64{0}, values(t, linalg.Det(zero)))
		sign, logabs := linalg.SlogDet(ones)
		require.Equal(t, []float64{0}, values(t, sign))
		require.Equal(t, []float64{math.Inf(-1)}, values(t, logabs))
		require.Equal(t, []float64{1}, values(t, linalg.MatrixRank(ones, -1)))
		require.Equal(t, []float64{0}, values(t, linalg.MatrixRank(zero, -1)))
		require.Equal(t, make([]float64, 9), values(t, linalg.PInv(zero, -1)))
		require.False(t, finite(values(t, linalg.Inv(ones))))
		require.False(t, finite(values(t, linalg.Cholesky(ones.Neg(), false))))
		require.InDeltaSlice(t, []float64{3, 0, 0}, values(t, linalg.SVDVals(ones)), 1e-12)
		u, _, vt := linalg.SVD(zero, false)
		small(t, off(u), 1e-12)
		small(t, off(transposed(vt)), 1e-12)
		l, v := linalg.Eigh(zero, false)
		require.Equal(t, make([]float64, 3), values(t, l))
		small(t, off(v), 1e-12)
		require.False(t, finite(values(t, linalg.SVDVals(bad))))
		require.False(t, finite(values(t, linalg.EigvalsH(bad, false))))
		require.False(t, finite(values(t, linalg.Det(bad))))
		require.False(t, finite(values(t, linalg.MatrixExp(bad))))
		// The gradient of the determinant of a matrix of rank n-1 is its adjugate.
		x := lazy.From(tr, []float64{1, 2, 2, 4}, 2, 2)
		require.InDeltaSlice(t, []float64{4, -2, -2, 1}, values(t, lazy.Grad(linalg.Det(x), x)[0]), 1e-12)
		for _, p := range []float64{1, -1, math.Inf(1), math.Inf(-1)} {
			require.Equal(t, []float64{math.Inf(1)}, values(t, linalg.Cond(x, p)), p)
			require.True(t, math.IsNaN(values(t, linalg.Cond(bad.MulScalar(0), p))[0]), p)
		}
	}
}

func finite(all []float64) bool {
	for _, v := range all {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Matrices without elements, and batches without matrices, have the results of PyTorch.
func TestEmpty(t *testing.T) {
	tr := trace(t, "cpu")
	for _, dims := range [][]int{{0, 0}, {2, 0, 0}, {0, 3, 3}, {0, 3}, {3, 0}, {0, 2, 3}} {
		x := lazy.Zeros(tr, lazy.F32, dims...)
		m, n := dims[len(dims)-2], dims[len(dims)-1]
		lu, pivots := linalg.LUFactor(x)
		q, r := linalg.QR(x, true)
		u, s, vt := linalg.SVD(x, true)
		all := []*lazy.Tensor{lu, pivots, q, r, u, s, vt, linalg.PInv(x, -1), linalg.MatrixRank(x, -1)}
		if m == n {
			l, v := linalg.Eigh(x, false)
			l2, v2 := linalg.Eig(x)
			all = append(all, l, v, l2, v2, linalg.Det(x), linalg.Inv(x), linalg.MatrixExp(x), linalg.Cholesky(x, false), lazy.Grad(linalg.Det(x).Sum(), x)[0])
		}
		require.NoError(t, tr.MarkStep(all...), "%v", dims)
		require.Equal(t, []int{m, m}, []int(q.Shape()[q.Rank()-2:]), "%v", dims)
		require.Equal(t, []int{n, n}, []int(vt.Shape()[vt.Rank()-2:]), "%v", dims)
		small(t, off(q), 0)
		for _, p := range []float64{1, 2, math.Inf(1)} {
			x := lazy.Zeros(tr, lazy.F32, dims...)
			if m == 0 || n == 0 {
				small(t, linalg.MatrixNorm(x, p), 0, dims, p)
			}
			if m == 0 && n == 0 {
				small(t, linalg.Cond(x, p), 0, dims, p)
			}
		}
	}
}

// The smallest power is a negative one, as others are.
func TestLeastPower(t *testing.T) {
	tr := trace(t, "cpu")
	x := lazy.From(tr, []float64{-1, 0, 0, 1}, 2, 2)
	require.Equal(t, []float64{1, 0, 0, 1}, values(t, linalg.MatrixPower(x, math.MinInt)))
}

// Equal eigenvalues and singular values have gradients, and their vectors NaN.
func TestGradientsOfEqualEigenvalues(t *testing.T) {
	tr := trace(t, "eval")
	gradient := func(loss func(x *lazy.Tensor) *lazy.Tensor) []float64 {
		x := lazy.From(tr, []float64{2, 0, 0, 0, 2, 0, 0, 0, 1}, 3, 3)
		return values(t, lazy.Grad(loss(x), x)[0])
	}
	one := []float64{4, 0, 0, 0, 4, 0, 0, 0, 2}
	require.InDeltaSlice(t, one, gradient(func(x *lazy.Tensor) *lazy.Tensor { return linalg.EigvalsH(x, false).Square().Sum() }), 1e-12)
	require.InDeltaSlice(t, one, gradient(func(x *lazy.Tensor) *lazy.Tensor { return linalg.SVDVals(x).Square().Sum() }), 1e-12)
	require.True(t, slices.ContainsFunc(gradient(func(x *lazy.Tensor) *lazy.Tensor {
		_, v := linalg.Eigh(x, false)
		return v.Select(1, 1).CumSum(0).Sum()
	}), math.IsNaN))
	require.True(t, slices.ContainsFunc(gradient(func(x *lazy.Tensor) *lazy.Tensor {
		u, _, _ := linalg.SVD(x, false)
		return u.Select(1, 0).CumSum(0).Sum()
	}), math.IsNaN))
}

// Reflectors of columns that are zero below the diagonal, as the last one of a square matrix, have gradients.
func TestGradientsOfReflect(t *testing.T) {
	tr := trace(t, "cpu")
	for _, x := range []*lazy.Tensor{fill(tr, []int{2, 3, 3}, 0), fill(tr, []int{4, 2}, 1), fill(tr, []int{3, 3}, 2).Triu(0)} {
		v, tau := linalg.Reflect(x)
		require.True(t, finite(values(t, lazy.Grad(v.Sum().Add(tau.Sum()), x)[0])))
	}
	require.NoError(t, lazy.GradCheck(func(xs []*lazy.Tensor) *lazy.Tensor {
		v, tau := linalg.Reflect(xs[0])
		return linalg.HouseholderProduct(v, tau)
	}, fill(tr, []int{2, 3, 3}, 0)))
	v, _ := linalg.Reflect(fill(tr, []int{3, 3}, 0))
	require.NoError(t, lazy.GradCheck(func(xs []*lazy.Tensor) *lazy.Tensor { return linalg.HouseholderProduct(xs[0], xs[1]) }, v, lazy.From(tr, []float64{1.5, 0, 0})))
}

// Functions of several steps round 16-bit floats once, too: none of their steps overflows or loses digits.
func TestNarrowFloatsAreRoundedOnce(t *testing.T) {
	tr := trace(t, "cpu")
	x := lazy.From(tr, []float32{60000, 60000, 60000, 1}, 2, 2).Convert(lazy.F16)
	require.Equal(t, []float64{2}, values(t, linalg.MatrixRank(x, -1)))
	for _, d := range []types.DType{lazy.F16, lazy.BF16} {
		m, b := fill(tr, []int{6, 6}, 0).Convert(d), fill(tr, []int{6, 2}, 1).Convert(d)
		for name, f := range map[string]func(x, b *lazy.Tensor) *lazy.Tensor{
			"det":   func(x, _ *lazy.Tensor) *lazy.Tensor { return linalg.Det(x) },
			"inv":   func(x, _ *lazy.Tensor) *lazy.Tensor { return linalg.Inv(x) },
			"pinv":  func(x, _ *lazy.Tensor) *lazy.Tensor { return linalg.PInv(x, 0) },
			"power": func(x, _ *lazy.Tensor) *lazy.Tensor { return linalg.MatrixPower(x, -3) },
			"cond":  func(x, _ *lazy.Tensor) *lazy.Tensor { return linalg.Cond(x, 1) },
			"cond2": func(x, _ *lazy.Tensor) *lazy.Tensor { return linalg.Cond(x, 2) },
			"nuc":   func(x, _ *lazy.Tensor) *lazy.Tensor { return linalg.NuclearNorm(x) },
			"solve": func(x, b *lazy.Tensor) *lazy.Tensor { return linalg.Solve(x, b, false) },
			"lstsq": func(x, b *lazy.Tensor) *lazy.Tensor { return linalg.LstSq(x, b) },
		} {
			once := f(m.Convert(lazy.F32), b.Convert(lazy.F32)).Convert(d)
			require.Equal(t, values(t, once), values(t, f(m, b)), "%s %v", name, d)
		}
	}
}

// 16-bit floats are computed in f32 and rounded once.
func TestNarrowFloats(t *testing.T) {
	tr := trace(t, "cpu")
	for _, d := range []types.DType{lazy.F16, lazy.BF16} {
		x := fill(tr, []int{3, 3}, 0).Convert(d)
		wide := x.Convert(lazy.F32)
		for name, f := range map[string]func(x *lazy.Tensor) *lazy.Tensor{
			"inv": linalg.Inv, "det": linalg.Det, "svdvals": linalg.SVDVals, "exp": linalg.MatrixExp,
			"qr": func(x *lazy.Tensor) *lazy.Tensor { q, _ := linalg.QR(x, false); return q },
		} {
			y := f(x)
			require.Equal(t, d, y.DType(), name)
			got, want := values(t, y), values(t, f(wide))
			for i := range got {
				require.InDelta(t, want[i], got[i], 0.03*max(1, math.Abs(want[i])), name)
			}
		}
	}
}

// A batch may be an open size, and Vmap takes a matrix at a time.
func TestOpenSizes(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	tr := lazy.NewTrace(dev)
	x := fill(tr, []int{4, 3, 3}, 0)
	for name, f := range map[string]func(x *lazy.Tensor) *lazy.Tensor{
		"inv": linalg.Inv, "det": linalg.Det, "svdvals": linalg.SVDVals, "exp": linalg.MatrixExp,
		"eigh": func(x *lazy.Tensor) *lazy.Tensor { return linalg.EigvalsH(x, false) },
		"eig":  func(x *lazy.Tensor) *lazy.Tensor { return linalg.Eigvals(x).Abs() },
	} {
		mapped := lazy.Vmap(func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { return list(f(xs[0])) }, []*lazy.Tensor{x}, lazy.VmapOptions{})[0]
		require.InDeltaSlice(t, values(t, f(x)), values(t, mapped), 1e-9, name)

		open := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return f(x) })
		require.NoError(t, open.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F64, lazy.Dim("batch", 1, 16), 3, 3)}), name)
		y, err := open.Call(t.Context(), x)
		require.NoError(t, err, name)
		require.InDeltaSlice(t, values(t, f(x)), values(t, tr.Read(y)), 1e-9, name)
	}
	closed := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return linalg.Inv(x) })
	_, err = closed.Export([]lazy.Input{{Name: "x", Type: types.Of(lazy.F64, lazy.Dim("n", 1, 16), lazy.Dim("n", 1, 16))}}, "y")
	require.ErrorContains(t, err, "a matrix of an open size cannot be decomposed; give its sizes as numbers (linalg.inv_c3)")
}

// A pivot that is no row of the matrix, from 1, is an error.
func TestLUSolveLooksAtPivots(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		for _, pivot := range []int32{0, 1, 3, 4} {
			lu, b := formula(tr, lazy.F64, 1, 3, 3), formula(tr, lazy.F64, 2, 3, 1)
			err := tr.MarkStep(linalg.LUSolve(lu, lazy.From(tr, []int32{1, 2, pivot}), b))
			if err == nil {
				err = tr.Wait(t.Context())
			}
			if pivot == 1 || pivot == 3 {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, lazy.ErrIndex)
			require.ErrorContains(t, err, "mistakes_test.go:")
			require.ErrorContains(t, err, fmt.Sprintf("an index is %d, but there are 3 to choose from", pivot-1))
		}
	}
}

// What beta and alpha of 0 leave out does not count, as in BLAS and PyTorch.
func TestAddMMOfZeros(t *testing.T) {
	for _, name := range []string{"eval", "cpu"} {
		dev, err := lazy.Open(name)
		require.NoError(t, err)
		defer dev.Close()
		tr := lazy.NewTrace(dev)
		bad := lazy.Full(tr, lazy.F32, math.NaN(), 2, 2)
		x, y := lazy.Full(tr, lazy.F32, 3, 2, 2), lazy.Ones(tr, lazy.F32, 2, 2)
		for want, z := range map[float32]*lazy.Tensor{3: linalg.AddMM(x, bad, bad, 1, 0), 2: linalg.AddMM(bad, y, y, 0, 1), 0: linalg.AddMM(bad, bad, bad, 0, 0)} {
			got, err := lazy.ToSlice[float32](z)
			require.NoError(t, err)
			require.Equal(t, []float32{want, want, want, want}, got)
		}
	}
}
