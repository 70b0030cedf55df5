package lazy_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/lazy"
	"ltc/soa"
)

var background = context.Background()

// pass lets n runs go, each with err.
func (g *gated) pass(n int, err error) {
	for range n {
		<-g.began
		g.let <- err
	}
}

// add marks a step that adds by to w on the queue's goroutine.
func add(t *testing.T, tr *lazy.Trace, w *lazy.Tensor, by float64, roots ...*lazy.Tensor) {
	t.Helper()
	w.Add_(big(tr, w, by))
	require.NoError(t, tr.MarkStep(roots...))
}

// Reading syncs what it needs, waits for the steps before, and what was read is
// not computed again.
func TestReadValuesAreNotComputedAgain(t *testing.T) {
	dev, g := openGated(t)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, bigSize)
	add(t, tr, w, 1)
	y := tr.Read(w).MulScalar(2)
	go g.pass(2, nil) // the step and the read
	require.Equal(t, float32(2), first(t, y))
	require.Equal(t, float32(2), first(t, y))
	z := y.AddScalar(1)
	go g.pass(1, nil)
	require.NoError(t, tr.MarkStep(z))
	require.Equal(t, float32(3), first(t, z))
	require.NotContains(t, tr.StableHLO(), "stablehlo.multiply", "y is an argument")
	require.EqualValues(t, 3, tr.Report().Runs)
	require.Equal(t, 1, tr.Report().Syncs())
}

// Several roots are one program, all of one device; a partial sync does not
// take over the memory of variables.
func TestSeveralRootsAreOneProgram(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2)
	x, y := tr.Read(w).AddScalar(1), tr.Read(w).AddScalar(2)
	require.NoError(t, tr.MarkStep(x, y))
	require.Equal(t, []float32{1, 1}, floats(t, x))
	require.Equal(t, []float32{2, 2}, floats(t, y))
	require.EqualValues(t, 1, tr.Report().Runs)

	other := lazy.NewTrace(open(t, "eval"))
	require.ErrorIs(t, tr.MarkStep(lazy.Ones(tr, lazy.F32), lazy.Ones(other, lazy.F32)), lazy.ErrPlacement)

	w.Add_(lazy.Ones(tr, lazy.F32, 2))
	require.Equal(t, []float32{2, 2}, floats(t, tr.Read(w).MulScalar(2)), "within the step")
	require.Equal(t, []float32{0, 0}, floats(t, w), "for all others")
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{1, 1}, floats(t, w))
}

// Waiting for a device waits for that one only: the lazy tensor core's
// _wait_device_ops waits for all.
func TestWaitIsForOneDevice(t *testing.T) {
	dev, g := openGated(t)
	idle := open(t, "eval")
	tr, other := lazy.NewTrace(dev), lazy.NewTrace(dev)
	w, v := dev.Variable("w", lazy.F32, bigSize), dev.Variable("v", lazy.F32, bigSize)
	add(t, tr, w, 1)
	add(t, other, v, 2)
	within(t, func() { require.NoError(t, idle.Wait(background)) })
	ctx, cancel := context.WithTimeout(background, 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, dev.Wait(ctx), context.DeadlineExceeded)
	require.ErrorIs(t, tr.Wait(ctx), context.DeadlineExceeded)
	go g.pass(2, nil)
	require.NoError(t, dev.Wait(background))
	require.NotContains(t, w.String()+v.String(), "on its way")
	require.Equal(t, float32(1), first(t, w))
	require.Equal(t, float32(2), first(t, v))
}

// Four steps may be under way; the fifth waits, for no longer than its context.
func TestQueueIsBounded(t *testing.T) {
	dev, g := openGated(t)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, bigSize)
	for range 4 {
		add(t, tr, w, 1)
	}
	ctx, cancel := context.WithTimeout(background, 10*time.Millisecond)
	defer cancel()
	w.Add_(big(tr, w, 100))
	require.ErrorIs(t, tr.MarkStepContext(ctx), context.DeadlineExceeded)
	go g.pass(5, nil)
	add(t, tr, w, 10)
	require.Equal(t, float32(14), first(t, w), "the step that did not get in is as if it had not been")
}

