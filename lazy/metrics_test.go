package lazy_test

import (
	"encoding/json"
	"regexp"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// After one op its counter is 1 and nothing has been compiled or run.
func TestRecordingCompilesNothing(t *testing.T) {
	d := open(t, "eval")
	tr := lazy.NewTrace(d)
	x := lazy.From(tr, []float32{1, 2})
	made := counter(d, "CreateLtcTensor")
	y := x.Tanh()
	require.Equal(t, int64(1), counter(d, "lazy::tanh"))
	require.Equal(t, made+1, counter(d, "CreateLtcTensor"))
	m := d.Metrics()
	for _, name := range []string{"UncachedCompile", "CachedCompile", "MarkStep", "SyncedTensorsWithIR"} {
		_, ok := m.Counter(name)
		require.False(t, ok, name)
	}
	y.Softmax(0)
	y.Softmax(-1)
	require.Equal(t, int64(2), counter(d, "lazy::softmax"))
	_, inner := d.Metrics().Counter("lazy::div")
	require.False(t, inner, "the body of a composite is not the user's")
	require.Equal(t, "lazy::softmax", d.Metrics().Only("lazy::s").CounterNames()[0])
}

func TestCountersCountStepsAndSyncs(t *testing.T) {
	d := open(t, "eval")
	tr := lazy.NewTrace(d)
	w := d.Variable("w", lazy.F32, 2)
	step := func() *lazy.Tensor {
		x := lazy.From(tr, []float32{1, 2})
		y := x.Add(w)
		w.Add_(x)
		require.NoError(t, tr.MarkStep(y, x))
		return y
	}
	for range 5 {
		step()
	}
	m := d.Metrics()
	for name, want := range map[string]int64{
		"MarkStep":            5,
		"UncachedCompile":     1,
		"CachedCompile":       4,
		"SyncedTensorsWithIR": 10, // y and w
		"SyncTensorsToData":   5,  // x
		"DeviceDataCacheMiss": 5,  // x
		"lazy::add":           10,
		"CreateLtcTensor":     15, // x, y, and the result that Add_ writes
	} {
		n, _ := m.Counter(name)
		require.Equal(t, want, n, name)
	}
	require.NotContains(t, m.CounterNames(), "TrieForked", "only what is above 0")
	size, ok := m.Metric("TensorsGraphSize")
	require.True(t, ok)
	require.Equal(t, int64(5), size.TotalSamples)
	require.Equal(t, 20.0, size.Accumulator, "x, w and two sums, each time")
	copied, ok := m.Metric("IrValueTensorToDataHandle")
	require.True(t, ok)
	require.Equal(t, lazy.TimeMetric, copied.Kind)
	require.Equal(t, int64(5), copied.TotalSamples)

	w.Sub_(lazy.From(tr, []float32{1, 2})) // another program
	require.NoError(t, tr.MarkStep())
	require.Equal(t, int64(1), counter(d, "TrieForked"))
}

// Tensors whose step ends without a value for them are gone; those with a value
// are the collector's.
func TestTensorsWithoutValuesAreDestroyedAtMarkStep(t *testing.T) {
	d := open(t, "eval")
	tr := lazy.NewTrace(d)
	x := lazy.From(tr, []float32{1, 2})
	y := x.Exp().Exp().Exp()
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, int64(2), counter(d, "DestroyLtcTensor"))
	require.Equal(t, int64(4), counter(d, "CreateLtcTensor"))
	y.Neg()
	tr.Discard()
	require.Equal(t, int64(3), counter(d, "DestroyLtcTensor"))
}

// A read that waits for a step under way is a sample of DeviceLockWait.
func TestWaitsForARunningStepAreMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, g := openGated(t)
		tr := lazy.NewTrace(d)
		w := d.Variable("w", lazy.F32, bigSize)
		add(t, tr, w, 1)
		_, ok := d.Metrics().Metric("DeviceLockWait")
		require.False(t, ok)
		go func() {
			synctest.Wait() // until the read below does
			time.Sleep(time.Second)
			g.let <- nil
		}()
		_, err := w.Value()
		require.NoError(t, err)
		require.NoError(t, tr.Wait(t.Context()))
		m, ok := d.Metrics().Metric("DeviceLockWait")
		require.True(t, ok)
		require.GreaterOrEqual(t, m.Accumulator, float64(time.Second))
	})
}

