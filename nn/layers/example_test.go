package layers_test

import (
	"fmt"

	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
)

// Net is a network for images of 8×8 pixels.
type Net struct {
	Conv layers.Conv
	Drop layers.Dropout
	Head layers.Linear
}

func NewNet() *Net {
	return &Net{
		Conv: layers.Conv{In: 1, Out: 8, Kernel: []int{3, 3}, Padding: []int{1}},
		Drop: layers.Dropout{P: 0.1},
		Head: layers.Linear{In: 8 * 4 * 4, Out: 10},
	}
}

func (n *Net) Forward(x *lazy.Tensor) *lazy.Tensor {
	x = n.Conv.Forward(x).ReLU().MaxPool([]int{2, 2}, lazy.PoolOptions{})
	return n.Head.Forward(n.Drop.Forward(x.Flatten(1, -1)))
}

// A network, its parameters, and a step that trains it.
func Example() {
	dev, err := lazy.Open("eval", lazy.Seed(1))
	check(err)
	net := NewNet()
	check(module.Build(net, dev))
	for name, v := range module.State(net) {
		fmt.Println(name, v.Type())
	}

	opt := optim.NewSGD(dev, module.Trainable(net), optim.SGDConfig{LR: 0.1})
	tr := lazy.NewTrace(dev)
	x, y := lazy.Ones(tr, lazy.F32, 2, 1, 8, 8), lazy.Zeros(tr, lazy.I32, 2)
	loss := nn.CrossEntropy(net.Forward(x), y, nn.CrossEntropyOptions{})
	check(opt.Step(loss))
	check(tr.MarkStep(loss))
	fmt.Println(loss.Float() > 1)

	module.Eval(net) // dropout does nothing from here on
	guesses := net.Forward(lazy.Ones(tr, lazy.F32, 1, 1, 8, 8)).ArgMax(-1)
	check(tr.MarkStep(guesses))
	fmt.Println(lazy.ToSlice[int64](guesses))
	// Output:
	// conv.weight f32[8,1,3,3]
	// conv.bias f32[8]
	// head.weight f32[10,128]
	// head.bias f32[10]
	// true
	// [0] <nil>
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