func TestStepClosuresRunInOrder(t *testing.T) {
	dev, g := openGated(t)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, bigSize)
	var log []string
	var later *lazy.Tensor
	for i := range 3 {
		root := tr.Read(w).AddScalar(float64(10 * i))
		tr.AfterStep(func(failed error) {
			log = append(log, fmt.Sprint("a", i, " ", failed, " ", first(t, root), first(t, w)))
		})
		tr.AfterStep(func(failed error) {
			switch i {
			case 0:
				_, err := later.Value()
				require.ErrorContains(t, err, "step closure waits")
				require.ErrorIs(t, tr.Wait(background), lazy.ErrUsage)
				require.ErrorIs(t, dev.Wait(background), lazy.ErrUsage)
				require.ErrorIs(t, tr.MarkStep(), lazy.ErrUsage)
			case 1:
				panic("mine")
			}
		})
		tr.AfterStep(func(error) { log = append(log, fmt.Sprint("b", i)) })
		add(t, tr, w, 1, root)
		later = root
	}
	go g.pass(3, nil)
	err := tr.Wait(background)
	require.ErrorContains(t, err, "step 2: a step closure panicked: mine")
	require.NoError(t, tr.Wait(background), "once")
	require.Equal(t, []string{"a0 <nil> 0 1", "b0", "a1 <nil> 11 2", "b1", "a2 <nil> 22 3", "b2"}, log, "variables as their step left them")
	require.Equal(t, float32(3), first(t, w), "the panic lost nothing")
	require.EqualValues(t, 3, tr.Report().Runs)
}

// Closures of steps that run within MarkStep, of steps with nothing to run and
// of steps that fail are called, too.
func TestClosuresOfFailedAndEmptyStepsRun(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval", lazy.Threads(2)))
	x := lazy.Ones(tr, lazy.F32, 2)
	calls := 0
	tr.AfterStep(func(failed error) {
		calls++
		require.NoError(t, failed)
		require.Equal(t, []float32{1, 1}, floats(t, x))
		require.ErrorIs(t, tr.MarkStep(), lazy.ErrUsage)
		require.ErrorIs(t, tr.Wait(background), lazy.ErrUsage)
	})
	require.NoError(t, tr.MarkStep(x))
	tr.AfterStep(func(failed error) { calls++; require.NoError(t, failed) })
	require.NoError(t, tr.MarkStep())
	bad := ones(tr, 2).Add(ones(tr, 3))
	tr.AfterStep(func(failed error) { calls++; require.ErrorIs(t, failed, lazy.ErrType) })
	require.ErrorIs(t, tr.MarkStep(bad), lazy.ErrType)
	require.Equal(t, 3, calls)

	tr.AfterStep(func(error) { panic("mine") })
	require.NoError(t, tr.MarkStep())
	require.ErrorContains(t, tr.Wait(background), "mine")
	tr.AfterStep(nil)
	require.ErrorIs(t, tr.MarkStep(), lazy.ErrUsage)
	for range 1025 {
		tr.AfterStep(func(error) {})
	}
	require.ErrorContains(t, tr.MarkStep(), "1024 closures")
	require.NoError(t, tr.MarkStep())
}

