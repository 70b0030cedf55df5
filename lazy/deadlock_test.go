package lazy_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// nextLine returns the place of the line below the caller's, as errors have it.
func nextLine() string {
	_, file, n, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), n+1)
}

// A step closure waits for a trace whose step waits, itself or through that of a third
// trace, for a later step of the closure's own. The closure gets an error with the lines of
// all, whoever begins to wait last, and the steps run.
func TestClosureWaitsForWhatWaitsForIt(t *testing.T) {
	for _, last := range []string{"closure", "step"} {
		for _, traces := range []int{2, 3} {
			t.Run(fmt.Sprintf("%d traces, %s last", traces, last), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					dev, g := openGated(t)
					own, held := lazy.NewTrace(dev), lazy.NewTrace(dev)
					w := dev.Variable("w", lazy.F32, bigSize)
					begin, ended := make(chan struct{}), make(chan error, 1)
					var root *lazy.Tensor
					var reads string
					own.AfterStep(func(error) {
						<-begin
						reads = nextLine()
						_, err := root.Value()
						ended <- err
					})
					add(t, own, w, 1)
					<-g.began
					if last == "step" {
						require.NoError(t, held.MarkStep(big(held, dev.Variable("u", lazy.F32, bigSize), 1)))
						<-g.began // it waits in the backend
					}
					g.let <- nil // of own, if there are two the other is let go below
					w.Add_(big(own, w, 1))
					lines := []string{nextLine()}
					require.NoError(t, own.MarkStep())
					x := w
					for i := range traces - 1 {
						tr := lazy.NewTrace(dev)
						if i == 0 {
							tr = held
						}
						v := dev.Variable("v", lazy.F32, bigSize)
						root = tr.Read(x).AddScalar(1)
						v.Assign(root)
						lines = append(lines, nextLine())
						require.NoError(t, tr.MarkStep(root))
						x = v
					}
					synctest.Wait()
					close(begin)
					if last == "step" {
						synctest.Wait()
						g.let <- nil
					}
					go g.pass(traces, nil)
					within(t, func() {
						err := <-ended
						require.ErrorIs(t, err, lazy.ErrUsage)
						require.ErrorContains(t, err, reads+": value(): a step closure waits for step ")
						require.ErrorContains(t, err, "only when the closure has returned")
						for _, line := range lines {
							require.ErrorContains(t, err, "marked at "+line)
						}
						require.NoError(t, dev.Wait(background))
					})
					require.Equal(t, float32(2), first(t, w))
					require.Equal(t, float32(1+traces), first(t, root))
				})
			})
		}
	}
}

// Closures of traces that wait for each other: one gets an error, and the others
// go on.
func TestClosuresWaitForEachOther(t *testing.T) {
	for _, traces := range []int{2, 3} {
		dev := open(t, "eval")
		var all []*lazy.Trace
		for range traces {
			all = append(all, lazy.NewTrace(dev))
		}
		var ready sync.WaitGroup
		ready.Add(traces)
		failures := make(chan error, traces)
		for i, tr := range all {
			tr.AfterStep(func(error) {
				ready.Done()
				ready.Wait()
				if err := all[(i+1)%traces].Wait(background); err != nil {
					failures <- err
				}
			})
			add(t, tr, dev.Variable("w", lazy.F32, bigSize), 1)
		}
		within(t, func() { require.NoError(t, dev.Wait(background)) })
		require.Len(t, failures, 1)
		require.ErrorContains(t, <-failures, "which comes after a step closure that waits at deadlock_test.go:")
	}
}

// Marking a step waits while the trace's queue is full: for its closures, too.
func TestClosureMarksStepsOfATraceThatIsFull(t *testing.T) {
	dev, g := openGated(t)
	own, other := lazy.NewTrace(dev), lazy.NewTrace(dev)
	w, v := dev.Variable("w", lazy.F32, bigSize), dev.Variable("v", lazy.F32, bigSize)
	begin, ended := make(chan struct{}), make(chan error, 1)
	own.AfterStep(func(error) {
		<-begin
		v.Add_(big(other, v, 1))
		ended <- other.MarkStep()
	})
	add(t, own, w, 1)
	add(t, own, w, 1)
	for range 4 {
		v.Add_(other.Read(w))
		require.NoError(t, other.MarkStep())
	}
	go g.pass(6, nil)
	close(begin)
	within(t, func() {
		require.ErrorContains(t, <-ended, "mark_step(): a step closure waits for the end of another trace's steps, which comes after step 1 marked at deadlock_test.go:")
		require.NoError(t, dev.Wait(background))
	})
	require.Equal(t, float32(8), first(t, v))
}

