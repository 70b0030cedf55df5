package learn_test

import (
	"fmt"
	"log"

	"ltc/data/digits"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
)

func Example_regression() {
	dev, err := lazy.Open("cpu", lazy.Seed(1))
	check(err)
	w := dev.Variable("w", lazy.F32, 1, 1)
	b := dev.Variable("b", lazy.F32, 1)
	opt := optim.NewSGD(dev, []*lazy.Tensor{w, b}, optim.SGDConfig{LR: 0.1})
	tr := lazy.NewTrace(dev)

	x := lazy.From(dev, []float32{0, 1, 2, 3}, 4, 1)
	y := lazy.From(dev, []float32{1, 3, 5, 7}, 4, 1)
	for range 200 {
		d := tr.Read(x).MatMul(w).Add(b).Sub(y)
		loss := d.Mul(d).Mean()
		check(opt.Step(loss))
		check(tr.MarkStep())
	}
	fmt.Printf("%.2f %.2f\n", w.Float(), b.Float())
	// Output: 2.00 1.00
}

// Net is the network of Example_cnn.
type Net struct {
	Conv layers.Conv
	Drop layers.Dropout
	Head layers.Linear
}

func (n *Net) Forward(x *lazy.Tensor) *lazy.Tensor {
	x = nn.MaxPoolValues(n.Conv.Forward(x).ReLU(), []int{2, 2}, nn.PoolOptions{}).Flatten(1, -1)
	return n.Head.Forward(n.Drop.Forward(x))
}

func Example_cnn() {
	dev, err := lazy.Open("cpu", lazy.Seed(1))
	check(err)
	net := &Net{
		layers.Conv{In: 1, Out: 8, Kernel: []int{3, 3}, Padding: []int{1}, NoBias: true},
		layers.Dropout{P: 0.1},
		layers.Linear{In: 8 * 4 * 4, Out: 10, NoBias: true},
	}
	check(module.Build(net, dev))
	opt := optim.NewSGD(dev, module.Parameters(net), optim.SGDConfig{LR: 0.1, Momentum: 0.9})
	tr := lazy.NewTrace(dev)

	pixels, labels := images(digits.Load(), []int{0, 1, 2, 3, 4, 5, 6, 7})
	x := lazy.From(dev, pixels, 8, 1, 8, 8) // NCHW
	y := lazy.From(dev, labels, 8)
	for range 30 {
		loss := net.Forward(tr.Read(x)).CrossEntropy(y)
		check(opt.Step(loss))
		check(tr.MarkStep())
	}
	check(module.Eval(net))
	guesses := net.Forward(tr.Read(x)).ArgMax(-1)
	check(tr.MarkStep(guesses))
	fmt.Println(lazy.ToSlice[int64](guesses))
	// Output: [0 1 2 3 4 5 6 7] <nil>
}

func Example_secondDerivative() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	x := tr.Read(lazy.From(dev, []float64{0, 0.5, 1}))
	y := x.Tanh().Sum()
	slope := lazy.Grad(y, x)[0]
	curve := lazy.Grad(slope.Sum(), x)[0]
	check(tr.MarkStep(slope, curve))
	s, err := lazy.ToSlice[float64](slope)
	check(err)
	c, err := lazy.ToSlice[float64](curve)
	check(err)
	log.Println(s, c)
	fmt.Printf("%.3f %.3f\n", s, c)
	// Output: [1.000 0.786 0.420] [-0.000 -0.727 -0.640]
}
