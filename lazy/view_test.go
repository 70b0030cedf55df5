package lazy_test

import (
	"context"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

// Writes to a base, a view or a view of a view are seen by all of them, before
// and after the step, whatever the base is.
func TestWritesAreSeenByBaseAndViews(t *testing.T) {
	for name, base := range map[string]func(tr *lazy.Trace) *lazy.Tensor{
		"host data": func(tr *lazy.Trace) *lazy.Tensor { return lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2) },
		"a result":  func(tr *lazy.Trace) *lazy.Tensor { return lazy.From(tr, []float32{0, 1, 2, 3}, 2, 2).AddScalar(1) },
		"a kept root": func(tr *lazy.Trace) *lazy.Tensor {
			x := lazy.From(tr, []float32{0, 1, 2, 3}, 2, 2).AddScalar(1)
			require.NoError(t, tr.MarkStep(x))
			return x
		},
		"a variable": func(tr *lazy.Trace) *lazy.Tensor {
			return tr.View(lazy.SetValues(tr.Device().Variable("w", lazy.F32, 2, 2), []float32{1, 2, 3, 4}))
		},
	} {
		tr := lazy.NewTrace(open(t, "cpu"))
		x := base(tr)
		y := x.Reshape(4)
		row := x.Select(0, 1)
		last := row.Narrow(0, 1, 1)
		x.Add_(lazy.Ones(tr, lazy.F32, 2, 2))
		require.Equal(t, []float32{2, 3, 4, 5}, floats(t, y), name)
		last.Fill_(50)
		require.Equal(t, []float32{4, 50}, floats(t, row), name)
		require.NoError(t, tr.MarkStep(y))
		require.Equal(t, []float32{2, 3, 4, 50}, floats(t, x), name)
		row.Neg_()
		require.Equal(t, []float32{2, 3, -4, -50}, floats(t, y), name)
		require.NoError(t, tr.MarkStep())
		require.Equal(t, []float32{2, 3, -4, -50}, floats(t, x), name)
		require.Equal(t, []float32{-50}, floats(t, last), name)
	}
}

// Every view op of the list in the thread shares its base's memory.
func TestViewOpsShareTheMemoryOfTheirBase(t *testing.T) {
	trials.Sequential(t)
	for name, view := range map[string]func(x *lazy.Tensor) *lazy.Tensor{
		"slice":        func(x *lazy.Tensor) *lazy.Tensor { return x.Slice([]int{0, 1}, []int{2, 3}, []int{1, 2}) },
		"transpose":    func(x *lazy.Tensor) *lazy.Tensor { return x.Transpose() },
		"reshape":      func(x *lazy.Tensor) *lazy.Tensor { return x.Reshape(3, 2) },
		"select":       func(x *lazy.Tensor) *lazy.Tensor { return x.Select(1, -1) },
		"narrow":       func(x *lazy.Tensor) *lazy.Tensor { return x.Narrow(1, 1, 2) },
		"squeeze":      func(x *lazy.Tensor) *lazy.Tensor { return x.Unsqueeze(1).Squeeze(1) },
		"unsqueeze":    func(x *lazy.Tensor) *lazy.Tensor { return x.Unsqueeze(-1) },
		"diagonal":     func(x *lazy.Tensor) *lazy.Tensor { return x.Diagonal(1, 0, 1) },
		"as_strided":   func(x *lazy.Tensor) *lazy.Tensor { return x.AsStrided([]int{2, 2}, []int{1, 3}, 1) },
		"broadcast_to": func(x *lazy.Tensor) *lazy.Tensor { return x.BroadcastTo(1, 2, 3) },
	} {
		tr := lazy.NewTrace(open(t, "cpu"))
		x := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
		y := view(x)
		want := floats(t, y)
		for range 2 { // before and after a step
			y.MulScalar(10) // and not in place
			y.Mul_(lazy.Full(tr, lazy.F32, 10))
			for i := range want {
				want[i] *= 10
			}
			require.Equal(t, want, floats(t, y), name)
			require.Equal(t, want, floats(t, view(x)), name)
			require.NoError(t, tr.MarkStep())
			require.Equal(t, want, floats(t, y), name)
		}
		x.Fill_(7)
		for _, v := range floats(t, y) {
			require.Equal(t, float32(7), v, name)
		}
	}
}

