package lazy_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
	"ltc/soa"
)

func TestFuncFromManyGoroutines(t *testing.T) {
	ctx := context.Background()
	dev := open(t, "cpu")
	w := dev.Variable("w", lazy.F32, 3, 2).Init(lazy.Constant(2))
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.MatMul(w) })
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 20 {
				rows := 1 + (g+i)%3
				x := make([]float32, rows*3)
				for k := range x {
					x[k] = float32(g)
				}
				y, err := f.Call(ctx, lazy.From(dev, x, rows, 3))
				if err != nil {
					t.Error(err)
					return
				}
				got, err := lazy.ToSlice[float32](y)
				if err != nil || len(got) != 2*rows || got[0] != float32(6*g) {
					t.Error(got, err)
				}
			}
		})
	}
	wg.Wait()
	r := f.Report()
	require.Len(t, r.Compiles, 2, "one for the first number of rows, and one for all others")
	require.EqualValues(t, 160, r.Runs)
}

// A function reads variables as they are at each call, and its results can be
// used in traces.
func TestFuncSeesAssignments(t *testing.T) {
	ctx := context.Background()
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2)
	bias := lazy.From(dev, []float32{10, 20})
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Add(w).Add(bias) })
	for i := range 3 {
		y, err := f.Call(ctx, lazy.From(dev, []float32{1, 1}))
		require.NoError(t, err)
		require.Equal(t, []float32{11 + float32(i), 21 + float32(i)}, floats(t, y))
		w.Assign(tr.Read(y).Sub(bias))
		require.NoError(t, tr.MarkStep())
	}
	require.Len(t, f.Report().Compiles, 1)
}

func TestFuncThatAssigns(t *testing.T) {
	ctx := context.Background()
	dev := open(t, "cpu")
	w := dev.Variable("w", lazy.F32, 2)
	step := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		before := tr.Read(w).Sum()
		w.Add_(x[0])
		return []*lazy.Tensor{before, x[1], tr.Read(w)}
	})
	for i := range 4 {
		out, err := step.CallAll(ctx, lazy.From(dev, []float32{1, 2}), lazy.From(dev, []int32{7}))
		require.NoError(t, err)
		require.Equal(t, float64(3*i), out[0].Float())
		require.Equal(t, 7.0, out[1].Float())
		require.Equal(t, floats(t, w), floats(t, out[2]))
	}
	require.Equal(t, []float32{4, 8}, floats(t, w))
	require.Len(t, step.Report().Compiles, 1)
}

func TestFuncErrorsAreThoseOfTracing(t *testing.T) {
	dev := open(t, "cpu")
	w := dev.Variable("w", lazy.F32, 3, 2)
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.MatMul(w) })
	_, err := f.Call(context.Background(), lazy.From(dev, make([]float32, 8), 2, 4))
	require.ErrorIs(t, err, lazy.ErrType)
	require.Contains(t, err.Error(), "func_test.go:")
	_, err = f.Call(context.Background(), lazy.From(dev, make([]float32, 6), 2, 3))
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = f.Call(ctx, lazy.From(dev, make([]float32, 6), 2, 3))
	require.ErrorIs(t, err, context.Canceled)

	_, err = lazy.Func(dev, (func(*lazy.Trace, *lazy.Tensor) *lazy.Tensor)(nil)).Call(context.Background(), w)
	require.ErrorIs(t, err, lazy.ErrUsage)
	_, err = lazy.Func(dev, func(*lazy.Trace, *lazy.Tensor) *lazy.Tensor { return nil }).Call(context.Background(), w)
	require.ErrorIs(t, err, lazy.ErrUsage)
}

