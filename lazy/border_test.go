package lazy_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/backendtest"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// What a backend does against its contract is an error that names it, and leaves
// variables as they were.
func TestBackendsThatBreakTheirContract(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	backendtest.Misbehave(t, b)
}

// A variable that a refused run has written over says so until it gets values. From
// then on the backend gets copies of what it could write over.
func TestVariableOverwrittenByARefusedRun(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	for name, end := range map[string]func(c *backends.Call){
		"refused": func(c *backends.Call) { c.Results[0] = soa.View{} },
		"no list": func(c *backends.Call) { c.Results = nil },
		"swapped": func(c *backends.Call) { c.Results[0], c.Results[1] = c.Results[1], c.Results[0] },
		"short": func(c *backends.Call) {
			for i := range c.Results {
				v := soa.Make(types.Of(types.F32, 4))
				v.Type, v.Strides = c.Results[i].Type, c.Results[i].Strides
				c.Results[i] = v
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			gates.Store(t.Name(), &inPlace{b, end})
			t.Cleanup(func() { gates.Delete(t.Name()) })
			dev := open(t, "flaky:"+t.Name(), lazy.Threads(1))
			tr := lazy.NewTrace(dev)
			w := dev.Variable("w", lazy.F32, 40, 40)
			step := func() error {
				x := tr.Read(w).MulScalar(3)
				w.Add_(lazy.Ones(tr, lazy.F32, 40, 40))
				return tr.MarkStep(x)
			}
			require.ErrorContains(t, step(), "broke its contract")
			for range 2 {
				_, err = w.Value()
				require.ErrorContains(t, err, `variable "w" may have been written over by the run of a backend that broke its contract: give it values again`)
				require.ErrorContains(t, err, "border_test.go:")
			}
			require.ErrorContains(t, step(), "may have been written over")
			w.Init(lazy.Constant(5))
			require.ErrorContains(t, step(), "broke its contract")
			require.Equal(t, float32(5), first(t, w), "the backend had a copy")
		})
	}
}

// A backend that writes a variable though the call has other memory for its next version
// is found out by the result.
func TestVariableOverwrittenDespiteMemoryOfTheCall(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	for name, end := range map[string]func(c *backends.Call){
		"ignored": func(c *backends.Call) { ignoreMemory(c, 0, 0) },
		"arguments exchanged": func(c *backends.Call) {
			c.Args[0], c.Args[1] = c.Args[1], c.Args[0]
			ignoreMemory(c, 0, 0)
			ignoreMemory(c, 1, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			gates.Store(t.Name(), &inPlace{b, end})
			t.Cleanup(func() { gates.Delete(t.Name()) })
			dev := open(t, "flaky:"+t.Name(), lazy.Threads(1))
			tr := lazy.NewTrace(dev)
			w, u := dev.Variable("w", lazy.F32, 40, 40), dev.Variable("u", lazy.F32, 40, 40)
			held := value(t, w) // the step is to write elsewhere
			w.Add_(lazy.Ones(tr, lazy.F32, 40, 40))
			u.Add_(lazy.Ones(tr, lazy.F32, 40, 40))
			require.ErrorContains(t, tr.MarkStep(), "broke its contract")
			_, err = w.Value()
			require.ErrorContains(t, err, `variable "w" may have been written over`)
			runtime.KeepAlive(held)
		})
	}
}

