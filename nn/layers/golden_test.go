package layers_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/soa/safetensors"
)

// inEval is a network in the mode for evaluation.
type inEval struct{ net any }

// goldens returns the layers of testdata/goldens.py, under the names there.
func goldens() map[string]any {
	return map[string]any{
		"linear":                    &layers.Linear{In: 3, Out: 4},
		"linear without bias":       &layers.Linear{In: 3, Out: 4, NoBias: true},
		"bilinear":                  &layers.Bilinear{In1: 3, In2: 2, Out: 4},
		"conv1d":                    &layers.Conv{In: 2, Out: 4, Kernel: []int{3}, Stride: []int{2}, Padding: []int{1}},
		"conv2d groups":             &layers.Conv{In: 4, Out: 6, Kernel: []int{3, 2}, Padding: []int{1, 0}, Dilation: []int{1, 2}, Groups: 2, NoBias: true},
		"conv3d":                    &layers.Conv{In: 1, Out: 2, Kernel: []int{2, 2, 2}},
		"conv2d same":               &layers.Conv{In: 2, Out: 2, Kernel: []int{3, 3}, Same: true},
		"convtranspose2d":           &layers.ConvTranspose{In: 2, Out: 4, Kernel: []int{3, 3}, Stride: []int{2}, Padding: []int{1}, OutputPadding: []int{1}, Groups: 2},
		"batchnorm training":        &layers.BatchNorm{Channels: 3},
		"batchnorm cumulative":      &layers.BatchNorm{Channels: 3, Cumulative: true},
		"batchnorm eval":            inEval{&layers.BatchNorm{Channels: 3, Epsilon: 1e-3}},
		"batchnorm without running": inEval{&layers.BatchNorm{Channels: 3, NoRunning: true, NoAffine: true}},
		"instancenorm":              &layers.InstanceNorm{Channels: 2, Affine: true},
		"groupnorm":                 &layers.GroupNorm{Groups: 2, Channels: 4},
		"layernorm":                 &layers.LayerNorm{Sizes: []int{2, 3}},
		"layernorm without bias":    &layers.LayerNorm{Sizes: []int{3}, NoBias: true, Epsilon: 1e-3},
		"rmsnorm":                   &layers.RMSNorm{Sizes: []int{3}},
		"embedding":                 &layers.Embedding{Rows: 5, Features: 3, Padding: []int{1}},
		"embeddingbag":              &layers.EmbeddingBag{Rows: 5, Features: 3, Mode: nn.BagMean},
		"embeddingbag offsets":      &layers.EmbeddingBag{Rows: 5, Features: 3, Mode: nn.BagSum},
		"sequential": inEval{layers.Sequential{
			&layers.Conv{In: 1, Out: 2, Kernel: []int{3, 3}}, layers.ReLU(), layers.MaxPool([]int{2, 2}, nn.PoolOptions{}), layers.Flatten(1), &layers.Dropout{P: 0.5}, &layers.Linear{In: 8, Out: 3},
		}},
		"pools":        layers.Sequential{layers.AvgPool([]int{3}, nn.PoolOptions{Stride: []int{1}, Padding: []int{1}}), layers.AdaptiveAvgPool(4), layers.AdaptiveMaxPool(2)},
		"rnn relu":     &layers.RNN{In: 3, Hidden: 4, ReLU: true, NoBias: true},
		"rnn":          &layers.RNN{In: 3, Hidden: 4},
		"lstm":         inEval{&layers.LSTM{In: 3, Hidden: 4, Layers: 2, BatchFirst: true, Bidirectional: true, Dropout: 0.5}},
		"lstm lengths": &layers.LSTM{In: 3, Hidden: 2, Bidirectional: true},
		"gru":          &layers.GRU{In: 3, Hidden: 4, Layers: 2},
		"gru lengths":  &layers.GRU{In: 3, Hidden: 2, BatchFirst: true},
		"rnncell":      &layers.RNNCell{In: 3, Hidden: 4},
		"grucell":      &layers.GRUCell{In: 3, Hidden: 4, NoBias: true},
		"lstmcell":     &layers.LSTMCell{In: 3, Hidden: 4},
		"attention":    &layers.MultiheadAttention{Features: 4, Heads: 2},
		"encoder":      inEval{&layers.TransformerEncoder{Depth: 2, Options: layers.Transformer{Features: 4, Heads: 2, Hidden: 6, Dropout: 0.1}}},
		"encoder norm first": &layers.TransformerEncoder{Depth: 1, Last: true, Options: layers.Transformer{
			Features: 4, Heads: 1, Hidden: 6, NormFirst: true, NoBias: true, Activation: (*lazy.Tensor).GELU,
		}},
		"decoder": &layers.TransformerDecoder{Depth: 2, Options: layers.Transformer{Features: 4, Heads: 2, Hidden: 6}},
		"activations": layers.Sequential{
			layers.GELU(), layers.SiLU(), layers.Tanh(), layers.LeakyReLU(0.1), layers.Sigmoid(), layers.Softmax(-1), layers.Identity(),
		},
	}
}

