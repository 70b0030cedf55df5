package lazy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// Reading a tensor in the midst of a step does not change gradients.
func TestReadingKeepsGradients(t *testing.T) {
	grad := func(read func(tr *lazy.Trace, w, h, y *lazy.Tensor)) float64 {
		dev := open(t, "cpu")
		tr := lazy.NewTrace(dev)
		w := dev.Variable("w", lazy.F32).Init(lazy.Constant(3))
		v := tr.Read(w)
		h := v.Mul(w).Tanh().Add(v.Mul(v)).Reshape(1).Softmax(0).Add(v.Sin())
		y := h.Sum().MulScalar(2)
		read(tr, v, h, y)
		g := lazy.Grad(y, w)[0]
		require.NoError(t, tr.MarkStep(g))
		return g.Float()
	}
	want := grad(func(*lazy.Trace, *lazy.Tensor, *lazy.Tensor, *lazy.Tensor) {})
	require.NotZero(t, want)
	for name, read := range map[string]func(tr *lazy.Trace, v, h, y *lazy.Tensor){
		"the loss":         func(_ *lazy.Trace, v, h, y *lazy.Tensor) { y.Float() },
		"an activation":    func(_ *lazy.Trace, v, h, y *lazy.Tensor) { value(t, h) },
		"the variable":     func(_ *lazy.Trace, v, h, y *lazy.Tensor) { value(t, v) },
		"all, some twice":  func(_ *lazy.Trace, v, h, y *lazy.Tensor) { value(t, h); y.Float(); value(t, v); value(t, h) },
		"something beside": func(_ *lazy.Trace, v, h, y *lazy.Tensor) { value(t, h.Exp()) },
	} {
		require.InDelta(t, want, grad(read), 1e-6, name)
	}
}

// The order that beginners write: print the loss, then step.
func TestTrainingWithTheLossReadFirst(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32).Init(lazy.Constant(3))
	last := 10.0
	for range 5 {
		loss := tr.Read(w).Mul(w)
		now := loss.Float()
		require.Less(t, now, last)
		last = now
		w.Sub_(lazy.Grad(loss, w)[0].MulScalar(0.1))
		require.NoError(t, tr.MarkStep())
	}
}

// What a value was computed from is gone after its step.
func TestGradientOfAValueIsAnError(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32).Init(lazy.Constant(3))
	loss := tr.Read(w).Mul(w)
	require.NoError(t, tr.MarkStep(loss))
	err := lazy.Grad(loss, w)[0].Err()
	require.ErrorIs(t, err, lazy.ErrUsage)
	require.ErrorContains(t, err, "before MarkStep")
	require.ErrorIs(t, loss.Backward(), lazy.ErrUsage)

	// A state carried over is a constant of the next step.
	g := lazy.Grad(loss.Mul(w), w)[0]
	require.NoError(t, tr.MarkStep(g))
	require.Equal(t, 9.0, g.Float())
}

// A variable as one step read it is not there in the next: its memory may have
// been taken over.
func TestVariableReadInAnEarlierStep(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2).Init(lazy.Constant(1))
	h := tr.Read(w)
	w.Assign(h.MulScalar(10))
	require.NoError(t, tr.MarkStep())
	_, err := h.Value()
	require.ErrorIs(t, err, lazy.ErrStale)
	require.ErrorIs(t, h.MulScalar(2).Err(), lazy.ErrStale)

	h = tr.Read(w)
	value(t, h) // read in its step, it keeps the version
	w.Assign(h.AddScalar(5))
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{10, 10}, floats(t, h))
	require.Equal(t, []float32{15, 15}, floats(t, w))
}

// An assignment in no trace is not lost in silence.
func TestAssignmentWithoutTrace(t *testing.T) {
	dev := open(t, "cpu")
	for i, assign := range []func(w *lazy.Tensor){
		func(w *lazy.Tensor) { w.Assign(w.MulScalar(2)) },
		func(w *lazy.Tensor) { w.Sub_(w.MulScalar(0.1)) },
		func(w *lazy.Tensor) { w.Mul_(w) },
		func(w *lazy.Tensor) { w.Add_(lazy.From(dev, []float32{1})) },
		func(w *lazy.Tensor) { w.Add_(nil) },
	} {
		for k, look := range []func(tr *lazy.Trace, w *lazy.Tensor) error{
			func(tr *lazy.Trace, w *lazy.Tensor) error { return tr.MarkStep(w) },
			func(tr *lazy.Trace, w *lazy.Tensor) error { return tr.MarkStep(tr.Read(w).Exp()) },
			func(tr *lazy.Trace, w *lazy.Tensor) error { w.Add_(lazy.Ones(tr, lazy.F32)); return tr.MarkStep() },
			func(tr *lazy.Trace, w *lazy.Tensor) error { _, err := w.Value(); return err },
		} {
			tr := lazy.NewTrace(dev)
			w := dev.Variable("w", lazy.F32, 1)
			assign(w)
			require.Error(t, look(tr, w), "assignment %d, look %d", i, k)
			require.NoError(t, look(tr, w), "once")
		}
	}
	tr := lazy.NewTrace(dev)
	dev.Variable("bad", lazy.F32, -1).Add_(lazy.Ones(tr, lazy.F32))
	require.ErrorIs(t, tr.MarkStep(), lazy.ErrType)
	lazy.Ones(tr, lazy.F32, 2).Add(lazy.Ones(tr, lazy.F32, 3)).Keep()
	require.ErrorIs(t, tr.MarkStep(), lazy.ErrType)
	require.NoError(t, tr.MarkStep())
}