// Compiling ahead runs nothing and changes nothing.
func TestWarmupRunsNothing(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2)
	step := func() *lazy.Tensor {
		loss := tr.Read(w).Sum()
		w.Add_(lazy.Ones(tr, lazy.F32, 2))
		return loss
	}
	loss := step()
	require.NoError(t, tr.Warmup(loss))
	require.NoError(t, tr.Warmup(loss), "again")
	require.Zero(t, tr.Report().Runs)
	require.Zero(t, tr.Report().Marks)
	require.Len(t, tr.Report().Compiles, 1)
	require.Equal(t, []float32{0, 0}, floats(t, w))
	require.NoError(t, tr.MarkStep(loss)) // the step goes on
	require.Equal(t, 0.0, loss.Float())
	require.Equal(t, []float32{1, 1}, floats(t, w))

	loss = step()
	require.NoError(t, tr.Warmup(loss))
	tr.Discard()
	_, err := loss.Value()
	require.ErrorIs(t, err, lazy.ErrStale)
	require.Equal(t, []float32{1, 1}, floats(t, w), "nothing was assigned")
	loss = step()
	require.NoError(t, tr.MarkStep(loss))
	require.Equal(t, 2.0, loss.Float())
	require.Len(t, tr.Report().Compiles, 1)
	require.ErrorIs(t, tr.Warmup(ones(tr, 2).Add(ones(tr, 3))), lazy.ErrType)
	require.NoError(t, tr.Warmup())
}

// What ran because of MarkStep and what because something was read are told
// apart: the lazy tensor core's flag says mark step for both.
func TestStepsAndImplicitSyncsAreCountedApart(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.Ones(tr, lazy.F32, 2).AddScalar(1)
	value(t, x)
	r := tr.Report()
	require.Zero(t, r.Marks)
	require.Equal(t, 1, r.Syncs())
	require.NoError(t, tr.MarkStep(x.AddScalar(1)))
	r = tr.Report()
	require.EqualValues(t, 1, r.Marks)
	require.Equal(t, 1, r.Syncs())
}

// A step that depends on another trace's step waits for it; if that fails, the step
// runs with the version before.
func TestStepsOfOtherTracesAreWaitedFor(t *testing.T) {
	dev, g := openGated(t)
	a, b := lazy.NewTrace(dev), lazy.NewTrace(dev)
	w, v := dev.Variable("w", lazy.F32, bigSize), dev.Variable("v", lazy.F32, bigSize)
	add(t, a, w, 1)
	v.Add_(b.Read(w))
	require.NoError(t, b.MarkStep())
	g.pass(2, nil)
	require.Equal(t, float32(1), first(t, v))

	add(t, a, w, 1)
	v.Add_(b.Read(w))
	require.NoError(t, b.MarkStep())
	g.pass(1, errFlaky)
	g.pass(1, nil)
	require.NoError(t, b.Wait(background))
	require.ErrorIs(t, a.Wait(background), errFlaky, "each trace hears of its own step")
	require.Equal(t, float32(1), first(t, w))
	require.Equal(t, float32(2), first(t, v))

	// A step that had read a version which was taken back reads what is there.
	add(t, a, w, 1)
	v.Add_(b.Read(w))
	g.pass(1, errFlaky)
	require.ErrorIs(t, a.Wait(background), errFlaky)
	require.NoError(t, b.MarkStep())
	g.pass(1, nil)
	require.Equal(t, float32(3), first(t, v))
}

// Two traces that assign one version: the second mark-step names both lines,
// though nothing has run yet.
func TestConflictBeforeAnythingRan(t *testing.T) {
	dev, g := openGated(t)
	a, b := lazy.NewTrace(dev), lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, bigSize)
	w.Add_(big(a, w, 1))
	w.Add_(big(b, w, 2))
	require.NoError(t, a.MarkStep())
	err := b.MarkStep()
	require.ErrorIs(t, err, lazy.ErrConflict)
	require.Equal(t, 2, strings.Count(err.Error(), "queue_test.go:")-1, "the error's own and both lines: %v", err)
	w.Add_(big(b, w, 2)) // from the new version, which is not there yet
	require.NoError(t, b.MarkStep())
	g.pass(2, nil)
	require.Equal(t, float32(3), first(t, w))
}

// Queued readers of a version count as pins until they ran.
func TestQueuedReadersPin(t *testing.T) {
	dev, g := openGated(t)
	reader, tr := lazy.NewTrace(dev), lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, bigSize)
	seen := reader.Read(w).AddScalar(5)
	require.NoError(t, reader.MarkStep(seen))
	<-g.began // it waits in the backend
	add(t, tr, w, 1)
	<-g.began
	g.let <- nil
	g.let <- nil // whichever is first
	require.Equal(t, float32(5), first(t, seen))
	require.Equal(t, float32(1), first(t, w))
	require.EqualValues(t, 1, tr.Report().DonationCopies)
	add(t, tr, w, 1)
	g.pass(1, nil)
	require.Equal(t, float32(2), first(t, w))
	require.EqualValues(t, 1, tr.Report().DonationCopies)
}

