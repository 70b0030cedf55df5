package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// beforeAndAfter runs f with a function that does nothing, and with one that
// ends the step: what views show must not depend on it.
func beforeAndAfter(t *testing.T, f func(t *testing.T, tr *lazy.Trace, sync func())) {
	t.Helper()
	for _, name := range []string{"before a step", "after a step"} {
		t.Run(name, func(t *testing.T) {
			tr := lazy.NewTrace(open(t, "eval", lazy.ImplicitSyncs(lazy.AllowSyncs)))
			f(t, tr, func() {
				if name == "after a step" {
					require.NoError(t, tr.MarkStep())
				}
			})
		})
	}
}

// count returns host data 0, 1, 2, …
func count(tr *lazy.Trace, dims ...int) *lazy.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(i)
	}
	return lazy.From(tr, data, dims...)
}

// https://github.com/pytorch/xla/issues/3392 and 3330: a view showed what
// another tensor under the same name was given, and could not if that had
// another shape. In-place writes are seen by views; new tensors are not.
func TestNewTensorsAreNoWrites(t *testing.T) {
	beforeAndAfter(t, func(t *testing.T, tr *lazy.Trace, sync func()) {
		zeros := make([]float32, 10)
		ones := []float32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
		x0, x1, x2 := lazy.From(tr, zeros), lazy.From(tr, zeros), lazy.From(tr, zeros)
		y0, y1, y2 := x0.Reshape(2, 5), x1.Reshape(2, 5), x2.Reshape(10)
		sync()
		x0.Add_(lazy.From(tr, ones))
		x1 = x1.AddScalar(1)
		x2 = y2.Narrow(0, 0, 5).AddScalar(1) // another shape
		require.NoError(t, tr.MarkStep(x1, x2))
		require.Equal(t, ones, floats(t, y0))
		require.Equal(t, zeros, floats(t, y1))
		require.Equal(t, zeros, floats(t, y2))
		require.Equal(t, ones, floats(t, x1))
		require.Equal(t, ones[:5], floats(t, x2))
	})
}

// Tensors that the same op made are one node, but not the same memory.
func TestEqualTensorsAreApart(t *testing.T) {
	beforeAndAfter(t, func(t *testing.T, tr *lazy.Trace, sync func()) {
		x0, x1 := lazy.Zeros(tr, lazy.F32, 4).Keep(), lazy.Zeros(tr, lazy.F32, 4).Keep()
		y0, y1 := x0.Reshape(2, 2), x1.Reshape(2, 2)
		sync()
		y0.Select(0, 1).Fill_(5)
		require.Equal(t, []float32{0, 0, 5, 5}, floats(t, x0))
		require.Equal(t, []float32{0, 0, 0, 0}, floats(t, x1))
		require.Equal(t, []float32{0, 0, 0, 0}, floats(t, y1))
	})
}

// https://github.com/pytorch/xla/issues/3072: the parts of a split did not share
// the memory of what was split.
func TestSplitSharesMemory(t *testing.T) {
	beforeAndAfter(t, func(t *testing.T, tr *lazy.Trace, sync func()) {
		a := count(tr, 4)
		b, c := a.Narrow(0, 0, 2), a.Narrow(0, 2, 2)
		sync()
		a.Select(0, 0).Fill_(-1)
		require.Equal(t, []float32{-1, 1}, floats(t, b))
		sync()
		c.Select(0, 1).Fill_(-3)
		b.Neg_()
		sync()
		require.Equal(t, []float32{1, -1, 2, -3}, floats(t, a))
		require.Equal(t, []float32{2, -3}, floats(t, c))
	})
}

// https://github.com/pytorch/xla/issues/7304: a tensor that shared memory with
// another library showed its writes, a view of it did not. Here memory that
// somebody else sees is never written, and what somebody else writes is a tensor
// of its own: a base and its views always agree.
func TestViewsOfSharedMemoryAgreeWithTheirBase(t *testing.T) {
	beforeAndAfter(t, func(t *testing.T, tr *lazy.Trace, sync func()) {
		t0 := count(tr, 2, 3)
		t1 := t0.Select(0, 1)
		shared := value(t, t0)
		t2 := lazy.FromView(tr, shared)
		sync()
		t2.Select(0, 1).Narrow(0, 0, 1).Fill_(10)
		sync()
		t1.Narrow(0, 0, 1).Mul_(lazy.Full(tr, lazy.F32, 2))
		sync()
		require.Equal(t, []float32{0, 1, 2, 6, 4, 5}, floats(t, t0))
		require.Equal(t, []float32{6, 4, 5}, floats(t, t1))
		require.Equal(t, []float32{0, 1, 2, 10, 4, 5}, floats(t, t2))
		require.Equal(t, []float32{0, 1, 2, 3, 4, 5}, floats(t, lazy.FromView(tr, shared)), "who has the memory sees no write")
	})
}

