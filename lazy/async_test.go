package lazy_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/lazy"
)

// gated is the evaluator, slow on demand: a run waits until the test lets it
// go, and can be told to fail.
type gated struct {
	backends.Backend
	began chan struct{} // a run has begun
	let   chan error    // what the run is to do: fail with the error
}

// gates are the backends that openGated made, by the instance in their name:
// flaky:NAME.
var gates sync.Map

// openGated opens a device whose runs wait for the gate. Its programs run on
// the queue's goroutine: one that is measured short would not.
func openGated(t *testing.T, opts ...lazy.Option) (*lazy.Device, *gated) {
	t.Helper()
	b, err := backends.Open("eval")
	require.NoError(t, err)
	g := &gated{Backend: b, began: make(chan struct{}, 100), let: make(chan error)}
	name := t.Name()
	gates.Store(name, g)
	t.Cleanup(func() { gates.Delete(name) })
	return open(t, "flaky:"+name, opts...), g
}

func (g *gated) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	e, err := g.Backend.Compile(ctx, m, o)
	return gatedExecutable{e, g}, err
}

var errPanic = errors.New("panic instead")

type gatedExecutable struct {
	backends.Executable
	g *gated
}

func (e gatedExecutable) Execute(ctx context.Context, c *backends.Call) error {
	e.g.began <- struct{}{}
	time.Sleep(500 * time.Microsecond) // or it is measured short, and the next run is within MarkStep
	select {
	case err := <-e.g.let:
		if err == errPanic {
			panic("broken")
		}
		if err != nil {
			return &backends.RunError{Op: 1, Reason: err}
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return e.Executable.Execute(ctx, c)
}

// within fails the test when fn does not return soon.
func within(t *testing.T, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); fn() }()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatal("it hangs")
	}
}

// big is a step long enough not to be run within MarkStep: by is added to every
// element of w.
func big(tr *lazy.Trace, w *lazy.Tensor, by float64) *lazy.Tensor {
	return lazy.Full(tr, lazy.F32, by, bigSize).Mul(tr.Read(w).MulScalar(0).AddScalar(1))
}

const bigSize = 1 << 18

func first(t *testing.T, x *lazy.Tensor) float32 { t.Helper(); return floats(t, x)[0] }

// Step N+1 is traced, marked and queued while step N runs.
func TestNextStepIsQueuedWhileOneRuns(t *testing.T) {
	dev, g := openGated(t)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, bigSize)
	w.Add_(big(tr, w, 1))
	require.NoError(t, tr.MarkStep())
	<-g.began
	seen := tr.Read(w).MulScalar(10)
	w.Add_(big(tr, w, 1))
	require.NoError(t, tr.MarkStep(seen)) // while step 1 runs
	require.Equal(t, []int{bigSize}, []int(seen.Shape()), "the type is known")
	require.Contains(t, seen.String(), "on its way")
	g.let <- nil
	<-g.began
	g.let <- nil
	require.Equal(t, float32(10), first(t, seen))
	require.Equal(t, float32(2), first(t, w))
	require.Len(t, tr.Report().Compiles, 2)
	require.Zero(t, tr.Report().Syncs())
}

// A failure comes back once, with the step's number and name, the op and the
// line, and steps behind it are cancelled.
func TestFailuresCancelTheStepsBehind(t *testing.T) {
	for name, report := range map[string]func(tr *lazy.Trace, w, root *lazy.Tensor) error{
		"mark_step": func(tr *lazy.Trace, w, root *lazy.Tensor) error {
			w.Add_(lazy.Ones(tr, lazy.F32, bigSize))
			return tr.MarkStep()
		},
		"wait":     func(tr *lazy.Trace, w, root *lazy.Tensor) error { return tr.Wait(context.Background()) },
		"device":   func(tr *lazy.Trace, w, root *lazy.Tensor) error { return tr.Device().Wait(context.Background()) },
		"root":     func(tr *lazy.Trace, w, root *lazy.Tensor) error { _, err := root.Value(); return err },
		"variable": func(tr *lazy.Trace, w, root *lazy.Tensor) error { _, err := w.Value(); return err },
	} {
		t.Run(name, func(t *testing.T) {
			dev, g := openGated(t)
			tr := lazy.NewTrace(dev)
			tr.NameStep("train")
			w := dev.Variable("w", lazy.F32, bigSize)
			var roots []*lazy.Tensor
			for range 3 { // v1, v2, v3: all fall with the first
				w.Add_(big(tr, w, 1))
				root := tr.Read(w).AddScalar(1)
				require.NoError(t, tr.MarkStep(root))
				roots = append(roots, root)
			}
			<-g.began
			g.let <- errFlaky
			if name == "mark_step" { // the failure has to be there
				require.Eventually(t, func() bool { return !strings.Contains(roots[0].String(), "on its way") }, 10*time.Second, time.Millisecond)
			}
			err := report(tr, w, roots[0])
			require.ErrorIs(t, err, errFlaky)
			var step *lazy.StepError
			require.ErrorAs(t, err, &step)
			if name == "variable" && errors.Is(err, lazy.ErrCancelled) {
				require.Greater(t, step.Step, int64(1)) // it was the version of a later step by then
			} else {
				require.EqualValues(t, 1, step.Step)
			}
			require.Equal(t, "train", step.Name)
			require.Contains(t, err.Error(), "step 1 (train): async_test.go:")
			require.Contains(t, err.Error(), "stablehlo.")

			// Not twice from the trace, whoever else has met it; it goes on from the
			// version before.
			if name == "device" || name == "root" || name == "variable" {
				require.ErrorIs(t, tr.Wait(context.Background()), errFlaky)
			}
			require.NoError(t, tr.Wait(context.Background()))
			require.NoError(t, dev.Wait(context.Background()))
			require.Equal(t, float32(0), first(t, w))
			for i, root := range roots {
				for range 2 { // tensors keep it
					_, err := root.Value()
					require.ErrorIs(t, err, errFlaky)
					require.Equal(t, i > 0, errors.Is(err, lazy.ErrCancelled), err)
				}
			}
			w.Add_(big(tr, w, 5))
			require.NoError(t, tr.MarkStep())
			<-g.began
			g.let <- nil
			require.Equal(t, float32(5), first(t, w))
			require.NoError(t, tr.MarkStep())
		})
	}
}