// Runs that copied have a sample, those that did not have none.
func TestCopiedBytes(t *testing.T) {
	d := open(t, "flaky")
	tr := lazy.NewTrace(d)
	t.Cleanup(func() { theFlaky.copied.Store(0) })
	for _, c := range []struct{ copied, samples, sum int64 }{{0, 0, 0}, {100, 1, 100}, {0, 1, 100}, {2000, 2, 2100}} {
		theFlaky.copied.Add(c.copied)
		require.NoError(t, tr.MarkStep(lazy.From(tr, []float32{1, 2}).Exp()))
		require.NoError(t, tr.Wait(t.Context()))
		m, ok := d.Metrics().Metric("CopiedBytes")
		require.Equal(t, c.samples > 0, ok)
		require.Equal(t, c.samples, m.TotalSamples)
		require.Equal(t, float64(c.sum), m.Accumulator)
	}
	require.Contains(t, tr.Report().String(), ", 2.1 KiB copied")
	require.Contains(t, d.Metrics().String(), "Metric: CopiedBytes\n  TotalSamples: 2\n  Accumulator: 2.05KB\n")
}

func TestReportHasTheLazyTensorCoresForm(t *testing.T) {
	d := open(t, "eval")
	tr := lazy.NewTrace(d)
	for range 3 {
		require.NoError(t, tr.MarkStep(lazy.From(tr, []float32{1, 2}).Exp()))
	}
	text := d.Metrics().String()
	require.Regexp(t, regexp.MustCompile(`(?m)^Metric: TensorsGraphSize
  TotalSamples: 3
  Accumulator: 6\.00
  ValueRate: [0-9.]+ / second
  Rate: [0-9.e+]+ / second
  Percentiles: 1%=2\.00; 5%=2\.00; 10%=2\.00; 20%=2\.00; 50%=2\.00; 80%=2\.00; 90%=2\.00; 95%=2\.00; 99%=2\.00$`), text)
	require.Regexp(t, regexp.MustCompile(`(?m)^Metric: CompileTime\n  TotalSamples: 1\n  Accumulator: ([0-9]+s)?([0-9]+ms)?[0-9]{3}\.[0-9]{3}us$`), text)
	require.Regexp(t, regexp.MustCompile(`(?m)^Metric: ProgramBytes\n  TotalSamples: 1\n  Accumulator: [0-9]+\.[0-9]{2}KB$`), text)
	require.Contains(t, text, "Counter: lazy::exp\n  Value: 3\n")
	require.NotContains(t, text, "Value: 0\n")
}

// A reset resets counters and metrics, of which upstream one version forgets
// one; percentiles of no samples are none, where upstream reads out of range.
func TestResetForgetsNoMetric(t *testing.T) {
	d := open(t, "eval")
	tr := lazy.NewTrace(d)
	work := func() {
		y := lazy.From(tr, []float32{1, 2}).Exp()
		_, err := y.Value()
		require.NoError(t, err)
		require.NoError(t, tr.MarkStep())
	}
	work()
	before := d.Metrics()
	require.NotEmpty(t, before.Counters)
	require.NotEmpty(t, before.Metrics)
	d.ResetMetrics()
	m := d.Metrics()
	require.Empty(t, m.Counters)
	require.Empty(t, m.Metrics)
	require.Empty(t, m.String())
	_, ok := m.Counter("MarkStep")
	require.False(t, ok)
	require.Contains(t, (lazy.Metric{Name: "Empty"}).String(), "TotalSamples: 0")
	work()
	require.Equal(t, int64(1), counter(d, "lazy::exp"))
	require.Equal(t, int64(1), counter(d, "MarkStep"))
	require.Equal(t, int64(1), counter(d, "CreateLtcTensor")-counter(d, "DeviceDataCacheMiss"))
}

// What a trace has counted outlives it.
func TestMetricsOutliveTheirTrace(t *testing.T) {
	d := open(t, "eval")
	const traces = 50
	for range traces {
		lazy.From(lazy.NewTrace(d), []float32{1}).Exp()
	}
	for range 3 {
		runtime.GC()
		require.Equal(t, int64(traces), counter(d, "lazy::exp"))
	}
}

