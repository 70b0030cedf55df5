package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// A gradient in a closure with respect to w lacks the path through what was computed from w
// outside of it: that is an error. As a constant, by Stop, it is right.
func TestGradAroundClosure(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	w := lazy.SetValues(tr.Device().Variable("w", lazy.F32, 2), []float32{1, 2})
	xs := lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2)
	grads := func(h *lazy.Tensor) *lazy.Tensor {
		return lazy.Vmap(func(_ *lazy.Trace, a []*lazy.Tensor) []*lazy.Tensor {
			return lazy.Grad(h.Mul(a[0]).Mul(w).Sum(), w)
		}, []*lazy.Tensor{xs}, lazy.VmapOptions{})[0]
	}
	h := tr.Read(w).MulScalar(3).Sigmoid()
	err := grads(h).Err()
	require.ErrorIs(t, err, lazy.ErrUsage)
	require.ErrorContains(t, err, "through the sigmoid at gradaround_test.go:")
	nested := lazy.Vmap(func(_ *lazy.Trace, a []*lazy.Tensor) []*lazy.Tensor {
		return []*lazy.Tensor{grads(h)}
	}, []*lazy.Tensor{xs}, lazy.VmapOptions{})[0]
	require.ErrorContains(t, nested.Err(), "through the sigmoid at")
	fine := grads(h.Stop())
	other := grads(lazy.From(tr, []float32{2, 3}).Exp())
	require.NoError(t, tr.MarkStep(fine, other))
	require.InDeltaSlice(t, []float32{0.9525741, 1.9950547, 2.8577224, 3.9901094}, floats(t, fine), 1e-5)
}
