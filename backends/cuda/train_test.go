package cuda

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/cudafake"
	"ltc/lazy"
)

var registered atomic.Int64

// open opens a device of package lazy on a fake's.
func openLazy(t *testing.T, o cudafake.Options, options ...lazy.Option) (*lazy.Device, *Backend, *cudafake.Fake) {
	b, f := backend(t, o)
	name := fmt.Sprintf("cudafake%d", registered.Add(1))
	backends.Register(name, func(string) (backends.Backend, error) { return b, nil })
	d, err := lazy.Open(name, options...)
	require.NoError(t, err)
	return d, b, f
}

// train trains a small network on points in two rings and returns the losses.
func train(t *testing.T, dev *lazy.Device, steps int) []float64 {
	tr := lazy.NewTrace(dev)
	w1 := dev.Variable("w1", lazy.F32, 4, 16).Init(lazy.Normal(0, 0.5))
	b1 := dev.Variable("b1", lazy.F32, 16)
	w2 := dev.Variable("w2", lazy.F32, 16, 3).Init(lazy.Normal(0, 0.5))
	lr := tr.Scalar("lr", 0.5)
	var losses []float64
	for step := range steps {
		x, y := make([]float32, 8*4), make([]int32, 8)
		for i := range x {
			x[i] = float32((i*7+step)%11)/11 - 0.5
		}
		for i := range y {
			y[i] = int32((i + step) % 3)
		}
		loss := lazy.From(tr, x, 8, 4).MatMul(w1).Add(b1).ReLU().MatMul(w2).CrossEntropy(lazy.From(tr, y, 8))
		g := lazy.Grad(loss, w1, b1, w2)
		w1.Sub_(g[0].Mul(lr))
		b1.Sub_(g[1].Mul(lr))
		w2.Sub_(g[2].Mul(lr))
		require.NoError(t, tr.MarkStep(loss))
		losses = append(losses, loss.Float())
	}
	return losses
}

// A training step runs on the device, its weights stay there, and it learns what the
// evaluator does.
func TestTrain(t *testing.T) {
	cpu, err := lazy.Open("eval")
	require.NoError(t, err)
	want := train(t, cpu, 6)
	for seed := range uint64(3) {
		dev, b, _ := openLazy(t, cudafake.Options{Seed: seed}, lazy.Profiled())
		got := train(t, dev, 6)
		require.InDeltaSlice(t, want, got, 1e-5)
		for _, p := range dev.Profile() {
			for _, s := range p.Steps {
				require.True(t, s.Kernel, "%s is run by the host", s.What)
			}
		}
		u, err := b.dev.Usage()
		require.NoError(t, err)
		require.Positive(t, u.Live)
	}
}
