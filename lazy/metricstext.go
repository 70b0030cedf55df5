package lazy

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
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

// MetricKind says how the values of a metric are written.
type MetricKind int

// The kinds of metrics.
const (
	ValueMetric MetricKind = iota // 12.00
	TimeMetric                    // 01s401ms746.001us, of nanoseconds
	BytesMetric                   // 1.55GB, of bytes
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

// Format writes a value of the kind.
func (k MetricKind) Format(v float64) string {
	switch k {
	case TimeMetric:
		return formatTime(v)
	case BytesMetric:
		return formatBytes(v)
	}
	return fmt.Sprintf("%.2f", v)
}

// formatTime writes nanoseconds as 01d02h03m04s005ms006.007us, beginning with
// the largest unit of which there is one.
func formatTime(ns float64) string {
	sign := ""
	if ns < 0 {
		sign, ns = "-", -ns
	}
	ns = math.Round(ns)
	units := [...]struct {
		ns     float64
		width  int
		suffix string
	}{{86400e9, 2, "d"}, {3600e9, 2, "h"}, {60e9, 2, "m"}, {1e9, 2, "s"}, {1e6, 3, "ms"}}
	var b strings.Builder
	b.WriteString(sign)
	for _, u := range units {
		if n := math.Floor(ns / u.ns); n > 0 || b.Len() > len(sign) {
			fmt.Fprintf(&b, "%0*.0f%s", u.width, n, u.suffix)
			ns -= n * u.ns
		}
	}
	fmt.Fprintf(&b, "%07.3fus", ns/1e3)
	return b.String()
}

// formatBytes writes bytes with the largest unit, of 1024 of the one before, of
// which there is one.
func formatBytes(n float64) string {
	units := [...]string{"B", "KB", "MB", "GB", "TB", "PB"}
	i := 0
	for math.Abs(n) >= 1024 && i < len(units)-1 {
		n /= 1024
		i++
	}
	return fmt.Sprintf("%.2f%s", n, units[i])
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