// Copies and calls of functions are waited for like steps, across devices.
func TestClosureWaitsForCopiesAndCalls(t *testing.T) {
	dev, g := openGated(t)
	far := open(t, "eval")
	for name, c := range map[string]struct {
		run  func(later *lazy.Tensor, v *lazy.Tensor) *lazy.Tensor
		want string
	}{
		"copy": {func(later, v *lazy.Tensor) *lazy.Tensor { return later.To(far, lazy.Async()) }, "the copy started at deadlock_test.go:"},
		"call": {func(later, v *lazy.Tensor) *lazy.Tensor {
			f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { v.Assign(x); return x })
			go f.Call(background, later)
			var y *lazy.Tensor
			require.Eventually(t, func() bool { // the call has claimed v
				tr := lazy.NewTrace(dev)
				y = tr.Read(v)
				return tr.MarkStep(y) == nil && strings.Contains(y.String(), "on its way")
			}, 10*time.Second, time.Millisecond)
			return y
		}, "a call of a function, which waits at deadlock_test.go:"},
	} {
		t.Run(name, func(t *testing.T) {
			own := lazy.NewTrace(dev)
			w, v := dev.Variable("w", lazy.F32, bigSize), dev.Variable("v", lazy.F32, bigSize)
			begin, ended := make(chan struct{}), make(chan error, 1)
			var x *lazy.Tensor
			own.AfterStep(func(error) {
				<-begin
				_, err := x.Value()
				ended <- err
			})
			add(t, own, w, 1)
			later := own.Read(w).AddScalar(1)
			add(t, own, w, 1, later)
			x = c.run(later, v)
			runs := 2
			if name == "call" {
				runs = 3
			}
			go g.pass(runs, nil)
			close(begin)
			within(t, func() {
				require.ErrorContains(t, <-ended, c.want)
				require.NoError(t, dev.Wait(background))
			})
		})
	}
}

// Two functions that call each other while two goroutines trace them.
func TestFunctionsTracedByEachOther(t *testing.T) {
	dev := open(t, "eval")
	x := lazy.Ones(lazy.NewTrace(dev), lazy.F32, 2)
	require.NoError(t, x.Trace().MarkStep(x))
	var both sync.WaitGroup
	both.Add(2)
	var fs [2]*lazy.Function
	for i := range fs {
		fs[i] = lazy.Func(dev, func(tr *lazy.Trace, y *lazy.Tensor) *lazy.Tensor {
			if y.Dim(0) == 2 {
				both.Done()
				both.Wait()
			}
			z, err := fs[1-i].Call(background, x)
			if err != nil {
				require.ErrorContains(t, err, "this waits for a function that another goroutine traces, which waits at deadlock_test.go:")
				z = x
			}
			return y.Add(z)
		})
	}
	results := make(chan *lazy.Tensor, 2)
	for _, f := range fs {
		go func() {
			y, err := f.Call(background, x)
			if err != nil {
				t.Error(err)
			}
			results <- y
		}()
	}
	within(t, func() {
		sum := first(t, <-results) + first(t, <-results)
		require.Equal(t, float32(2+3), sum, "one called the other, which went without")
	})
}

// Traces whose closures wait at random for each other's results, with steps that
// read each other's variables: whatever they do, all of it ends; and nobody is
// refused a wait that has an end.
func TestRandomWaitsEnd(t *testing.T) {
	const traces, steps = 4, 60
	for _, ordered := range []bool{true, false} {
		dev := open(t, "eval")
		var vars []*lazy.Tensor
		var roots [traces]atomic.Pointer[lazy.Tensor]
		for i := range traces {
			vars = append(vars, dev.Variable(fmt.Sprint("v", i), lazy.F32, bigSize))
		}
		var refused, read atomic.Int64
		var all sync.WaitGroup
		for i := range traces {
			all.Go(func() {
				tr, rng := lazy.NewTrace(dev), rand.New(rand.NewPCG(uint64(i), 1))
				for range steps {
					// In order, steps read variables of lower traces, and
					// closures wait for results of these.
					other, after := rng.IntN(traces), rng.IntN(traces)
					if ordered {
						other, after = rng.IntN(i+1), rng.IntN(i+1)
					}
					tr.AfterStep(func(error) {
						x := roots[after].Load()
						if x == nil || after == i {
							return
						}
						switch _, err := x.Value(); {
						case err == nil:
							read.Add(1)
						case errors.Is(err, lazy.ErrUsage):
							refused.Add(1)
						default:
							t.Error(err)
						}
					})
					root := tr.Read(vars[i]).Add(tr.Read(vars[other]).MulScalar(0)).AddScalar(1)
					vars[i].Assign(root)
					if err := tr.MarkStep(root); err != nil {
						t.Error(err)
					}
					roots[i].Store(root)
				}
				if err := tr.Wait(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		within(t, all.Wait)
		for _, v := range vars {
			require.Equal(t, float32(steps), first(t, v))
		}
		if ordered {
			require.Zero(t, refused.Load(), "of %d", read.Load()+refused.Load())
		}
		t.Log("read", read.Load(), "refused", refused.Load())
	}
}
