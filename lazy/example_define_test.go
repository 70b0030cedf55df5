package lazy_test

import (
	"fmt"

	"ltc/ir/ops"
	"ltc/lazy"
)

// An op of a user's own, which programs call by name.
func ExampleDefine() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{-1, 0, 2})

	swish := lazy.Define(lazy.Composite{
		Name:     "activation.swish",
		Doc:      "returns x sigmoid(beta x) elementwise.",
		Operands: []ops.Operand{{Name: "x", Is: ops.Float}},
		Attrs:    []ops.Attr{{Name: "beta", Kind: ops.Real}},
	}, func(x []*lazy.Tensor, a lazy.Attrs) *lazy.Tensor {
		return x[0].Mul(x[0].MulScalar(a.Float("beta")).Sigmoid())
	}, nil)
	y := swish.Call(lazy.Attrs{"beta": 2}, x)
	fmt.Println(swish.Call(lazy.Attrs{"beta": 2}, x.Convert(lazy.I32)).Err())

	check(tr.MarkStep(y))
	fmt.Println(lazy.ToSlice[float32](y.MulScalar(100).Round()))
	// Output:
	// example_define_test.go:26: activation.swish(i32[3]): x must be floating point, is i32; convert it with Convert (activation.swish_c1)
	// [-12 0 196] <nil>
}
