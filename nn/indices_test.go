package nn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/lazy"
	"ltc/nn"
)

// An index out of range is an error of the function that the user has called, at that line.
func TestIndicesAreThoseOfTheCall(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	for want, f := range map[string]func(x, i *lazy.Tensor) *lazy.Tensor{
		"nn.embedding(f32[4,2], i32[3])": func(x, i *lazy.Tensor) *lazy.Tensor { return nn.Embedding(x, i) },
		"nn.cross_entropy(f32[4,2], i32[4])": func(x, i *lazy.Tensor) *lazy.Tensor {
			return nn.CrossEntropy(x, i.PadZeros([2]int{0, 1}), nn.CrossEntropyOptions{})
		},
	} {
		tr := lazy.NewTrace(dev)
		x, i := lazy.Zeros(tr, lazy.F32, 4, 2), lazy.From(tr, []int32{0, 1, 9})
		err := tr.MarkStep(f(x, i))
		if err == nil {
			err = tr.Wait(t.Context())
		}
		require.ErrorIs(t, err, lazy.ErrIndex, want)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "indices_test.go:", want)
	}
}
