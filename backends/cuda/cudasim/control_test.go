package cudasim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// Loops and branches with draws, and their gradients, run on a GPU that is not there as on the CPU.
func TestControlFlow(t *testing.T) {
	var first []float32
	for _, backend := range []string{"eval", "cudasim"} {
		dev, err := lazy.Open(backend)
		require.NoError(t, err)
		tr := lazy.NewTrace(dev)
		r := lazy.NewRandom(dev, 5)
		w := dev.Variable("w", lazy.F32, 3, 3).Init(lazy.Constant(0.25))
		xs := lazy.Iota(tr, lazy.F32, 0, 4, 3).MulScalar(0.1)
		carry, ys := lazy.Scan(func(tr *lazy.Trace, c, xs []*lazy.Tensor) (next, ys []*lazy.Tensor) {
			h := c[0].Unsqueeze(0).MatMul(w).Squeeze(0).Add(xs[0]).Add(r.Uniform(tr, lazy.F32, 3))
			n := lazy.If(h.Sum().GreaterScalar(2),
				func(*lazy.Trace) []*lazy.Tensor { return []*lazy.Tensor{h.Sigmoid()} },
				func(*lazy.Trace) []*lazy.Tensor { return []*lazy.Tensor{h.Mul(h)} })
			return n, n
		}, []*lazy.Tensor{xs.Select(0, 1)}, []*lazy.Tensor{xs}, lazy.ScanOptions{})
		n := lazy.While(
			func(_ *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor { return s[0].Sum().LessScalar(50) },
			func(_ *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
				return []*lazy.Tensor{s[0].MulScalar(1.5).AddScalar(1)}
			}, carry[0])[0]
		g := lazy.Grad(carry[0].Sum().Add(ys[0].Sum()), w)[0]
		all := lazy.Concatenate(0, g.Reshape(9), n, ys[0].Reshape(12))
		require.NoError(t, tr.MarkStep(all))
		got, err := lazy.ToSlice[float32](all)
		require.NoError(t, err)
		if first == nil {
			first = got
		}
		require.InDeltaSlice(t, first, got, 1e-4, backend)
	}
}
