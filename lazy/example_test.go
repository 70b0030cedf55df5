package lazy_test

import (
	"errors"
	"fmt"

	"ltc/lazy"
)

// The examples are the snippets of docs/use and docs/why.

// check ends an example that should not fail.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

func Example() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	x := lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2)
	y := x.MatMul(x).AddScalar(1) // recorded, not computed
	fmt.Println(y.Type())

	check(tr.MarkStep(y)) // compiled and run
	values, err := lazy.ToSlice[float32](y)
	check(err)
	fmt.Println(values)
	// Output:
	// f32[2,2]
	// [8 11 16 23]
}

func ExampleTrace_MarkStep() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	w := dev.Variable("w", lazy.F32, 3).Init(lazy.Constant(1))
	lr := tr.Scalar("lr", 0.1) // an argument of the program
	for step := range 3 {
		loss := tr.Read(w).Mul(w).Sum()
		w.Sub_(lazy.Grad(loss, w)[0].Mul(lr)) // assigned: run without being a root
		check(tr.MarkStep(loss))
		fmt.Printf("step %d: loss %.4f\n", step, loss.Float())
		check(lr.Set(0.1 / float64(step+1)))
	}
	fmt.Println(len(tr.Report().Compiles), "compile")
	// Output:
	// step 0: loss 3.0000
	// step 1: loss 1.9200
	// step 2: loss 1.2288
	// 1 compile
}

func ExampleTrace_Scalar() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1, 2})

	for i := range 5 {
		check(tr.MarkStep(x.MulScalar(float64(i)))) // a constant, then an argument: two programs
	}
	fmt.Println(len(tr.Report().Compiles), "compiles")
	for i := range 5 {
		k := lazy.Const(tr, lazy.F32, float64(i))
		check(tr.MarkStep(x.Mul(k))) // a constant: five programs, of which two are there already
	}
	fmt.Println(len(tr.Report().Compiles), "compiles")
	factor := tr.Scalar("factor", 0)
	for i := range 5 {
		check(factor.Set(float64(i)))
		check(tr.MarkStep(x.Mul(factor))) // an argument: the second program
	}
	fmt.Println(len(tr.Report().Compiles), "compiles")
	// Output:
	// 2 compiles
	// 6 compiles
	// 6 compiles
}

func ExampleTensor_Keep() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	x := lazy.From(tr, []float32{1, 2})
	a := x.MulScalar(10).Keep()
	b := x.MulScalar(20)
	sum := a.Add(b)
	check(tr.MarkStep(sum))

	fmt.Println(lazy.ToSlice[float32](sum))
	fmt.Println(lazy.ToSlice[float32](a)) // kept
	_, err = lazy.ToSlice[float32](b)     // stale
	fmt.Println(errors.Is(err, lazy.ErrStale))
	fmt.Println(err)
	// Output:
	// [30 60] <nil>
	// [10 20] <nil>
	// true
	// example_test.go:99: value(f32[2]): the tensor, the mul recorded at example_test.go:93, is of an earlier step and its value was not kept; give it to MarkStep as a root, Keep it, or turn on Trace.LiveRoots
}

func ExampleTrace_ImplicitSyncs() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	tr.ImplicitSyncs(lazy.AllowSyncs) // as the others, but without a warning

	x := lazy.From(tr, []float32{1, 2, 3})
	y := x.Mul(x)
	fmt.Println(y.Sum().Item()) // computed here, in the midst of the step
	z := y.AddScalar(1)
	check(tr.MarkStep(z))

	for _, s := range tr.Report().ImplicitSyncs {
		fmt.Println(s.Reason, "of", s.Op, s.Count, "time")
	}

	tr.ImplicitSyncs(lazy.RefuseSyncs)
	_, err = lazy.ToSlice[float32](x.Exp())
	fmt.Println(errors.Is(err, lazy.ErrSync))
	// Output:
	// 14 <nil>
	// item of sum 1 time
	// true
}

func ExampleOpError() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	x := lazy.Ones(tr, lazy.F32, 32, 784)
	w := dev.Variable("w", lazy.F32, 512, 10)
	h := x.MatMul(w) // 784 is not 512
	y := h.ReLU().Softmax(-1)
	err = tr.MarkStep(y)
	fmt.Println(err)

	var bad *lazy.OpError
	fmt.Println(errors.As(err, &bad), errors.Is(err, lazy.ErrType))
	fmt.Println(bad.Op, bad.Operands, bad.Label)
	fmt.Println(y.Err() == h.Err())
	// Output:
	// example_test.go:141: matmul(f32[32,784], f32[512,10]): inner dimensions differ: 784 and 512 (matmul_c4)
	// true true
	// matmul [f32[32,784] f32[512,10]] matmul_c4
	// true
}

func ExampleStrict() {
	dev, err := lazy.Open("cpu", lazy.Strict())
	check(err)
	tr := lazy.NewTrace(dev)

	defer func() { fmt.Println("panic:", recover().(*lazy.OpError).Op) }()
	lazy.Ones(tr, lazy.F32, 2).Add(lazy.Ones(tr, lazy.F32, 3))
	// Output:
	// panic: add
}
