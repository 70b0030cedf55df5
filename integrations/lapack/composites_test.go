package lapack_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/linalg"
	"ltc/mlir"
)

// matrices are a batch of random matrices.
func matrices(tr *lazy.Trace, d types.DType, seed uint64, dims ...int) *lazy.Tensor {
	r := rand.New(rand.NewPCG(seed, 1))
	all := make([]float64, types.Shape(dims).Elements())
	for i := range all {
		all[i] = r.NormFloat64()
	}
	return lazy.From(tr, all, dims...).Convert(d)
}

// on computes the results of f on a backend.
func on(t *testing.T, backend string, f func(tr *lazy.Trace) []*lazy.Tensor) (all [][]float64) {
	t.Helper()
	dev, err := lazy.Open(backend)
	require.NoError(t, err)
	defer dev.Close()
	tr := lazy.NewTrace(dev)
	results := f(tr)
	require.NoError(t, tr.MarkStep(results...))
	for _, r := range results {
		values, err := lazy.ToSlice[float64](r.Convert(lazy.F64))
		require.NoError(t, err)
		all = append(all, values)
	}
	return all
}

func turned(x *lazy.Tensor) *lazy.Tensor { return x.SwapAxes(-2, -1) }

// unsigned are the factors of a decomposition whose vectors have arbitrary signs, in a form that does not
// depend on these.
func unsigned(u, s, vt *lazy.Tensor) []*lazy.Tensor {
	k := s.Dim(-1)
	u1, vt1 := u.Narrow(-1, 0, k), vt.Narrow(-2, 0, k)
	product := u1.Mul(s.Unsqueeze(-2)).MatMul(vt1)
	third := u1.Mul(s.Square().Unsqueeze(-2)).MatMul(turned(u1))
	return []*lazy.Tensor{s, product, third, turned(u).MatMul(u), vt.MatMul(turned(vt)), u.MatMul(turned(u))}
}

// decompositions are what the functions are compared in.
var decompositions = []struct {
	name   string
	square bool
	f      func(x *lazy.Tensor) []*lazy.Tensor
}{
	{"lu", false, func(x *lazy.Tensor) []*lazy.Tensor {
		lu, pivots := linalg.LUFactor(x)
		p, l, u := linalg.LU(x)
		return []*lazy.Tensor{lu, pivots, p, l, u}
	}},
	{"eigh", true, func(x *lazy.Tensor) []*lazy.Tensor {
		lower, v := linalg.Eigh(x, false)
		upper, w := linalg.Eigh(x, true)
		return append(unsigned(v, lower, turned(v)), unsigned(w, upper, turned(w))...)
	}},
	{"svd", false, func(x *lazy.Tensor) []*lazy.Tensor { return unsigned(linalg.SVD(x, false)) }},
	{"full", false, func(x *lazy.Tensor) []*lazy.Tensor { return unsigned(linalg.SVD(x, true)) }},
	{"values", false, func(x *lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{linalg.SVDVals(x)} }},
	{"eigenvalues", true, func(x *lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{linalg.EigvalsH(x, true)} }},
	{"solve", true, func(x *lazy.Tensor) []*lazy.Tensor {
		sign, logabs := linalg.SlogDet(x)
		return []*lazy.Tensor{linalg.Solve(x, x.Tril(0).AddScalar(1), false), linalg.Inv(x), linalg.Det(x), sign, logabs}
	}},
}

// requireBody compares the function of the host on cpu with the body on eval.
func requireBody(t *testing.T, tolerance float64, f func(tr *lazy.Trace) []*lazy.Tensor) {
	t.Helper()
	want, got := on(t, "eval", f), on(t, "cpu", f)
	for i := range want {
		largest := 1.0
		for _, x := range want[i] {
			if !math.IsInf(x, 0) && !math.IsNaN(x) {
				largest = max(largest, math.Abs(x))
			}
		}
		for k, x := range want[i] {
			y := got[i][k]
			same := x == y || math.IsNaN(x) && math.IsNaN(y)
			require.True(t, same || math.Abs(x-y) <= tolerance*largest, "element %d of result %d is %v, but the body's is %v", k, i, y, x)
		}
	}
}

var tolerances = map[types.DType]float64{lazy.F32: 2e-4, lazy.F64: 1e-11}

// The functions of the host give what the bodies give, for matrices of all forms.
func TestComposites(t *testing.T) {
	for _, dims := range [][]int{{1, 1}, {4, 4}, {5, 3}, {3, 5}, {1, 4}, {4, 1}, {2, 3, 6, 4}, {0, 3, 3}, {3, 0}, {0, 2}, {36, 34}, {3, 9, 9}} {
		for d, tolerance := range tolerances {
			for _, of := range decompositions {
				m, n := dims[len(dims)-2], dims[len(dims)-1]
				if of.square && (m != n || m == 0) {
					continue
				}
				t.Run(fmt.Sprint(of.name, dims, d), func(t *testing.T) {
					requireBody(t, tolerance, func(tr *lazy.Trace) []*lazy.Tensor { return of.f(matrices(tr, d, 7, dims...)) })
				})
			}
		}
	}
}

