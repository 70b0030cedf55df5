package lazy_test

import (
	"fmt"

	"ltc/lazy"
)

// Operands of different dtypes promote, as in PyTorch.
func ExampleCommonDType() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	n, x := lazy.From(tr, []int32{1, 2, 4}), lazy.From(tr, []float32{0.5, 1, 1.5})
	half := lazy.Const(tr, lazy.F64, 0.5) // a scalar, which counts for its category alone

	fmt.Println(lazy.CommonDType(n, x), n.Add(x).DType(), x.Mul(half).DType())
	fmt.Println(n.Div(n).DType(), n.FloorDivide(n).DType(), n.Sum().DType())
	x.Add_(n)
	check(tr.MarkStep(x))
	fmt.Println(lazy.ToSlice[float32](x))

	fmt.Println(n.Add_(x).Err())
	// Output:
	// f32 f32 f32
	// f32 i32 i64
	// [1.5 3 5.5] <nil>
	// example_types_test.go:23: add_(i32[3], f32[3]): the result is f32[3], which the value of i32[3] cannot hold: convert the operand to i32, or assign the result of the op that is not in place
}
