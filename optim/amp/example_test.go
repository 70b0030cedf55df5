package amp_test

import (
	"fmt"

	"ltc/lazy"
	"ltc/optim"
	"ltc/optim/amp"
)

func ExampleLossScaler() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	w := dev.Variable("w", lazy.F16, 2).Init(lazy.Constant(1))
	opt := optim.NewAdam(dev, []*lazy.Tensor{w}, optim.AdamConfig{LR: 1e-3, Master: lazy.F32})
	scaler := amp.NewLossScaler(opt, amp.ScalerConfig{})
	for _, v := range []float32{1, 4, 1} { // 4·65536/2 is beyond f16
		x := lazy.From(tr, []float32{0.01, v}).Convert(lazy.F16)
		loss := x.Mul(w).Convert(lazy.F32).Mean()
		check(scaler.Step(loss))
		check(tr.MarkStep())
		fmt.Println(scaler.Factor().Float())
	}
	fmt.Println(len(tr.Report().Compiles), "compile")
	// Output:
	// 65536
	// 32768
	// 32768
	// 1 compile
}

// Gradients are clipped between Unscale and StepGrads, at their true size.
func ExampleLossScaler_Unscale() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2, 1), []float32{3, 4})
	opt := optim.NewSGD(dev, []*lazy.Tensor{w}, optim.SGDConfig{LR: 1})
	scaler := amp.NewLossScaler(opt, amp.ScalerConfig{Scale: 1024})
	x := lazy.From(tr, []float32{3, 4}, 1, 2)

	end := tr.Autocast(lazy.F16)
	loss := x.MatMul(w).Sum()
	end()
	grads, err := opt.Grads(scaler.Scale(loss))
	check(err)
	grads, err = scaler.Unscale(grads)
	check(err)
	grads, norm, err := optim.ClipNorm(grads, 1)
	check(err)
	check(scaler.StepGrads(grads))

	check(tr.MarkStep(norm))
	clipped, err := lazy.ToSlice[float32](w)
	check(err)
	fmt.Printf("%.1f %.1f\n", norm.Float(), clipped)
	// Output: 5.0 [2.4 3.2]
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
