package lazy_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/lazy"
)

// tallied is the evaluator, which counts the exponentials it computes.
type tallied struct {
	backends.Backend
	exps atomic.Int32
}

func openTallied(t *testing.T, opts ...lazy.Option) (*lazy.Device, *atomic.Int32) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	c := &tallied{Backend: b}
	return openOn(t, c, opts...), &c.exps
}

func (c *tallied) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	e, err := c.Backend.Compile(ctx, m, o)
	return talliedExecutable{e, c, int32(strings.Count(m.Text(), "stablehlo.exponential "))}, err
}

type talliedExecutable struct {
	backends.Executable
	c    *tallied
	exps int32
}

func (e talliedExecutable) Execute(ctx context.Context, c *backends.Call) error {
	e.c.exps.Add(e.exps)
	return e.Executable.Execute(ctx, c)
}

// https://github.com/pytorch/xla/pull/9171: a branch on a tensor's value is
// decided when the step is recorded. It is told with its line, once, or is an
// error.
func TestBranchOnATensorIsToldWithItsLine(t *testing.T) {
	var log logged
	d := open(t, "eval", logTo(&log))
	tr := lazy.NewTrace(d)
	forward := func(x *lazy.Tensor) (*lazy.Tensor, error) {
		first, err := x.Mul(x).Narrow(0, 0, 1).Item()
		if err != nil {
			return nil, err
		}
		if first == 1 {
			return x.Neg(), nil
		}
		return x.MulScalar(2), nil
	}
	for _, c := range [][2]float32{{1, -1}, {2, 4}, {1, -1}} {
		y, err := forward(lazy.From(tr, []float32{c[0], 0}))
		require.NoError(t, err)
		require.NoError(t, tr.MarkStep(y))
		require.Equal(t, c[1], floats(t, y)[0])
	}
	require.Len(t, log.of("WARN implicit sync"), 1)
	require.Len(t, tr.Report().ImplicitSyncs, 1)
	require.Equal(t, 3, tr.Report().ImplicitSyncs[0].Count)

	tr.ImplicitSyncs(lazy.RefuseSyncs)
	runs := tr.Report().Runs
	_, err := forward(lazy.From(tr, []float32{1, 0}))
	require.ErrorIs(t, err, lazy.ErrSync)
	require.ErrorContains(t, err, "complaint_test.go:")
	require.Equal(t, runs, tr.Report().Runs)
}

// https://github.com/pytorch/xla/issues/7596 and pull 2770: printing the loss in
// each step made the steps slow, since what was printed was computed twice. What
// is read is computed once, and read as a root it costs no program of its own.
func TestPrintedLossIsComputedOnce(t *testing.T) {
	d, ops := openTallied(t)
	tr := lazy.NewTrace(d)
	w := d.Variable("w", lazy.F32, 3).Init(lazy.Constant(1))
	step := func(read bool) int32 {
		before := ops.Load()
		loss := tr.Read(w).Exp().Sum()
		if read {
			_, err := loss.Item()
			require.NoError(t, err)
		}
		w.Sub_(lazy.Ones(tr, lazy.F32, 3))
		require.NoError(t, tr.MarkStep(loss))
		_, err := loss.Item()
		require.NoError(t, err)
		return ops.Load() - before
	}
	for range 3 {
		require.EqualValues(t, 1, step(false), "one exponential in the step")
		require.EqualValues(t, 1, step(true), "one for the read, none for the step")
	}
}

// https://github.com/pytorch/xla/issues/8499: scalars with equal values were one
// tensor underneath, which a write after a step changed for all.
func TestEqualScalarsAreNotShared(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval", lazy.Threads(1)))
	make42 := map[string]func() *lazy.Tensor{
		"host data": func() *lazy.Tensor { return lazy.From(tr, []float32{42}).Reshape() },
		"argument":  func() *lazy.Tensor { return tr.Scalar("x", 42).Clone().Keep() },
		"constant":  func() *lazy.Tensor { return lazy.Full(tr, lazy.F32, 42).Keep() },
	}
	for name, make := range make42 {
		for range 2 {
			x := make()
			require.NoError(t, tr.MarkStep(), name)
			x.Add_(lazy.Ones(tr, lazy.F32))
			require.NoError(t, tr.MarkStep(), name)
			require.Equal(t, 43.0, x.Float(), name)
		}
		require.Equal(t, 42.0, make().Float(), name)
	}
}

