package layers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
)

// hand has the variables of a network written by hand, and updates them by AdamW.
type hand struct {
	dev    *lazy.Device
	params []*lazy.Tensor
}

func (h *hand) param(dims ...int) *lazy.Tensor {
	h.params = append(h.params, h.dev.Variable(fmt.Sprint("p", len(h.params)), lazy.F32, dims...))
	return h.params[len(h.params)-1]
}

// update is AdamW as its paper has it, with the two bias corrections computed once a step.
func (h *hand) update(tr *lazy.Trace, loss *lazy.Tensor) {
	const lr, decay, beta1, beta2, epsilon = 1e-3, 0.01, 0.9, 0.999, 1e-8
	count := h.dev.Variable("step", lazy.F64)
	t := tr.Read(count).AddScalar(1)
	count.Assign(t)
	rate := tr.Scalar("lr", lr)
	first := rate.Convert(lazy.F64).Div(t.RPowScalar(beta1).RSubScalar(1)).Convert(lazy.F32)
	second := t.RPowScalar(beta2).RSubScalar(1).Sqrt().Convert(lazy.F32)
	shrunk := rate.MulScalar(decay).RSubScalar(1)
	for i, g := range lazy.Grad(loss, h.params...) {
		w := h.params[i]
		m := h.dev.Variable("m", lazy.F32, w.Shape()...)
		v := h.dev.Variable("v", lazy.F32, w.Shape()...)
		m1 := tr.Read(m).MulScalar(beta1).Add(g.MulScalar(1 - beta1))
		v1 := tr.Read(v).MulScalar(beta2).Add(g.Mul(g).MulScalar(1 - beta2))
		w.Assign(tr.Read(w).Mul(shrunk).Sub(m1.Mul(first).Div(v1.Sqrt().Div(second).AddScalar(epsilon))))
		m.Assign(m1)
		v.Assign(v1)
	}
}

