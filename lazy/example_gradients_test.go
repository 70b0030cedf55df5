package lazy_test

import (
	"fmt"

	"ltc/lazy"
)

func ExampleTrace_NoGrad() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{3, 1})

	mean := tr.Read(w).Mean()
	end := tr.NoGrad()
	variance := tr.Read(w).Sub(mean).PowScalar(2).Mean()
	end()
	g := lazy.Grad(mean.Div(variance.Sqrt()), w)[0] // variance counts as a constant

	check(tr.MarkStep(g))
	fmt.Println(lazy.ToSlice[float32](g))
	// Output: [0.5 0.5] <nil>
}

func ExampleTensor_OnGrad() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{3, 0.125})

	h := tr.Read(w).MulScalar(3).RetainGrad()
	h.OnGrad(func(g *lazy.Tensor) *lazy.Tensor { return g.ClampScalar(-1, 1) })
	check(h.Mul(h).Sum().Backward())
	check(tr.MarkStep())
	fmt.Println(lazy.ToSlice[float32](h.Grad()))
	fmt.Println(lazy.ToSlice[float32](w.Grad()))
	// Output:
	// [1 0.75] <nil>
	// [3 2.25] <nil>
}

func ExampleCustomGrad() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{3.25, 0.75})

	round := func(x *lazy.Tensor) *lazy.Tensor {
		return lazy.CustomGrad([]*lazy.Tensor{x},
			func(x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{x[0].Round()} },
			func(x, y, ct []*lazy.Tensor) []*lazy.Tensor { return ct })[0]
	}

	y := round(tr.Read(w)).MulScalar(2)
	g := lazy.Grad(y.Sum(), w)[0]
	check(tr.MarkStep(y, g))
	fmt.Println(lazy.ToSlice[float32](y))
	fmt.Println(lazy.ToSlice[float32](g))
	// Output:
	// [6 2] <nil>
	// [2 2] <nil>
}

func ExampleGrad_written() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{3, -1})

	x := tr.Read(w).MulScalar(1)
	y := x.Mul(x).Sum()
	x.Fill_(0)
	g := lazy.Grad(y, w)[0] // 2·w

	check(tr.MarkStep(g))
	fmt.Println(lazy.ToSlice[float32](g))
	// Output: [6 -2] <nil>
}

func ExampleTrace_Autocast() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2, 1).Init(lazy.Constant(0.1))
	x := lazy.From(dev, []float32{1, 2}, 1, 2)

	end := tr.Autocast(lazy.BF16)
	y := tr.Read(x).MatMul(w) // bf16
	loss := y.Exp().Sum()     // f32
	end()
	g := lazy.Grad(loss, w)[0] // f32

	fmt.Println(y.Type(), loss.Type(), g.Type())
	// Output: bf16[1,1] f32[] f32[2,1]
}
