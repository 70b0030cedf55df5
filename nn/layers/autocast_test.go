package layers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
)

// Networks of f32 compute in a scope of Autocast, forward and backward: results are near those of f32, of
// another value, and all gradients are f32.
func TestAutocast(t *testing.T) {
	for name, c := range map[string]struct {
		net   any
		shape []int
		f     func(x *lazy.Tensor) *lazy.Tensor
	}{
		"linear":      linearCase(),
		"images":      imagesCase(),
		"transformer": transformerCase(),
		"lstm":        lstmCase(),
	} {
		t.Run(name, func(t *testing.T) {
			dev, err := lazy.Open("cpu", lazy.Seed(1))
			require.NoError(t, err)
			tr := lazy.NewTrace(dev)
			require.NoError(t, module.Build(c.net, dev))
			x := lazy.NewRandom(dev, 2).Normal(tr, lazy.F32, 0, 1, c.shape...)
			loss := func() *lazy.Tensor {
				y := c.f(x)
				return nn.CrossEntropy(y.Reshape(-1, y.Dim(-1)), lazy.Zeros(tr, lazy.I32, y.Reshape(-1, y.Dim(-1)).Dim(0)), nn.CrossEntropyOptions{})
			}
			exact := loss()
			end := tr.Autocast(lazy.BF16)
			rounded := loss()
			end()
			require.NoError(t, rounded.Err())
			params := module.Trainable(c.net)
			roots := append(lazy.Grad(rounded, params...), exact, rounded)
			for i, p := range params {
				require.NoError(t, roots[i].Err())
				require.Equal(t, p.Type(), roots[i].Type())
			}
			require.NoError(t, tr.MarkStep(roots...))
			require.Contains(t, tr.StableHLO(), "bf16")
			require.InEpsilon(t, exact.Float(), rounded.Float(), 0.02)
			require.NotEqual(t, exact.Float(), rounded.Float())
		})
	}
}

type autocastCase = struct {
	net   any
	shape []int
	f     func(x *lazy.Tensor) *lazy.Tensor
}

func linearCase() autocastCase {
	net := layers.Sequential{&layers.Linear{In: 8, Out: 16}, &layers.LayerNorm{Sizes: []int{16}}, layers.Func(nn.SiLU), &layers.RMSNorm{Sizes: []int{16}}, &layers.Linear{In: 16, Out: 4}}
	return autocastCase{net, []int{5, 8}, net.Forward}
}

func imagesCase() autocastCase {
	net := layers.Sequential{&layers.Conv{In: 2, Out: 4, Kernel: []int{3, 3}}, &layers.BatchNorm{Channels: 4}, layers.ReLU(), layers.MaxPool([]int{2, 2}, nn.PoolOptions{}),
		&layers.GroupNorm{Groups: 2, Channels: 4}, layers.Flatten(1), &layers.Linear{In: 4 * 3 * 3, Out: 4}}
	return autocastCase{net, []int{3, 2, 8, 8}, net.Forward}
}

func transformerCase() autocastCase {
	net := &layers.TransformerEncoder{Depth: 1, Options: layers.Transformer{Features: 8, Heads: 2}}
	return autocastCase{net, []int{2, 5, 8}, func(x *lazy.Tensor) *lazy.Tensor { return net.Forward(x, lazy.AttentionOptions{}) }}
}

func lstmCase() autocastCase {
	net := &layers.LSTM{In: 4, Hidden: 6}
	return autocastCase{net, []int{5, 3, 4}, func(x *lazy.Tensor) *lazy.Tensor { y, _ := net.Forward(x); return y }}
}

// Dtypes in a scope of Autocast(BF16) of operands and weights of f32 are those of torch.autocast in PyTorch 2.15 on
// CPUs: biases are converted with the products that they are added to.
func TestAutocastDTypes(t *testing.T) {
	dev, err := lazy.Open("eval", lazy.Seed(1))
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	rows, image, words := lazy.Ones(tr, lazy.F32, 2, 6), lazy.Ones(tr, lazy.F32, 2, 3, 8, 8), lazy.Ones(tr, lazy.F32, 2, 5, 8)
	weight, bias := lazy.Ones(tr, lazy.F32, 5, 6), lazy.Ones(tr, lazy.F32, 5)
	kernel, channels := lazy.Ones(tr, lazy.F32, 4, 3, 3, 3), lazy.Ones(tr, lazy.F32, 4)
	net := struct {
		Bilinear layers.Bilinear
		Self     layers.MultiheadAttention
		Encoder  layers.TransformerEncoderLayer
		RNN      layers.RNNCell
		LSTM     layers.LSTMCell
		GRU      layers.GRUCell
	}{
		Bilinear: layers.Bilinear{In1: 6, In2: 6, Out: 3}, Self: layers.MultiheadAttention{Features: 8, Heads: 2},
		Encoder: layers.TransformerEncoderLayer{Options: layers.Transformer{Features: 8, Heads: 2, Hidden: 16}},
		RNN:     layers.RNNCell{In: 6, Hidden: 4}, LSTM: layers.LSTMCell{In: 6, Hidden: 4}, GRU: layers.GRUCell{In: 6, Hidden: 4},
	}
	require.NoError(t, module.Build(&net, dev))
	defer tr.Autocast(lazy.BF16)()
	h, _ := net.LSTM.Forward(rows, nil, nil)
	for name, c := range map[string]struct {
		want types.DType
		y    *lazy.Tensor
	}{
		"F.linear(x, w, b)":            {lazy.BF16, nn.Linear(rows, weight, bias)},
		"F.linear(x, w)":               {lazy.BF16, nn.Linear(rows, weight, nil)},
		"F.linear(x.bfloat16(), w, b)": {lazy.BF16, nn.Linear(rows.Convert(lazy.BF16), weight, bias)},
		"F.linear of float64":          {lazy.F64, nn.Linear(rows.Convert(lazy.F64), weight.Convert(lazy.F64), bias.Convert(lazy.F64))},
		"x @ w.T + b":                  {lazy.F32, rows.MatMul(weight.Transpose()).Add(bias)},
		"F.conv2d(x, w, b)":            {lazy.BF16, nn.Conv2d(image, kernel, channels, nn.ConvOptions{})},
		"F.conv_transpose2d(x, w, b)":  {lazy.BF16, nn.ConvTranspose2d(image, kernel.Transpose(1, 0, 2, 3), channels, nn.ConvOptions{})},
		"F.bilinear(x, y, w, b)":       {lazy.F32, net.Bilinear.Forward(rows, rows)},
		"nn.MultiheadAttention":        {lazy.BF16, net.Self.Forward(words, words, words, lazy.AttentionOptions{})},
		"nn.TransformerEncoderLayer":   {lazy.F32, net.Encoder.Forward(words, lazy.AttentionOptions{})},
		"nn.RNNCell":                   {lazy.BF16, net.RNN.Forward(rows, nil)},
		"nn.LSTMCell":                  {lazy.F32, h},
		"nn.GRUCell":                   {lazy.F32, net.GRU.Forward(rows, nil)},
	} {
		require.NoError(t, c.y.Err(), name)
		require.Equal(t, c.want.String(), c.y.DType().String(), name)
	}
}