func TestFuncDrawsAnewAtEachCall(t *testing.T) {
	ctx := context.Background()
	dev := open(t, "cpu")
	r, same := lazy.NewRandom(dev, 1), lazy.NewRandom(dev, 1)
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Add(r.Uniform(tr, lazy.F32, 2)) })
	tr := lazy.NewTrace(dev)
	for range 3 {
		y, err := f.Call(ctx, lazy.From(dev, []float32{0, 0}))
		require.NoError(t, err)
		want := same.Uniform(tr, lazy.F32, 2)
		require.NoError(t, tr.MarkStep(want))
		require.Equal(t, floats(t, want), floats(t, y))
	}
	require.Len(t, f.Report().Compiles, 1)
}

// A value read while a function is traced would become part of its program.
func TestFuncThatReadsFails(t *testing.T) {
	dev := open(t, "cpu")
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.MulScalar(x.Exp().Sum().Float()) })
	_, err := f.Call(context.Background(), lazy.From(dev, []float32{1, 2}))
	require.ErrorIs(t, err, lazy.ErrUsage)
	require.ErrorContains(t, err, "function that is being traced")
}

func TestFuncThatPanicsStaysAnError(t *testing.T) {
	dev := open(t, "cpu")
	x := lazy.From(dev, []float32{1})
	f := lazy.Func(dev, func(*lazy.Trace, *lazy.Tensor) *lazy.Tensor { panic("mine") })
	require.PanicsWithValue(t, "mine", func() { _, _ = f.Call(context.Background(), x) })
	_, err := f.Call(context.Background(), x)
	require.ErrorContains(t, err, "panicked")
}

// A number that is no value of the dtype is not turned into another.
func TestNumbersThatDoNotFit(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	i, u := lazy.Ones(tr, lazy.I32, 2), lazy.Ones(tr, lazy.U8, 2)
	s := lazy.NewScalar(dev, "s", lazy.I64, 1)
	for k, err := range []error{
		i.MulScalar(2.5).Err(), u.AddScalar(300).Err(), u.SubScalar(-1).Err(),
		lazy.Full(tr, lazy.U8, -1).Err(), lazy.Full(tr, lazy.I64, 1<<63).Err(), lazy.Full(tr, lazy.Bool, 2).Err(),
		lazy.NewScalar(dev, "s", lazy.I32, 1e20).Err(), s.Set(2.9),
		dev.Variable("v", lazy.I32, 1).Init(lazy.Constant(1.5)).Err(), dev.Variable("v", lazy.U8, 1).Init(lazy.Constant(-1)).Err(),
	} {
		require.Error(t, err, k)
	}
	require.NoError(t, s.Set(-7))
	require.NoError(t, u.AddScalar(255).Err())
	require.NoError(t, lazy.Full(tr, lazy.F16, 1e9).Err())
}

// A variable shows a view's memory until a step assigns it, which writes other memory.
func TestSetView(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	columns := []float32{1, 3, 2, 4} // of [[1, 2], [3, 4]]
	view, err := soa.Strided(columns, types.Of(lazy.F32, 2, 2), 0, []int{1, 2})
	require.NoError(t, err)
	w := lazy.SetView(dev.Variable("w", lazy.F32, 2, 2), view)
	require.NoError(t, w.Err())
	y := tr.Read(w).MulScalar(10)
	require.NoError(t, tr.MarkStep(y))
	got, err := lazy.ToSlice[float32](y)
	require.NoError(t, err)
	require.Equal(t, []float32{10, 20, 30, 40}, got)
	for range 2 {
		w.Add_(lazy.Ones(tr, lazy.F32, 2, 2))
		require.NoError(t, tr.MarkStep())
	}
	got, err = lazy.ToSlice[float32](w)
	require.NoError(t, err)
	require.Equal(t, []float32{3, 4, 5, 6}, got)
	require.Equal(t, []float32{1, 3, 2, 4}, columns)

	require.ErrorContains(t, lazy.SetView(dev.Variable("w", lazy.F32, 4), view).Err(), "the view is f32[2,2], the variable is f32[4]")
	require.ErrorContains(t, lazy.SetView(dev.Variable("w", lazy.F32, 4), soa.View{}).Err(), "the zero View")
}