// Set is for the steps marked from then on.
func TestScalarsOfQueuedSteps(t *testing.T) {
	dev, g := openGated(t)
	tr := lazy.NewTrace(dev)
	lr := tr.Scalar("lr", 1)
	var seen []*lazy.Tensor
	for i := range 4 {
		require.NoError(t, lr.Set(float64(i)))
		y := lr.BroadcastTo(bigSize).AddScalar(0)
		require.NoError(t, tr.MarkStep(y))
		seen = append(seen, y)
	}
	go g.pass(4, nil)
	for i, y := range seen {
		require.Equal(t, float32(i), first(t, y))
	}
	require.Len(t, tr.Report().Compiles, 1)
	require.ErrorIs(t, tr.Read(lr).Sum().Set(1), lazy.ErrUsage)
}

// A context stops the program that runs and those queued with it.
func TestCancelledContext(t *testing.T) {
	dev, g := openGated(t)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, bigSize)
	ctx, cancel := context.WithCancelCause(background)
	mine := errors.New("enough")
	for range 3 {
		w.Add_(big(tr, w, 1))
		require.NoError(t, tr.MarkStepContext(ctx))
	}
	<-g.began
	cancel(mine)
	err := tr.Wait(background)
	require.ErrorIs(t, err, mine)
	require.NoError(t, tr.Wait(background))
	require.Equal(t, float32(0), first(t, w))
	require.EqualValues(t, 1, tr.Report().Runs)
	w.Add_(big(tr, w, 1))
	require.NoError(t, tr.MarkStepContext(ctx)) // its turn never comes
	require.ErrorIs(t, tr.Wait(background), mine)
	add(t, tr, w, 1)
	g.pass(1, nil)
	require.Equal(t, float32(1), first(t, w))
}

// A backend that panics, or has no memory left, is a failure like others.
func TestBackendsThatPanicOrRunOut(t *testing.T) {
	for name, c := range map[string]struct {
		give error
		want string
	}{
		"panic":  {errPanic, "panicked in Execute: broken"},
		"memory": {soa.ErrMemory, soa.ErrMemory.Error()},
	} {
		for _, threads := range []int{0, 1} { // queued, and within MarkStep
			t.Run(fmt.Sprint(name, threads), func(t *testing.T) {
				dev, g := openGated(t, lazy.Threads(threads))
				tr := lazy.NewTrace(dev)
				w := dev.Variable("w", lazy.F32, bigSize)
				go g.pass(1, c.give)
				w.Add_(big(tr, w, 1))
				err := tr.MarkStep()
				require.Equal(t, threads == 1, err != nil)
				if err == nil {
					err = tr.Wait(background)
				}
				require.ErrorContains(t, err, c.want)
				require.NoError(t, tr.Wait(background))
				require.Equal(t, float32(0), first(t, w))
				go g.pass(1, nil)
				add(t, tr, w, 1)
				require.Equal(t, float32(1), first(t, w))
			})
		}
	}
}

// goroutines waits until no more than n are left.
func goroutines(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= n+1 }, 20*time.Second, time.Millisecond, "Eventually's own is one more")
}

// Queues' goroutines end when idle, and traces without anything queued have
// none; nothing has to be closed.
func TestGoroutinesEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	dev := open(t, "eval")
	for range 1000 {
		tr := lazy.NewTrace(dev)
		y := lazy.Ones(tr, lazy.F32, bigSize).AddScalar(1)
		require.NoError(t, tr.MarkStep(y))
	}
	goroutines(t, before)

	single := lazy.NewTrace(open(t, "eval", lazy.Threads(1)))
	y := lazy.Ones(single, lazy.F32, bigSize).AddScalar(1)
	before = queueWorkers()
	require.NoError(t, single.MarkStep(y))
	require.NotContains(t, y.String(), "on its way")
	require.LessOrEqual(t, queueWorkers(), before)
}

