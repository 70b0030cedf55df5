package optim_test

import (
	"fmt"

	"ltc/lazy"
	"ltc/optim"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// Weights decay and biases do not; the rate warms up and falls along half a cosine.
func ExampleNewAdamW() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	w, b := dev.Variable("w", lazy.F32, 2), dev.Variable("b", lazy.F32)
	opt := optim.NewAdamW(dev, []*lazy.Tensor{w}, optim.AdamConfig{LR: 0.1, WeightDecay: 0.01},
		optim.Group{Params: []*lazy.Tensor{b}, WeightDecay: optim.Zero})
	lr := optim.WarmUp(10, 0.1, optim.Cosine(0.1, 0, 90))

	x := lazy.From(dev, []float32{0, 1, 1, 0, 2, 1}, 3, 2)
	y := lazy.From(dev, []float32{1, 3, 7})
	for i := range 100 {
		opt.SetLR(lr(i))
		d := tr.Read(x).MatMul(w).Add(b).Sub(y)
		loss := d.Mul(d).Mean()
		check(opt.Step(loss))
		check(tr.MarkStep(loss))
		if i%33 == 0 {
			fmt.Printf("step %d: rate %.3f, loss %.2f\n", i, opt.LR(), loss.Float())
		}
	}
	fmt.Println(len(tr.Report().Compiles), "compile")
	// Output:
	// step 0: rate 0.010, loss 19.67
	// step 33: rate 0.085, loss 1.67
	// step 66: rate 0.031, loss 0.57
	// step 99: rate 0.000, loss 0.49
	// 1 compile
}

func ExampleClipNorm() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{3, 4})
	opt := optim.NewSGD(dev, []*lazy.Tensor{w}, optim.SGDConfig{LR: 1})

	loss := tr.Read(w).Mul(w).Sum()
	grads, err := opt.Grads(loss)
	check(err)
	grads, norm, err := optim.ClipNorm(grads, 1)
	check(err)
	check(opt.StepGrads(grads))
	check(tr.MarkStep(norm))
	fmt.Printf("%.0f\n", norm.Float())
	fmt.Println(lazy.ToSlice[float32](w))
	// Output:
	// 10
	// [2.4 3.2] <nil>
}

func ExampleNewEMA() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32).Init(lazy.Constant(1))
	opt := optim.NewSGD(dev, []*lazy.Tensor{w}, optim.SGDConfig{LR: 0.5})
	ema := optim.NewEMA(dev, opt.Params(), 0.5)
	for range 3 {
		check(opt.Step(tr.Read(w).Mul(w)))
		check(ema.Update(tr)) // of w after the step
		check(tr.MarkStep())
	}
	check(ema.Swap(tr)) // predict with the averages
	check(tr.MarkStep())
	fmt.Println(w.Float())
	// Output:
	// 0
}

// With f32 masters, steps that bf16 is too coarse for add up.
func ExampleAdamConfig_master() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.BF16, 2).Init(lazy.Constant(1))
	opt := optim.NewAdam(dev, []*lazy.Tensor{w}, optim.AdamConfig{Master: lazy.F32})
	for range 8 {
		check(opt.Step(tr.Read(w).Convert(lazy.F32).Sum()))
		check(tr.MarkStep())
	}
	for _, s := range opt.State() {
		fmt.Println(s.Name(), s.Type())
	}
	fmt.Println(w.Select(0, 0).Float())
	// Output:
	// adam.step f64[]
	// w.master f32[2]
	// w.exp_avg f32[2]
	// w.exp_avg_sq f32[2]
	// 0.9921875
}
