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

// Program is a module that has been read and checked, for a backend to compile.
type Program struct {
	File      string       // what errors call the text
	Module    *mlir.Module // the backend's own: it may be changed
	Signature *Signature   // of main
	// Lacking lists types of main's that no caller can hold. A backend adds the
	// ops that it lacks and reports all at once: see [Unsupported].
	Lacking []UnsupportedOp

	lines []string
}

// Load is what the Compile of a backend begins with: it parses and verifies
// the module and reads what main takes and gives. The error is the context's,
// a positional one of the text (*[mlir.Error] or [mlir.Errors]), or says that
// an option makes no sense.
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

// LoadOpen is Load for a backend that runs programs whose text leaves sizes
// open: these are [AnySize] in the signature.
func LoadOpen(ctx context.Context, m Module, o Options) (*Program, error) {
	return load(ctx, m, o, ReadOpenSignature)
}

func load(ctx context.Context, m Module, o Options, read func(*mlir.Module) (*Signature, []UnsupportedOp, error)) (*Program, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if o.Threads < 0 {
		return nil, fmt.Errorf("compile: %s", diag.Count(o.Threads, "thread"))
	}
	p := &Program{File: o.Name, lines: strings.Split(m.Text(), "\n")}
	if p.File == "" {
		p.File = "module.mlir"
	}
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

// Line returns the text's line at pos, cut short: a literal can be megabytes.
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

// Place adds the file and the source line to an [mlir.Error] that has only a
// position; other errors it returns as they are.
func (p *Program) Place(err error) error {
	var e *mlir.Error
	if !errors.As(err, &e) || e.File != "" {
		return err
	}
	e.File, e.Source = p.File, p.line(e.Pos)
	return e
}
