package gemm

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// A block goes along all of K for its tile, so that a product of few tiles leaves
// multiprocessors idle. Its sums are cut into parts then, each of a part of K and in
// tiles of its own, which a kernel behind it adds in their order. The time with and without
// is estimated, in cycles of a multiprocessor at 1.7 GHz. The numbers are those of H100 and
// H200 for all devices, so that cuts are the same on each.
const (
	// answerCycles are from a load to its answer, some 700 ns: a strip takes no less
	// than its share of these, of as many as are on their way.
	answerCycles = 1200
	// launchCycles are what one kernel more takes in a graph, some 2 µs. Where a kernel
	// of rows follows, which adds the parts, there is none more.
	launchCycles = 3400
	// movedBytes are what parts may be written and read by in a cycle, by all
	// multiprocessors, through a cache that holds them: 4 TB/s.
	movedBytes = 2400
	// mostParts bounds the loads of a thread that adds them.
	mostParts = 16
	// leastSaved is which share of the time a cut is to save at least: the estimate is no
	// better than that.
	leastSaved = 0.25
)

// multiplied is how many products a multiprocessor adds up in a cycle: of f16 and bf16
// what mma.sync does, by the CUDA C++ Programming Guide, "Arithmetic Instructions".
func multiplied(t types.DType, tensor, tf32 bool) float64 {
	switch {
	case tensor && t != types.F32:
		return 1024
	case tensor && tf32:
		return 512
	case t == types.F32:
		return 128
	}
	return 64
}

// effort is what a product takes: of how many tiles, each of strips along K.
type effort struct {
	tiles       int64
	first, rest int64   // how long K is: its first axis, and the others together
	strip       int64   // elements of K
	cycles      float64 // of a strip
	bytes       float64 // of all sums
	chunk       int64   // parts begin at multiples of so many elements
}

// SplitK returns into how many parts to cut the sums of a product of matrices of literal
// sizes, along the first of the axes that it sums over. The number divides the axis; 1 is
// no cut. It depends on sizes and types alone, and on whether tensor cores multiply f32.
func SplitK(k *kernel.Kernel, tf32 bool) int64 {
	c, ok := contraction(k)
	if !ok || points(k, c.M) == 1 || points(k, c.N) == 1 {
		return 1 // a product with a vector has no tiles
	}
	e := newEffort(k, c, tf32)
	best, least := int64(1), (1-leastSaved)*e.time(1)
	for parts := int64(2); parts <= min(mostParts, e.first); parts++ {
		if e.first%parts != 0 || e.first/parts*e.rest%e.chunk != 0 {
			continue
		}
		if t := e.time(parts); t < least {
			best, least = parts, t
		}
	}
	return best
}

// newEffort estimates what a product takes on a large GPU that is not sm_90a.
func newEffort(k *kernel.Kernel, c *kernel.Contraction, tf32 bool) effort {
	rows, columns, products := points(k, c.M), points(k, c.N), points(k, c.Batch)
	e := effort{first: points(k, c.K[:1]), rest: points(k, c.K[1:]), bytes: float64(rows*columns*products) * float64(c.Type.Size())}
	t, tensor := elements(k, c)
	if !tensor {
		e.tiles = asm.Ceil(rows, side) * asm.Ceil(columns, side) * products
		e.strip, e.chunk = depth, 1
		e.cycles = max(side*side*depth/multiplied(c.Type, false, false), answerCycles)
		return e
	}
	all := tileTable(t, tf32, false)
	tile := &all[tileFor(all, rows, columns, products, manyProcessors)]
	e.tiles = tile.count(rows, columns) * products
	e.strip, e.chunk = int64(strip(t)), int64(asm.ChunkBytes/t.Size())
	e.cycles = max(float64(tile.rows*tile.columns*strip(t))/multiplied(t, true, tf32), answerCycles/float64(tile.stages-1))
	return e
}

// time returns how many cycles a product takes whose sums are cut into so many parts.
func (e *effort) time(parts int64) float64 {
	iterations := asm.Ceil(e.tiles*parts, manyProcessors) * asm.Ceil(e.first/parts*e.rest, e.strip)
	t := float64(iterations) * e.cycles
	if parts > 1 {
		t += launchCycles + 2*float64(parts)*e.bytes/movedBytes
	}
	return t
}

// points returns how many points some axes of the first stage have, whose sizes are
// literal.
func points(k *kernel.Kernel, axes []int) int64 {
	n := int64(1)
	for _, a := range axes {
		n *= int64(k.Axis(0, a).Size)
	}
	return n
}
