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

func check(err error) {
	if err != nil {
		panic(err)
	}
}
