package cuda

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// Who has a context waits for no device that hangs, also while others wait for it without
// one: to read a result, or for all that is queued.
func TestContextsEndWaitsForADeviceThatHangs(t *testing.T) {
	aboutFake(t)
	dev, _, f := openLazy(t, cudafake.Options{Seed: 1}, lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1, 2, 3}).Neg()
	require.NoError(t, tr.MarkStep(x))
	hangs, goesOn := make(chan struct{}), make(chan struct{})
	f.Before("cuEventSynchronize", func() {
		close(hangs)
		<-goesOn
	})
	read := make(chan error)
	go func() {
		_, err := x.Value() // a copy of the device's memory
		read <- err
	}()
	<-hangs
	for name, wait := range map[string]func(context.Context) error{
		"Trace.Wait":  tr.Wait,
		"Device.Wait": dev.Wait,
		"Value":       func(ctx context.Context) error { _, err := x.ValueContext(ctx); return err },
		"ToSlice":     func(ctx context.Context) error { _, err := lazy.ToSliceContext[float32](ctx, x); return err },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		ended := make(chan error, 1)
		go func() { ended <- wait(ctx) }()
		select {
		case err := <-ended:
			require.ErrorIs(t, err, context.DeadlineExceeded, name)
		case <-time.After(30 * time.Second):
			close(goesOn)
			t.Fatal(name + " hangs")
		}
		cancel()
	}
	close(goesOn)
	require.NoError(t, <-read)
	require.NoError(t, tr.Wait(t.Context()))
}

// A step behind as many as a queue has under way ends its wait with its context. What waited
// is queued by the next.
func TestStepsBehindADeviceThatHangsEnd(t *testing.T) {
	aboutFake(t)
	dev, _, f := openLazy(t, cudafake.Options{Seed: 1}, lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	v := dev.Variable("v", lazy.F32, 3)
	step := func(ctx context.Context) error {
		v.Add_(tr.Read(v).AddScalar(1))
		return tr.MarkStepContext(ctx)
	}
	require.NoError(t, step(t.Context()))
	f.Hang(true)
	steps, ended := 1, error(nil)
	for ended == nil {
		require.LessOrEqual(t, steps, 2*inFlight)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if ended = step(ctx); ended == nil {
			ended = context.Cause(ctx)
		}
		cancel()
		steps++
	}
	require.ErrorIs(t, ended, context.DeadlineExceeded)
	require.GreaterOrEqual(t, steps, inFlight)
	f.Hang(false)
	require.NoError(t, tr.Wait(t.Context()))
}

// A copy within a device's memory that is waited for keeps nobody from its queue.
func TestCopiesOnADeviceThatHangsKeepNobodyWaiting(t *testing.T) {
	aboutFake(t)
	b, f := backend(t, cudafake.Options{Seed: 1})
	x := soa.Make(types.Of(types.F32, 4))
	from, to := there(t, b, x), there(t, b, x)
	hangs, goesOn := make(chan struct{}), make(chan struct{})
	f.Before("cuEventSynchronize", func() {
		close(hangs)
		<-goesOn
	})
	copied := make(chan error)
	go func() { copied <- soa.Copy(to, from) }()
	<-hangs
	require.True(t, b.dev.home.mu.TryLock())
	b.dev.home.mu.Unlock()
	close(goesOn)
	require.NoError(t, <-copied)
}

// Copies of host data on the device give way where a step, a variable, a small result or a
// copy finds no memory: all goes on as if there were none.
func TestCopiesOfHostDataGiveWay(t *testing.T) {
	dev, b, _ := openLazy(t, cudafake.Options{Seed: 1}, lazy.Threads(1))
	const n, bytes = 1 << 16, 4 << 16
	tr := lazy.NewTrace(dev)
	var data []*lazy.Tensor
	for i := range 8 {
		values := make([]float32, n)
		for j := range values {
			values[j] = float32(i)
		}
		data = append(data, lazy.From(tr, values))
	}
	double := func(x *lazy.Tensor) *lazy.Tensor {
		y := tr.Read(x).Add(x)
		require.NoError(t, tr.MarkStep(y))
		return y
	}
	u, err := b.dev.Usage()
	require.NoError(t, err)
	b.dev.Limit(u.Live + 6*bytes)
	for range 3 {
		for i, x := range data {
			got, err := lazy.ToSlice[float32](double(x))
			require.NoError(t, err)
			require.Equal(t, float32(2*i), got[n-1])
		}
	}
	// fill has copies take all but some bytes of the device's memory.
	fill := func(left int64) {
		b.dev.Limit(u.Limit)
		x := lazy.From(tr, make([]float32, n))
		double(x)
		before := copiedBytes(dev)
		double(x) // which makes the copy
		double(x)
		require.Equal(t, before, copiedBytes(dev))
		soa.Collect()
		require.NoError(t, tr.Wait(t.Context()))
		require.NoError(t, b.dev.Trim())
		now, err := b.dev.Usage()
		require.NoError(t, err)
		b.dev.Limit(now.Live + left)
	}
	v := dev.Variable("v", lazy.F32, n)
	fill(bytes / 2)
	v.Add_(data[1])
	require.NoError(t, tr.MarkStep())
	fill(bytes / 2)
	require.NoError(t, v.To(tr).Err())
	other := lazy.From(tr, make([]float32, n))
	fill(0)
	small := tr.Read(other).Sum()
	require.NoError(t, tr.MarkStep(small))
	require.Zero(t, small.Float())
	require.Equal(t, float64(n), tr.Read(v).Sum().Float())
}

// Traces and calls at once, each with steps in flight. Every one sees its own numbers: whole
// versions of a variable that another assigns, scalars and borrowed data as they were when
// its step was marked, donated results, and copies on another GPU.
func TestTracesShareADevice(t *testing.T) {
	gpus, _, _ := several(t, cudafake.Options{Devices: 2, Seed: 5})
	const n, traces, steps = 300, 4, 12
	shared := gpus[0].Variable("shared", lazy.F32, n)
	spread := lazy.Func(gpus[0], func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		return tr.Read(shared).Max().Sub(tr.Read(shared).Min()).Add(x.Sum())
	})
	total := func(x *lazy.Tensor) *lazy.Tensor { return lazy.NewTrace(gpus[1]).Read(x).Sum() }
	run := func(i int) (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("%v", r)
			}
		}()
		expect := func(what string, want float64, x *lazy.Tensor) {
			if got, err := x.Item(); err != nil || got != want {
				panic(fmt.Sprintf("trace %d: %s: %v, want %v: %v", i, what, got, want, err))
			}
		}
		check := func(err error) {
			if err != nil {
				panic(err)
			}
		}
		tr := lazy.NewTrace(gpus[0])
		own := gpus[0].Variable(fmt.Sprint("own", i), lazy.F32, n)
		ones := make([]float32, n)
		for j := range ones {
			ones[j] = 1
		}
		one, scale := lazy.From(tr, ones), tr.Scalar("scale", 0)
		kept, buffer, sum := lazy.From(tr, ones), make([]float32, n), 0.0
		for k := range steps {
			check(scale.Set(float64(k)))
			sum += float64(k)
			for j := range buffer {
				buffer[j] = float32(k)
			}
			if i == 0 {
				shared.Add_(one)
			}
			own.Add_(one.Mul(scale))
			kept = tr.Read(kept.Donate()).Add(one)
			borrowed := lazy.Borrow(tr, buffer).Sum()
			torn := tr.Read(shared).Max().Sub(tr.Read(shared).Min())
			if closed := sum; k%3 == 0 {
				tr.AfterStep(func(failed error) {
					check(failed)
					expect("own in a closure", n*closed, total(own.To(gpus[1], lazy.Async())))
				})
			}
			check(tr.MarkStep(kept, borrowed, torn))
			if k%2 == 0 {
				check(tr.Wait(t.Context()))
			} else { // the step has run when its results are there
				expect("borrowed", float64(n*k), borrowed)
			}
			clear(buffer)
			expect("torn", 0, torn)
			called, err := spread.Call(t.Context(), kept)
			check(err)
			expect("called", float64(n*(k+2)), called)
			expect("borrowed", float64(n*k), borrowed)
		}
		expect("own", n*sum, tr.Read(own).Sum())
		return nil
	}
	errs := make([]error, traces)
	var all sync.WaitGroup
	for i := range traces {
		all.Go(func() { errs[i] = run(i) })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	require.Equal(t, float64(steps), lazy.NewTrace(gpus[0]).Read(shared).Max().Float())
}

