package lazy_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"

	_ "ltc/backends/reference/llvm"
)

// kernelCase is a function of x of [3, 37, 2] that must be compiled, with the gradient of
// its floating-point results if grad is set.
type kernelCase struct {
	name string
	f    func(x *lazy.Tensor) []*lazy.Tensor
	grad bool
}

func several2(y, z *lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{y, z} }

func severalOf(ys ...*lazy.Tensor) []*lazy.Tensor { return ys }

var scanKernels = []kernelCase{
	{"prod", func(x *lazy.Tensor) []*lazy.Tensor { return severalOf(x.Prod(0), x.Prod(2, 0)) }, true},
	{"cumprod", func(x *lazy.Tensor) []*lazy.Tensor { return severalOf(x.CumProd(1), x.CumProd(-1)) }, true},
	{"cumsum", func(x *lazy.Tensor) []*lazy.Tensor { return severalOf(x.CumSum(1), x.CumSum(0)) }, true},
	{"cummax", func(x *lazy.Tensor) []*lazy.Tensor { return several2(x.CumMax(1)) }, true},
	{"cummin", func(x *lazy.Tensor) []*lazy.Tensor { return several2(x.CumMin(1)) }, true},
	{"logcumsumexp", func(x *lazy.Tensor) []*lazy.Tensor { return severalOf(x.LogCumSumExp(1), x.LogCumSumExp(2)) }, true},
	{"median", func(x *lazy.Tensor) []*lazy.Tensor { return several2(x.Median(1)) }, true},
	{"mode", func(x *lazy.Tensor) []*lazy.Tensor { return several2(x.Mode(1)) }, false},
	{"kth value", func(x *lazy.Tensor) []*lazy.Tensor { return several2(x.KthValue(3, 1)) }, true},
	{"max with indices", func(x *lazy.Tensor) []*lazy.Tensor { return several2(x.MaxWithIndices(1)) }, true},
	{"min with indices", func(x *lazy.Tensor) []*lazy.Tensor { return several2(x.MinWithIndices(0)) }, true},
	{"counts", func(x *lazy.Tensor) []*lazy.Tensor {
		return severalOf(x.Any(1), x.All(1), x.CountNonzero(0), x.ArgMin(1), x.Convert(lazy.I32).Reshape(-1).Bincount(nil, 4))
	}, false},
	{"searches", func(x *lazy.Tensor) []*lazy.Tensor {
		row, _ := x.Select(0, 1).Select(1, 0).Sort(0, false)
		return severalOf(row.SearchSorted(x, false), row.SearchSorted(x, true), x.Bucketize(row.Narrow(0, 0, 5), false))
	}, false},
	{"moments", func(x *lazy.Tensor) []*lazy.Tensor {
		return severalOf(x.Var(1), x.Std(0, 1), x.LogSumExp(0, 2), x.Norm(2, 1), x.NaNMean(0), x.Norm(3))
	}, true},
}

// Each of these functions is compiled, with its gradient, and computes what the evaluator
// does.
func TestReductionsAndScansAreKernels(t *testing.T) { requireKernels(t, scanKernels) }

func requireKernels(t *testing.T, cases []kernelCase) {
	for _, c := range cases {
		for _, d := range []types.DType{lazy.F32, lazy.BF16} {
			t.Run(fmt.Sprint(c.name, " ", d), func(t *testing.T) {
				want, got := c.values(t, d, "eval"), c.values(t, d, "cpu", lazy.Compiled())
				near := map[types.DType]float64{lazy.F32: 1e-4, lazy.BF16: 0.05}[d]
				require.Len(t, got, len(want))
				for i, w := range want {
					if g := got[i]; w != g && !(math.IsNaN(w) && math.IsNaN(g)) && !(math.Abs(w-g) <= near*(1+math.Abs(w))) {
						t.Fatalf("element %d is %v, the evaluator has %v", i, g, w)
					}
				}
			})
		}
	}
}

// values are those of all results, and of the gradient.
func (c *kernelCase) values(t *testing.T, d types.DType, backend string, options ...lazy.Option) []float64 {
	dev, err := lazy.Open(backend, append(options, lazy.CheckIndices(false))...)
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	data := make([]float64, 3*37*2)
	for i := range data {
		data[i] = 2*math.Sin(float64(i*i)) + float64(i%3)/4
	}
	x := lazy.From(tr, data, 3, 37, 2).Convert(d)
	ys := c.f(x)
	var sum *lazy.Tensor
	for i, y := range ys {
		require.NoError(t, y.Err())
		if z := y.Convert(lazy.F64); y.DType().IsFloat() {
			if z = z.Mul(z).Sum(); sum != nil {
				z = z.Add(sum)
			}
			sum = z
		}
		ys[i] = y.Convert(lazy.F64).Reshape(-1)
	}
	if c.grad {
		ys = append(ys, lazy.Grad(sum, x)[0].Convert(lazy.F64).Reshape(-1))
	}
	y := lazy.Concatenate(0, ys...)
	require.NoError(t, tr.MarkStep(y))
	values, err := lazy.ToSlice[float64](y)
	require.NoError(t, err)
	return values
}