type recurrent interface {
	Forward(x *lazy.Tensor, state ...*lazy.Tensor) (y *lazy.Tensor, last []*lazy.Tensor)
	ForwardLengths(x, lengths *lazy.Tensor, state ...*lazy.Tensor) (y *lazy.Tensor, last []*lazy.Tensor)
}

func both(x, y *lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{x, y} }

// forward calls a layer with inputs.
func forward(net any, in []*lazy.Tensor) *lazy.Tensor {
	switch l := net.(type) {
	case layers.Layer:
		return l.Forward(in[0])
	case *layers.EmbeddingBag:
		return l.Forward(in[0], slices.Concat(in, []*lazy.Tensor{nil})[1], nil)
	case interface {
		Forward(x, y *lazy.Tensor) *lazy.Tensor
	}:
		return l.Forward(in[0], in[1])
	case *layers.MultiheadAttention:
		return l.Forward(in[0], in[1], in[2], lazy.AttentionOptions{})
	case *layers.TransformerEncoder:
		return l.Forward(in[0], lazy.AttentionOptions{})
	case *layers.TransformerDecoder:
		return l.Forward(in[0], in[1], lazy.AttentionOptions{Causal: true}, lazy.AttentionOptions{})
	case *layers.LSTMCell:
		return lazy.Concatenate(0, both(l.Forward(in[0], in[1], in[2]))...)
	case recurrent:
		y, last := (*lazy.Tensor)(nil), []*lazy.Tensor(nil)
		if len(in) > 1 && in[1].DType().IsInteger() {
			y, last = l.ForwardLengths(in[0], in[1], in[2:]...)
		} else {
			y, last = l.Forward(in[0], in[1:]...)
		}
		flat := []*lazy.Tensor{y.Flatten(0, -1)}
		for _, s := range last {
			flat = append(flat, s.Flatten(0, -1))
		}
		return lazy.Concatenate(0, flat...)
	}
	panic(fmt.Sprintf("%T", net))
}

// Layers have the variables of PyTorch's under the same names, and compute and learn the same.
func TestLayersAreThoseOfPyTorch(t *testing.T) {
	f, err := safetensors.Map("testdata/torch.safetensors")
	require.NoError(t, err)
	cases := map[string]map[string]safetensors.Tensor{}
	for _, x := range f.Tensors {
		name, part, _ := strings.Cut(x.Name, "/")
		if cases[name] == nil {
			cases[name] = map[string]safetensors.Tensor{}
		}
		cases[name][part] = x
	}
	require.Equal(t, slices.Sorted(maps.Keys(cases)), slices.Sorted(maps.Keys(goldens())))
	for name, parts := range cases {
		t.Run(name, func(t *testing.T) {
			dev, err := lazy.Open("eval")
			require.NoError(t, err)
			tr := lazy.NewTrace(dev)
			net := goldens()[name]
			if e, ok := net.(inEval); ok {
				net = e.net
				require.NoError(t, module.Eval(net))
			}
			require.NoError(t, module.Build(net, dev))
			for path, v := range module.State(net) {
				require.Contains(t, parts, "state/"+path)
				require.NoError(t, lazy.SetView(v, parts["state/"+path].View).Err())
				delete(parts, "state/"+path)
			}
			var in []*lazy.Tensor
			for i := 0; ; i++ {
				x, ok := parts[fmt.Sprint("in/", i)]
				if !ok {
					break
				}
				in = append(in, lazy.FromView(tr, x.View))
			}
			out := forward(net, in)
			loss := out.Mul(lazy.FromView(tr, parts["ct"].View)).Sum()
			require.NoError(t, loss.Backward())
			got := map[string]*lazy.Tensor{"out": out}
			for i, x := range in {
				if x.DType().IsFloat() {
					got[fmt.Sprint("din/", i)] = lazy.Grad(loss, x)[0]
				}
			}
			require.NoError(t, tr.MarkStep(slices.Collect(maps.Values(got))...))
			for path, v := range module.State(net) {
				if g := v.Grad(); g != nil {
					got["grad/"+path] = g
				}
				if !v.RequiresGrad() {
					got["after/"+path] = v
				}
			}
			for part, x := range parts {
				if part == "ct" || strings.HasPrefix(part, "in/") {
					continue
				}
				require.Contains(t, got, part)
				require.Equal(t, x.View.Type.String(), got[part].Type().String(), part)
				if x.View.Type.DType == lazy.F32 {
					want, err := lazy.ToSlice[float32](lazy.FromView(dev, x.View))
					require.NoError(t, err)
					have, err := lazy.ToSlice[float32](got[part])
					require.NoError(t, err)
					require.Len(t, have, len(want), part)
					for i, w := range want {
						require.InDelta(t, w, have[i], 2e-6*max(1, math.Abs(float64(w))), part)
					}
					continue
				}
				want, err := lazy.ToSlice[int64](lazy.FromView(dev, x.View))
				require.NoError(t, err)
				have, err := lazy.ToSlice[int64](got[part])
				require.NoError(t, err)
				require.Equal(t, want, have, part)
			}
		})
	}
}
