package layers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

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
