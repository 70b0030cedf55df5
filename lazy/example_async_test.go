package lazy_test

import (
	"context"
	"errors"
	"fmt"

	"ltc/lazy"
)

func ExampleTrace_AfterStep() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	x := dev.Variable("x", lazy.F32, 1000)
	for range 3 {
		x.Add_(lazy.Ones(tr, lazy.F32, 1000))
		sum := tr.Read(x).Sum()
		tr.AfterStep(func(failed error) {
			fmt.Println(sum.Float(), failed) // sum is there; the loop does not wait
		})
		check(tr.MarkStep(sum))
	}
	check(tr.Wait(context.Background()))
	// Output:
	// 1000 <nil>
	// 2000 <nil>
	// 3000 <nil>
}

func ExampleStepError() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	tr.NameStep("train")

	w := dev.Variable("w", lazy.F32, 2).Init(lazy.Constant(1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w.Add_(lazy.Ones(tr, lazy.F32, 2))
	err = tr.MarkStepContext(ctx)
	if err == nil { // it was queued
		err = tr.Wait(context.Background())
	}
	var step *lazy.StepError
	fmt.Println(errors.As(err, &step), errors.Is(err, context.Canceled))
	fmt.Println(step.Step, step.Name)

	fmt.Println(tr.Wait(context.Background())) // it comes back once
	fmt.Println(lazy.ToSlice[float32](w))      // and w is as before
	// Output:
	// true true
	// 1 train
	// <nil>
	// [1 1] <nil>
}

func ExampleTrace_Warmup() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	step := func(x *lazy.Tensor) *lazy.Tensor { return x.Exp().Sum() }
	for _, batch := range []int{1, 8} { // before the first request
		check(tr.Warmup(step(lazy.From(tr, make([]float32, batch)))))
		tr.Discard()
	}
	y := step(lazy.From(tr, make([]float32, 8)))
	check(tr.MarkStep(y))
	r := tr.Report()
	fmt.Println(y.Float(), len(r.Compiles), "compiles", r.CachedRuns, "cached")
	// Output:
	// 8 2 compiles 1 cached
}

func ExampleTrace_Scope() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	layer := func(x *lazy.Tensor) *lazy.Tensor {
		defer tr.Scope("layer")()
		return x.MatMul(lazy.Ones(tr, lazy.F32, 3, 3))
	}
	h := layer(lazy.Ones(tr, lazy.F32, 2, 3))
	y := layer(h.Transpose()) // 2 is not 3
	var bad *lazy.OpError
	fmt.Println(errors.As(y.Err(), &bad))
	fmt.Println(bad.Scope)
	// Output:
	// true
	// layer.1
}
