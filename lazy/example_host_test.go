package lazy_test

import (
	"context"
	"fmt"
	"math"

	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// A function that no op computes: the Bessel function of the first kind, order 0, and its
// gradient, which is minus that of order 1.
var (
	besselJ0 = lazy.Host(lazy.HostOp{
		Name: "bessel.j0", Doc: "returns J₀(x) elementwise.", Operands: []ops.Operand{{Name: "x"}},
		Types: f64s, Run: ofEach(math.J0),
		Gradient: func(x, _, ct []*lazy.Tensor) []*lazy.Tensor {
			return []*lazy.Tensor{besselJ1.Call(nil, x[0]).Neg().Mul(ct[0])}
		},
	})
	besselJ1 = lazy.Host(lazy.HostOp{Name: "bessel.j1", Doc: "returns J₁(x) elementwise.", Operands: []ops.Operand{{Name: "x"}}, Types: f64s, Run: ofEach(math.J1)})
)

func f64s(in []types.Type) ([]types.Type, error) {
	if in[0].DType != lazy.F64 {
		return nil, fmt.Errorf("x is %v, must be of f64", in[0])
	}
	return in, nil
}

func ofEach(f func(x float64) float64) func(ctx context.Context, in, out []soa.View) error {
	return func(_ context.Context, in, out []soa.View) error {
		to := soa.Slice[float64](out[0])
		for i, x := range soa.Slice[float64](in[0]) {
			to[i] = f(x)
		}
		return nil
	}
}

func ExampleHost() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float64{0, 1, 2})
	y := besselJ0.Call(nil, x).Sum()
	g := lazy.Grad(y, x)[0].MulScalar(1000).Round()
	check(tr.MarkStep(y, g))
	fmt.Printf("%.4f\n", y.Float())
	fmt.Println(lazy.ToSlice[float64](g))
	// Output:
	// 1.9891
	// [-0 -440 -577] <nil>
}
