package lazy_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
	"ltc/soa"
)

// While another trace's program writes a variable over the version that a closure would
// see, the closure reads what that program makes. What the closure has read already is
// not written over.
func TestClosureReadsNoVersionThatIsWrittenOver(t *testing.T) {
	for _, one := range []string{"closure", "program"} {
		t.Run(one+" first", func(t *testing.T) {
			dev, gate := openGated(t)
			own, other := lazy.NewTrace(dev), lazy.NewTrace(dev)
			w, v := dev.Variable("w", lazy.F32, bigSize), dev.Variable("v", lazy.F32, bigSize)
			go gate.pass(2, nil)
			add(t, own, v, 1)
			require.NoError(t, own.Wait(background))
			add(t, other, w, 1)
			require.NoError(t, other.Wait(background))

			read, resume := make(chan struct{}), make(chan struct{})
			begin := make(chan struct{})
			var was, is float32
			own.AfterStep(func(error) {
				<-begin
				view, err := w.Value()
				if err != nil {
					t.Error(err)
				}
				s := soa.Slice[float32](view)
				was = s[0]
				close(read)
				<-resume
				is = s[0]
			})
			add(t, own, v, 1)
			gate.pass(1, nil) // the closure waits to begin
			if one == "closure" {
				// The step is claimed behind one that keeps it from running.
				held := lazy.NewTrace(dev)
				hold := dev.Variable("hold", lazy.F32, bigSize)
				add(t, held, hold, 1)
				<-gate.began
				w.Add_(big(other, w, 1).Mul(other.Read(hold)))
				require.NoError(t, other.MarkStep())
				close(begin)
				<-read
				gate.let <- nil // held's
				gate.pass(1, nil)
			} else {
				add(t, other, w, 1)
				<-gate.began // it has w's memory
				close(begin)
				select {
				case <-read:
					t.Error("the closure has read memory that is being written")
				case <-time.After(50 * time.Millisecond):
				}
				gate.let <- nil
				<-read
			}
			within(t, func() { require.NoError(t, other.Wait(background)) })
			close(resume)
			within(t, func() { require.NoError(t, dev.Wait(background)) })
			want, copies := float32(2), int64(0)
			if one == "closure" {
				want, copies = 1, 1
			}
			require.Equal(t, want, was)
			require.Equal(t, was, is, "the view has not changed")
			require.Equal(t, copies, other.Report().DonationCopies)
			require.Equal(t, float32(2), first(t, w))
		})
	}
}

// Traces that share a variable read it in closures, also while others write it. What a
// closure reads is one version: all its elements are the same.
func TestClosuresReadWholeVersions(t *testing.T) {
	for _, name := range []string{"eval", "cpu"} {
		t.Run(name, func(t *testing.T) {
			dev := open(t, name)
			w := dev.Variable("w", lazy.F32, bigSize)
			whole := func(x []float32) {
				if x[0] != x[len(x)-1] || x[0] != x[len(x)/2] {
					t.Errorf("a torn read: %v, %v and %v", x[0], x[len(x)/2], x[len(x)-1])
				}
			}
			var wg sync.WaitGroup
			for m := range 3 {
				wg.Go(func() {
					tr := lazy.NewTrace(dev)
					rng := rand.New(rand.NewPCG(uint64(m), 7))
					var views [][]float32 // that closures have not let go of
					for i := range trials.Of(150) {
						for range rng.IntN(3) {
							hold := rng.IntN(4) == 0
							tr.AfterStep(func(error) {
								if !hold {
									if x, err := lazy.ToSlice[float32](w); err == nil { // or it would wait without end
										whole(x)
									}
									return
								}
								if v, err := w.Value(); err == nil {
									views = append(views, soa.Slice[float32](v))
								}
							})
						}
						w.Add_(big(tr, w, 1))
						if err := tr.MarkStep(); err != nil && !errors.Is(err, lazy.ErrConflict) {
							t.Error(err)
						}
						if rng.IntN(8) == 0 || i%16 == 15 {
							if err := tr.Wait(background); err != nil {
								t.Error(err)
							}
							for _, x := range views {
								whole(x)
							}
							views = nil
						}
					}
					if err := tr.Wait(background); err != nil {
						t.Error(err)
					}
				})
			}
			within(t, wg.Wait)
			x := floats(t, w)
			whole(x)
		})
	}
}

// Variables that a step gives as roots are in its closures what they were when it read
// them, whatever other traces have assigned since.
func TestRootsThatAreVariablesStayAsTheyWereRead(t *testing.T) {
	dev, g := openGated(t)
	own, other := lazy.NewTrace(dev), lazy.NewTrace(dev)
	v, w := dev.Variable("v", lazy.F32, bigSize), dev.Variable("w", lazy.F32, bigSize)
	a, b := own.Read(v), own.Read(w)
	var seen []float32
	own.AfterStep(func(error) {
		for _, x := range []*lazy.Tensor{a, b} {
			if all, err := lazy.ToSlice[float32](x); err == nil {
				seen = append(seen, all[0])
			}
		}
	})
	v.Add_(big(other, v, 1))
	w.Add_(big(other, w, 1))
	require.NoError(t, other.MarkStep())
	require.NoError(t, own.MarkStep(a, b))
	g.pass(1, nil)
	within(t, func() { require.NoError(t, dev.Wait(background)) })
	require.Equal(t, []float32{0, 0}, seen)
	require.Equal(t, []float32{1, 1}, []float32{first(t, v), first(t, w)})
}

// Closures behind one that ends the goroutine of MarkStep are called all the same, and
// what the step has written stays.
func TestClosuresBehindOneThatEndsMarkSteps(t *testing.T) {
	dev := open(t, "eval", lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	x, w := lazy.From(tr, []float32{1, 2}), dev.Variable("w", lazy.F32, 2)
	var calls []int
	for i := range 4 {
		tr.AfterStep(func(failed error) {
			calls = append(calls, i)
			if failed != nil {
				t.Error(failed)
			}
			if i%2 == 0 {
				runtime.Goexit()
			}
		})
	}
	x.Add_(lazy.Ones(tr, lazy.F32, 2))
	w.Add_(x)
	away(t, func() { tr.MarkStep() })
	require.Equal(t, []int{0, 1, 2, 3}, calls)
	require.Equal(t, []float32{2, 3}, floats(t, x))
	require.Equal(t, []float32{2, 3}, floats(t, w))
	require.ErrorContains(t, tr.Wait(background), "a step closure ended its goroutine")
	w.Add_(x)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{4, 6}, floats(t, w))
}
