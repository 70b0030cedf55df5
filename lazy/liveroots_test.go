package lazy_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// A trace need not name its roots.
func TestLiveTensorsAreRoots(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	require.False(t, tr.LiveRoots(true))
	x := lazy.From(tr, []float32{0, 1})
	y := x.Tanh()
	h := y.AddScalar(1)
	z := h.Exp()
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{0, 0.7615942}, floats(t, y))
	require.Equal(t, []float32{2.7182817, 5.821711}, floats(t, z))
	runtime.KeepAlive(x)

	require.True(t, tr.LiveRoots(false))
	y = x.Tanh()
	require.NoError(t, tr.MarkStep())
	_, err := y.Value()
	require.ErrorContains(t, err, "or turn on Trace.LiveRoots")
}

// What the program cannot reach is not computed, so that equal steps are one program.
func TestUnreachableTensorsAreNoRoots(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	tr.LiveRoots(true)
	w := dev.Variable("w", lazy.F32, 1).Init(lazy.Constant(1))
	for i := range 10 {
		loss := step(tr, w)
		require.NoError(t, tr.MarkStep())
		require.Equal(t, float64(i+1), loss.Float())
	}
	r := tr.Report()
	require.Len(t, r.Compiles, 1)
	require.NotContains(t, tr.StableHLO(), "tensor<2xf32>)", "the sum's operand is no result")
}

// step records a loss, with tensors that nobody can reach afterwards, and an assignment.
//
//go:noinline
func step(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor {
	h := tr.Read(w).BroadcastTo(2).MulScalar(0.5)
	w.Assign(tr.Read(w).AddScalar(1))
	return h.Sum()
}

// Roots that are given, or kept, come once.
func TestLiveRootsThatAreGivenComeOnce(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	tr.LiveRoots(true)
	x := lazy.From(tr, []float32{1})
	y, z := x.AddScalar(1), x.AddScalar(2).Keep()
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, []float32{2}, floats(t, y))
	require.Equal(t, []float32{3}, floats(t, z))
	require.Contains(t, tr.StableHLO(), "-> (tensor<1xf32>, tensor<1xf32>)")
}

// A step that is not run leaves its error in the tensors that are reachable.
func TestLiveTensorsHaveTheErrorOfTheirStep(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	tr.LiveRoots(true)
	x := lazy.From(tr, []float32{1, 2})
	y := x.Exp()
	require.Error(t, tr.MarkStep(x.Add(lazy.From(tr, []float32{1, 2, 3}))))
	_, err := y.Value()
	require.ErrorContains(t, err, "add(f32[2], f32[3])")
}

// A tensor that was released, or donated, is no root.
func TestReleasedTensorsAreNoLiveRoots(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	tr.LiveRoots(true)
	y := lazy.From(tr, []float32{1}).Exp()
	y.Float()
	y.Release()
	z := lazy.From(tr, []float32{1}).AddScalar(1)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{2}, floats(t, z))
	runtime.KeepAlive(y)
}

// A step that is read again and again, and never marked, does not grow.
func TestLiveHandlesThatAreGoneAreDropped(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval", lazy.ImplicitSyncs(lazy.AllowSyncs)))
	tr.LiveRoots(true)
	x := lazy.From(tr, []float32{1})
	for range 5000 {
		require.Equal(t, 2.0, x.AddScalar(1).Float())
	}
	y := x.AddScalar(2)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, 3.0, y.Float())
}