// A backend that writes the shapes of results leaves those of variables and programs.
func TestShapesWrittenByABackendAreRestored(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	x := &inPlace{b, func(c *backends.Call) {
		for i := range c.Results {
			c.Results[i].Type.Shape[0] = 7
		}
	}}
	gates.Store(t.Name(), x)
	t.Cleanup(func() { gates.Delete(t.Name()) })
	dev := open(t, "flaky:"+t.Name(), lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	w, small := dev.Variable("w", lazy.F32, 40, 40), dev.Variable("small", lazy.F32, 4)
	step := func() error {
		root := tr.Read(small).MulScalar(2)
		w.Add_(lazy.Ones(tr, lazy.F32, 40, 40))
		return tr.MarkStep(root)
	}
	require.ErrorContains(t, step(), "broke its contract")
	require.Equal(t, types.Of(types.F32, 40, 40), w.Type())
	w.Init(lazy.Constant(5))
	x.end = func(*backends.Call) {}
	w.Add_(lazy.Ones(tr, lazy.F32, 40, 40)) // another program: the backend has written its own
	require.NoError(t, tr.MarkStep())
	require.Equal(t, float32(6), first(t, w))
}

// A backend that hands out the memory of its last run's result again is refused: roots
// that somebody still has would change.
func TestResultsInMemoryOfAnEarlierRunAreRefused(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	var kept soa.View
	honest := false
	x := &inPlace{b, func(c *backends.Call) {
		if honest {
			return
		}
		if kept.IsZero() {
			kept = c.Results[0]
		}
		_ = soa.Copy(kept, c.Results[0])
		c.Results[0] = kept
	}}
	gates.Store(t.Name(), x)
	t.Cleanup(func() { gates.Delete(t.Name()) })
	dev := open(t, "flaky:"+t.Name(), lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	n := tr.Scalar("n", 1)
	step := func() (*lazy.Tensor, error) {
		y := lazy.Ones(tr, lazy.F32, 1600).Mul(n)
		return y, tr.MarkStep(y)
	}
	_, err = step()
	require.NoError(t, err)
	require.NoError(t, n.Set(2))
	_, err = step()
	require.ErrorContains(t, err, "result 0 is not in memory that Call.Make gave for this run")
	honest = true
	two, err := step()
	require.NoError(t, err)
	require.Equal(t, float32(2), first(t, two))
}

// A run that writes shapes and strides in place has not changed those of variables and
// programs, whatever it returns.
func TestLayoutsWrittenByABackendAreRestored(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	spoil := func(c *backends.Call) {
		for _, all := range [][]soa.View{c.Args, c.Results} {
			for i := range all {
				if len(all[i].Type.Shape) > 0 {
					all[i].Type.Shape[0], all[i].Strides[0] = 7, 7
				}
			}
		}
	}
	for name, end := range map[string]func(c *backends.Call) error{
		"succeeds":     func(c *backends.Call) error { spoil(c); return nil },
		"fails":        func(c *backends.Call) error { spoil(c); return errFlaky },
		"panics":       func(c *backends.Call) error { spoil(c); panic("mine") },
		"other slices": func(c *backends.Call) error { spoil(c); clear(c.Args); return nil },
	} {
		for _, inputs := range []int{1, 6} { // few, and more
			t.Run(fmt.Sprint(name, inputs), func(t *testing.T) {
				x := &replaced{Backend: b, run: end}
				gates.Store(t.Name(), x)
				t.Cleanup(func() { gates.Delete(t.Name()) })
				dev := open(t, "flaky:"+t.Name(), lazy.Threads(1))
				tr := lazy.NewTrace(dev)
				w := lazy.SetValues(dev.Variable("w", lazy.F32, 2, 3), []float32{1, 2, 3, 4, 5, 6})
				crossed := tr.View(w).Transpose(1, 0)
				inside := make([]*lazy.Tensor, inputs)
				for i := range inside {
					inside[i] = lazy.From(dev, []float32{1, 1, 1, 1, 1, 1}, 2, 3)
				}
				step := func() (*lazy.Tensor, error) {
					y := tr.Read(w)
					for _, x := range inside {
						y = y.Add(x)
					}
					return y, tr.MarkStep(y)
				}
				_, err := step()
				require.Error(t, err)
				require.Equal(t, types.Of(types.F32, 2, 3), w.Type())
				require.Equal(t, []float32{1, 2, 3, 4, 5, 6}, floats(t, w))
				require.Equal(t, []float32{1, 1, 1, 1, 1, 1}, floats(t, inside[0]))
				x.run = nil
				y, err := step()
				require.NoError(t, err)
				n := float32(inputs)
				require.Equal(t, []float32{1 + n, 2 + n, 3 + n, 4 + n, 5 + n, 6 + n}, floats(t, y))
				require.Equal(t, []float32{1, 4, 2, 5, 3, 6}, floats(t, crossed))
			})
		}
	}
}

// replaced is a backend whose runs are those of a function, if there is one.
type replaced struct {
	backends.Backend
	run func(*backends.Call) error
}

func (b *replaced) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	e, err := b.Backend.Compile(ctx, m, o)
	return replacedExecutable{e, b}, err
}

type replacedExecutable struct {
	backends.Executable
	b *replaced
}

func (e replacedExecutable) Execute(ctx context.Context, c *backends.Call) error {
	if e.b.run != nil {
		return e.b.run(c)
	}
	return e.Executable.Execute(ctx, c)
}

// With checks on, a run that fails and has written what was donated to it is found out.
func TestFailedRunsThatHaveWrittenAreFoundByChecks(t *testing.T) {
	defer lazy.Checked()()
	b, err := backends.Open("eval")
	require.NoError(t, err)
	for _, written := range []bool{true, false} {
		t.Run(fmt.Sprint(written), func(t *testing.T) {
			x := &replaced{Backend: b, run: func(c *backends.Call) error {
				for i := range c.Args {
					if c.Args[i].Type.Elements() == 1600 && written {
						soa.Slice[float32](c.Args[i])[3] = 9
					}
				}
				return &backends.RunError{Op: 0, Reason: errFlaky}
			}}
			gates.Store(t.Name(), x)
			t.Cleanup(func() { gates.Delete(t.Name()) })
			dev := open(t, "flaky:"+t.Name(), lazy.Threads(1))
			tr := lazy.NewTrace(dev)
			w := dev.Variable("w", lazy.F32, 1600)
			w.Add_(lazy.Ones(tr, lazy.F32, 1600))
			err := tr.MarkStep()
			require.ErrorIs(t, err, errFlaky)
			_, read := w.Value()
			if !written {
				require.NoError(t, read)
				return
			}
			require.ErrorContains(t, err, "a run that fails must write nothing, and this one has written over what was donated to result 0")
			require.ErrorContains(t, read, `variable "w" may have been written over`)
			w.Init(lazy.Constant(2))
			w.Add_(lazy.Ones(tr, lazy.F32, 1600))
			require.ErrorIs(t, tr.MarkStep(), errFlaky)
			require.Equal(t, float32(2), first(t, w), "the backend had a copy")
		})
	}
}

// A run that says that it has failed after it had begun to write makes its variables errors.
func TestVariableOverwrittenByAFailedRun(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	gates.Store(t.Name(), &replaced{Backend: b, run: func(*backends.Call) error {
		return &backends.RunError{Op: 1, Reason: fmt.Errorf("%w: %w", backends.ErrWritten, errFlaky)}
	}})
	t.Cleanup(func() { gates.Delete(t.Name()) })
	dev := open(t, "flaky:"+t.Name(), lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 1600)
	step := func() error {
		w.Add_(lazy.Ones(tr, lazy.F32, 1600))
		return tr.MarkStep()
	}
	require.ErrorIs(t, step(), errFlaky)
	_, err = w.Value()
	require.ErrorContains(t, err, `variable "w" may have been written over by a run that failed after it had begun to write results: give it values again`)
	require.ErrorIs(t, err, backends.ErrWritten)
	w.Init(lazy.Constant(2))
	require.ErrorIs(t, step(), errFlaky)
	require.Equal(t, float32(2), first(t, w), "the backend had a copy")
}

// A failed run that may have written memory of Share makes all tensors errors that show some of it. Those that are
// made of it afterwards are none.
func TestSharesOverwrittenByAFailedRun(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	x := &replaced{Backend: b}
	gates.Store(t.Name(), x)
	t.Cleanup(func() { gates.Delete(t.Name()) })
	tr := lazy.NewTrace(open(t, "flaky:"+t.Name(), lazy.Threads(1)))
	mem := make([]float32, 12)
	tensors := map[string]*lazy.Tensor{}
	share := func(name string, from, to int) *lazy.Tensor {
		tensors[name] = lazy.Share(tr, mem[from:to])
		return tensors[name]
	}
	share("overlaps, earlier", 0, 6)
	share("the same, earlier", 4, 8)
	apart := share("apart", 8, 12)
	share("overlaps the earlier one", 0, 3)
	w := share("w", 4, 8)
	share("the same, later", 4, 8)
	share("overlaps, later", 6, 10)
	view := share("all", 0, 12).Narrow(0, 5, 1)
	tensors["view"] = view
	requireErrors := func(want ...string) {
		t.Helper()
		for name, x := range tensors {
			if _, err := x.Value(); slices.Contains(want, name) {
				require.ErrorContains(t, err, "may have been written over", name)
				require.ErrorIs(t, err, backends.ErrWritten)
			} else {
				require.NoError(t, err, name)
			}
		}
	}
	fail := func(x0 *lazy.Tensor) {
		t.Helper()
		x.run = func(*backends.Call) error {
			return &backends.RunError{Op: 1, Reason: fmt.Errorf("%w: %w", backends.ErrWritten, errFlaky)}
		}
		x0.Add_(lazy.Ones(tr, lazy.F32))
		require.ErrorIs(t, tr.MarkStep(), errFlaky)
		x.run = nil
	}
	requireErrors()
	fail(w)
	hit := []string{"overlaps, earlier", "the same, earlier", "w", "the same, later", "overlaps, later", "all", "view"}
	requireErrors(hit...)
	again := share("of after the failure", 4, 8)
	requireErrors(hit...)
	apart.Fill_(3)
	again.Fill_(4)
	require.NoError(t, tr.MarkStep())
	requireErrors(hit...)
	require.Equal(t, []float32{4, 4, 4, 4, 3, 3, 3, 3}, mem[4:])
	fail(apart)
	requireErrors(append(hit, "apart")...)
}

// ignoreMemory has an argument hold a result, and be it.
func ignoreMemory(c *backends.Call, arg, result int) {
	_ = soa.Copy(c.Args[arg], c.Results[result])
	c.Results[result] = c.Args[arg]
}

// A tensor donated to a run that may have written over it is an error, too.
func TestDonatedTensorOverwrittenByARefusedRun(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	gates.Store(t.Name(), &inPlace{b, func(c *backends.Call) { c.Results = nil }})
	t.Cleanup(func() { gates.Delete(t.Name()) })
	dev := open(t, "flaky:"+t.Name(), lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	step := func() *lazy.Tensor {
		x := lazy.From(tr, make([]float32, 1600))
		require.ErrorContains(t, tr.MarkStep(x.Donate().AddScalar(1)), "broke its contract")
		return x
	}
	_, err = step().Value()
	require.ErrorContains(t, err, "may have been written over")
	require.Equal(t, float32(0), first(t, step()), "the backend had a copy")
}

type inPlace struct {
	backends.Backend
	end func(*backends.Call)
}

func (b *inPlace) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	e, err := b.Backend.Compile(ctx, m, o)
	return inPlaceExecutable{e, b.end}, err
}

type inPlaceExecutable struct {
	backends.Executable
	end func(*backends.Call)
}

func (e inPlaceExecutable) Execute(ctx context.Context, c *backends.Call) error {
	err := e.Executable.Execute(ctx, c)
	e.end(c)
	return err
}

// A hook that panics within a write fails the step that the write is of.
func TestPanicOfANodeHookLosesNoWriteInSilence(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2)
	x := lazy.From(tr, []float32{1, 2})
	for _, op := range []string{"parameter", "add"} {
		remove := tr.OnNode(func(n lazy.NodeInfo) {
			if n.Op == op {
				panic("mine")
			}
		})
		require.PanicsWithValue(t, "mine", func() { w.Add_(x) })
		remove()
		err := tr.MarkStep()
		require.ErrorContains(t, err, "a function given to OnNode panicked when the op was recorded")
		require.ErrorContains(t, err, "border_test.go:")
		require.NoError(t, tr.MarkStep())
		require.Equal(t, float32(0), first(t, w))
	}
	w.Add_(x)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{1, 2}, floats(t, w))
	require.Zero(t, tr.Report().DonationCopies, "nothing is pinned for good")
}

