package learn_test

import (
	"fmt"
	"log"

	"ltc/data/digits"
	"ltc/lazy"
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

func Example_cnn() {
	dev, err := lazy.Open("cpu", lazy.Seed(1))
	check(err)
	rnd := lazy.NewRandom(dev, 7)
	kernel := dev.Variable("kernel", lazy.F32, 8, 1, 3, 3).Init(lazy.HeNormal("OIHW"))
	head := dev.Variable("head", lazy.F32, 8*4*4, 10).Init(lazy.HeNormal())
	net := func(x *lazy.Tensor, train bool) *lazy.Tensor {
		x = x.Conv(kernel, lazy.ConvOptions{Pad: 1}).ReLU()
		x = x.MaxPool([]int{2, 2}, lazy.PoolOptions{}).Reshape(x.Dim(0), 8*4*4)
		if train {
			x = rnd.Dropout(x, 0.1)
		}
		return x.MatMul(head)
	}
	opt := optim.NewSGD(dev, []*lazy.Tensor{kernel, head}, optim.SGDConfig{LR: 0.1, Momentum: 0.9})
	tr := lazy.NewTrace(dev)

	pixels, labels := images(digits.Load(), []int{0, 1, 2, 3, 4, 5, 6, 7})
	x := lazy.From(dev, pixels, 8, 1, 8, 8) // NCHW
	y := lazy.From(dev, labels, 8)
	for range 30 {
		loss := net(tr.Read(x), true).CrossEntropy(y)
		check(opt.Step(loss))
		check(tr.MarkStep())
	}
	guesses := net(tr.Read(x), false).ArgMax(-1)
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