// The memory that a borrowed slice has is the caller's: a write gives the
// tensor memory of its own.
func TestBorrowedMemoryIsNeverWritten(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	data := []float32{1, 2, 3}
	x := lazy.Borrow(tr, data)
	view := x.Narrow(0, 1, 2)
	x.Neg_()
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{1, 2, 3}, data)
	require.Equal(t, []float32{-1, -2, -3}, floats(t, x))
	require.Equal(t, []float32{-2, -3}, floats(t, view))
	require.ErrorContains(t, lazy.Borrow(tr, data).Donate().Err(), "the caller's")
}

// A trace sees its own writes at once, others after MarkStep.
func TestViewsOfSharedVariables(t *testing.T) {
	dev := open(t, "cpu")
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2, 2), []float32{1, 2, 3, 4})
	row := w.Select(0, 1) // of no trace
	a, b := lazy.NewTrace(dev), lazy.NewTrace(dev)
	require.Equal(t, []float32{3, 4}, floats(t, row))
	row.Add_(lazy.Ones(a, lazy.F32, 2))
	require.Equal(t, []float32{4, 5}, floats(t, a.View(row)))
	require.Equal(t, []float32{3, 4}, floats(t, b.View(row)))
	require.NoError(t, a.MarkStep())
	require.NoError(t, b.MarkStep())
	require.Equal(t, []float32{4, 5}, floats(t, b.View(row)))
	require.Equal(t, []float32{1, 2, 4, 5}, floats(t, w))

	row.Add_(lazy.Ones(a, lazy.F32, 2))
	w.Select(1, 0).Add_(lazy.Ones(b, lazy.F32, 2))
	require.NoError(t, a.MarkStep())
	require.ErrorIs(t, b.MarkStep(), lazy.ErrConflict)
	require.Equal(t, []float32{1, 2, 5, 6}, floats(t, w))
}

// xla 3529: item() in a loop that writes prints each value once.
func TestReadsInALoopThatWritesSeeEachValue(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float32{0})
	for i := range 5 {
		x.Add_(lazy.Ones(tr, lazy.F32, 1))
		require.Equal(t, float64(i+1), x.Float())
	}
	require.NoError(t, tr.MarkStep())
	require.Equal(t, 5.0, x.Float())
}

// xla 8464: what is donated is part of the program's key.
func TestDonorsAreInTheKey(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	step := func(donate bool) (x, y *lazy.Tensor) {
		x = lazy.From(tr, []float32{1, 2})
		if donate {
			x.Donate()
		}
		y = x.AddScalar(2)
		require.NoError(t, tr.MarkStep(y))
		return x, y
	}
	x, y := step(false)
	require.Equal(t, []float32{3, 4}, floats(t, y))
	step(true)
	require.Contains(t, tr.StableHLO(), "tf.aliasing_output")
	require.Len(t, tr.Report().Compiles, 2)
	require.Zero(t, tr.Report().DonationCopies)
	x2, y2 := step(false)
	require.Len(t, tr.Report().Compiles, 2)
	require.Equal(t, []float32{1, 2}, floats(t, x), "who did not donate keeps its numbers")
	require.Equal(t, []float32{1, 2}, floats(t, x2))
	require.Equal(t, floats(t, y), floats(t, y2))
}

// xla 8422: saving, which reads, donates nothing, and what is read stays.
func TestReadingDonatesNothing(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2)
	x := lazy.From(tr, []float32{1, 2}).Donate()
	y := x.AddScalar(1)
	w.Add_(y)
	saved := value(t, y)
	require.Equal(t, []float32{1, 2}, floats(t, x), "the step has not been marked")
	z := x.MulScalar(3)
	require.NoError(t, tr.MarkStep(z))
	require.Equal(t, []float32{2, 3}, floats(t, y))
	now := value(t, y)
	require.Equal(t, saved.Base(), now.Base())
	require.Equal(t, []float32{3, 6}, floats(t, z))
	require.Equal(t, []float32{2, 3}, floats(t, w))
}

