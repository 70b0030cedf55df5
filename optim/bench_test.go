package optim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference/llvm"
	"ltc/lazy"
	"ltc/optim"
)

// BenchmarkSmallParameters is a step of Adam of 200 parameters of 10 elements: what recording and launches cost.
// The parts are a step and its recording alone.
func BenchmarkSmallParameters(b *testing.B) {
	dev, err := lazy.Open("cpu")
	require.NoError(b, err)
	var params, grads []*lazy.Tensor
	for i := range 200 {
		params = append(params, dev.Variable(fmt.Sprintf("w%d", i), lazy.F32, 10))
		grads = append(grads, dev.Variable("g", lazy.F32, 10).Init(lazy.Constant(1)))
	}
	o := optim.NewAdam(dev, params, optim.AdamConfig{})
	tr := lazy.NewTrace(dev)
	record := func() {
		read := make([]*lazy.Tensor, len(grads))
		for i, g := range grads {
			read[i] = tr.Read(g)
		}
		require.NoError(b, o.StepGrads(read))
	}
	for range 3 { // compiled, and followed
		record()
		require.NoError(b, tr.MarkStep())
		require.NoError(b, tr.Wait(b.Context()))
	}
	b.Run("step", func(b *testing.B) {
		for b.Loop() {
			record()
			require.NoError(b, tr.MarkStep())
		}
		require.NoError(b, tr.Wait(b.Context()))
	})
	b.Run("recording", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			record()
			b.StopTimer()
			require.NoError(b, tr.MarkStep())
			require.NoError(b, tr.Wait(b.Context()))
			b.StartTimer()
		}
	})
}
