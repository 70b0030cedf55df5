package eval

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo/chlo"
)

func init() { backends.Register("eval", open) }

// Backend is the evaluator, on the CPU that the process runs on.
type Backend struct{ backends.NotImplemented }

// New returns the evaluator.
func New() *Backend { return new(Backend) }

func open(device string) (backends.Backend, error) {
	if device != "" && device != "0" {
		return nil, fmt.Errorf("no device %q: the only one is 0", device)
	}
	return New(), nil
}

// Name is eval.
func (b *Backend) Name() string { return "eval" }

// Devices returns the one CPU, with the memory that the process may use. Its property
// is its architecture, arch.
func (b *Backend) Devices() []backends.Device {
	of := map[string]string{"arch": runtime.GOARCH}
	return []backends.Device{{Name: b.Name(), Memory: soa.Limit(), Properties: of}}
}

// Compile parses, verifies and prepares the module. Every run of the
// executable uses the goroutine that calls Execute and no other.
func (b *Backend) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	p, err := backends.LoadOpen(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if o.Compiled && len(p.Lacking) == 0 {
		why := []backends.Fallback{{Reason: "the backend is the evaluator: open cpu or cuda", Ordinal: -1}}
		return nil, backends.ReportFallbacks(b.Name(), m, o, why)
	}
	return Prepare(ctx, b.Name(), p)
}

// Prepare makes a program that was just loaded executable, for a backend whose name
// errors give.
func Prepare(ctx context.Context, backend string, p *backends.Program) (backends.Executable, error) {
	chlo.Lower(p.Module, func(op *mlir.Op) bool { return exactly(op) || untilSized(op) })
	c := newCompiler(ctx, p)
	defer func() { c.ctx = nil }() // what runs prepare later is under their contexts
	main, sig := p.Module.Func("main"), p.Signature
	if openSignature(main) {
		err := c.survey(main)
		if err == nil {
			err = backends.Unsupported(backend, c.File, c.Lacking)
		}
		if err != nil {
			return nil, err
		}
		return &openExecutable{sig: sig, program: &openProgram{c, newOpCache(c)}, main: main, sizes: backends.OpenSizes(p.Module, main, sig.Args), sized: sizedAlone(main)}, nil
	}
	code, err := c.function("main")
	if err != nil {
		return nil, c.errorAt(main, err)
	}
	if err := backends.Unsupported(backend, c.File, c.Lacking); err != nil {
		return nil, err
	}
	if err := soa.Fits(loops.Added(code.arenaAll, c.held)); err != nil {
		return nil, fmt.Errorf("%s: the constants, the tables and the values that are alive at once: %w", c.File, err)
	}
	code.tables = c.tables
	e := newExecutable(code, sig)
	e.grown = c.grown
	return e, nil
}

func newCompiler(ctx context.Context, p *backends.Program) *compiler {
	return &compiler{Program: p, ctx: ctx, codes: map[string]*code{}, splats: map[string][]byte{}, tuples: map[*mlir.Type]*tuple{}}
}

func newExecutable(c *code, sig *backends.Signature) *executable {
	e := &executable{sig: sig, code: c, plan: planResults(c, sig), copied: new(atomic.Int64)}
	e.pool = &sync.Pool{New: func() any { return pooledWorkspace(c) }}
	return e
}
