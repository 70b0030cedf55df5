package lazy_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

func TestNilContext(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	require.NoError(t, tr.MarkStepContext(nil, lazy.Ones(tr, lazy.F32, 3))) //nolint:staticcheck // what it is about
	require.NoError(t, tr.Wait(nil))                                        //nolint:staticcheck
}

// A view of what was released is an error wherever it is used.
func TestViewsOfReleasedTensors(t *testing.T) {
	dev := open(t, "eval")
	tr, other := lazy.NewTrace(dev), lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1, 2, 3, 4})
	v := x.Slice([]int{0}, []int{2}, []int{1})
	x.Release()
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.AddScalar(1) })
	_, read := v.Value()
	_, called := f.Call(background, v)
	for _, err := range []error{
		read, called, v.AddScalar(1).Err(), other.Read(v).Err(), v.To(other).Err(),
		tr.MarkStep(v), v.Neg_().Err(), tr.MarkStep(),
	} {
		require.ErrorIs(t, err, lazy.ErrReleased)
	}
	require.NoError(t, tr.MarkStep(lazy.Ones(tr, lazy.F32)))
}

// A tensor that is written, read and written again in a step that fails is what
// it was before the step.
func TestWrittenTensorsThatWereReadComeBack(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []float32{1})
	for range 3 {
		x.Add_(lazy.Ones(tr, lazy.F32, 1))
		value(t, x)
	}
	require.Equal(t, []float32{4}, floats(t, x))
	require.ErrorIs(t, tr.MarkStep(ones(tr, 2).Add(ones(tr, 3))), lazy.ErrType)
	require.Equal(t, []float32{1}, floats(t, x))

	dev, g := openGated(t)
	tr = lazy.NewTrace(dev)
	y := lazy.From(tr, make([]float32, bigSize))
	y.Add_(lazy.Ones(tr, lazy.F32, bigSize))
	go g.pass(1, nil)
	require.Equal(t, float32(1), first(t, y))
	y.Add_(lazy.Ones(tr, lazy.F32, bigSize))
	require.NoError(t, tr.MarkStep())
	g.pass(1, errFlaky)
	require.ErrorIs(t, tr.Wait(background), errFlaky)
	require.Equal(t, float32(0), first(t, y))
}

// A tensor that was written, read and released in one step is no result of it.
func TestReleaseOfWrittenTensor(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	w := tr.Device().Variable("w", lazy.F32)
	x := lazy.From(tr, []float32{1, 2, 3, 4})
	x.Neg_()
	require.Equal(t, []float32{-1, -2, -3, -4}, floats(t, x))
	x.Release()
	w.Add_(lazy.Ones(tr, lazy.F32))
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{1}, floats(t, w))
}

// What a function uses besides its arguments is not donated while it runs.
func TestDonationOfWhatARunningFunctionUses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev, g := openGated(t)
		tr, other := lazy.NewTrace(dev), lazy.NewTrace(dev)
		x, w := lazy.From(tr, make([]float32, bigSize)), dev.Variable("w", lazy.F32, bigSize)
		f := lazy.Func(dev, func(_ *lazy.Trace, y *lazy.Tensor) *lazy.Tensor { return y.Add(x) })
		go g.pass(1, nil)
		_, err := f.Call(background, w)
		require.NoError(t, err)
		add(t, other, w, 1) // what the next call waits for
		<-g.began
		var y *lazy.Tensor
		done := make(chan error)
		go func() {
			var err error
			y, err = f.Call(background, w)
			done <- err
		}()
		synctest.Wait() // until it waits
		z := x.Donate().AddScalar(5)
		require.NoError(t, tr.MarkStep(z))
		<-g.began
		go func() { // other's step, z and the call, in whichever order they ask
			for range 3 {
				g.let <- nil
			}
		}()
		go func() { <-g.began }()
		require.NoError(t, tr.Wait(background))
		require.NoError(t, <-done)
		require.Equal(t, float32(1), first(t, y))
		require.Equal(t, float32(5), first(t, z))
		require.EqualValues(t, 1, tr.Report().DonationCopies)
	})
}