// xla 4189 and PR 7023: tensors that share memory when it is donated keep their
// numbers.
func TestSharedMemoryIsCopied(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float32{1, 2})
	same := tr.Read(x)
	require.NoError(t, tr.MarkStep(same))
	seen := value(t, lazy.From(tr, []float32{9}))
	_ = seen
	x.Donate()
	y := x.AddScalar(1)
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, []float32{1, 2}, floats(t, same))
	require.Equal(t, []float32{2, 3}, floats(t, y))
	require.EqualValues(t, 1, tr.Report().DonationCopies)
}

// PR 7585: a view that Value gave stays what it was.
func TestPinnedMemoryIsCopied(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float32{1, 2})
	view := value(t, x)
	y := x.Donate().AddScalar(1)
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, []float32{2, 3}, floats(t, y))
	require.Equal(t, []float32{1, 2}, floats(t, lazy.FromView(tr, view)))
	require.EqualValues(t, 1, tr.Report().DonationCopies)
}

func here(back int) string {
	_, _, line, _ := runtime.Caller(1)
	return "view_test.go:" + strconv.Itoa(line-back)
}

// jax 9635 and openxla 22604: use after donation is an error naming both lines.
func TestUseAfterDonationNamesBothLines(t *testing.T) {
	dev := open(t, "cpu")
	for _, p := range []lazy.Place{dev, lazy.NewTrace(dev)} {
		tr := lazy.NewTrace(dev)
		if own, ok := p.(*lazy.Trace); ok {
			tr = own
		}
		x := lazy.From(p, []float32{1, 2})
		view := x.Narrow(0, 1, 1)
		x.Donate()
		given := here(1)
		require.NoError(t, tr.MarkStep(tr.Read(x).AddScalar(1)))
		marked := here(1)
		for i, use := range []func() error{
			func() error { return tr.Read(x).Err() },
			func() error { return tr.Read(view).Err() },
			func() error { _, err := x.Value(); return err },
			func() error { _, err := view.Value(); return err },
			func() error { return tr.MarkStep(tr.Read(x)) },
			func() error { return x.Donate().Err() },
			func() error {
				f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Exp() })
				_, err := f.Call(context.Background(), x)
				return err
			},
		} {
			err := use()
			require.ErrorIs(t, err, lazy.ErrUsage, i)
			require.ErrorContains(t, err, given, i)
			require.ErrorContains(t, err, marked, i)
		}
		tr.Discard()
	}
}

// jax 12627: donating twice, under one handle or two, is an error naming both
// lines; nothing hangs, and nothing is lost.
func TestDonatingTwiceNamesBothLines(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float32{1, 2})
	same := tr.Read(x)
	require.NoError(t, tr.MarkStep(same))
	x.Donate()
	first := here(1)
	for _, twice := range []*lazy.Tensor{x.Donate(), same.Donate()} {
		require.ErrorIs(t, twice.Err(), lazy.ErrUsage)
		require.ErrorContains(t, twice.Err(), first)
		require.ErrorContains(t, twice.Err(), "view_test.go:")
	}
	require.ErrorIs(t, tr.MarkStep(), lazy.ErrUsage, "for who does not look at what Donate returns")
	y := x.AddScalar(1)
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, []float32{2, 3}, floats(t, y))
	require.Equal(t, []float32{1, 2}, floats(t, same))
}

func TestWhatCannotBeDonated(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2)
	read := tr.Read(w)
	value(t, read)
	x := lazy.From(tr, []float32{1, 2})
	for want, donate := range map[string]func() *lazy.Tensor{
		"assign it":        w.Donate,
		"it is a view":     x.Narrow(0, 0, 1).Donate,
		"has no value yet": x.Exp().Donate,
		"scalar":           tr.Scalar("lr", 1).Donate,
		"as it was read":   read.Donate,
	} {
		bad := donate()
		require.ErrorContains(t, bad.Err(), want)
		if bad.Trace() == tr {
			require.Error(t, tr.MarkStep())
		}
	}
	x.Neg_()
	require.ErrorContains(t, x.Donate().Err(), "was written")
	require.Error(t, tr.MarkStep())
	x.Donate()
	require.ErrorContains(t, tr.MarkStep(x), "a root was donated")
	require.Equal(t, []float32{1, 2}, floats(t, x))
}