// https://github.com/pytorch/xla/issues/6294: in-place ops made tracing slow. An
// op in place allocates what the op does, and one more.
func TestInPlaceOpsAllocateOneMore(t *testing.T) {
	dev := open(t, "null", lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	tr.Reuse(false)
	const ops = 100
	w := dev.Variable("w", lazy.F32, 8, 8)
	g := lazy.From(tr, make([]float32, 64), 8, 8)
	perOp := testing.AllocsPerRun(100, func() {
		for range ops {
			w.Add_(g)
		}
		_ = tr.MarkStep()
	}) / ops
	require.LessOrEqual(t, perOp, 2.1)
}

// https://github.com/pytorch/xla/pull/8923: what is called again and again with
// the same shapes is traced once.
func TestFuncIsTracedOnce(t *testing.T) {
	dev := open(t, "null", lazy.Threads(1))
	traced := 0
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		traced++
		for range 100 {
			x = x.AddScalar(1).Tanh()
		}
		return x
	})
	x := lazy.From(dev, make([]float32, 8))
	call := func() {
		if _, err := f.Call(background, x); err != nil {
			t.Error(err)
		}
	}
	call()
	require.LessOrEqual(t, testing.AllocsPerRun(100, call), 8.0)
	require.Equal(t, 1, traced)
	require.EqualValues(t, 1, len(f.Report().Compiles))
}

// https://github.com/pytorch/xla/issues/3545: each model brought to a device left
// something on the host.
func TestCopiesBetweenDevicesAreFreed(t *testing.T) {
	host, dev := open(t, "eval", lazy.MemoryCacheLimit(0)), open(t, "eval", lazy.MemoryCacheLimit(0))
	w := host.Variable("w", lazy.F32, mibs(4)...)
	for range 20 {
		x := w.To(dev)
		require.NoError(t, x.Err())
		require.GreaterOrEqual(t, dev.MemoryStats().Live, int64(4*mib))
		runtime.KeepAlive(x)
	}
	require.Eventually(t, func() bool {
		dev.FreeMemoryCache()
		return dev.MemoryStats().Live == 0
	}, 10*time.Second, time.Millisecond)
	require.EqualValues(t, 4*mib, host.MemoryStats().Live)
	runtime.KeepAlive(w)
}

// https://github.com/sugarme/gotch/issues/115: a view made and dropped in a loop,
// in ten goroutines.
func TestViewsDroppedInGoroutinesAreFreed(t *testing.T) {
	dev := open(t, "eval", lazy.Threads(1))
	round := func() {
		var wait sync.WaitGroup
		for range 10 {
			wait.Go(func() {
				tr := lazy.NewTrace(dev)
				for range 300 {
					x := lazy.From(tr, make([]float32, 27), 3, 3, 3)
					x.Transpose(2, 1, 0)
					if err := tr.MarkStep(); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wait.Wait()
	}
	round()
	before := liveHeap()
	for range 3 {
		round()
	}
	after := liveHeap()
	require.Less(t, after, before+before/20+mib/2, "the heap was %d bytes, is %d", before, after)
}

// https://github.com/ml-explore/mlx/issues/114 and
// https://github.com/pytorch/xla/issues/2327: what a step computes is a value when
// it ends: programs do not become longer, and the second step is the first one's
// program, though nothing is ever read.
func TestStepsDoNotChain(t *testing.T) {
	dev := open(t, "null")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 4)
	running := lazy.Zeros(tr, lazy.F32).Keep()
	require.NoError(t, tr.MarkStep())
	for range 50 {
		loss := tr.Read(w).Sum()
		running.Add_(loss)
		w.Sub_(lazy.Grad(loss, w)[0].MulScalar(0.1))
		require.NoError(t, tr.MarkStep())
	}
	r := tr.Report()
	require.Len(t, r.Compiles, 2, "that of the zero, and that of all steps")
	require.EqualValues(t, 49, r.CachedRuns)
	require.Zero(t, r.Syncs())
}

// https://github.com/pytorch/xla/issues/990: learning rate and momentum follow a
// schedule. https://github.com/pytorch/xla/issues/3604: the step in which the
// rate was equal to another scalar was another program.
func TestSchedulesAreOneCompile(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2).Init(lazy.Constant(1))
	v := dev.Variable("v", lazy.F32, 2)
	rate, momentum, eps := tr.Scalar("rate", 0), tr.Scalar("momentum", 0), tr.Scalar("eps", 1e-8)
	want, speed := 1.0, 0.0
	for i := range 100 {
		lr, m := float64(i%10)/100, float64(i%7)/10
		if i%10 == 3 {
			lr, m = 1e-8, 1e-8
		}
		require.NoError(t, rate.Set(lr))
		require.NoError(t, momentum.Set(m))
		g := lazy.Grad(tr.Read(w).Mul(w).Sum(), w)[0]
		v.Assign(tr.Read(v).Mul(momentum).Add(g))
		w.Sub_(tr.Read(v).Mul(rate).Add(eps))
		require.NoError(t, tr.MarkStep())
		speed = speed*m + 2*want
		want -= speed*lr + 1e-8
	}
	require.InDelta(t, want, floats(t, w)[0], 1e-4)
	require.Len(t, tr.Report().Compiles, 1)
	require.EqualValues(t, 99, tr.Report().CachedRuns)
}

// https://github.com/pytorch/xla/issues/3248 and 3942: a number in an op is a
// constant, which the backend can fold; it is no argument.
func TestNumbersInOpsAreConstants(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []float32{2, 3})
	y := x.MulScalar(3).AddScalar(1)
	require.NoError(t, tr.MarkStep(y))
	require.Len(t, tr.Parameters(), 1)
	require.Contains(t, tr.StableHLO(), "dense<3.0")
	require.Equal(t, []float32{7, 10}, floats(t, y))
}

// https://github.com/tinygrad/tinygrad/issues/7020, 6803 and 2417: a compiled
// function returned the same memory at each call.
func TestTwoCallsKeepBothResults(t *testing.T) {
	dev := open(t, "cpu", lazy.Threads(1))
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.AddScalar(1) })
	tr := lazy.NewTrace(dev)
	for name, call := range map[string]func(x *lazy.Tensor) *lazy.Tensor{
		"function": func(x *lazy.Tensor) *lazy.Tensor {
			y, err := f.Call(background, x)
			require.NoError(t, err)
			return y
		},
		"step": func(x *lazy.Tensor) *lazy.Tensor {
			y := tr.Read(x).AddScalar(1)
			require.NoError(t, tr.MarkStep(y))
			return y
		},
	} {
		var results []*lazy.Tensor
		for i := range 5 {
			results = append(results, call(lazy.From(dev, []float32{float32(i)})))
		}
		for i, y := range results {
			require.Equal(t, []float32{float32(i) + 1}, floats(t, y), name)
		}
		a1, a2 := lazy.From(dev, []float32{1.1}), lazy.From(dev, []float32{1.2})
		y1, y2 := call(a1), call(a2)
		equal := tr.Read(y1).Equal(y2)
		require.NoError(t, tr.MarkStep(equal))
		got, err := lazy.ToSlice[bool](equal)
		require.NoError(t, err)
		require.Equal(t, []bool{false}, got, name)
	}
}