// A function that returns its argument, or a variable, returns a copy: neither
// pins the other's memory.
func TestFuncReturnsCopies(t *testing.T) {
	dev := open(t, "eval")
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{1, 2})
	tr := lazy.NewTrace(dev)
	data := []float32{3, 4}
	f := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{x[0], tr.Read(w)} })
	got, err := f.CallAll(context.Background(), lazy.Borrow(tr, data))
	require.NoError(t, err)
	data[0] = 5
	w.Add_(lazy.Ones(tr, lazy.F32, 2))
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{3, 4}, floats(t, got[0]))
	require.Equal(t, []float32{1, 2}, floats(t, got[1]))
	require.Equal(t, []float32{2, 3}, floats(t, w))
	require.Zero(t, tr.Report().DonationCopies)
}

// A batch's view is written over by the next one's; what was borrowed of the
// first stays, and so does the signature that was traced for it.
func TestFuncOnBatchesOfACollection(t *testing.T) {
	dev := open(t, "eval")
	double := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Add(x) })
	in := soa.NewCollection(5)
	require.NoError(t, in.AddBatched("x", 3, soa.ColumnOf("a", []float32{1, 2, 3, 4, 5}), soa.ColumnOf("b", []float32{6, 7, 8, 9, 10})))
	var batch soa.Collection
	var all []*lazy.Tensor
	for i := range in.Batches() {
		require.NoError(t, in.Batch(i, &batch))
		all = append(all, lazy.FromView(dev, batch.Tensor(0)))
	}
	for i, want := range [][]float32{{2, 12, 4, 14, 6, 16}, {8, 18, 10, 20}} {
		y, err := double.Call(background, all[i])
		require.NoError(t, err)
		require.Equal(t, want, floats(t, y))
	}
}

// A write for the step of another trace is an error of the call whose function makes it, with the
// line, and not of the step.
func TestFunctionsWriteNoOtherTrace(t *testing.T) {
	d := open(t, "cpu")
	tr := lazy.NewTrace(d)
	x := lazy.From(tr, []float32{1, 2})
	mem := []float32{1, 2}
	shared := lazy.Share(tr, mem)
	w := d.Variable("w", lazy.F32, 2)
	for name, write := range map[string]func(y *lazy.Tensor){
		"add_(f32[2], f32[2])":  func(y *lazy.Tensor) { x.Add_(y) },
		"copy_(f32[2], f32[2])": func(y *lazy.Tensor) { x.Copy_(y) },
		"fill_(f32[2], f32[2])": func(*lazy.Tensor) { shared.Fill_(3) },
		"neg_(f32[1], f32[1])":  func(*lazy.Tensor) { x.Narrow(0, 0, 1).Neg_() },
		"assign(":               func(y *lazy.Tensor) { x.Assign(y) },
		"into(f32[2])":          func(*lazy.Tensor) { lazy.Into(x, mem) },
	} {
		f := lazy.Func(d, func(_ *lazy.Trace, y *lazy.Tensor) *lazy.Tensor { write(y); return y.Neg() })
		_, err := f.Call(t.Context(), lazy.From(d, []float32{1, 2}))
		require.ErrorIs(t, err, lazy.ErrUsage, name)
		require.ErrorContains(t, err, "func_test.go:")
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, err, "it writes for a step of another trace, within a function that is being traced: that would be done once, and not by each call; assign a variable, or return the tensor")
		require.NoError(t, tr.MarkStep(), "the step is not at fault")
	}
	require.Equal(t, []float32{1, 2}, floats(t, x))
	require.Equal(t, []float32{1, 2}, mem)

	f := lazy.Func(d, func(_ *lazy.Trace, y *lazy.Tensor) *lazy.Tensor {
		own := lazy.NewTrace(d) // a constant that the function computes when it is traced
		z := lazy.From(own, []float32{1, 2})
		z.Add_(z)
		require.NoError(t, own.MarkStep())
		w.Assign(y)
		return y.Add(z)
	})
	y, err := f.Call(t.Context(), lazy.From(d, []float32{1, 2}))
	require.NoError(t, err)
	require.Equal(t, []float32{3, 6}, floats(t, y))
	require.Equal(t, []float32{1, 2}, floats(t, w))
	x.Fill_(5)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{5, 5}, floats(t, x))
}