// Singular matrices, of ranks 0 to 3.
func TestSingular(t *testing.T) {
	for d, tolerance := range tolerances {
		for _, of := range decompositions {
			if of.name == "solve" { // rounding decides
				continue
			}
			t.Run(fmt.Sprint(of.name, d), func(t *testing.T) {
				requireBody(t, tolerance, func(tr *lazy.Trace) []*lazy.Tensor {
					zero := []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
					one := []float64{2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
					two := []float64{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
					three := []float64{1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 4}
					all := append(append(append(zero, one...), two...), three...)
					return of.f(lazy.From(tr, all, 4, 4, 4).Convert(d))
				})
			})
		}
	}
}

// NaNs come out where they come out of the body. Matrices of a batch have nothing to do with each other.
func TestNaN(t *testing.T) {
	for d, tolerance := range tolerances {
		for _, dims := range [][]int{{2, 4, 4}, {2, 5, 3}, {2, 3, 5}} {
			n := dims[2]
			for _, at := range []int{0, n - 1, n + 1, (dims[1]-1)*n + n - 1} { // corners, and one between
				for _, of := range decompositions {
					if of.square && dims[1] != dims[2] {
						continue
					}
					t.Run(fmt.Sprint(of.name, d, dims, at), func(t *testing.T) {
						requireBody(t, tolerance, func(tr *lazy.Trace) []*lazy.Tensor {
							x := matrices(tr, lazy.F64, 9, dims...)
							spot := lazy.Iota(tr, lazy.I32, 0, types.Shape(dims).Elements()).EqualScalar(float64(at)).Reshape(dims...)
							return of.f(spot.ScalarWhere(math.NaN(), x).Convert(d))
						})
					})
				}
			}
		}
	}
}

// Gradients go through the functions as through the bodies.
func TestGradients(t *testing.T) {
	for _, of := range decompositions {
		for _, dims := range [][]int{{2, 4, 4}, {5, 3}} {
			if of.square && dims[0] > 2 || of.name == "full" {
				continue // of vectors that are arbitrary
			}
			t.Run(fmt.Sprint(of.name, dims), func(t *testing.T) {
				requireBody(t, 1e-9, func(tr *lazy.Trace) []*lazy.Tensor {
					x := matrices(tr, lazy.F64, 3, dims...)
					var sum *lazy.Tensor
					for i, y := range of.f(x) {
						if y.DType() != lazy.F64 {
							continue
						}
						part := y.Mul(matrices(tr, lazy.F64, uint64(20+i), y.Shape()...)).Sum()
						if sum != nil {
							part = sum.Add(part)
						}
						sum = part
					}
					return lazy.Grad(sum, x)
				})
			})
		}
	}
}

// Composites of other types, or with an open size, run their bodies.
func TestBodies(t *testing.T) {
	takes := func(d types.DType, in, values, vectors []int) bool {
		return backends.HostTakes("linalg.eigh", []types.Type{types.Of(d, in...)}, []types.Type{types.Of(d, values...), types.Of(d, vectors...)}, mlir.Dict{{Name: "upper", Value: mlir.IntegerAttr{Type: mlir.I64}}})
	}
	require.True(t, takes(types.F32, []int{7, 3, 3}, []int{7, 3}, []int{7, 3, 3}))
	require.False(t, takes(types.F16, []int{7, 3, 3}, []int{7, 3}, []int{7, 3, 3}))
	require.False(t, takes(types.F32, []int{7, 3, 3}, []int{7, 3}, []int{7, 3, 2}))
	require.False(t, takes(types.F32, []int{7, 3, 2}, []int{7, 3}, []int{7, 3, 3}))
	require.True(t, takes(types.F64, []int{128, 128}, []int{128}, []int{128, 128}))
	require.False(t, takes(types.F64, []int{129, 129}, []int{129}, []int{129, 129}), "the body is faster")
	require.False(t, takes(types.F32, []int{3}, []int{3}, []int{3}))
	require.False(t, backends.HostTakes("linalg.eigh", nil, nil, nil))
	require.False(t, backends.HostTakes("lapack_sgetrf_ffi", nil, nil, nil))
	requireBody(t, 2e-2, func(tr *lazy.Trace) []*lazy.Tensor {
		return []*lazy.Tensor{linalg.SVDVals(matrices(tr, lazy.F16, 5, 4, 3))}
	})
}
