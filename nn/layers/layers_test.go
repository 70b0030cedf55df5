package layers_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/snippets"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
)

// What the page shows are parts of the examples here.
func TestPage(t *testing.T) {
	snippets.Check(t, "../../docs/nn.md", "example_test.go", "../generate/example_test.go")
}

func TestMistakes(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	for _, c := range []struct {
		layer any
		want  string
	}{
		{&layers.Linear{Out: 3}, "layers.Linear.In is 0: it must be positive"},
		{&layers.Bilinear{In1: 1, In2: -1, Out: 3}, "layers.Bilinear.In2 is -1"},
		{&layers.Conv{In: 1, Out: 3}, "layers.Conv.Kernel is empty: give the kernel size of each spatial axis, such as []int{3, 3}"},
		{&layers.Conv{In: 1, Out: 3, Kernel: []int{3, 0}}, "layers.Conv.Kernel is [3 0]: its entries must be positive"},
		{&layers.Conv{In: 4, Out: 3, Kernel: []int{3}, Groups: 2}, "layers.Conv.Groups is 2: it must divide In, 4, and Out, 3"},
		{&layers.ConvTranspose{In: 4, Kernel: []int{3}}, "layers.ConvTranspose.Out is 0"},
		{&layers.BatchNorm{}, "layers.BatchNorm.Channels is 0"},
		{&layers.InstanceNorm{}, "layers.InstanceNorm.Channels is 0"},
		{&layers.GroupNorm{Groups: 3, Channels: 4}, "layers.GroupNorm.Groups is 3: it must divide Channels, 4"},
		{&layers.LayerNorm{}, "layers.LayerNorm.Sizes is empty: give the dimensions of the last axes, such as []int{768}"},
		{&layers.RMSNorm{Sizes: []int{-1}}, "layers.RMSNorm.Sizes is [-1]: its entries must be positive"},
		{&layers.Embedding{Rows: 3}, "layers.Embedding.Features is 0"},
		{&layers.EmbeddingBag{Rows: 3, Features: 1, Padding: []int{3}}, "layers.EmbeddingBag.Padding is [3]: give one index from -3 to 2, or none"},
		{&layers.Dropout{P: 2}, "layers.Dropout.P is 2: it must be a probability"},
		{&layers.MultiheadAttention{Features: 4, Heads: 3}, "layers.MultiheadAttention.Heads is 3: it must divide Features, 4"},
		{&layers.TransformerEncoder{}, "layers.TransformerEncoder.Depth is 0"},
		{&layers.TransformerEncoder{Depth: 1}, "module layers.0.self_attn: layers.MultiheadAttention.Features is 0"},
		{&layers.TransformerDecoder{Depth: 1, Options: layers.Transformer{Dropout: 2}}, "module layers.0: layers.Transformer.Dropout is 2: it must be a probability"},
		{&layers.GRU{In: 1}, "layers.GRU.Hidden is 0"},
		{&layers.RNNCell{Hidden: 1}, "layers.RNNCell.In is 0"},
		{layers.Sequential{layers.ReLU(), &layers.Linear{In: 1}}, "module 1: layers.Linear.Out is 0"},
	} {
		require.ErrorContains(t, module.Build(c.layer, dev), c.want)
	}
	err = module.Build(&layers.MultiheadAttention{Features: 8, Heads: 3}, dev)
	require.EqualError(t, err, "module: layers.MultiheadAttention.Heads is 3: it must divide Features, 8")
}

// Layers name the axes of their weights for initializers without a layout: the deviations are those of PyTorch's
// kaiming_normal_, sqrt(2/fan-in).
func TestInitializersOfLayers(t *testing.T) {
	dev, err := lazy.Open("eval", lazy.Seed(1))
	require.NoError(t, err)
	for layout, init := range map[string]lazy.Initializer{"": lazy.HeNormal(), "OI": lazy.HeNormal("OI")} {
		net := struct {
			Linear    layers.Linear
			Embedding layers.Embedding
		}{layers.Linear{In: 1000, Out: 10, Init: init}, layers.Embedding{Rows: 10, Features: 1000, Init: init, Padding: []int{0}}}
		require.NoError(t, module.Build(&net, dev))
		require.InEpsilon(t, math.Sqrt(2./1000), deviation(t, net.Linear.Weight), 0.03, layout)
		require.InEpsilon(t, math.Sqrt(2./1000*9/10), deviation(t, net.Embedding.Weight), 0.03, layout)
	}
	net := struct {
		Bilinear  layers.Bilinear
		Conv      layers.Conv
		Grouped   layers.Conv
		Transpose layers.ConvTranspose
	}{
		layers.Bilinear{In1: 20, In2: 40, Out: 10, Init: lazy.HeNormal()},
		layers.Conv{In: 32, Out: 4, Kernel: []int{5, 5}, Init: lazy.HeNormal()},
		layers.Conv{In: 64, Out: 16, Kernel: []int{9}, Groups: 4, Init: lazy.HeNormal()},
		layers.ConvTranspose{In: 4, Out: 32, Kernel: []int{3, 3, 3}, Init: lazy.HeNormal()},
	}
	require.NoError(t, module.Build(&net, dev))
	require.InEpsilon(t, math.Sqrt(2./(20*40)), deviation(t, net.Bilinear.Weight), 0.05)
	require.InEpsilon(t, math.Sqrt(2./(32*25)), deviation(t, net.Conv.Weight), 0.05)
	require.InEpsilon(t, math.Sqrt(2./(16*9)), deviation(t, net.Grouped.Weight), 0.05)
	require.InEpsilon(t, math.Sqrt(2./(32*27)), deviation(t, net.Transpose.Weight), 0.05)
	err = module.Build(&layers.Conv{In: 4, Out: 2, Kernel: []int{3, 3}, Init: lazy.HeNormal("OI")}, dev)
	require.ErrorContains(t, err, `layout "OI" does not name`, "a layout that was given stays")
}