// https://github.com/tinygrad/tinygrad/issues/7637: it mattered whether the caller
// kept the result.
func TestDroppedResultsChangeNothing(t *testing.T) {
	dev := open(t, "cpu")
	f := lazy.Func(dev, func(_ *lazy.Trace, x, y *lazy.Tensor) *lazy.Tensor { return x.Add(y) })
	a, b := lazy.From(dev, []float32{1, 2, 3}), lazy.From(dev, []float32{4, 5, 6})
	for range 5 {
		_, err := f.Call(background, a, b)
		require.NoError(t, err)
		c, err := f.Call(background, a, b)
		require.NoError(t, err)
		require.Equal(t, []float32{5, 7, 9}, floats(t, c))
	}
	require.Len(t, f.Report().Compiles, 1)
}

// https://github.com/tinygrad/tinygrad/pull/16620: an assignment that the result
// does not depend on was made at the first call only.
func TestAssignmentsAreReplayed(t *testing.T) {
	dev := open(t, "cpu")
	w := dev.Variable("w", lazy.F32, 2)
	step := lazy.Func(dev, func(_ *lazy.Trace, g *lazy.Tensor) *lazy.Tensor {
		w.Sub_(g.MulScalar(0.5))
		return g.Sum()
	})
	for i := range 5 {
		_, err := step.Call(background, lazy.From(dev, []float32{1, 2}))
		require.NoError(t, err)
		require.Equal(t, []float32{-0.5 * float32(i+1), -float32(i + 1)}, floats(t, w))
	}
}

// https://github.com/tinygrad/tinygrad/issues/14689: what a function returned,
// given to it again, was overwritten while it was read.
func TestResultsFedBackAreNotOverwritten(t *testing.T) {
	const n = 1 << 12
	dev := open(t, "cpu")
	shift := lazy.Func(dev, func(_ *lazy.Trace, buf, next *lazy.Tensor) *lazy.Tensor {
		return lazy.Concatenate(0, buf.Narrow(0, n/2, n/2), next)
	})
	buf := lazy.From(dev, make([]int32, n))
	before := int32(0)
	for i := range 10 {
		data := make([]int32, n/2)
		for k := range data {
			data[k] = int32(i + 1)
		}
		var err error
		buf, err = shift.Call(context.Background(), buf, lazy.From(dev, data))
		require.NoError(t, err)
		got, err := lazy.ToSlice[int32](buf)
		require.NoError(t, err)
		for k, v := range got {
			if want := []int32{before, int32(i + 1)}[k/(n/2)]; v != want {
				t.Fatalf("call %d, element %d: %d, not %d", i, k, v, want)
			}
		}
		before = int32(i + 1)
	}
}
