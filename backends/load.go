package backends

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// Program is a module that was parsed and verified, for a backend to compile.
type Program struct {
	File      string       // the name of the text in errors
	Module    *mlir.Module // the backend owns it and may change it
	Signature *Signature   // of main
	Threads   int          // the most threads that a run may use; 0: the backend's default
	// Lacking lists arguments and results of main of a type that no view can have: see [TypeOf].
	// A backend appends the ops that it cannot run, and reports the whole list by [Unsupported].
	Lacking []UnsupportedOp

	lines []string // of the text
}

// Load parses and verifies a module and reads the signature of main. A backend's Compile begins
// with a call of Load. The error is the cause of ctx, a mistake of the text with its position
// (*[mlir.Error] or [mlir.Errors]), or an invalid option.
//
//	func (c *chip) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
//		p, err := backends.Load(ctx, m, o)
//		if err != nil {
//			return nil, err
//		}
//		lacking := p.Lacking
//		… // prepare the ops of p.Module.Func("main"), adding those that are lacking
//		if err := backends.Unsupported(c.Name(), p.File, lacking); err != nil {
//			return nil, err
//		}
//		…
//	}
func Load(ctx context.Context, m Module, o Options) (*Program, error) {
	return load(ctx, m, o, ReadSignature)
}

// LoadOpen is [Load] for a backend that runs programs with open sizes. An open size is [AnySize]
// in the signature.
func LoadOpen(ctx context.Context, m Module, o Options) (*Program, error) {
	return load(ctx, m, o, ReadOpenSignature)
}

func load(ctx context.Context, m Module, o Options, read func(*mlir.Module) (*Signature, []UnsupportedOp, error)) (*Program, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if o.Threads < 0 {
		return nil, fmt.Errorf("compile: Threads is %d: give a number of threads, or 0 for the default", o.Threads)
	}
	p := &Program{File: o.File(), Threads: o.Threads, lines: strings.Split(m.Text(), "\n")}
	var err error
	if p.Module, err = stablehlo.ParseContext(ctx, p.File, m.Text()); err != nil {
		return nil, err
	}
	if err := verify.ModuleContext(ctx, p.Module); err != nil {
		return nil, err
	}
	verify.ExpandCalls(p.Module)
	if p.Signature, p.Lacking, err = read(p.Module); err != nil {
		return nil, p.Place(err)
	}
	for i := range p.Lacking {
		p.Lacking[i].Line = p.Line(p.Lacking[i].Pos)
	}
	return p, nil
}

// Line returns the text's line at pos, shortened since a literal can have megabytes; "" if the
// text has no such line.
func (p *Program) Line(pos mlir.Pos) string {
	l := p.line(pos)
	return l[:min(len(l), diag.Shown)]
}

func (p *Program) line(pos mlir.Pos) string {
	if pos.Line < 1 || pos.Line > len(p.lines) {
		return ""
	}
	return p.lines[pos.Line-1]
}

// Place adds the file and the source line to an [mlir.Error] that has only a position. Place
// returns other errors unchanged.
func (p *Program) Place(err error) error {
	var e *mlir.Error
	if !errors.As(err, &e) || e.File != "" {
		return err
	}
	e.File, e.Source = p.File, p.line(e.Pos)
	return e
}
