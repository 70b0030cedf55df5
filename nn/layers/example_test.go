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
	x = nn.MaxPoolValues(n.Conv.Forward(x).ReLU(), []int{2, 2}, nn.PoolOptions{})
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

	check(module.Eval(net)) // dropout does nothing from here on
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

// The gradients of a step are scaled to a norm of at most 1.
func Example_clipping() {
	dev, err := lazy.Open("eval")
	check(err)
	tr := lazy.NewTrace(dev)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{1, 2})
	opt := optim.NewSGD(dev, []*lazy.Tensor{w}, optim.SGDConfig{LR: 1})
	loss := lazy.From(tr, []float32{3, 4}).Mul(w).Sum()
	grads, err := opt.Grads(loss)
	check(err)
	grads, norm, err := optim.ClipNorm(grads, 1) // or optim.ClipValue(grads, 0.5)
	check(err)
	check(opt.StepGrads(grads))
	check(tr.MarkStep(norm)) // norm before clipping
	values, err := lazy.ToSlice[float32](w)
	check(err)
	fmt.Printf("norm %v, w %.3f\n", norm.Float(), values)
	// Output: norm 5, w [0.400 1.200]
}

// Gradients of two batches add up in the variable.
func Example_gradients() {
	dev, err := lazy.Open("eval")
	check(err)
	tr := lazy.NewTrace(dev)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{1, 2})
	for _, batch := range [][]float32{{1, 1}, {3, 5}} {
		check(lazy.From(tr, batch).Mul(w).Sum().Backward())
		check(tr.MarkStep())
	}
	fmt.Println(lazy.ToSlice[float32](w.Grad()))
	w.ZeroGrad()
	// Output: [4 6] <nil>
}

// Scale multiplies each feature by a number that it learns.
type Scale struct {
	module.Base
	Features int
	Gamma    *lazy.Tensor
}

func (s *Scale) Build(b *module.Builder) {
	if s.Features <= 0 {
		b.Errorf("Scale.Features is %d: give the number of features", s.Features)
		return
	}
	b.Variable(&s.Gamma, lazy.Constant(1), s.Features)
}

func (s *Scale) Forward(x *lazy.Tensor) *lazy.Tensor {
	return s.Call(func() *lazy.Tensor { return x.Mul(s.Gamma) }, x)
}

// A layer of a user's own among others.
func Example_layer() {
	dev, err := lazy.Open("eval")
	check(err)
	fmt.Println(module.Build(layers.Sequential{&Scale{}, layers.ReLU()}, dev))
	net := layers.Sequential{&Scale{Features: 3}, layers.ReLU()}
	check(module.Build(net, dev))
	for name, v := range module.State(net) {
		fmt.Println(name, v.Type())
	}
	// Output:
	// module 0: Scale.Features is 0: give the number of features
	// 0.gamma f32[3]
}

// Layers one after the other, and a hook that sees them.
func ExampleSequential() {
	dev, err := lazy.Open("eval")
	check(err)
	tr := lazy.NewTrace(dev)
	net := layers.Sequential{
		&layers.Linear{In: 4, Out: 8},
		layers.Func(nn.SiLU),
		&layers.RMSNorm{Sizes: []int{8}},
		&layers.Linear{In: 8, Out: 2, NoBias: true},
	}
	check(module.Build(net, dev))
	y := net.Forward(lazy.Ones(tr, lazy.F32, 3, 4))
	check(tr.MarkStep(y))
	fmt.Println(y.Type())

	remove, err := module.OnForward(net, func(c module.Call) *lazy.Tensor {
		fmt.Println(c.Path, c.Out.Type())
		return nil
	})
	check(err)
	net.Forward(lazy.Ones(tr, lazy.F32, 3, 4))
	remove()
	// Output:
	// f32[3,2]
	// 0 f32[3,8]
	// 2 f32[3,8]
	// 3 f32[3,2]
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
