package lazy_test

import (
	"fmt"

	"ltc/lazy"
	"ltc/optim"
)

func ExampleTrace_Read_hostData() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{1, 2})
	limit := lazy.From(dev, []float32{3, 1})
	fmt.Println(w.Mul(limit).Err() != nil) // in which trace?
	y := tr.Read(w).Mul(limit)
	check(tr.MarkStep(y))
	fmt.Println(lazy.ToSlice[float32](y))
	// Output:
	// true
	// [3 2] <nil>
}

func ExampleTrace_MarkStep_optimizer() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{1, -2})
	opt := optim.NewSGD(dev, []*lazy.Tensor{w}, optim.SGDConfig{LR: 0.25, Momentum: 0.5})
	for range 2 {
		loss := tr.Read(w).Mul(w).Sum()
		check(opt.Step(loss)) // records: w is assigned
		check(tr.MarkStep(loss))
		fmt.Println(loss.Float())
	}
	fmt.Println(lazy.ToSlice[float32](w))
	// Output:
	// 5
	// 1.25
	// [0 0] <nil>
}
