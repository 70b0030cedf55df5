package lazy

import (
	"context"
	"log/slog"
	"math"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/account"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/settings"
)

// Logger makes the device log to l; without it, or with nil, that is slog.Default, as it
// is at each record. Warnings come once for each line of the program. They are of implicit
// syncs, reads of variables whose assignments wait for MarkStep, and arguments in which
// CheckNaNs finds NaNs. Others are of steps that grow without end, lines that compile again
// and again, and programs that take over five seconds to compile. Ops that the evaluator
// runs are warned of, and assignments that wait for MarkStep when the device is closed.
// Environment variables without effect are warned of once. Steps that fail in the background
// are information, since their errors come back later. Those whose error MarkStep returns,
// compiles, copies of donated variables and programs dropped from the cache are for debugging.
// What the device's backend logs goes to l, too.
func Logger(l *slog.Logger) Option { return func(d *Device) { d.logger = l } }

// log logs for the device. Callers on hot paths ask logs first, which spares
// them the attributes.
func (d *Device) log(level slog.Level, message string, attrs ...slog.Attr) {
	if d.logs(level) {
		d.slog().LogAttrs(context.Background(), level, message, append([]slog.Attr{slog.String("device", d.name)}, attrs...)...)
	}
}

func (d *Device) logs(level slog.Level) bool { return d.slog().Enabled(context.Background(), level) }

func (d *Device) slog() *slog.Logger {
	if d.logger != nil {
		return d.logger
	}
	return slog.Default()
}

// fellBack counts, and logs once for each line and op, what a backend leaves to the
// evaluator.
func (d *Device) fellBack(e *backends.FallbackError) {
	d.metrics.Add(metrics.Fallback, len(e.Ops))
	fresh := false
	for _, f := range e.Ops {
		fresh = d.fallbacks.First([2]string{f.Line, f.Op}) || fresh
	}
	if fresh {
		e.Log(d.slog(), slog.String("device", d.name))
	}
}

// donationCopied counts and logs that what is donated at a line, by an assignment
// if name is that of a variable, is still read, and that the result gets new
// memory.
func (d *Device) donationCopied(name string, t types.Type, at callsite.Site, by *account.Account) {
	d.count(metrics.DonationCopy, by)
	if d.logs(slog.LevelDebug) {
		d.log(slog.LevelDebug, "donated memory copied", slog.String("variable", name), slog.String("at", at.String()),
			slog.Int("bytes", t.Bytes()), slog.String("because", "it is still read"))
	}
}

// GraphLimit sets how many nodes a step may have before a warning is logged,
// and at each multiple of it, instead of the environment variable
// LTC_TRIM_GRAPH_SIZE; 0 means never.
//
// The lazy tensor core runs what a step has so far when it grows beyond such a limit. Here
// nothing runs. The values that a step computes, its tensors that go stale and the ops that
// a gradient goes through would depend on the limit. A sync that nobody asked for would
// also hide a MarkStep that is missing.
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
	if tr.dev.growth.First(at) {
		tr.dev.log(slog.LevelWarn, "a step grows without end", slog.String("at", at.String()), slog.Int("nodes", tr.b.Len()), slog.Int("limit", limit),
			slog.String("do", "call MarkStep at the end of each turn of the loop, or raise GraphLimit or "+settings.GraphLimit.Name))
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