// deviation is the root of the mean square of a variable.
func deviation(t *testing.T, v *lazy.Tensor) float64 {
	t.Helper()
	xs, err := lazy.ToSlice[float32](v)
	require.NoError(t, err)
	squares := 0.0
	for _, x := range xs {
		squares += float64(x) * float64(x)
	}
	return math.Sqrt(squares / float64(len(xs)))
}

// First values are those that PyTorch draws from.
func TestFirstValues(t *testing.T) {
	dev, err := lazy.Open("eval", lazy.Seed(1))
	require.NoError(t, err)
	net := struct {
		Linear    layers.Linear
		Conv      layers.Conv
		Embedding layers.Embedding
	}{layers.Linear{In: 64, Out: 50}, layers.Conv{In: 8, Out: 20, Kernel: []int{3, 3}, Groups: 2}, layers.Embedding{Rows: 100, Features: 20, Padding: []int{-1}}}
	require.NoError(t, module.Build(&net, dev))
	within := func(v *lazy.Tensor, limit float64) {
		xs, err := lazy.ToSlice[float32](v)
		require.NoError(t, err)
		sum, most := 0.0, 0.0
		for _, x := range xs {
			sum, most = sum+float64(x), max(most, float64(x), -float64(x))
		}
		require.InDelta(t, 0, sum/float64(len(xs)), limit/4)
		require.LessOrEqual(t, most, limit)
		require.Greater(t, most, limit*0.8)
	}
	within(net.Linear.Weight, 1.0/8)
	within(net.Linear.Bias, 1.0/8)
	within(net.Conv.Weight, 1.0/6) // of 4 channels and 9 places
	within(net.Conv.Bias, 1.0/6)
	rows, err := lazy.ToSlice[float32](net.Embedding.Weight)
	require.NoError(t, err)
	require.NotZero(t, rows[0])
	require.Equal(t, make([]float32, 20), rows[99*20:])
}

// Dropout draws in training alone.
func TestDropout(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	drop := &layers.Dropout{P: 0.5}
	require.NoError(t, module.Build(drop, dev, module.Random(lazy.NewRandom(dev, 7))))
	x := lazy.Ones(tr, lazy.F32, 1000)
	sum := drop.Forward(x).Sum()
	require.NoError(t, module.Eval(drop))
	require.Same(t, x, drop.Forward(x))
	require.NoError(t, tr.MarkStep(sum))
	require.InDelta(t, 1000, sum.Float(), 150)
	require.NotEqual(t, 1000.0, sum.Float())
}

// Operands that do not fit are errors, and nothing panics.
func TestRecurrentMistakes(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	lstm, gru := &layers.LSTM{In: 3, Hidden: 2}, &layers.GRUCell{In: 3, Hidden: 2}
	cell := &layers.LSTMCell{In: 3, Hidden: 2}
	require.NoError(t, module.Build(layers.Sequential{layers.Func(nil)}, dev))
	require.NoError(t, module.Build(&struct{ A, B, C any }{lstm, gru, cell}, dev))
	ones := func(dims ...int) *lazy.Tensor { return lazy.Ones(tr, lazy.F32, dims...) }
	x, h := ones(4, 5, 3), ones(1, 5, 2)
	forward := func(x *lazy.Tensor, state ...*lazy.Tensor) error {
		y, last := lstm.Forward(x, state...)
		require.Len(t, last, 2)
		return y.Err()
	}
	require.NoError(t, forward(x, h, h))
	require.ErrorContains(t, forward(x, h), "a first state has 2 tensors, there are 1")
	require.ErrorContains(t, forward(x, h, ones(5, 5, 2)), "a first state is f32[5,5,2], must be [1, batch, 2]")
	require.ErrorContains(t, forward(ones(4, 5, 2)), "x has 2 features, the layer takes 3")
	require.ErrorContains(t, forward(ones(4, 5)), "x is [time, batch, 3]")
	bad := x.Add(ones(7))
	require.ErrorContains(t, forward(bad), "add(f32[4,5,3], f32[7])")
	y, _ := lstm.ForwardLengths(x, ones(5))
	require.ErrorContains(t, y.Err(), "lengths are f32[5], must be integers with one axis")
	for _, x := range []*lazy.Tensor{bad, ones(5, 2), nil} {
		_, c := cell.Forward(x, nil, nil)
		require.Error(t, c.Err())
		require.Error(t, gru.Forward(x, nil).Err())
	}

	// Lengths are compared as numbers, whatever their dtype.
	long := lazy.Ones(tr, lazy.F32, 300, 1, 3)
	y, _ = lstm.ForwardLengths(long, lazy.From(tr, []uint8{100}))
	rows := y.Abs().Sum(1, 2).GreaterScalar(0).Convert(lazy.F32).Sum()
	require.NoError(t, tr.MarkStep(rows))
	require.Equal(t, 100.0, rows.Float())
}