// A closure that ends its goroutine, as FailNow of package testing does, is a failure
// of its step; what is queued goes on.
func TestClosuresThatEndTheirGoroutine(t *testing.T) {
	dev, g := openGated(t)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, bigSize)
	calls := 0
	tr.AfterStep(func(error) { new(testing.T).SkipNow() })
	tr.AfterStep(func(error) { calls++ })
	add(t, tr, w, 1)
	tr.AfterStep(func(error) { calls++ })
	add(t, tr, w, 1)
	go g.pass(2, nil)
	within(t, func() { require.ErrorContains(t, tr.Wait(background), "step 1: a step closure ended its goroutine") })
	require.Equal(t, 2, calls)
	require.Equal(t, float32(2), first(t, w))
}

// An initializer that fails or panics is the error of the steps that use the variable,
// with the user's line, until there are values.
func TestInitializersThatFailAreTheErrorOfTheStep(t *testing.T) {
	for name, f := range map[string]lazy.InitializerFunc{
		"it fails: mine": func(types.Type, func() float64) (func() float64, error) { return nil, errors.New("it fails: mine") },
		"panicked: mine": func(types.Type, func() float64) (func() float64, error) { panic("mine") },
		"panicked: at a number": func(types.Type, func() float64) (func() float64, error) {
			return func() float64 { panic("at a number") }, nil
		},
		"there is no initializer":      nil,
		"neither numbers nor an error": func(types.Type, func() float64) (func() float64, error) { return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			dev := open(t, "eval")
			tr := lazy.NewTrace(dev)
			w := dev.Variable("w", lazy.F32, 2)
			if f == nil {
				w.Init(nil)
			} else {
				w.Init(f)
			}
			for range 2 {
				err := tr.MarkStep(tr.Read(w).AddScalar(1))
				require.ErrorContains(t, err, `variable "w"`)
				require.ErrorContains(t, err, name)
				require.ErrorContains(t, err, "border_test.go:")
			}
			_, err := w.Value()
			require.ErrorContains(t, err, name)
			w.Init(lazy.Constant(3))
			require.Equal(t, float32(3), first(t, w))
		})
	}
}

// A function of ObserveOps that panics is the error of the step, with the op's line.
func TestPanicOfAnObserverIsTheErrorOfTheStep(t *testing.T) {
	dev := open(t, "eval", lazy.ObserveOps(func(lazy.OpRun) { panic("mine") }))
	tr := lazy.NewTrace(dev)
	err := tr.MarkStep(lazy.From(tr, []float32{1}).AddScalar(1))
	require.ErrorContains(t, err, "the function given to ObserveOps panicked: mine")
	require.ErrorContains(t, err, "border_test.go:")
}
