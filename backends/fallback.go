package backends

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/env"
	"ltc/mlir"
	"ltc/stablehlo"
)

// ErrFallback is wrapped by each [FallbackError].
var ErrFallback = errors.New("left to the evaluator")

// Fallback is an op, or a whole program, that a backend cannot compile. The evaluator, a
// slower interpreter on the host, runs it.
type Fallback struct {
	Op     string // such as stablehlo.fft; empty: the whole program
	Line   string // of the user's program (train.go:41) or of the text (program:12)
	Reason string // why the op is not compiled

	// Ordinal, or Pos if Ordinal is negative, tells where the op is in the text. If Line is
	// empty, [ReportFallbacks] sets Line from this position.
	Ordinal int
	Pos     mlir.Pos
}

// String returns the line, the op and the reason.
func (f *Fallback) String() string {
	what := f.Op
	if what == "" {
		what = "the whole program"
	}
	return fmt.Sprintf("%s: %s: %s", f.Line, what, f.Reason)
}

// FallbackError lists the ops of a program that a backend leaves to the evaluator. A
// FallbackError is a warning, or the error of Compile if [Options.Compiled] is set.
type FallbackError struct {
	Backend string
	Program string // Options.Name
	Ops     []Fallback
}

// Whole reports whether the evaluator runs the whole program.
func (e *FallbackError) Whole() bool { return len(e.Ops) == 1 && e.Ops[0].Op == "" }

func (e *FallbackError) Error() string {
	var b strings.Builder
	switch {
	case e.Whole():
		fmt.Fprintf(&b, "%s: backend %s leaves the whole program to the evaluator, many times slower: %s", e.Ops[0].Line, e.Backend, e.Ops[0].Reason)
		return b.String()
	case len(e.Ops) == 1:
		fmt.Fprintf(&b, "backend %s leaves an op to the evaluator, many times slower: %v", e.Backend, &e.Ops[0])
		return b.String()
	}
	fmt.Fprintf(&b, "backend %s leaves %s to the evaluator, many times slower:", e.Backend, diag.Count(len(e.Ops), "op"))
	for i := range e.Ops {
		fmt.Fprintf(&b, "\n%v", &e.Ops[i])
	}
	return b.String()
}

// Unwrap returns [ErrFallback].
func (e *FallbackError) Unwrap() error { return ErrFallback }

// mostListed is the limit of ops that a warning names.
const mostListed = 5

// Log logs the FallbackError as one warning, with the given attributes.
func (e *FallbackError) Log(to *slog.Logger, attrs ...slog.Attr) {
	first, message := &e.Ops[0], "ops of a program run uncompiled, by the evaluator"
	attrs = append(attrs, slog.String("backend", e.Backend))
	if e.Program != "" {
		attrs = append(attrs, slog.String("program", e.Program))
	}
	if attrs = append(attrs, slog.String("at", first.Line)); e.Whole() {
		message = "a whole program runs uncompiled, by the evaluator"
	} else {
		attrs = append(attrs, slog.Int("ops", len(e.Ops)), slog.String("op", first.Op))
	}
	attrs = append(attrs, slog.String("because", first.Reason))
	if n := len(e.Ops); n > 1 {
		var rest []string
		for i := 1; i < min(n, mostListed); i++ {
			rest = append(rest, e.Ops[i].Op+" at "+e.Ops[i].Line)
		}
		if n > mostListed {
			rest = append(rest, fmt.Sprintf("%d more", n-mostListed))
		}
		attrs = append(attrs, slog.String("others", strings.Join(rest, ", ")))
	}
	attrs = append(attrs, slog.String("do", "write it in ops that are compiled (docs/compiled.md), or make it an error with Compiled or LTC_COMPILED=1"))
	to.LogAttrs(context.Background(), slog.LevelWarn, message, attrs...)
}

// ReportFallbacks reports the ops of m that a backend leaves to the evaluator. Backends call
// ReportFallbacks in Compile, once for each program. If [Options].Compiled or LTC_COMPILED is
// set, ReportFallbacks returns the error that Compile is to return. Otherwise it warns by
// Options.Warn or Options.Logger. If there are no ops, ReportFallbacks does nothing.
func ReportFallbacks(backend string, m Module, o Options, ops []Fallback) error {
	if len(ops) == 0 {
		return nil
	}
	placeFallbacks(m, o.File(), ops)
	e := &FallbackError{Backend: backend, Program: o.Name, Ops: ops}
	switch {
	case o.Compiled || env.Compiled.On():
		return e
	case o.Warn != nil:
		o.Warn(e)
	default:
		e.Log(o.Log())
	}
	return nil
}

// placeFallbacks sets the lines of ops that have none.
func placeFallbacks(m Module, name string, ops []Fallback) {
	missing := false
	for i := range ops {
		missing = missing || ops[i].Line == ""
	}
	if !missing {
		return
	}
	parsed, err := stablehlo.Parse(name, m.Text())
	if err != nil {
		return
	}
	parsed.Walk(func(op *mlir.Op) bool {
		for i := range ops {
			f := &ops[i]
			if f.Line != "" || f.Ordinal != op.Ordinal && (f.Ordinal >= 0 || f.Pos != op.Pos) {
				continue
			}
			if f.Line = LineOf(op.Loc); f.Line == "" {
				f.Line = fmt.Sprintf("%s:%d", name, op.Pos.Line)
			}
		}
		return true
	})
	for i := range ops {
		switch f := &ops[i]; {
		case f.Line == "" && f.Pos.Line > 0:
			f.Line = fmt.Sprintf("%s:%d", name, f.Pos.Line)
		case f.Line == "":
			f.Line = name
		}
	}
}
