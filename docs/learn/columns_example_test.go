package learn_test

import (
	"context"
	"fmt"

	"ltc/backends"
	_ "ltc/backends/reference" // registers "cpu"
	"ltc/lazy"
	"ltc/soa"
)

// The pages soa.md and collections.md show these: the tests of package soa, which half of
// the module would have to be compiled anew for, import nothing above it.

// Hits are columns of what a model takes, and one for what it gives.
type Hits struct{ X, Y, Score float32 }

func Example_columnsOfTensors() {
	hits := soa.Of[Hits](4)
	for i := range hits.Len() {
		hits.At(i).Store(Hits{X: float32(i), Y: 1})
	}
	in, out := soa.NewCollection(4), soa.NewCollection(4)
	check(in.Add("x", hits.Col("X"), hits.Col("Y")))
	check(out.Add("score", hits.Col("Score")))

	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2, 1), []float32{1, 10})
	score := lazy.FromView(tr, in.Tensor(0)).MatMul(w) // (4, 2) by (2, 1)
	score.IntoView(out.Tensor(0))
	check(tr.MarkStep())
	check(tr.Wait(context.Background())) // from here on the columns are the program's again
	fmt.Println(hits.At(2).Load())
	// Output:
	// {2 1 12}
}

func Example_columnsOfPrograms() {
	hits := soa.Of[Hits](4)
	for i := range hits.Len() {
		hits.At(i).Store(Hits{X: float32(i), Y: 1})
	}
	in, out := soa.NewCollection(4), soa.NewCollection(4)
	check(in.Add("x", hits.Col("X"), hits.Col("Y")))
	check(out.Add("score", hits.Col("Score")))

	const text = `func.func @main(%x: tensor<4x2xf32>) -> tensor<4x1xf32> {
		%w = stablehlo.constant dense<[[1.0], [10.0]]> : tensor<2x1xf32>
		%y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x1xf32>) -> tensor<4x1xf32>
		return %y : tensor<4x1xf32>
	}`
	ctx := context.Background()
	cpu, err := backends.Open("cpu")
	check(err)
	model, err := cpu.Compile(ctx, backends.NewModule(text), backends.Options{})
	check(err)
	check(out.Writable(in)) // results overwrite no argument
	check(model.Execute(ctx, &backends.Call{Args: in.Views(nil), Results: out.Views(nil)}))
	fmt.Println(hits.At(2).Load())
	// Output:
	// {2 1 12}
}