// queueWorkers counts goroutines that run what traces have queued. Others begin and end by themselves, such as
// those of the garbage collector's cleanups.
func queueWorkers() int {
	stacks := make([]byte, 1<<20)
	for {
		n := runtime.Stack(stacks, true)
		if n < len(stacks) {
			return strings.Count(string(stacks[:n]), "sched.(*Queue).work(")
		}
		stacks = make([]byte, 2*len(stacks))
	}
}

func TestClosedDevice(t *testing.T) {
	dev, g := openGated(t)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, bigSize)
	add(t, tr, w, 1)
	go g.pass(1, errFlaky)
	require.ErrorIs(t, dev.Close(), errFlaky)
	w.Add_(big(tr, w, 1))
	require.ErrorIs(t, tr.MarkStep(), lazy.ErrClosed)
	_, err := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x }).Call(background, w)
	require.ErrorIs(t, err, lazy.ErrClosed)
	require.Equal(t, float32(0), first(t, w))
	require.NoError(t, dev.Close())
}

// fragile fails and panics now and then.
type fragile struct {
	backends.Backend
	mu  sync.Mutex
	rng *rand.Rand
}

func (f *fragile) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	e, err := f.Backend.Compile(ctx, m, o)
	return fragileExecutable{e, f}, err
}

type fragileExecutable struct {
	backends.Executable
	f *fragile
}

func (e fragileExecutable) Execute(ctx context.Context, c *backends.Call) error {
	e.f.mu.Lock()
	n := e.f.rng.IntN(20)
	e.f.mu.Unlock()
	switch n {
	case 0:
		return &backends.RunError{Op: -1, Reason: errFlaky}
	case 1:
		panic("fragile")
	}
	return e.Executable.Execute(ctx, c)
}

// Models train side by side on a device that fails now and then, sharing a variable that a
// third trace writes. Nothing hangs, every failure is reported once, and a variable holds
// the sum of the steps that succeeded.
func TestTrainingOnAFragileDevice(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	gates.Store(t.Name(), &fragile{Backend: b, rng: rand.New(rand.NewPCG(1, 2))})
	dev := open(t, "flaky:"+t.Name())
	shared := dev.Variable("shared", lazy.F32, bigSize)
	var wg sync.WaitGroup
	for m := range 3 {
		wg.Go(func() {
			tr := lazy.NewTrace(dev)
			w := dev.Variable(fmt.Sprint("w", m), lazy.F32, bigSize)
			var good, heard atomic.Int64 // closures count while MarkStep reports
			for i := range 150 {
				tr.AfterStep(func(failed error) {
					if failed == nil {
						good.Add(1)
					} else if step, ok := errors.AsType[*lazy.StepError](failed); !ok || !strings.HasPrefix(step.Err.Error(), "cancelled,") {
						heard.Add(1) // not if one before it is to be heard of
					}
				})
				if m == 0 {
					shared.Add_(big(tr, shared, 1))
				}
				w.Add_(big(tr, shared, 1))
				if err := tr.MarkStep(); err != nil {
					heard.Add(-1)
				}
				if i%17 == 0 && tr.Wait(background) != nil {
					heard.Add(-1)
				}
			}
			if tr.Wait(background) != nil {
				heard.Add(-1)
			}
			if got, err := lazy.ToSlice[float32](w); err != nil || int64(got[0]) != good.Load() || got[0] != got[bigSize-1] {
				t.Errorf("model %d: %v after %d good steps: %v", m, got[0], good.Load(), err)
			}
			if heard.Load() != 0 {
				t.Errorf("model %d: %d failures more than reports", m, heard.Load())
			}
		})
	}
	within(t, wg.Wait)
	require.NoError(t, dev.Wait(background))
}
