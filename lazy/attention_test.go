package lazy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A mask of f32 is added to the scores of operands that have 16 bits; its gradient is
// of f32, as it is.
func TestAttentionOfWideMask(t *testing.T) {
	dev, err := Open("eval")
	require.NoError(t, err)
	tr := NewTrace(dev)
	from := func(data []float32, dims ...int) *Tensor { return From(tr, data, dims...) }
	q, k, v := from([]float32{1, 2}, 1, 2).Convert(BF16), from([]float32{1, 0, 0, 1}, 2, 2).Convert(BF16), from([]float32{2, 6}, 2, 1).Convert(BF16)
	mask := from([]float32{1, 0}, 2)
	y := q.Attention(k, v, AttentionOptions{Scale: 1, Mask: mask}) // both scores are 2
	grads := Grad(y.Sum(), q, mask)
	require.NoError(t, tr.MarkStep(append(grads, y)...))
	require.Equal(t, "bf16[1,1]", y.Type().String())
	require.Equal(t, "bf16[1,2]", grads[0].Type().String())
	require.Equal(t, "f32[2]", grads[1].Type().String())
	got, err := ToSlice[float32](grads[1])
	require.NoError(t, err)
	require.Equal(t, []float32{-1, 1}, got) // a half of the value less the mean
	got, err = ToSlice[float32](grads[0].Convert(F32))
	require.NoError(t, err)
	require.Equal(t, []float32{-1, 1}, got)
}
