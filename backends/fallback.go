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

// ErrFallback is what a [FallbackError] wraps.
var ErrFallback = errors.New("left to the evaluator")

// Fallback is an op for which a backend has no compiled code, so that a slower
// interpreter on the host runs it, the evaluator; or a whole program.
type Fallback struct {
	Op     string // stablehlo.fft; empty: the whole program
	Line   string // of the user's program, train.go:41, or of the text, program:12
	Reason string

	// Where the op is in the text, for [ReportFallbacks] to find the line of. Pos is
	// looked at where Ordinal is below 0.
	Ordinal int
	Pos     mlir.Pos
}

func (f *Fallback) String() string {
	what := f.Op
	if what == "" {
		what = "the whole program"
	}
	return fmt.Sprintf("%s: %s: %s", f.Line, what, f.Reason)
}

// FallbackError lists what of a program a backend leaves to the evaluator. It is a
// warning, or the error of Compile where [Options.Compiled] is set.
type FallbackError struct {
	Backend string
	Program string // Options.Name
	Ops     []Fallback
}

// Whole reports whether the evaluator runs all of the program.
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

// mostListed is how many ops a warning names.
const mostListed = 5

// Log writes e as one warning.
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

// ReportFallbacks is what Compile of a backend calls with what it leaves to the
// evaluator, when it has compiled m: once a program, whatever runs it. It returns the
// error of Compile if the options refuse that, else it warns as they say.
func ReportFallbacks(backend string, m Module, o Options, ops []Fallback) error {
	if len(ops) == 0 {
		return nil
	}
	placeFallbacks(m, o.Name, ops)
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

// placeFallbacks finds the lines of ops that have none.
func placeFallbacks(m Module, name string, ops []Fallback) {
	if name == "" {
		name = "module.mlir"
	}
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
