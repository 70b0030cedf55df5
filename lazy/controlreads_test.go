package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// A closure that reads a value and drops the error makes the loop an error, not a program that
// computes with NaN.
func TestReadsInClosuresAreErrors(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []float32{1, 2}, 2)
	y := lazy.For(3, func(_ *lazy.Trace, _ *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor {
		return []*lazy.Tensor{state[0].MulScalar(state[0].Sum().Float())}
	}, x)[0]
	require.ErrorContains(t, y.Err(), "controlreads_test.go:17: item(f32[]): it is called in the body of the for at controlreads_test.go:16")
	require.NoError(t, tr.MarkStep(x.MulScalar(2)))
}
