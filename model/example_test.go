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
