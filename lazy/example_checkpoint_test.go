package lazy_test

import (
	"fmt"

	"ltc/lazy"
)

func ExampleCheckpoint() {
	dev, err := lazy.Open("cpu", lazy.Threads(1))
	check(err)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 256, 256).Init(lazy.Constant(0.01))
	x := lazy.From(tr, make([]float32, 1024*256), 1024, 256)

	block := func(h *lazy.Tensor) *lazy.Tensor { return h.MatMul(w).Tanh().MatMul(w).GELU() }
	keeping, again := x, x
	for range 8 {
		keeping = block(keeping)
		again = lazy.Checkpoint(again, block)
	}
	peak := func(loss *lazy.Tensor) int64 {
		plan, err := tr.MemoryPlan(loss, lazy.Grad(loss, w)[0])
		check(err)
		return plan.Peak()
	}
	fmt.Println(peak(again.Mean()) < peak(keeping.Mean())/2)
	// Output: true
}