// A network that could not be built is built when its options are right.
func TestBuildAgain(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	n := &layers.TransformerEncoder{Depth: 1, Options: layers.Transformer{Features: 8, Heads: 3, Hidden: 4}}
	require.ErrorContains(t, module.Build(n, dev), "Heads is 3")
	n.Options.Heads = 2
	require.NoError(t, module.Build(n, dev))
	weight := n.Layers[0].Linear1.Weight
	require.NoError(t, module.Build(n, dev))
	require.Same(t, weight, n.Layers[0].Linear1.Weight)
}

// Weights of attention are dropped in training; with a probability of nearly 0 the result is that of evaluation.
func TestAttentionDropout(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	l := &layers.MultiheadAttention{Features: 4, Heads: 2, Dropout: 1e-12}
	require.NoError(t, module.Build(l, dev))
	x := lazy.From(dev, []float32{0.1, 0.9, -0.8, 0.3, 1.2, -0.4, 0.5, 0.7, -1, 0.2, 0.6, -0.3}, 1, 3, 4)
	for _, o := range []lazy.AttentionOptions{
		{}, {Causal: true}, {Scale: 2, Mask: lazy.From(dev, []bool{true, false, true})}, {Mask: lazy.From(dev, []float32{0, 1, -1})},
	} {
		require.NoError(t, module.Train(l))
		x := tr.Read(x)
		trained := l.Forward(x, x, x, o)
		require.NoError(t, module.Eval(l))
		off := l.Forward(x, x, x, o).Sub(trained).Abs().Max()
		require.NoError(t, tr.MarkStep(off))
		require.Less(t, off.Float(), 1e-6)
	}
	l.Dropout = 1
	require.NoError(t, module.Train(l))
	zero := l.Forward(tr.Read(x), tr.Read(x), tr.Read(x), lazy.AttentionOptions{}).Abs().Max()
	require.NoError(t, tr.MarkStep(zero))
	require.Zero(t, zero.Float()) // as the bias of the last product is at first
}

// A layer without indices has the values and gradients of the function that has them, and refuses what that refuses.
func TestMaxPool(t *testing.T) {
	for _, o := range []nn.PoolOptions{
		{}, {Stride: []int{1}}, {Stride: []int{2, 1}, Padding: []int{1, 0}}, {Dilation: []int{1, 2}}, {Ceil: true}, {Padding: []int{1}, Ceil: true},
		{Padding: []int{2}}, {Stride: []int{0}}, {Stride: []int{1, 2, 3}}, {Padding: []int{}}, {Dilation: []int{9}},
	} {
		dev, err := lazy.Open("eval", lazy.Seed(1))
		require.NoError(t, err)
		tr := lazy.NewTrace(dev)
		v := dev.Variable("v", lazy.F32, 2, 3, 5, 6).Init(lazy.Normal(0, 1))
		grads := func(y *lazy.Tensor) []*lazy.Tensor { return append(lazy.Grad(y.Mul(y).Sum(), v), y) }
		want, _ := nn.MaxPool(tr.Read(v), []int{3, 2}, o)
		got := layers.MaxPool([]int{3, 2}, o).Forward(tr.Read(v))
		if want.Err() != nil {
			require.ErrorContains(t, got.Err(), "max_pool", "%+v", o)
			continue
		}
		wants, gots := grads(want), grads(got)
		require.NoError(t, tr.MarkStep(append(wants, gots...)...))
		for i := range wants {
			w, err := lazy.ToSlice[float32](wants[i])
			require.NoError(t, err)
			g, err := lazy.ToSlice[float32](gots[i])
			require.NoError(t, err)
			require.InDeltaSlice(t, w, g, 1e-6, "%+v", o)
		}
	}
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	y := layers.MaxPool([]int{2, 2}, nn.PoolOptions{}).Forward(lazy.Ones(tr, lazy.F32, 1, 1, 4, 4))
	text, err := tr.Dump(lazy.FormatIR, y)
	require.NoError(t, err)
	require.NotContains(t, text, "gather")
}
