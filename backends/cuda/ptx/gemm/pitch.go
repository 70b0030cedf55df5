package gemm

import (
	"slices"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Rows of f16 and bf16 that do not begin at multiples of 16 bytes are out of reach of
// tensor maps, and no chunk of 16 bytes of them is copied at once. How often the time of
// an aligned product such a product takes is taken for how many instructions it has,
// which tests count; see docs/design/cuda-products.md.
const (
	slowByWords    = 1.75 // four bytes at a time, by cp.async: 1.7 to 2
	slowByPieces   = 3    // every other row by loads that are waited for: 2.9 to 3.5
	slowByElements = 5    // rows of windows, of an odd number of features: 4.6 to 8.7
)

const (
	// streamBytes are what all multiprocessors together copy in a cycle, of memory that
	// no cache holds: 3 TB/s.
	streamBytes = 1750
	// pitchGain is how often what a copy takes it is to save at least: the estimate is no
	// better than that.
	pitchGain = 2
)

// Pitch returns a number of elements for each operand of a kernel that is a product of
// matrices of literal sizes. The length of the operand's rows is to be a multiple of it, so
// that rows begin at multiples of 16 bytes. 0 leaves an operand as it is. Operands for which
// copied is set are copied for that. Pitch depends on sizes and types alone.
func Pitch(k *kernel.Kernel, copied []bool) []int64 {
	c, ok := contraction(k)
	if !ok || points(k, c.M) == 1 || points(k, c.N) == 1 {
		return nil
	}
	t, ok := elements(k, c)
	if !ok || t == types.F32 {
		return nil
	}
	chunk := int64(asm.ChunkBytes / t.Size())
	rows := make([]int64, len(k.Params))
	slow, cost, some := 1.0, 0.0, false
	for _, f := range []*kernel.Factor{&c.A, &c.B} {
		load := loadOf(k, f)
		if load == kernel.None || k.Instrs[load].Type != t {
			return nil // it is computed element by element in any case
		}
		mem := k.Instrs[load].Mem
		by := slowRows(k, c, mem, chunk)
		if by == 1 || rows[mem.Param] > 0 {
			continue
		}
		some, slow = true, max(slow, by)
		rows[mem.Param] = chunk
		if copied[mem.Param] {
			cost += launchCycles + movedElements(k, mem, chunk)*float64(t.Size())/streamBytes
		}
	}
	if !some {
		return nil
	}
	e := newEffort(k, c, false)
	if saved := (slow - 1) * e.time(1); saved < max(pitchGain*cost, launchCycles) {
		return nil
	}
	return rows
}

// movedElements returns how many elements a copy of an operand to rows of a multiple of a
// length reads and writes.
func movedElements(k *kernel.Kernel, mem *kernel.Access, chunk int64) float64 {
	dims := k.Params[mem.Param].Dims
	n := 1.0
	for _, size := range dims[:len(dims)-1] {
		n *= float64(size)
	}
	last := int64(dims[len(dims)-1])
	return n * float64(last+asm.RoundUp(last, chunk))
}

// slowRows returns how often the time of an aligned product one takes that reads an
// operand, dense and of 16 bits, as it is in memory. It is 1 where rows begin at multiples of
// a chunk, or would not with longer rows either.
func slowRows(k *kernel.Kernel, c *kernel.Contraction, mem *kernel.Access, chunk int64) float64 {
	dims := k.Params[mem.Param].Dims
	last := len(dims) - 1
	if last < 1 || int64(dims[last])%chunk == 0 {
		return 1
	}
	ofK := func(x *kernel.Index) (along, across bool) { // axes of K, and others
		for _, t := range x.Terms {
			if slices.Contains(c.K, t.Axis) {
				along = true
			} else if !slices.Contains(c.Batch, t.Axis) {
				across = true
			}
		}
		return along, across
	}
	row := &mem.Index[last]
	unit := false
	for _, t := range row.Terms {
		if t.Factor != 1 && t.Factor%chunk != 0 {
			return 1
		}
		unit = unit || t.Factor == 1
	}
	along, across := ofK(row)
	if !unit || along == across || row.Value != kernel.None || row.Offset%chunk != 0 || mem.Guard && row.Offset != 0 {
		return 1
	}
	window := slices.ContainsFunc(mem.Index, func(x kernel.Index) bool {
		along, across := ofK(&x)
		return along && across
	})
	odd := dims[last]%2 != 0
	if window {
		if along && odd {
			return slowByElements
		}
		return 1 // the few instructions more that copies of four bytes are
	}
	d := last - 1
	for d >= 0 && dims[d] == 1 {
		d--
	}
	if d < 0 {
		return 1 // a single row
	}
	if a, b := ofK(&mem.Index[d]); a == along && b == across {
		return 1 // both dimensions lie as one, and are a row
	}
	if odd {
		return slowByPieces
	}
	return slowByWords
}
