package model_test

import (
	"context"
	"fmt"
	"log"

	"ltc/backends"
	_ "ltc/backends/reference/llvm"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
	"ltc/soa"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// The examples are the snippets of docs/model.md.

func ExampleBound_Run() {
	type Jet struct {
		Pt, Eta, Phi float32
		Energy       float32
	}
	ctx := context.Background()

	// What was trained: any function of tensors, with the variables that it uses.
	dev, err := lazy.Open("cpu")
	check(err)
	w := dev.Variable("w", types.F32, 2, 1).Init(lazy.Constant(1))
	energy := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.MatMul(w) })

	// As text and constants it needs neither the function nor the device.
	x, err := energy.Export([]lazy.Input{{Name: "kinematics", Type: types.Of(types.F32, lazy.AnySize, 2)}}, "energy")
	check(err)
	cpu, err := backends.Open("cpu")
	check(err)
	m, err := model.New(ctx, cpu, backends.NewModule(x.Text), x.Constants)
	check(err)

	// It reads columns and writes columns, of any number of elements.
	for _, n := range []int{3, 5} {
		jets := soa.Of[Jet](n)
		for i := range n {
			jets.At(i).Store(Jet{Pt: float32(i), Eta: 100, Phi: 10})
		}
		in, out := soa.NewCollection(n), soa.NewCollection(n)
		check(in.AddBatched("kinematics", 2, jets.Col("Pt"), jets.Col("Phi")))
		check(out.AddBatched("energy", 2, jets.Col("Energy")))
		b := m.Bind(in, out)
		for batch := range in.Batches() {
			check(b.Run(ctx, nil, batch))
		}
		for i := range n {
			fmt.Print(jets.At(i).Load().Energy, " ")
		}
	}
	// Output: 10 11 12 10 11 12 13 14
}

func ExampleBound_Run_jagged() {
	type Shower struct {
		Energy float32
		Hits   []float64 // jagged: each shower has some
	}
	ctx := context.Background()
	dev, err := lazy.Open("cpu")
	check(err)
	sum := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		hits := x[0].Convert(lazy.F32) // a model converts nothing by itself
		return []*lazy.Tensor{hits.Mul(x[1].Convert(lazy.F32)).Sum(1)}
	})
	x, err := sum.Export([]lazy.Input{
		{Name: "hits", Type: types.Of(types.F64, lazy.AnySize, 4)}, // at most 4 of each
		{Name: "hits.mask", Type: types.Of(types.Bool, lazy.AnySize, 4)},
	}, "energy")
	check(err)
	cpu, err := backends.Open("cpu")
	check(err)
	m, err := model.New(ctx, cpu, backends.NewModule(x.Text), x.Constants)
	check(err)

	const n = 3
	showers := soa.Of[Shower](n, soa.Count("Hits", 10)) // room for 10 hits in all
	check(showers.SetLengths("Hits", []int{2, 0, 3}))   // before Store: where each one's are
	showers.At(0).Store(Shower{Hits: []float64{1, 2}})
	showers.At(2).Store(Shower{Hits: []float64{3, 4, 5}})

	padded := soa.NewCollection(n) // copies the hits to a rectangle
	check(padded.AddPadded("hits", 4, showers.Col("Hits")))
	in, out := soa.NewCollection(n), soa.NewCollection(n)
	for _, name := range padded.Names() { // hits and hits.mask
		v, err := padded.Lookup(name)
		check(err)
		check(in.AddBatched(name, 2, soa.ViewColumn(name, v)))
	}
	check(out.AddBatched("energy", 2, showers.Col("Energy")))
	b := m.Bind(in, out)
	for range 2 {
		check(padded.Refresh()) // the hits that there are now; in has nothing to refresh
		for batch := range in.Batches() {
			check(b.Run(ctx, nil, batch))
		}
		for i := range n {
			fmt.Print(showers.At(i).Load().Energy, " ")
		}
		showers.At(0).Store(Shower{Hits: []float64{10, 20}})
	}
	// Output: 3 0 12 30 0 12
}

func ExampleModel_Call() {
	ctx := context.Background()
	dev, err := lazy.Open("cpu")
	check(err)
	w := dev.Variable("w", types.F32, 2, 1).Init(lazy.Constant(1))
	score := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.MatMul(w) })
	x, err := score.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 2)}}, "score")
	check(err)
	cpu, err := backends.Open("cpu")
	check(err)
	m, err := model.New(ctx, cpu, backends.NewModule(x.Text), x.Constants)
	check(err)

	// One goroutine or many serve rows of 2 numbers, of any number.
	predict := func(rows []float32) ([]float32, error) {
		in, err := soa.Borrow(rows, types.Of(types.F32, len(rows)/2, 2)) // the slice itself: nothing is copied
		if err != nil {
			return nil, err
		}
		out, err := m.Call(ctx, in)
		if err != nil {
			return nil, err
		}
		return soa.Slice[float32](out[0]), nil
	}
	fmt.Println(predict([]float32{1, 2, 3, 4, 5, 6}))
	fmt.Println(predict([]float32{10, 20}))
	// Output:
	// [3 7 11] <nil>
	// [30] <nil>
}