// A device is lost at some call, or by something queued, while steps assign a variable and
// results are read. Each wait, read and step ends, and the errors are those of the loss.
// Nothing that the host has is lost.
func TestLostAnywhereBehindSteps(t *testing.T) {
	aboutFake(t)
	run := func(t *testing.T, lose func(f *cudafake.Fake)) (failed bool) {
		dev, _, f := openLazy(t, cudafake.Options{Seed: 1}, lazy.Threads(1))
		tr := lazy.NewTrace(dev)
		v, idle := dev.Variable("v", lazy.F32, 3), dev.Variable("idle", lazy.F32, 3)
		lazy.SetValues(idle, []float32{7, 8, 9})
		x := lazy.From(tr, []float32{1, 2, 3})
		lose(f)
		var errs []error
		for k := range 4 {
			v.Add_(tr.Read(x).Mul(idle))
			sum := tr.Read(v).Sum()
			if k == 2 {
				tr.AfterStep(func(failed error) { errs = append(errs, failed) })
			}
			errs = append(errs, tr.MarkStep(sum))
			_, err := sum.Value()
			errs = append(errs, err)
		}
		_, err := v.Value()
		errs = append(errs, tr.Wait(t.Context()), dev.Close(), err)
		got, err := lazy.ToSlice[float32](idle)
		require.NoError(t, err)
		require.Equal(t, []float32{7, 8, 9}, got)
		got, err = lazy.ToSlice[float32](x)
		require.NoError(t, err)
		require.Equal(t, []float32{1, 2, 3}, got)
		err = errors.Join(errs...)
		if err != nil {
			var gone *driver.LostError
			require.True(t, errors.Is(err, driver.IllegalAddress) || errors.As(err, &gone), "%v", err)
		}
		return err != nil
	}
	require.False(t, run(t, func(*cudafake.Fake) {}))
	failures := 0
	fail := func(call string, after int) {
		t.Run(fmt.Sprint(call, after), func(t *testing.T) {
			if run(t, func(f *cudafake.Fake) { f.Fail(call, after, driver.IllegalAddress) }) {
				failures++
			}
		})
	}
	const queued = ""
	for after := range trials.Of(30) {
		fail(queued, after)
	}
	for _, call := range []string{"cuEventRecord", "cuEventSynchronize", "cuEventQuery", "cuLaunchKernel", "cuMemAllocFromPoolAsync", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2"} {
		for after := range 3 {
			fail(call, after)
		}
	}
	require.Greater(t, failures, 10)
}
