package lazy_test

import (
	"fmt"

	"ltc/lazy"
)

// A program that JAX or PyTorch has exported is a function of tensors, with gradients.
func ExampleImport() {
	const loss = `
module @jit_loss {
  func.func public @main(%w: tensor<3xf32>, %x: tensor<2x3xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
    %squares = stablehlo.multiply %y, %y : tensor<2xf32>
    %loss = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}`
	f, err := lazy.Import("loss.mlir", loss)
	check(err)
	fmt.Println(f.Inputs(), f.Outputs())

	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 3).Init(lazy.Constant(1))
	x := lazy.From(tr, []float32{1, 0, 0, 0, 2, 0}, 2, 3)
	y := f.Call(w, x)
	w.Sub_(lazy.Grad(y, w)[0].MulScalar(0.125))
	check(tr.MarkStep(y))
	fmt.Println(y.Float())
	fmt.Println(lazy.ToSlice[float32](w))

	fmt.Println(f.Call(x).Err())
	// Output:
	// [f32[3] f32[2,3]] [f32[]]
	// 5
	// [0.75 0 1] <nil>
	// example_import_test.go:36: import main(f32[2,3]): the program has 2 arguments, the call has 1
}
