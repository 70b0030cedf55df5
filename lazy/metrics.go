package lazy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"ltc/ir"
	"ltc/ir/ops"
	"ltc/lazy/internal/account"
	"ltc/lazy/internal/metrics"
)

// Metrics is what a device has counted and sampled. The names are those of the
// lazy tensor core where it has one for the same; docs/metrics.md lists them.
type Metrics struct {
	Device   string
	Counters []Counter // by name; only those above 0
	Metrics  []Metric  // only those with samples
}

// Counter is a number that only grows, until it is reset.
type Counter struct {
	Name  string
	Value int64
}

// MetricKind says how the values of a metric are written; its Format does so.
type MetricKind = metrics.Kind

// The kinds of metrics.
const (
	ValueMetric = metrics.Value // 12.00
	TimeMetric  = metrics.Time  // 01s401ms746.001us, of nanoseconds
	BytesMetric = metrics.Bytes // 1.55GB, of bytes
)

// Metric is a quantity of which there are many samples. Rates and percentiles
// are of the latest 1024 of them, the other fields of all.
type Metric struct {
	Name         string
	Kind         MetricKind
	TotalSamples int64
	Accumulator  float64      // their sum
	ValueRate    float64      // sum a second; 0 if unknown
	Rate         float64      // samples a second; 0 if unknown
	Percentiles  []Percentile // none without samples
}

// Percentile is the value below which a part of the samples lies.
type Percentile struct {
	Part  float64 // 0.5 for the median
	Value float64
}

func (c Counter) name() string { return c.Name }
func (x Metric) name() string  { return x.Name }

// names returns the names of all.
func names[T interface{ name() string }](all []T) (names []string) {
	for _, x := range all {
		names = append(names, x.name())
	}
	return names
}

// named returns the one of that name.
func named[T interface{ name() string }](all []T, name string) (x T, ok bool) {
	for _, x := range all {
		if x.name() == name {
			return x, true
		}
	}
	return x, false
}

// CounterNames returns the names of the counters above 0.
func (m Metrics) CounterNames() []string { return names(m.Counters) }

// Counter returns the counter of that name; ok is false when nothing was
// counted under it.
func (m Metrics) Counter(name string) (n int64, ok bool) {
	c, ok := named(m.Counters, name)
	return c.Value, ok
}

// MetricNames returns the names of the metrics that have samples.
func (m Metrics) MetricNames() []string { return names(m.Metrics) }

// Metric returns the metric of that name; ok is false when it has no samples.
func (m Metrics) Metric(name string) (x Metric, ok bool) { return named(m.Metrics, name) }

// String prints the metrics as blocks of lines, in the format of the lazy
// tensor core's metrics report.
func (m Metrics) String() string {
	var b strings.Builder
	for _, x := range m.Metrics {
		b.WriteString(x.String())
	}
	for _, c := range m.Counters {
		fmt.Fprintf(&b, "Counter: %s\n  Value: %d\n", c.Name, c.Value)
	}
	return b.String()
}

// Only returns the metrics whose names start with one of the prefixes.
func (m Metrics) Only(prefixes ...string) Metrics {
	return Metrics{m.Device, only(m.Counters, prefixes), only(m.Metrics, prefixes)}
}

// only returns those whose names start with one of the prefixes.
func only[T interface{ name() string }](all []T, prefixes []string) (some []T) {
	for _, x := range all {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(x.name(), p) }) {
			some = append(some, x)
		}
	}
	return some
}

