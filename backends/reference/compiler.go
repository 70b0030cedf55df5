package reference

import (
	"context"
	"errors"
	"sync"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
)

// compilers has those that were named; [Tiles] stands behind them.
var compilers struct {
	sync.Mutex
	fastest []kernel.Compiler
}

// UseCompiler makes the backend cpu run programs as kernels that c compiles.
// What c leaves goes to the compilers that were named before it, and at last to
// [Tiles]. Call it from init. One with a method Compiler() string says there what
// makes its code, for the device's property compiler.
func UseCompiler(c kernel.Compiler) {
	compilers.Lock()
	defer compilers.Unlock()
	compilers.fastest = append([]kernel.Compiler{c}, compilers.fastest...)
}

// compilerName is what the fastest compiler that tells says of itself.
func compilerName() string {
	compilers.Lock()
	use := compilers.fastest
	compilers.Unlock()
	for _, c := range use {
		if n, ok := c.(interface{ Compiler() string }); ok {
			return n.Compiler()
		}
	}
	return "none: plain Go"
}

// Packs returns what the compiler that the backend cpu asks first says of factors
// of contractions, for [kit.Options]; nil if it packs none.
func Packs(ctx context.Context) func(k *kernel.Kernel, sizes, strides []int64) (a, b int) {
	compilers.Lock()
	use := compilers.fastest
	compilers.Unlock()
	return packsOf(ctx, use)
}

func packsOf(ctx context.Context, use []kernel.Compiler) func(k *kernel.Kernel, sizes, strides []int64) (a, b int) {
	if len(use) > 0 {
		if c, ok := use[0].(kernel.Packer); ok {
			return func(k *kernel.Kernel, sizes, strides []int64) (a, b int) { return c.Packs(ctx, k, sizes, strides) }
		}
	}
	return nil
}

// Columns returns what the compiler that the backend cpu asks first says of rows of
// products, for [kit.Options]; nil if it runs none.
func Columns(ctx context.Context) func() int {
	compilers.Lock()
	use := compilers.fastest
	compilers.Unlock()
	return columnsOf(ctx, use)
}

func columnsOf(ctx context.Context, use []kernel.Compiler) func() int {
	if len(use) > 0 {
		if c, ok := use[0].(kernel.Rower); ok {
			return func() int { return c.Columns(ctx) }
		}
	}
	return nil
}

// errEvaluator is why the backend eval compiles no program.
var errEvaluator = errors.New("the backend is the evaluator: open cpu or cuda")

// compile makes a program executable: as kernels, if the backend is cpu, or by
// the evaluator.
func (b *Backend) compile(ctx context.Context, m backends.Module, o backends.Options, p *backends.Program) (backends.Executable, error) {
	compilers.Lock()
	use := compilers.fastest
	compilers.Unlock()
	if b.name != "cpu" || len(p.Lacking) > 0 {
		if o.Compiled && len(p.Lacking) == 0 {
			return nil, backends.ReportFallbacks(b.name, m, o, kit.WholeFallback(errEvaluator))
		}
		return prepare(ctx, b.name, p)
	}
	use = append(use[:len(use):len(use)], Tiles{})
	ctx = backends.WithLogger(ctx, &o)
	var e backends.Executable
	var err error
	if openSignature(p.Module.Func("main")) {
		e, err = b.compileSized(ctx, m, o, p, use)
	} else {
		e, err = b.compileKernels(ctx, p, o, use)
	}
	var left []backends.Fallback
	switch {
	case err == nil:
		left = e.(interface{ Program() *kit.Program }).Program().Fallbacks()
	case errors.Is(err, kit.ErrNotCompiled):
		left = kit.WholeFallback(err)
		if p, err = backends.LoadOpen(ctx, m, o); err == nil { // the module has been changed
			e, err = prepare(ctx, b.name, p)
		}
	}
	if err == nil {
		err = backends.ReportFallbacks(b.name, m, o, left)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}
