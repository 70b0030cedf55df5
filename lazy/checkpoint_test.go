package lazy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// deep records a chain of blocks of three products each, and returns its loss.
func deep(tr *lazy.Trace, ws []*lazy.Tensor, checkpoints bool) *lazy.Tensor {
	x := lazy.From(tr, scaled(ramp(256*64), 1e-4), 256, 64)
	for _, w := range ws {
		block := func(x *lazy.Tensor) *lazy.Tensor { return x.MatMul(w).Tanh().MatMul(w).Sigmoid().MatMul(w).Tanh() }
		if checkpoints {
			x = lazy.Checkpoint(x, block)
		} else {
			x = block(x)
		}
	}
	return x.Mul(x).Mean()
}

func scaled(all []float32, by float32) []float32 {
	for i := range all {
		all[i] = all[i]*by - 0.2
	}
	return all
}

func squares(dev *lazy.Device, n int) []*lazy.Tensor {
	ws := make([]*lazy.Tensor, n)
	for i := range ws {
		ws[i] = lazy.SetValues(dev.Variable("w", lazy.F32, 64, 64), scaled(ramp(64*64), 1e-4))
	}
	return ws
}

// The gradients of checkpoints are those without, and a deep chain takes less memory: the peak
// is planned, and that of the runs.
func TestCheckpointsTakeLessMemory(t *testing.T) {
	for _, device := range []string{"cpu", "eval"} {
		t.Run(device, func(t *testing.T) {
			var peaks [2]int64
			var values [2][][]float32
			for i, on := range []bool{false, true} {
				dev := open(t, device, lazy.Threads(1))
				tr := lazy.NewTrace(dev)
				ws := squares(dev, 8)
				loss := deep(tr, ws, on)
				grads := lazy.Grad(loss, ws...)
				for j, w := range ws { // in the order of the variables, as optimizers do
					w.Assign(tr.Read(w).Sub(grads[j]))
				}
				plan, err := tr.MemoryPlan(loss)
				require.NoError(t, err)
				watch := tr.WatchPeak()
				require.NoError(t, tr.MarkStep(loss))
				peaks[i] = watch()
				require.Equal(t, plan.Peak(), peaks[i])
				for _, w := range append(ws, loss) {
					values[i] = append(values[i], floats(t, w))
				}
			}
			for j := range values[0] {
				require.InDeltaSlice(t, values[0][j], values[1][j], 1e-6)
			}
			if device == "cpu" {
				require.Less(t, float64(peaks[1]), 0.6*float64(peaks[0]))
			}
		})
	}
}

// Random numbers within a checkpoint are the same ones when they are computed again.
func TestCheckpointsDrawOnce(t *testing.T) {
	var grads [2][]float32
	for i, on := range []bool{false, true} {
		dev := open(t, "eval")
		tr := lazy.NewTrace(dev)
		r := lazy.NewRandom(dev, 7)
		w := lazy.SetValues(dev.Variable("w", lazy.F32, 100), scaled(ramp(100), 0.01))
		f := func(x *lazy.Tensor) *lazy.Tensor { return r.Dropout(x.Exp(), 0.5).Sin() }
		y := f
		if on {
			y = func(x *lazy.Tensor) *lazy.Tensor { return lazy.Checkpoint(x, f) }
		}
		loss := y(tr.Read(w)).Sum()
		g := lazy.Grad(loss, w)[0]
		require.NoError(t, tr.MarkStep(loss, g))
		grads[i] = append(floats(t, g), floats(t, loss)...)
	}
	require.InDeltaSlice(t, grads[0], grads[1], 1e-6)
	require.Contains(t, grads[0], float32(0))
}

// Several tensors, values from outside, integers, and results that nothing depends on.
func TestCheckpointOfSeveral(t *testing.T) {
	var values [2][][]float32
	for i := range values {
		tr := lazy.NewTrace(open(t, "eval"))
		x, z := lazy.From(tr, []float32{1, 2, 3}), lazy.From(tr, []float32{0.5, 1, 2})
		n := lazy.From(tr, []int32{2, 0})
		outside := x.Sin()
		f := func(xs []*lazy.Tensor) []*lazy.Tensor {
			return []*lazy.Tensor{xs[0].Mul(xs[1]).Exp().Add(outside), xs[1].Gather(n), xs[0].Tanh()}
		}
		ys := f([]*lazy.Tensor{x, z})
		if i == 1 {
			ys = lazy.CheckpointAll([]*lazy.Tensor{x, z}, f)
		}
		loss := ys[0].Sum().Add(ys[1].Sum())
		all := append(lazy.Grad(loss, x, z, outside), loss, ys[2])
		require.NoError(t, tr.MarkStep(all...))
		for _, y := range all {
			values[i] = append(values[i], floats(t, y))
		}
	}
	for j := range values[0] {
		require.InDeltaSlice(t, values[0][j], values[1][j], 1e-6)
	}
}

// A checkpoint is a composite, equal ones have one definition, and the gradient computes it
// again behind a barrier, on operands that come with the gradient of the result.
func TestTextOfCheckpoints(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	ws := squares(dev, 3)
	loss := deep(tr, ws, true)
	text, err := tr.Dump(lazy.FormatStableHLO, loss)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(text, `stablehlo.composite "ltc.checkpoint"`))
	require.Equal(t, 1, strings.Count(text, "func.func private @ltc.checkpoint"))
	require.NotContains(t, text, "optimization_barrier")
	text, err = tr.Dump(lazy.FormatStableHLO, lazy.Grad(loss, ws...)...)
	require.NoError(t, err)
	require.Equal(t, 3*2+2*2, strings.Count(text, "stablehlo.optimization_barrier"), "of operands, and of gradients of all but the first block's x")
	tr.Discard()
}

func TestCheckpointMistakes(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2)
	x := lazy.From(tr, []float32{1, 2})
	for _, c := range []struct {
		want string
		y    *lazy.Tensor
	}{
		{"the function is nil", lazy.Checkpoint(x, nil)},
		{"result 0 of the function is nil", lazy.Checkpoint(x, func(*lazy.Tensor) *lazy.Tensor { return nil })},
		{"returns no tensor", lazy.CheckpointAll([]*lazy.Tensor{x}, func([]*lazy.Tensor) []*lazy.Tensor { return nil })[0]},
		{"belongs to no trace", lazy.CheckpointAll(nil, func([]*lazy.Tensor) []*lazy.Tensor { return nil })[0]},
		{"variable \"w\" is assigned in the function of the checkpoint", lazy.Checkpoint(x, func(x *lazy.Tensor) *lazy.Tensor { return w.Add_(x) })},
		{"matmul", lazy.Checkpoint(x, func(x *lazy.Tensor) *lazy.Tensor { return x.MatMul(lazy.Ones(tr, lazy.F32, 3, 3)) })},
	} {
		require.ErrorContains(t, c.y.Err(), c.want)
	}
}