// https://github.com/pytorch/xla/issues/916: ops that give views in the list of
// the thread and are several here: unbind, chunk, permute, t, expand.
func TestViewsOfSeveralOpsShareMemory(t *testing.T) {
	for name, view := range map[string]func(x *lazy.Tensor) *lazy.Tensor{
		"unbind":       func(x *lazy.Tensor) *lazy.Tensor { return x.Select(1, 2) },
		"chunk":        func(x *lazy.Tensor) *lazy.Tensor { return x.Narrow(1, 2, 2).Narrow(0, 0, 1) },
		"permute":      func(x *lazy.Tensor) *lazy.Tensor { return x.Unsqueeze(0).Transpose(2, 0, 1).Select(0, 2) },
		"t":            func(x *lazy.Tensor) *lazy.Tensor { return x.Transpose().Narrow(0, 2, 1) },
		"expand":       func(x *lazy.Tensor) *lazy.Tensor { return x.Select(1, 2).BroadcastTo(1, 2) },
		"view of view": func(x *lazy.Tensor) *lazy.Tensor { return x.Reshape(8).AsStrided([]int{2}, []int{4}, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			beforeAndAfter(t, func(t *testing.T, tr *lazy.Trace, sync func()) {
				x := count(tr, 2, 4)
				y := view(x)
				sync()
				y.Fill_(9)
				sync()
				require.Equal(t, float32(9), floats(t, x)[2])
				x.Fill_(7)
				sync()
				for _, v := range floats(t, y) {
					require.Equal(t, float32(7), v)
				}
			})
		})
	}
	// What repeats elements can be looked at, not written.
	tr := lazy.NewTrace(open(t, "eval"))
	require.ErrorIs(t, count(tr, 2).BroadcastTo(3, 2).Fill_(1).Err(), lazy.ErrUsage)
}

// https://github.com/pytorch/xla/issues/3291: a view made before a step and
// written after it did not write its base.
func TestWritesOfViewsAfterMarkStepReachTheBase(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	input := lazy.From(tr, make([]float32, 4), 1, 4)
	out := input.Reshape(4, 1)
	require.NoError(t, tr.MarkStep(out))
	out.Select(0, 0).Fill_(1)
	require.Equal(t, []float32{1, 0, 0, 0}, floats(t, out))
	require.Equal(t, []float32{1, 0, 0, 0}, floats(t, input))
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{1, 0, 0, 0}, floats(t, input))
}

// https://github.com/pytorch/xla/issues/3619: with each step that writes a view
// the program became longer.
func TestStepsThatWriteViewsDoNotGrow(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, make([]float32, 9), 3, 3)
	y := x.Reshape(9).Narrow(0, 0, 4)
	one := lazy.From(tr, []float32{1, 1, 1, 1})
	for range 20 {
		y.Add_(one)
		require.NoError(t, tr.MarkStep())
	}
	require.Equal(t, []float32{20, 20, 20, 20, 0, 0, 0, 0, 0}, floats(t, x))
	require.Len(t, tr.Report().Compiles, 1)
}

// https://github.com/pytorch/xla/issues/2964: as_strided gave a copy.
func TestAsStridedSharesMemory(t *testing.T) {
	beforeAndAfter(t, func(t *testing.T, tr *lazy.Trace, sync func()) {
		x := lazy.From(tr, []float32{1, 1, 1, 1})
		y := x.AsStrided([]int{2}, []int{2}, 0)
		sync()
		y.Select(0, 0).Fill_(-1)
		sync()
		require.Equal(t, []float32{-1, 1, 1, 1}, floats(t, x))
		require.Equal(t, []float32{-1, 1}, floats(t, y))
	})
}

// https://github.com/pytorch/xla/issues/1718: the gradient of what was partly
// overwritten was that of all of it.
func TestGradientLeavesOutOverwrittenElements(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2, 3).Init(lazy.Constant(1))
	x := lazy.From(tr, []float32{1, 10}, 1, 2).MatMul(w)
	x.Narrow(1, 0, 2).Fill_(0)
	loss := x.Sum()
	g := lazy.Grad(loss, w)[0]
	require.NoError(t, tr.MarkStep(loss, g))
	require.Equal(t, 11.0, loss.Float())
	require.Equal(t, []float32{0, 0, 1, 0, 0, 10}, floats(t, g))
}