// Another trace's step that uses what is donated meanwhile is refused or gets a
// copy; its numbers are never those of the result.
func TestDonationBesideAnotherTrace(t *testing.T) {
	dev := open(t, "cpu")
	a, b := lazy.NewTrace(dev), lazy.NewTrace(dev)
	x := lazy.From(dev, []float32{1, 2})
	other := b.Read(x).MulScalar(10)
	x.Donate()
	y := a.Read(x).AddScalar(1)
	require.NoError(t, a.MarkStep(y))
	require.Equal(t, []float32{2, 3}, floats(t, y))
	require.NoError(t, b.MarkStep(other), "it read x before")
	require.Equal(t, []float32{10, 20}, floats(t, other))
	require.EqualValues(t, 1, a.Report().DonationCopies)

	z := lazy.From(a, []float32{1, 2})
	mine := z.MulScalar(10)
	z.Donate()
	require.NoError(t, b.MarkStep(b.Read(z).AddScalar(1)))
	require.NoError(t, a.MarkStep(mine), "its own trace had read it, too")
	require.Equal(t, []float32{10, 20}, floats(t, mine))
}

// A failed step changes nothing: written tensors are what they were, donated
// ones are not used up.
func TestFailedStepGivesBack(t *testing.T) {
	tr := lazy.NewTrace(open(t, "flaky"))
	x, d := lazy.From(tr, []float32{1, 2}), lazy.From(tr, []float32{3, 4})
	view := x.Narrow(0, 1, 1)
	x.Add_(d.Donate())
	theFlaky.failures.Store(1)
	err := tr.MarkStep(d.AddScalar(1))
	if err == nil {
		err = tr.Wait(context.Background())
	}
	require.ErrorIs(t, err, errFlaky)
	require.Equal(t, []float32{1, 2}, floats(t, x))
	require.Equal(t, []float32{2}, floats(t, view))
	require.Equal(t, []float32{3, 4}, floats(t, d))
	view.Add_(d.Narrow(0, 0, 1))
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{1, 5}, floats(t, x))

	x.Neg_()
	x.Narrow(0, 0, 1).Add_(lazy.Ones(tr, lazy.F32, 3)) // a mistake
	require.ErrorIs(t, view.Exp().Err(), lazy.ErrType, "nobody reads what a mistake left")
	require.ErrorIs(t, tr.MarkStep(), lazy.ErrType)
	require.Equal(t, []float32{1, 5}, floats(t, x))
}

// Gradients with respect to what has been written since are an error, as with
// variables; others go through writes and views.
func TestGradOfWrites(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float32{1, 2, 3})
	h := x.MulScalar(2)
	h.Narrow(0, 1, 2).Mul_(x.Narrow(0, 0, 2))
	g := lazy.Grad(h.Sum(), x)[0]
	require.NoError(t, tr.MarkStep(g))
	require.Equal(t, []float32{2 + 4, 2 + 6, 4}, floats(t, g))

	y := x.Mul(x).Sum()
	x.Neg_()
	require.ErrorContains(t, lazy.Grad(y, x)[0].Err(), "was written at view_test.go:")
}

// What a function is called with is its caller's.
func TestFuncArgumentsAreNotWritten(t *testing.T) {
	dev := open(t, "cpu")
	x := lazy.From(dev, []float32{1, 2, 3}).Narrow(0, 1, 2)
	bad := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Neg_() })
	_, err := bad.Call(context.Background(), x)
	require.ErrorContains(t, err, "Clone")
	good := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Clone().Neg_() })
	y, err := good.Call(context.Background(), x)
	require.NoError(t, err)
	require.Equal(t, []float32{-2, -3}, floats(t, y))
}

func TestCopiesInPlaceConvertAndBroadcast(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.Zeros(tr, lazy.F32, 2, 3)
	x.Copy_(lazy.From(tr, []int32{1, 2, 3}))
	require.Equal(t, []float32{1, 2, 3, 1, 2, 3}, floats(t, x))
	x.Narrow(1, 0, 2).Copy_(x.Narrow(1, 1, 2))
	require.Equal(t, []float32{2, 3, 3, 2, 3, 3}, floats(t, x), "as if what is copied were cloned first")
	require.ErrorContains(t, x.Copy_(lazy.Ones(tr, lazy.F32, 4)).Err(), "copy_(f32[2,3], f32[4])")
}