// A step of layers and an optimizer records at most 1.1 times the ops of the same mathematics written by hand with
// tensors alone. The same holds for the nodes of its program.
func TestNodesOfSteps(t *testing.T) {
	type network struct {
		layers any
		loss   func(tr *lazy.Trace, net any) *lazy.Tensor
		hand   func(tr *lazy.Trace, h *hand) *lazy.Tensor
	}
	image := func(tr *lazy.Trace) *lazy.Tensor { return lazy.Iota(tr, lazy.F32, 3, 8, 3, 12, 12) }
	labels := func(tr *lazy.Trace) *lazy.Tensor { return lazy.Zeros(tr, lazy.I32, 8) }
	rows := func(tr *lazy.Trace) *lazy.Tensor { return lazy.Iota(tr, lazy.F32, 1, 8, 20) }
	words := func(tr *lazy.Trace) *lazy.Tensor { return lazy.Iota(tr, lazy.F32, 2, 2, 5, 16) }
	for name, n := range map[string]network{
		"mlp": {
			layers.Sequential{&layers.Linear{In: 20, Out: 30}, layers.ReLU(), &layers.Linear{In: 30, Out: 30}, layers.ReLU(), &layers.Linear{In: 30, Out: 10}},
			func(tr *lazy.Trace, net any) *lazy.Tensor {
				return nn.CrossEntropy(net.(layers.Layer).Forward(rows(tr)), labels(tr), nn.CrossEntropyOptions{})
			},
			func(tr *lazy.Trace, h *hand) *lazy.Tensor {
				x := rows(tr)
				x = x.MatMul(h.param(20, 30)).Add(h.param(30)).ReLU()
				x = x.MatMul(h.param(30, 30)).Add(h.param(30)).ReLU()
				return x.MatMul(h.param(30, 10)).Add(h.param(10)).CrossEntropy(labels(tr))
			},
		},
		"cnn": {
			layers.Sequential{
				&layers.Conv{In: 3, Out: 8, Kernel: []int{3, 3}, NoBias: true}, &layers.BatchNorm{Channels: 8}, layers.ReLU(), layers.MaxPool([]int{2, 2}, nn.PoolOptions{}),
				&layers.Conv{In: 8, Out: 4, Kernel: []int{3, 3}, NoBias: true}, &layers.BatchNorm{Channels: 4}, layers.ReLU(), layers.Flatten(1), &layers.Linear{In: 36, Out: 10},
			},
			func(tr *lazy.Trace, net any) *lazy.Tensor {
				return nn.CrossEntropy(net.(layers.Layer).Forward(image(tr)), labels(tr), nn.CrossEntropyOptions{})
			},
			func(tr *lazy.Trace, h *hand) *lazy.Tensor {
				norm := func(x *lazy.Tensor, channels int) *lazy.Tensor {
					mean, variance := x.MeanKeep(0, 2, 3), x.VarKeep(0, 0, 2, 3)
					gamma, beta := h.param(channels).Reshape(channels, 1, 1), h.param(channels).Reshape(channels, 1, 1)
					n := float64(x.Dim(0) * x.Dim(2) * x.Dim(3))
					for running, now := range map[*lazy.Tensor]*lazy.Tensor{
						h.dev.Variable("mean", lazy.F32, channels):     mean.Reshape(channels),
						h.dev.Variable("variance", lazy.F32, channels): variance.Reshape(channels).MulScalar(n / (n - 1)),
					} {
						running.Assign(tr.Read(running).MulScalar(0.9).Add(now.MulScalar(0.1)))
					}
					count := h.dev.Variable("count", lazy.I64)
					count.Assign(tr.Read(count).AddScalar(1))
					return x.Sub(mean).Mul(variance.AddScalar(1e-5).Rsqrt()).Mul(gamma).Add(beta)
				}
				x := norm(image(tr).Conv(h.param(8, 3, 3, 3), lazy.ConvOptions{}), 8).ReLU()
				x = x.MaxPool([]int{2, 2}, lazy.PoolOptions{})
				x = norm(x.Conv(h.param(4, 8, 3, 3), lazy.ConvOptions{}), 4).ReLU().Flatten(1, -1)
				return x.MatMul(h.param(36, 10)).Add(h.param(10)).CrossEntropy(labels(tr))
			},
		},
		"transformer": {
			&layers.TransformerEncoderLayer{Options: layers.Transformer{Features: 16, Heads: 4, Hidden: 32}},
			func(tr *lazy.Trace, net any) *lazy.Tensor {
				return net.(*layers.TransformerEncoderLayer).Forward(words(tr), lazy.AttentionOptions{}).Mean()
			},
			func(tr *lazy.Trace, h *hand) *lazy.Tensor {
				x := words(tr)
				all := x.MatMul(h.param(16, 48)).Add(h.param(48)).Reshape(2, 5, 3, 4, 4).Transpose(2, 0, 3, 1, 4)
				y := all.Select(0, 0).Attention(all.Select(0, 1), all.Select(0, 2), lazy.AttentionOptions{})
				y = y.Transpose(0, 2, 1, 3).Reshape(2, 5, 16).MatMul(h.param(16, 16)).Add(h.param(16))
				x = x.Add(y).LayerNorm(h.param(16), h.param(16), 1e-5)
				y = x.MatMul(h.param(16, 32)).Add(h.param(32)).ReLU().MatMul(h.param(32, 16)).Add(h.param(16))
				return x.Add(y).LayerNorm(h.param(16), h.param(16), 1e-5).Mean()
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			count := func(record func(dev *lazy.Device, tr *lazy.Trace) *lazy.Tensor) (recorded, nodes int) {
				dev, err := lazy.Open("eval")
				require.NoError(t, err)
				tr := lazy.NewTrace(dev)
				require.NoError(t, tr.MarkStep(record(dev, tr)))
				require.Len(t, tr.Report().Compiles, 1)
				for _, c := range dev.Metrics().Counters {
					if strings.HasPrefix(c.Name, "lazy::") {
						recorded += int(c.Value)
					}
				}
				return recorded, tr.Report().Compiles[0].Ops
			}
			recordedByHand, byHand := count(func(dev *lazy.Device, tr *lazy.Trace) *lazy.Tensor {
				h := &hand{dev: dev}
				loss := n.hand(tr, h)
				h.update(tr, loss)
				return loss
			})
			recordedByLayers, byLayers := count(func(dev *lazy.Device, tr *lazy.Trace) *lazy.Tensor {
				require.NoError(t, module.Build(n.layers, dev))
				loss := n.loss(tr, n.layers)
				require.NoError(t, optim.NewAdamW(dev, module.Trainable(n.layers), optim.AdamConfig{}).Step(loss))
				return loss
			})
			t.Logf("by hand %d ops recorded and %d nodes, by layers %d and %d", recordedByHand, byHand, recordedByLayers, byLayers)
			require.LessOrEqual(t, float64(recordedByLayers), 1.1*float64(recordedByHand))
			require.LessOrEqual(t, float64(byLayers), 1.1*float64(byHand))
		})
	}
}
