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

// UseCompiler makes the backend cpu run programs as kernels that c compiles.
// What c leaves goes to the compilers that were named before it, and at last to
// [tiles.Compiler]. Call it from init. One with a method Compiler() string says there what
// makes its code, for the device's property compiler. One with a method Vectors() tiles.Vectors
// has loops for [tiles.Compiler]. A method ReleasePages() is called when a program has been
// compiled: it gives back memory that only compiling needs.
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

// plainOf returns the compiler of what others leave, with the loops on vectors of the first of
// them that has some.
func plainOf(use []kernel.Compiler) tiles.Compiler {
	for _, c := range use {
		if v, ok := c.(interface{ Vectors() tiles.Vectors }); ok {
			return tiles.Compiler{Vectors: v.Vectors()}
		}
	}
	return tiles.Compiler{}
}

// releasePages has compilers give memory back, now that a program has been compiled.
func releasePages(use []kernel.Compiler) {
	for _, c := range use {
		if r, ok := c.(interface{ ReleasePages() }); ok {
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
