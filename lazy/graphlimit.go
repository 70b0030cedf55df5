package lazy

import (
	"log/slog"
	"math"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/lazy/internal/metrics"
)

// GraphLimit sets how many nodes a step may have before a warning is logged,
// and at each multiple of it, instead of the environment variable
// LTC_TRIM_GRAPH_SIZE; 0 means never.
//
// The lazy tensor core runs what a step has so far when it grows beyond such a
// limit. Here nothing runs: what a step computes, which of its tensors go stale
// and what a gradient goes through would depend on the limit, and a sync that
// nobody asked for would hide a MarkStep that is missing.
func GraphLimit(nodes int) Option {
	return func(d *Device) { d.graphLimit = graphLimit(nodes) }
}

func graphLimit(nodes int) int {
	if nodes <= 0 {
		return math.MaxInt
	}
	return nodes
}

// grown is called when the step has more nodes than watch.
func (tr *Trace) grown(at callsite.Site) {
	limit := tr.dev.graphLimit
	if tr.watch += limit; tr.watch < 0 {
		tr.watch = math.MaxInt
	}
	tr.dev.metrics.Add(metrics.TrimGraph, 1)
	if tr.dev.growth.first(at) {
		tr.dev.log(slog.LevelWarn, "a step grows without end", slog.String("at", at.String()), slog.Int("nodes", tr.b.Len()), slog.Int("limit", limit),
			slog.String("do", "call MarkStep at the end of each turn of the loop, or raise GraphLimit or "+envGraphLimit.Name))
	}
}

// captured counts, and writes to a file if that is asked for, a program that is
// about to be looked up or compiled.
func (d *Device) captured(g *ir.Graph) {
	d.metrics.Sample(metrics.GraphSize, float64(len(g.Nodes)))
	if d.dumps != nil {
		d.dump(g)
	}
}
