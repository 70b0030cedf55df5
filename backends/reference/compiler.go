package reference

import (
	"context"
	"sync"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/tiles"
)

// compilers has those that were named; [tiles.Compiler] stands behind them.
var compilers struct {
	sync.Mutex
	fastest []kernel.Compiler
}

// What a compiler for [UseCompiler] may have beyond compiling. It may be a [kernel.Packer] and a
// [kernel.RowCompiler], too. Assign the compiler to a variable of such a type where it is declared:
// then a method of another name does not compile.
type (
	// Describer says what makes code, for the device's property compiler.
	Describer interface{ Compiler() string }
	// Vectorizer has loops for [tiles.Compiler].
	Vectorizer interface{ Vectors() tiles.Vectors }
	// PageReleaser gives memory back that only compiling needs, when a program has been compiled.
	PageReleaser interface{ ReleasePages() }
)

// UseCompiler makes the backend cpu run programs as kernels that c compiles.
// What c leaves goes to the compilers that were named before it, and at last to
// [tiles.Compiler]. Call it from init. It may be a [Describer], a [Vectorizer] and a [PageReleaser], too.
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
		if n, ok := c.(Describer); ok {
			return n.Compiler()
		}
	}
	return "none: plain Go"
}

// plainOf returns the compiler of what others leave, with the loops on vectors of the first of
// them that has some.
func plainOf(use []kernel.Compiler) tiles.Compiler {
	for _, c := range use {
		if v, ok := c.(Vectorizer); ok {
			return tiles.Compiler{Vectors: v.Vectors()}
		}
	}
	return tiles.Compiler{}
}

// releasePages has compilers give memory back, now that a program has been compiled.
func releasePages(use []kernel.Compiler) {
	for _, c := range use {
		if r, ok := c.(PageReleaser); ok {
			r.ReleasePages()
		}
	}
}

// packsOf returns what the compiler that is asked first says of factors of contractions, for
// [fuse.Options]; nil if it packs none.
func packsOf(ctx context.Context, use []kernel.Compiler) func(k *kernel.Kernel, sizes, strides []int64) (a, b int) {
	if len(use) > 0 {
		if c, ok := use[0].(kernel.Packer); ok {
			return func(k *kernel.Kernel, sizes, strides []int64) (a, b int) { return c.Packs(ctx, k, sizes, strides) }
		}
	}
	return nil
}

// columnsOf returns what the compiler that is asked first says of rows of products, for
// [fuse.Options]; nil if it runs none.
func columnsOf(ctx context.Context, use []kernel.Compiler) func() int {
	if len(use) > 0 {
		if c, ok := use[0].(kernel.RowCompiler); ok {
			return func() int { return c.Columns(ctx) }
		}
	}
	return nil
}
