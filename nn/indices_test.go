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
		"nn.cross_entropy(f32[4,2], i32[4]): a label is 9, but the classes are 0 to 1, and -100 for rows that do not count; correct the labels: data.CheckLabels finds the rows": func(x, i *lazy.Tensor) *lazy.Tensor {
			return nn.CrossEntropy(x, i.PadZeros([2]int{0, 1}), nn.CrossEntropyOptions{})
		},
		"nn.nll_loss(f32[3,2], i32[3]): the label at [2] is 9, but the classes are 0 to 1, and -100 for rows that": func(x, i *lazy.Tensor) *lazy.Tensor {
			return nn.NLLLoss(x.Narrow(0, 0, 3), i, nn.CrossEntropyOptions{})
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
