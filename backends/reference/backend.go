package reference

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"ltc/backends"
	"ltc/mlir"
	"ltc/mlir/chlo"
	"ltc/soa"
)

func init() {
	for _, name := range []string{"eval", "cpu"} {
		backends.Register(name, func(device string) (backends.Backend, error) { return open(name, device) })
	}
}

// Backend is the CPU that the process runs on.
type Backend struct {
	backends.NotImplemented
	name string
}

// New returns the evaluator under its name eval.
func New() *Backend { return &Backend{name: "eval"} }

func open(name, device string) (backends.Backend, error) {
	if device != "" && device != "0" {
		return nil, fmt.Errorf("no device %q: the only one is 0", device)
	}
	return &Backend{name: name}, nil
}

// Name is eval or cpu.
func (b *Backend) Name() string { return b.name }

// Devices returns the one CPU, with the memory that the process may use.
func (b *Backend) Devices() []backends.Device {
	return []backends.Device{{Name: b.name, Memory: soa.Limit(), Properties: map[string]string{"arch": runtime.GOARCH}}}
}

// Compile parses, verifies and prepares the module. Every run of the
// executable uses the goroutine that calls Execute and no other.
func (b *Backend) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if o.Threads < 0 {
		return nil, fmt.Errorf("compile: %d threads", o.Threads)
	}
	file := o.Name
	if file == "" {
		file = "module.mlir"
	}
	tree, err := mlir.Parse(file, m.Text())
	if err != nil {
		return nil, err
	}
	if err := mlir.Verify(tree); err != nil {
		return nil, err
	}
	return prepare(ctx, b.name, tree, file, m.Text())
}

// prepare makes the module's main function executable.
func prepare(ctx context.Context, backend string, m *mlir.Module, file, text string) (backends.Executable, error) {
	chlo.Lower(m)
	c := newCompiler(ctx, m, file, strings.Split(text, "\n"))
	// What an open function prepares while it runs, the compile's context does not end.
	defer func() { c.ctx = context.Background() }()
	sig, lacking, err := backends.ReadOpenSignature(m)
	if err != nil {
		return nil, c.place(err)
	}
	for i := range lacking {
		lacking[i].Line = c.line(lacking[i].Pos)
	}
	c.lacking = lacking
	main := m.Func("main")
	if openSignature(main) {
		err := c.survey(main)
		if err == nil {
			err = c.unsupported(backend)
		}
		if err != nil {
			return nil, err
		}
		return &openExecutable{sig: sig, program: &openProgram{c, newOpCache(c)}, main: main}, nil
	}
	code, err := c.function("main")
	if err != nil {
		return nil, c.errorAt(main, err)
	}
	if err := c.unsupported(backend); err != nil {
		return nil, err
	}
	if err := soa.Fits(added(code.arenaAll, c.held)); err != nil {
		return nil, fmt.Errorf("%s: the constants and the values that are alive at once: %w", file, err)
	}
	return newExecutable(code, sig), nil
}

func newCompiler(ctx context.Context, m *mlir.Module, file string, lines []string) *compiler {
	return &compiler{ctx: ctx, module: m, file: file, lines: lines, codes: map[string]*code{}, splats: map[string][]byte{}, tuples: map[*mlir.Type]*tuple{}}
}

// unsupported returns what the program needs and the evaluator lacks, in the
// text's order; nil if it lacks nothing.
func (c *compiler) unsupported(backend string) error {
	if len(c.lacking) == 0 {
		return nil
	}
	slices.SortStableFunc(c.lacking, func(a, b backends.UnsupportedOp) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return &backends.UnsupportedError{Backend: backend, File: c.file, Ops: c.lacking}
}

func newExecutable(c *code, sig *backends.Signature) *executable {
	e := &executable{sig: sig, code: c, plan: planResults(c, sig)}
	e.pool = &sync.Pool{New: func() any { return pooledWorkspace(c) }}
	return e
}
