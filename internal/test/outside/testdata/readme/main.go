package main

import (
	"fmt"
	"log"

	_ "ltc/backends/reference/llvm" // registers "cpu", with its compiler, and "eval"
	"ltc/data"
	"ltc/data/digits"
	"ltc/lazy"
)

func main() {
	table := digits.Load() // a row: 64 pixels and a label
	dev, err := lazy.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 64, 10).Init(lazy.Normal(0, 0.02))
	b := dev.Variable("b", lazy.F32, 10)
	lr := tr.Scalar("lr", 0.5) // an argument of the program: changing it compiles nothing

	batches := data.Batches{Rows: table.Rows, Size: 64, Seed: 1, DropLast: true}
	for _, rows := range batches.Epoch(0) {
		x := lazy.From(tr, data.Gather[float32](nil, table, rows, 0, 64), len(rows), 64)
		y := lazy.From(tr, data.Gather[int32](nil, table, rows, 64, 65), len(rows))
		loss := x.MatMul(w).Add(b).CrossEntropy(y)
		g := lazy.Grad(loss, w, b)
		w.Sub_(g[0].Mul(lr)) // in place: w is assigned
		b.Sub_(g[1].Mul(lr))
		if err := tr.MarkStep(loss); err != nil { // compiles what is new, has it run
			log.Fatal(err) // also of a bad op above, with its line
		}
		fmt.Println(loss.Float()) // a root of the step has its value
	}
	fmt.Println(tr.Report()) // 1 compile (41 ops in 5 ms), 27 cached, 28 marks, 0 implicit syncs, …
}
