package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// A report of a trace counts what the device's does, and the metrics do.
func TestReportsAgree(t *testing.T) {
	d := open(t, "flaky", lazy.ImplicitSyncs(lazy.AllowSyncs))
	t.Cleanup(func() { theFlaky.copied.Store(0) })
	a, b := lazy.NewTrace(d), lazy.NewTrace(d)
	for i, tr := range []*lazy.Trace{a, b, b} {
		theFlaky.copied.Store(int64(100 * i))
		require.NoError(t, tr.MarkStep(lazy.From(tr, []float32{1, 2}).Exp()))
		require.NoError(t, tr.Wait(t.Context()))
	}
	f := lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Tanh() })
	_, err := f.Call(t.Context(), lazy.From(d, []float32{1}))
	require.NoError(t, err)
	lazy.From(b, []float32{1}).Log().Float()

	all := []lazy.Report{a.Report(), b.Report(), f.Report()}
	dev := d.Report()
	sum := func(of func(lazy.Report) int64) (n int64) {
		for _, r := range all {
			n += of(r)
		}
		return n
	}
	require.Equal(t, sum(func(r lazy.Report) int64 { return r.Marks }), dev.Marks)
	require.Equal(t, sum(func(r lazy.Report) int64 { return r.Runs }), dev.Runs)
	require.Equal(t, sum(func(r lazy.Report) int64 { return r.CachedRuns }), dev.CachedRuns)
	require.Equal(t, sum(func(r lazy.Report) int64 { return r.Compiled }), dev.Compiled)
	require.Equal(t, sum(func(r lazy.Report) int64 { return r.CopiedBytes }), dev.CopiedBytes)
	require.Equal(t, sum(func(r lazy.Report) int64 { return int64(r.Syncs()) }), int64(dev.Syncs()))
	require.Equal(t, sum(func(r lazy.Report) int64 { return r.Transfers })+1, dev.Transfers, "one was made on the device")
	require.EqualValues(t, []int64{3, 5, 3, 600}, []int64{dev.Marks, dev.Runs, dev.Compiled, dev.CopiedBytes}, "the backend counts for all three programs at once")
	require.Len(t, dev.Compiles, 3)
	copied, _ := d.Metrics().Metric("CopiedBytes")
	require.EqualValues(t, copied.Accumulator, dev.CopiedBytes)
	made, _ := d.Metrics().Counter("DeviceDataCacheMiss")
	require.Equal(t, made, dev.Transfers)

	d.ResetMetrics()
	require.Equal(t, lazy.Report{}, d.Report())
	require.EqualValues(t, 1, a.Report().Marks)
}

// peakOf is what the evaluator takes for an op of n floats: the argument, the result and, in
// its arena of multiples of 64 bytes, what the op makes.
func peakOf(n int) int64 { return int64(2*4*n + (4*n+63)/64*64) }

// A watch has the largest program of its time, and others may overlap.
func TestWatchPeak(t *testing.T) {
	d := open(t, "eval")
	tr := lazy.NewTrace(d)
	w := d.Variable("w", lazy.F32, 100).Init(lazy.Constant(0))
	run := func(n int) { require.NoError(t, tr.MarkStep(lazy.From(tr, ramp(n)).Exp())) }
	all, device := tr.WatchPeak(), d.WatchPeak()
	run(1000)
	some := tr.WatchPeak()
	run(100)
	require.EqualValues(t, peakOf(100), some())
	none := tr.WatchPeak()
	require.NoError(t, tr.Warmup(lazy.From(tr, ramp(5000)).Exp()))
	tr.Discard()
	require.Zero(t, none(), "Warmup runs nothing")
	require.EqualValues(t, peakOf(1000), all())
	require.EqualValues(t, peakOf(1000), device())
	require.EqualValues(t, peakOf(1000), tr.Report().PeakBytes)

	assigned := tr.WatchPeak()
	w.Assign(tr.Read(w).Exp())
	require.NoError(t, tr.MarkStep())
	require.EqualValues(t, 100*4+448, assigned(), "the result takes over the memory of w")
	w.Assign(tr.Read(w).Exp())
	require.NoError(t, tr.MarkStep())
	require.EqualValues(t, 100*4+448, assigned(), "the watch has ended")

	f := lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Tanh() })
	call := f.WatchPeak()
	_, err := f.Call(t.Context(), lazy.From(d, ramp(10)))
	require.NoError(t, err)
	require.EqualValues(t, peakOf(10), call())
	require.Zero(t, (*lazy.Device)(nil).WatchPeak()())
	require.Zero(t, (*lazy.Function)(nil).WatchPeak()())
}
