package soa_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"ltc/backends"
	_ "ltc/backends/reference" // registers "cpu"
	"ltc/lazy"
	"ltc/soa"
	"ltc/soa/npy"
)

func ExampleGather() {
	dir, err := os.MkdirTemp("", "ltc")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "showers.npz")
	var arrays []npy.Entry
	for _, c := range []soa.Column{
		soa.ColumnOf("energy", []float32{50, 7, 9}),
		soa.ColumnOf("hits", []float32{1, 2, 3, 4}),
		soa.ColumnOf("hits_start", []int64{0, 2, 2, 4}), // and the end
	} {
		v, err := c.View()
		check(err)
		arrays = append(arrays, npy.Entry{Name: c.Name(), View: v})
	}
	check(npy.WriteArchive(path, arrays))

	file := map[string]soa.View{}
	entries, err := npy.ReadArchive(path)
	check(err)
	for _, e := range entries {
		file[e.Name] = e.View
	}
	columns, err := soa.Gather("showers",
		soa.ViewColumn("Energy", file["energy"]),
		soa.JaggedColumn(soa.ViewColumn("Hits", file["hits"]), soa.ViewColumn("Hits.offsets", file["hits_start"])))
	check(err)
	type Shower struct {
		Energy float32
		Hits   []float32
	}
	showers, err := soa.As[Shower](columns)
	check(err)
	fmt.Println(showers.At(0).Load(), showers.At(1).Load(), showers.At(2).Load())
	// Output:
	// {50 [1 2]} {7 []} {9 [3 4]}
}

// Hits are columns of what a model takes, and one for what it gives.
type Hits struct{ X, Y, Score float32 }

func Example_lazy() {
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
	check(tr.MarkStep(score))
	v, err := score.Value() // waits for the step
	check(err)
	check(soa.Copy(out.Tensor(0), v)) // to the column
	fmt.Println(hits.At(2).Load())
	// Output:
	// {2 1 12}
}

func Example_program() {
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