// A view given to a function is let go of afterwards.
func TestViewsGivenToFunctionsAreUnpinned(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 4)
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.AddScalar(1) })
	for range 3 {
		_, err := f.Call(background, w.Reshape(2, 2))
		require.NoError(t, err)
		w.Add_(lazy.Ones(tr, lazy.F32, 4))
		require.NoError(t, tr.MarkStep())
	}
	require.Zero(t, tr.Report().DonationCopies)
}

// Warming up with what has a value already as a root changes no gradient.
func TestWarmupKeepsHistory(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	w := tr.Device().Variable("w", lazy.F32, 3).Init(lazy.Constant(2))
	x := tr.Read(w)
	require.NoError(t, tr.Warmup(x))
	g := lazy.Grad(x.Mul(x).Sum(), w)[0]
	require.NoError(t, tr.MarkStep(g))
	require.Equal(t, []float32{4, 4, 4}, floats(t, g))
}

// The closures of a step that finds the queue full for as long as its context
// are called after those of the steps before, which may still wait for things.
func TestClosuresOfAStepThatDidNotGetIn(t *testing.T) {
	dev, g := openGated(t)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, bigSize)
	in, out := make(chan bool), make(chan bool)
	var log []string
	tr.AfterStep(func(failed error) {
		in <- true
		<-out
		require.ErrorIs(t, tr.Wait(background), lazy.ErrUsage)
		log = append(log, fmt.Sprint(1, failed))
	})
	add(t, tr, w, 1)
	for i := range 3 {
		tr.AfterStep(func(failed error) { log = append(log, fmt.Sprint(i+2, failed)) })
		add(t, tr, w, 1)
	}
	g.pass(1, nil)
	<-in
	for range 2 {
		ctx, cancel := context.WithTimeout(background, 10*time.Millisecond)
		defer cancel()
		w.Add_(big(tr, w, 100))
		tr.AfterStep(func(failed error) { log = append(log, fmt.Sprint("late ", failed != nil)) })
		require.ErrorIs(t, tr.MarkStepContext(ctx), context.DeadlineExceeded)
	}
	close(out)
	go g.pass(3, nil)
	within(t, func() { require.NoError(t, tr.Wait(background)) })
	require.Equal(t, []string{"1 <nil>", "2 <nil>", "3 <nil>", "4 <nil>", "late true", "late true"}, log)
	require.Equal(t, float32(4), first(t, w))
}

// A closure does not wait for a version of a variable whose program, of another
// trace, waits for a step behind the closure; it sees what it assigns itself.
func TestClosuresSeeVariablesAsTheirStepDid(t *testing.T) {
	dev, g := openGated(t)
	a, b, c := lazy.NewTrace(dev), lazy.NewTrace(dev), lazy.NewTrace(dev)
	v, w := dev.Variable("v", lazy.F32, bigSize), dev.Variable("w", lazy.F32, bigSize)
	own := dev.Variable("own", lazy.F32, bigSize)
	in, out := make(chan bool), make(chan bool)
	var seenV, seenW, seenOwn float32
	a.AfterStep(func(error) {
		in <- true
		<-out
		seenV, seenW = first(t, v), first(t, w)
		add(t, c, own, 7)
		seenOwn = first(t, own)
	})
	add(t, a, v, 1)
	add(t, a, v, 10)
	g.pass(1, nil)
	<-in
	w.Add_(b.Read(v))
	require.NoError(t, b.MarkStep())
	close(out)
	go g.pass(3, nil)
	within(t, func() { require.NoError(t, a.Wait(background)) })
	require.Equal(t, [3]float32{1, 0, 7}, [3]float32{seenV, seenW, seenOwn})
	require.Equal(t, float32(11), first(t, w))
}

