package lazy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/lazy"
)

// twoLayers records two layers of width 256, of which w is assigned, and returns their sum.
func twoLayers(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor {
	x := lazy.From(tr, make([]float32, 64*256), 64, 256).Named("x")
	h := x.MatMul(w).Tanh()
	y := h.MatMul(w).Softmax(1)
	w.Assign(tr.Read(w).Sub(x.Transpose(1, 0).MatMul(y)))
	return y.Sum()
}

// The plan is what runs take, and has the lines of what is in memory at the peak.
func TestMemoryPlan(t *testing.T) {
	dev := open(t, "cpu", lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 256, 256).Init(lazy.Constant(1))
	plan, err := tr.MemoryPlan(twoLayers(tr, w))
	require.NoError(t, err)
	require.Zero(t, tr.Report().Runs)
	require.EqualValues(t, 4*(64*256+256*256), plan.Arguments)
	require.EqualValues(t, 4, plan.Results, "the new w takes over the memory of w")
	require.GreaterOrEqual(t, plan.Workspace, int64(2*4*64*256))
	require.Equal(t, plan.Arguments+plan.Results+plan.Workspace, plan.Peak())
	require.GreaterOrEqual(t, len(plan.Steps), 3)
	for _, s := range plan.Steps {
		require.NotEmpty(t, s.What)
		require.Contains(t, s.Line, "memoryplan_test.go:")
		require.LessOrEqual(t, s.Live, plan.Peak()+64)
		require.GreaterOrEqual(t, s.Live, plan.Arguments)
	}
	at := plan.AtPeak()
	require.Equal(t, "w", at[0].Name)
	require.Equal(t, backends.ArgumentValue, at[0].Kind)
	require.Equal(t, "memoryplan_test.go:16", at[0].Line)
	temporaries, live := 0, int64(0)
	for _, v := range at {
		live += int64(v.Type.Bytes())
		if v.Kind == backends.TemporaryValue {
			require.Contains(t, v.Line, "memoryplan_test.go:1")
			temporaries++
		}
	}
	require.Equal(t, 2, temporaries, "h and what the second product makes of it")
	require.Equal(t, plan.Steps[plan.PeakStep()].Live, live)
	text := plan.String()
	require.Contains(t, text, "* step 1     448.0 KiB  matmul f32 64×256×256  memoryplan_test.go:17\n")
	require.Contains(t, text, "\n   256.0 KiB  argument   f32[256,256] \"w\"  memoryplan_test.go:16\n")

	tr.Discard()
	watch := tr.WatchPeak()
	require.NoError(t, tr.MarkStep(twoLayers(tr, w)))
	require.Equal(t, plan.Peak(), watch())

	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Exp() })
	plan, err = f.MemoryPlan(t.Context(), lazy.From(dev, ramp(100)))
	require.NoError(t, err)
	require.EqualValues(t, []int64{400, 400}, []int64{plan.Arguments, plan.Results})
}

// The evaluator has no steps, and a step without work no plan.
func TestMemoryPlanWithoutSteps(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	plan, err := tr.MemoryPlan()
	require.NoError(t, err)
	require.Zero(t, plan.Peak())
	plan, err = tr.MemoryPlan(lazy.From(tr, ramp(100)).Exp())
	require.NoError(t, err)
	require.EqualValues(t, peakOf(100), plan.Peak())
	require.Empty(t, plan.Steps)
	require.Len(t, plan.Values, 2)
	require.Contains(t, plan.String(), "the backend does not tell the steps")
	require.Contains(t, plan.String(), "400 B  argument   f32[100]  memoryplan_test.go:76\n")
}

// A program beyond the limit is refused before it runs, each time, and changes nothing.
func TestMaxBytes(t *testing.T) {
	for _, device := range []string{"cpu", "eval"} {
		t.Run(device, func(t *testing.T) {
			free := open(t, device, lazy.Threads(1))
			any := lazy.NewTrace(free)
			plan, err := any.MemoryPlan(twoLayers(any, free.Variable("w", lazy.F32, 256, 256).Init(lazy.Constant(1))))
			require.NoError(t, err)

			for _, limit := range []int64{plan.Peak() - 1, plan.Peak()} {
				dev := open(t, device, lazy.Threads(1), lazy.MaxBytes(limit), lazy.ImplicitSyncs(lazy.AllowSyncs))
				tr := lazy.NewTrace(dev)
				w := dev.Variable("w", lazy.F32, 256, 256).Init(lazy.Constant(1))
				for range 2 {
					warm := tr.Warmup(twoLayers(tr, w))
					tr.Discard()
					before := tr.Report().Runs
					err := tr.MarkStep(twoLayers(tr, w))
					if limit == plan.Peak() {
						require.NoError(t, warm)
						require.NoError(t, err)
						continue
					}
					require.ErrorIs(t, warm, lazy.ErrMemory)
					require.ErrorIs(t, err, lazy.ErrMemory)
					require.Equal(t, before, tr.Report().Runs)
					require.Regexp(t, `^memoryplan_test\.go:\d+: warmup\(\): a run of the program takes `, warm.Error())
					require.Regexp(t, `^memoryplan_test\.go:\d+: mark_step\(\): a run of the program takes `, err.Error())
					require.Contains(t, err.Error(), `argument 256.0 KiB of f32[256,256] "w", memoryplan_test.go:16`)
					require.Contains(t, err.Error(), "MaxBytes allows")
					require.EqualValues(t, 1, floats(t, w)[0])
					require.EqualValues(t, 1, tr.Report().Compiled, "it is compiled once")
					again, err := tr.MemoryPlan(twoLayers(tr, w))
					require.NoError(t, err, "which tells why")
					require.Equal(t, plan.Peak(), again.Peak())
					tr.Discard()
				}
			}
		})
	}
}

// The error names the line of the call, which every program has.
func TestMaxBytesOfLoops(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu", lazy.MaxBytes(100)))
	_, rows := lazy.Scan(func(_ *lazy.Trace, carry, xs []*lazy.Tensor) (next, ys []*lazy.Tensor) {
		y := carry[0].Add(xs[0])
		return []*lazy.Tensor{y}, []*lazy.Tensor{y, y.Convert(lazy.F64)}
	}, []*lazy.Tensor{lazy.Zeros(tr, lazy.F32)}, []*lazy.Tensor{lazy.From(tr, ramp(100))}, lazy.ScanOptions{})
	err := tr.MarkStep(rows...)
	require.ErrorIs(t, err, lazy.ErrMemory)
	require.Regexp(t, `^memoryplan_test.go:\d+: mark_step\(\): a run of the program takes`, err.Error())
}

func TestMaxBytesOfReadsAndCalls(t *testing.T) {
	dev := open(t, "eval", lazy.MaxBytes(peakOf(100)), lazy.ImplicitSyncs(lazy.AllowSyncs))
	tr := lazy.NewTrace(dev)
	_, err := lazy.From(tr, ramp(100)).Exp().Value()
	require.NoError(t, err)
	_, err = lazy.From(tr, ramp(101)).Exp().Value()
	require.ErrorIs(t, err, lazy.ErrMemory)
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Tanh() })
	_, err = f.Call(t.Context(), lazy.From(dev, ramp(100)))
	require.NoError(t, err)
	_, err = f.Call(t.Context(), lazy.From(dev, ramp(101)))
	require.ErrorIs(t, err, lazy.ErrMemory)
	require.ErrorIs(t, f.Warmup(t.Context(), lazy.From(dev, ramp(102))), lazy.ErrMemory)
	require.False(t, strings.Contains(err.Error(), " at :"))
}
