package lazy

import (
	"context"
	"log/slog"
	"math"
	"time"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/programs"
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

// slowCompile is from how long on a compile is warned of. compileAdvice says what to do.
const (
	slowCompile   = 5 * time.Second
	compileAdvice = "mark steps more often, so that programs are smaller, or compile this one with Warmup before it is needed"
)

// purpose is what a program is compiled for.
type purpose struct {
	warm bool   // no line: Warmup
	read string // the op whose result a line reads in the midst of its step; "" if it does not
}

// compiled counts and logs a compile for a line of the program.
func (d *Device) compiled(p *programs.Program, by *counters, at callsite.Site, why purpose) {
	x := compile{Compile: Compile{Ops: len(p.Graph.Nodes), Took: p.Took}}
	if why.warm {
		d.history.Warm(p, at)
	} else {
		x.At, x.stack = at.String(), callsite.Stack(maxStack)
		d.explain(&x, p, by, at, why)
	}
	by.compiled(&x)
	d.all.compiled(&x)
	d.metrics.Add(metrics.UncachedCompile, 1)
	d.metrics.Sample(metrics.CompileTime, float64(p.Took))
	d.metrics.Sample(metrics.ProgramSize, float64(p.Bytes()))
	if p.Took > slowCompile && !why.warm {
		d.log(slog.LevelWarn, "a program took long to compile", slog.String("at", at.String()), slog.Duration("took", p.Took),
			slog.Int("ops", len(p.Graph.Nodes)), slog.String("do", compileAdvice))
	}
	if !d.logs(slog.LevelDebug) {
		return
	}
	d.log(slog.LevelDebug, "compiled", slog.Int("ops", len(p.Graph.Nodes)), slog.Int("text", len(p.Text)), slog.Duration("took", p.Took))
	if e := x.explanation(); e != nil { // without a number: each trace has its own
		d.log(slog.LevelDebug, "compiled again", slog.String("at", e.At), slog.Duration("took", e.Took), slog.Int("ops", e.Ops), slog.String("kind", e.Kind.String()),
			slog.String("differs", e.What), slog.String("recorded", e.Now), slog.String("before", e.Was), slog.String("nearest", e.Nearest), slog.String("do", e.Do))
	}
}

// compiledFor says what of a compile its explanation depends on.
func (d *Device) compiledFor(p *programs.Program, by *counters, at callsite.Site, why purpose) programs.Compiled {
	return programs.Compiled{
		Program: p, At: at, Call: by.calls, Read: why.read, Found: d.metrics.Count(metrics.CachedCompile), Setting: d.setting(),
		Others: func() []*programs.Program { return d.programs.Recent(programs.Near) },
	}
}

// explain finds out why a program was compiled. It warns when a line compiles too often.
func (d *Device) explain(x *compile, p *programs.Program, by *counters, at callsite.Site, why purpose) {
	c := d.history.Note(d.compiledFor(p, by, at, why))
	if c.Do == "" {
		return
	}
	x.change, x.Reason = &c, c.String()
	if x.again = !c.First; c.First {
		return
	}
	d.metrics.Add(metrics.Recompile, 1)
	if c.Storm {
		d.log(slog.LevelWarn, "a line compiles again and again", slog.String("at", at.String()), slog.Int("compiles", c.Compiles),
			slog.Int64("cached", c.Cached), slog.String("kind", c.Kind.String()), slog.String("differs", c.What), slog.String("recorded", c.Now.String()),
			slog.String("before", c.Was.String()), slog.String("do", c.Do))
	}
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
func (d *Device) donationCopied(name string, t types.Type, at callsite.Site, by *counters) {
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
