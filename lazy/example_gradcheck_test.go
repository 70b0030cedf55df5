package lazy_test

import (
	"fmt"

	"ltc/ir/ops"
	"ltc/lazy"
)

// A gradient of a user's own that is wrong is found, with the line that calls the op.
func ExampleGradCheck() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	square := lazy.Define(lazy.Composite{
		Name:     "user.square",
		Doc:      "returns x times x.",
		Operands: []ops.Operand{{Name: "x", Is: ops.Float}},
	}, func(x []*lazy.Tensor, _ lazy.Attrs) *lazy.Tensor {
		return x[0].Mul(x[0])
	}, func(x []*lazy.Tensor, _, ct *lazy.Tensor, _ lazy.Attrs) []*lazy.Tensor {
		return []*lazy.Tensor{ct.Mul(x[0])} // forgets the 2
	})
	x := lazy.From(tr, []float64{0, 1, 2})
	fmt.Println(lazy.GradCheck(func(xs []*lazy.Tensor) *lazy.Tensor {
		return square.Call(nil, xs[0].Exp())
	}, x))
	fmt.Println(lazy.GradCheck(func(xs []*lazy.Tensor) *lazy.Tensor {
		return xs[0].Exp().Softmax(0)
	}, x))
	// Output:
	// example_gradcheck_test.go:26: user.square: the gradient of operand 0 is 2.0403 at [0], but central differences of the op give 4.0806
	// <nil>
}