// A closure that reads a variable, whose latest version waits for the closure
// and whose version before failed, gets the one before that.
func TestClosuresSkipVersionsThatFailed(t *testing.T) {
	dev, g := openGated(t)
	a, b := lazy.NewTrace(dev), lazy.NewTrace(dev)
	v, w := dev.Variable("v", lazy.F32, bigSize), dev.Variable("w", lazy.F32, bigSize)
	in, out := make(chan bool), make(chan bool)
	var seen float32
	a.AfterStep(func(error) {
		in <- true
		<-out
		seen = first(t, w)
	})
	add(t, a, v, 1)
	g.pass(1, nil)
	<-in
	add(t, b, w, 1)
	add(t, a, w, 10)
	g.pass(1, errFlaky) // b's
	require.ErrorIs(t, b.Wait(background), errFlaky)
	close(out)
	go g.pass(1, nil)
	within(t, func() { require.NoError(t, a.Wait(background)) })
	require.Zero(t, seen)
	require.Equal(t, float32(10), first(t, w), "a's step has run with the version before b's")
}

// Closing a device waits for copies to it, which do not fail for that.
func TestCloseWaitsForCopies(t *testing.T) {
	for range 20 {
		to := open(t, "eval")
		x := lazy.From(open(t, "eval"), []float32{1, 2}).To(to, lazy.Async(), lazy.As(lazy.F64))
		require.NoError(t, to.Close())
		require.NotContains(t, x.String(), "on its way")
		got, err := lazy.ToSlice[float64](x)
		require.NoError(t, err)
		require.Equal(t, []float64{1, 2}, got)
	}
}

// No method panics on tensors that are none, or on arguments that are.
func TestMethodsOfNoTensor(t *testing.T) {
	trials.Sequential(t)
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	stale := lazy.Ones(tr, lazy.F32, 2)
	require.NoError(t, tr.MarkStep())
	released := lazy.From(tr, []float32{1})
	view := released.Reshape(1, 1)
	released.Release()
	all := map[string]*lazy.Tensor{
		"nil": nil, "zero": {}, "poisoned": lazy.From[float32](nil, nil), "stale": stale, "view of stale": stale.Reshape(2, 1),
		"released": released, "view of released": view, "device's": lazy.From(dev, []float32{1, 2}), "value": lazy.From(tr, []float32{1, 2}),
		"variable": dev.Variable("w", lazy.F32, 2), "no variable": dev.Variable("w", lazy.F32, -2),
		"scalar": lazy.NewScalar(dev, "s", lazy.F32, 1), "empty": lazy.From(tr, []float32{}, 0), "integer": lazy.From(tr, []int32{1}),
	}
	for name, x := range all {
		for arg, y := range all {
			v := reflect.ValueOf(x)
			for i := range v.NumMethod() {
				m := v.Type().Method(i)
				var args []reflect.Value
				for j := range m.Type.NumIn() - 1 {
					if p := m.Type.In(j + 1); p == v.Type() {
						args = append(args, reflect.ValueOf(y))
					} else {
						args = append(args, reflect.Zero(p))
					}
				}
				call := v.Method(i).Call
				if m.Type.IsVariadic() {
					call = v.Method(i).CallSlice
				}
				if m.Name != "Release" { // there would be nothing left to try
					require.NotPanics(t, func() { call(args) }, "%s: %s(%s)", m.Name, name, arg)
				}
			}
			require.NotPanics(t, func() {
				lazy.Grad(x, y)
				lazy.Concatenate(0, x, y)
				_ = tr.Warmup(x, y)
				_ = tr.MarkStep(x, y)
			}, "%s, %s", name, arg)
		}
	}
}

// Sizes that no int can count are no other sizes.
func TestSizesBeyondInts(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2)
	for _, offset := range []int{math.MinInt, -math.MaxInt, math.MaxInt} {
		require.Equal(t, []int{0}, []int(x.Diagonal(offset, 0, 1).Shape()), "%d", offset)
	}
	wide := lazy.Ones(tr, lazy.Bool, 1).BroadcastTo(1 << 62)
	require.ErrorContains(t, lazy.Concatenate(0, wide, wide, wide, wide).Err(), "more elements along axis 0 than an int can count")
}