// String prints the metric as a block of lines.
func (x Metric) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Metric: %s\n  TotalSamples: %d\n  Accumulator: %s\n", x.Name, x.TotalSamples, x.Kind.Format(x.Accumulator))
	if x.Rate > 0 {
		fmt.Fprintf(&b, "  ValueRate: %s / second\n  Rate: %g / second\n", x.Kind.Format(x.ValueRate), x.Rate)
	}
	if len(x.Percentiles) > 0 {
		b.WriteString("  Percentiles: ")
		for i, p := range x.Percentiles {
			if i > 0 {
				b.WriteString("; ")
			}
			fmt.Fprintf(&b, "%g%%=%s", 100*p.Part, x.Kind.Format(p.Value))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// MarshalJSON writes the metrics as an object with the device's name, one of
// counters by name and one of metrics by name: for expvar and its like.
func (m Metrics) MarshalJSON() ([]byte, error) {
	type sampled struct {
		Samples     int64              `json:"samples"`
		Sum         float64            `json:"sum"`
		Percentiles map[string]float64 `json:"percentiles"`
	}
	out := struct {
		Device   string             `json:"device"`
		Counters map[string]int64   `json:"counters"`
		Metrics  map[string]sampled `json:"metrics"`
	}{m.Device, map[string]int64{}, map[string]sampled{}}
	for _, c := range m.Counters {
		out.Counters[c.Name] = c.Value
	}
	for _, x := range m.Metrics {
		s := sampled{x.TotalSamples, x.Accumulator, map[string]float64{}}
		for _, p := range x.Percentiles {
			s.Percentiles[fmt.Sprintf("%g%%", 100*p.Part)] = p.Value
		}
		out.Metrics[x.Name] = s
	}
	return json.Marshal(out)
}

// opName is the name under which op i is counted. Composites follow the ops of
// the table.
func opName(i int) string {
	if i < len(ops.Table) {
		return "lazy::" + ir.Op(i).String()
	}
	composites.Lock()
	defer composites.Unlock()
	return "lazy::" + composites.names[i-len(ops.Table)]
}

// tally counts what a trace records, and knows the variable that its step has assigned first.
type tally struct {
	metrics.Tally
	waiting atomic.Pointer[variable] // until the step is marked
}

func newTally() *tally {
	composites.Lock()
	defer composites.Unlock()
	return &tally{Tally: metrics.NewTally(len(ops.Table) + len(composites.names))}
}

// registered adds the trace's tally to those of its device for as long as the trace
// is reachable, and its sums for ever.
func (tr *Trace) registered() *Trace {
	m, t := tr.dev.metrics, tr.tally
	m.Join(&t.Tally, t.unmarked)
	runtime.AddCleanup(tr, m.Leave, &t.Tally)
	return tr
}

// count counts for the device and for the trace or function that it was for.
func (d *Device) count(c metrics.Counter, by *account.Account[SyncReason]) {
	by.Counts[c].Add(1)
	d.metrics.Add(c, 1)
}

// Metrics returns what the device has counted and sampled since it was opened
// or [Device.ResetMetrics] was called. It may be called from any goroutine, as
// may ResetMetrics; ops that are being recorded meanwhile count or not.
func (d *Device) Metrics() Metrics { return SumMetrics(d) }

// ResetMetrics sets all counters and metrics of the device to nothing, and its Report.
func (d *Device) ResetMetrics() {
	if d.opens() {
		d.metrics.Reset()
		d.all.Reset()
	}
}

// SumMetrics returns what several devices have counted and sampled, added up.
func SumMetrics(devices ...*Device) Metrics {
	var m Metrics
	var all metrics.Snapshot
	for _, d := range devices {
		if !d.opens() {
			continue
		}
		s := d.metrics.Snapshot(opName)
		if all.Counters == nil {
			m.Device, all = d.name, s
		} else {
			m.Device, all = m.Device+"+"+d.name, all.Join(s)
		}
	}
	for name, n := range all.Counters {
		if n > 0 {
			m.Counters = append(m.Counters, Counter{name, n})
		}
	}
	slices.SortFunc(m.Counters, func(a, b Counter) int { return cmp.Compare(a.Name, b.Name) })
	for i, s := range all.Sampled {
		if s.Total == 0 {
			continue
		}
		row := metrics.Quantities[i]
		x := Metric{Name: row.Name, Kind: row.Kind, TotalSamples: s.Total, Accumulator: s.Sum}
		x.ValueRate, x.Rate = s.Rates()
		for k, v := range s.Below() {
			x.Percentiles = append(x.Percentiles, Percentile{metrics.Percentiles[k], v})
		}
		m.Metrics = append(m.Metrics, x)
	}
	return m
}