// Devices count apart, and can be added up.
func TestDevicesCountApart(t *testing.T) {
	a, b := open(t, "eval"), open(t, "null")
	for range 3 {
		lazy.From(lazy.NewTrace(a), []float32{1}).Exp()
	}
	tr := lazy.NewTrace(b)
	require.NoError(t, tr.MarkStep(lazy.From(tr, []float32{1}).Exp()))
	require.Equal(t, int64(3), counter(a, "lazy::exp"))
	require.Equal(t, int64(1), counter(b, "lazy::exp"))
	sum := lazy.SumMetrics(a, b)
	n, _ := sum.Counter("lazy::exp")
	require.Equal(t, int64(4), n)
	m, ok := sum.Metric("IrValueTensorToDataHandle")
	require.True(t, ok)
	require.Equal(t, int64(4), m.TotalSamples)
	require.Equal(t, "eval+null", sum.Device)
	require.Equal(t, []string{"IrValueTensorToDataHandle", "TensorsGraphSize", "CompileTime", "ProgramBytes"}, reorder(sum.MetricNames(), "IrValueTensorToDataHandle"))
	require.Empty(t, lazy.SumMetrics().Counters)
}

// reorder moves name to the front.
func reorder(names []string, name string) []string {
	out := []string{name}
	for _, n := range names {
		if n != name {
			out = append(out, n)
		}
	}
	return out
}

// Metrics are read and reset while traces record.
func TestMetricsAreReadWhileTracesRecord(t *testing.T) {
	d := open(t, "null")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			tr := lazy.NewTrace(d)
			x := lazy.From(tr, []float32{1})
			for range 200 {
				if err := tr.MarkStep(x.Exp()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 50 {
		_ = d.Metrics().String()
		d.ResetMetrics()
	}
	wg.Wait()
	require.LessOrEqual(t, counter(d, "lazy::exp"), int64(800))
}

func TestMetricsAreJSON(t *testing.T) {
	d := open(t, "eval")
	tr := lazy.NewTrace(d)
	require.NoError(t, tr.MarkStep(lazy.From(tr, []float32{1}).Exp()))
	data, err := json.Marshal(d.Metrics())
	require.NoError(t, err)
	var back struct {
		Device   string
		Counters map[string]int64
		Metrics  map[string]struct {
			Samples     int64
			Percentiles map[string]float64
		}
	}
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, "eval", back.Device)
	require.Equal(t, int64(1), back.Counters["lazy::exp"])
	require.Equal(t, 2.0, back.Metrics["TensorsGraphSize"].Percentiles["50%"])
}

// Compiles, failed steps and copies of donated variables are logged.
func TestCompilesFailuresAndCopiesAreLogged(t *testing.T) {
	var log logged
	d := open(t, "flaky", logTo(&log))
	tr := lazy.NewTrace(d)
	tr.NameStep("train")
	w := d.Variable("w", lazy.F32, 2)
	x := lazy.From(tr, []float32{1, 2})
	w.Add_(x)
	require.NoError(t, tr.MarkStep())
	require.NoError(t, tr.Wait(t.Context()))
	require.Len(t, log.of("DEBUG compiled"), 1)
	require.Contains(t, log.of("DEBUG compiled")[0], "device=flaky ops=3")

	_, err := w.Value() // held by who knows
	require.NoError(t, err)
	w.Add_(x)
	require.NoError(t, tr.MarkStep())
	require.NoError(t, tr.Wait(t.Context()))
	require.Len(t, log.of("DEBUG donated memory copied"), 1)
	require.Contains(t, log.of("DEBUG donated memory copied")[0], `variable=w at=metrics_test.go:`)
	require.Equal(t, int64(1), counter(d, "DonationCopy"))

	theFlaky.failures.Store(1)
	w.Add_(x)
	err = tr.MarkStep()
	atOnce := err != nil
	if !atOnce {
		err = tr.Wait(t.Context())
	}
	require.Error(t, err)
	level := "INFO" // of an error that comes back later
	if atOnce {
		level = "DEBUG"
	}
	require.Len(t, log.of(level+" step failed"), 1)
	require.Contains(t, log.of(level + " step failed")[0], "step=3 name=train error=metrics_test.go:")
	require.Equal(t, int64(1), counter(d, "StepFailed"))
}

func BenchmarkMetricSample(b *testing.B) {
	d := open(b, "null")
	tr := lazy.NewTrace(d)
	x := []float32{1}
	b.ReportAllocs()
	for b.Loop() {
		lazy.From(tr, x)
	}
}
