package llvm

import (
	"context"
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/gemm"
	"ltc/internal/spare"
)

// spreadKernel is a product whose sum runs over several axes: a convolution. Rows
// of A, of as many points as the cache of a core holds, are written out one behind
// the other and are then multiplied by B, with what follows.
type spreadKernel struct{ productKernel }

var (
	_ kernel.Binder   = (*spreadKernel)(nil)
	_ kernel.Preparer = (*spreadKernel)(nil)
	_ kernel.Holder   = (*spread)(nil)
)

// Prepare plans the products for sizes and compiles what is missing.
func (p *spreadKernel) Prepare(ctx context.Context, sizes, strides []int64, last kernel.Code) (kernel.Code, error) {
	r, _ := last.(*spread)
	if r == nil {
		r = &spread{of: p}
		r.others = spare.New(4, func() *spread { return &spread{of: p, others: r.others} })
	}
	return r, r.become(ctx, sizes, strides)
}

// Bind has products keep B; see [productKernel.Bind].
func (p *spreadKernel) Bind(mem []unsafe.Pointer, alloc func(bytes int) unsafe.Pointer) kernel.Code {
	if b := p.productKernel.Bind(mem, alloc).(*productKernel); b != &p.productKernel {
		return &spreadKernel{*b}
	}
	return p
}

// spread is such a product for sizes that are known.
type spread struct {
	of    *spreadKernel
	own   kernel.Code // what runs instead; nil if it is products
	outer []int       // the sizes of the outer axes, 1 of those that are taken
	taken []alongA    // the last axes of M, as many as C runs along as if they were one
	total int         // points of these
	rows  int         // those of a block of them
	count int         // of blocks, of all outer points
	// blocks are the products of a whole block, and of a last one that is not.
	blocks  [2]product
	factors [3]emit.Factor // A, B and C, in bytes
	rowC    int64          // bytes from one row of C to the next
	row     int            // bytes from one row of A, written out, to the next
	size    int            // bytes of its elements
	run     int            // bytes that lie together
	at      []int64        // where each run is, from the first one of its row, in bytes
	strides []int64        // for which all of it is
	table   [][]int64
	others  *spare.Pool[spread] // for other strides
}

// alongA is an axis: its size, and the bytes that A moves for a step.
type alongA struct {
	size int
	step int64
}

// writtenBytes is about how much memory the rows of a block take.
const writtenBytes = 1 << 18

// become makes r the product for sizes and strides.
func (r *spread) become(ctx context.Context, sizes, strides []int64) error {
	p := r.of
	r.own, r.strides = nil, append(r.strides[:0], strides...)
	r.table = p.Kernel.StrideTable(r.table, strides)
	problem := p.ProblemIn(sizes, r.table)
	if flopsOf(&problem) < fewFlops || problem.N < 2 || problem.StrideC[2] != 1 || !r.nested(sizes) {
		r.own = p.own()
		return nil
	}
	p.Locate(&r.factors, r.table)
	inBytes(&r.factors, &problem)
	r.size, r.rowC = problem.A.Size(), int64(problem.StrideC[1]*problem.C.Size())
	r.findRuns(sizes)
	r.findRows(sizes, problem.K*r.size)
	problem.StrideA = [3]int{0, r.row / r.size, 1}
	for i, m := range [2]int{r.rows, r.total % r.rows} {
		if problem.M = m; m == 0 {
			continue
		}
		b := &r.blocks[i]
		b.of, b.points, b.table, b.strides, b.factors = &p.productKernel, r.count, r.table, r.strides, r.factors
		if err := b.planned(ctx, problem, sizes); err != nil {
			return err
		}
		if b.own != nil {
			r.own = b.own
			return nil
		}
	}
	return nil
}

func (r *spread) extent(axis int, sizes []int64) int {
	return int(r.of.Kernel.Axis(0, axis).Size.Of(sizes))
}

// nested reports whether B lies along the axes of the sum as along one.
func (r *spread) nested(sizes []int64) bool {
	k := r.of.Contraction.K
	for i := len(k) - 1; i > 0; i-- {
		if r.of.Along(k[i-1], r.table)[1] != r.of.Along(k[i], r.table)[1]*int64(r.extent(k[i], sizes)) {
			return false
		}
	}
	return true
}

// findRuns finds what lies together in a row of A.
func (r *spread) findRuns(sizes []int64) {
	k := r.of.Contraction.K
	last := len(k)
	r.run = r.size
	if n := r.extent(k[last-1], sizes); r.of.Along(k[last-1], r.table)[0] == 1 {
		r.run *= n
		last--
	}
	r.at = append(r.at[:0], 0)
	for _, a := range k[:last] { // each point so far becomes as many as the axis has
		n, step := r.extent(a, sizes), r.of.Along(a, r.table)[0]*int64(r.size)
		before := len(r.at)
		r.at = slices.Grow(r.at, before*(n-1))[:before*n]
		for i := before - 1; i >= 0; i-- {
			from := r.at[i]
			for j := range n {
				r.at[i*n+j] = from + int64(j)*step
			}
		}
	}
}

// findRows finds which axes are taken as one, and how many of their points are a
// block, where a row of A has so many bytes.
func (r *spread) findRows(sizes []int64, bytes int) {
	p := r.of
	m := p.Contraction.M
	first := len(m) - 1
	r.total = r.extent(m[first], sizes)
	for first > 0 && p.Along(m[first-1], r.table)[2] == p.Along(m[first], r.table)[2]*int64(r.extent(m[first], sizes)) {
		first--
		r.total *= r.extent(m[first], sizes)
	}
	r.taken = r.taken[:0]
	for _, a := range m[first:] {
		r.taken = append(r.taken, alongA{r.extent(a, sizes), p.Along(a, r.table)[0] * int64(r.size)})
	}
	const line = 64
	r.row = ((bytes+line-1)/line | 1) * line // so that rows do not share the sets of a cache
	blocks := (r.total*r.row + writtenBytes - 1) / writtenBytes
	r.rows = (r.total + blocks - 1) / blocks
	r.outer, r.count = r.outer[:0], r.blocksOfPoint()
	for _, a := range p.Outer {
		n := 1
		if !slices.Contains(m[first:], a) {
			n = r.extent(a, sizes)
		}
		r.outer, r.count = append(r.outer, n), r.count*n
	}
}

func (r *spread) blocksOfPoint() int { return (r.total + r.rows - 1) / r.rows }

// Parts returns how many parts are worth it.
func (r *spread) Parts(sizes []int64, threads int) int {
	if r.own != nil {
		return r.own.Parts(sizes, threads)
	}
	if threads <= 1 {
		return 1
	}
	return min(r.blocks[0].partsOf(threads*turns), r.count)
}

// Brief implements [kernel.Brief].
func (r *spread) Brief(sizes []int64) bool {
	b, ok := r.own.(kernel.Brief)
	return ok && b.Brief(sizes)
}

// Scratch returns the workspace of a part.
func (r *spread) Scratch(sizes []int64, parts int) int {
	if r.own != nil {
		return r.own.Scratch(sizes, parts)
	}
	return r.workBytes() + r.rows*r.row
}

// HeldBytes is the size of the table of runs.
func (r *spread) HeldBytes() int { return cap(r.at) * int(unsafe.Sizeof(r.at[0])) }

// workBytes is what products need.
func (r *spread) workBytes() int {
	n := r.blocks[0].plan.PartBytes(1)
	if r.total%r.rows != 0 {
		n = max(n, r.blocks[1].plan.PartBytes(1))
	}
	return n
}

// Run runs a part.
func (r *spread) Run(c *kernel.Call) error {
	if r.own != nil {
		return r.own.Run(c)
	}
	if !slices.Equal(c.Strides, r.strides) {
		return r.elsewhere(c)
	}
	b := &c.Block
	b.Mem, b.Sizes, b.Strides = unsafe.SliceData(c.Mem), unsafe.SliceData(c.Sizes), unsafe.SliceData(c.Strides)
	written := unsafe.Add(c.Scratch, r.workBytes())
	from, to := c.Share(int64(r.count))
	for i := from; i < to; i++ {
		if !r.block(c, int(i), written) {
			return nil // given up
		}
	}
	return nil
}

// block computes one of the blocks; false if the run has been given up.
func (r *spread) block(c *kernel.Call, i int, written unsafe.Pointer) bool {
	b := &c.Block
	first, point := i%r.blocksOfPoint()*r.rows, i/r.blocksOfPoint()
	var at [3]unsafe.Pointer
	for n := range r.factors {
		at[n] = unsafe.Add(c.Mem[r.factors[n].Param], r.factors[n].Origin)
	}
	for o := len(r.outer) - 1; o >= 0; o-- {
		here := point % r.outer[o]
		point /= r.outer[o]
		b.At[o] = int64(here)
		for n := range r.factors {
			at[n] = unsafe.Add(at[n], int64(here)*r.factors[n].Steps[o])
		}
	}
	b.At[len(r.outer)] = int64(first)
	n, x := r.rows, &r.blocks[0]
	if left := r.total - first; left < n {
		n, x = left, &r.blocks[1]
	}
	r.write(written, at[0], first, n)
	return x.product.RunIn(0, 1, gemm.Operands{A: written, B: at[1], C: unsafe.Add(at[2], int64(first)*r.rowC), PackedB: x.packed,
		PrologueB: unsafe.Pointer(b), Epilogue: unsafe.Pointer(b)}, c.Scratch, c.Done)
}

// write writes out n rows of A from one on.
func (r *spread) write(to, from unsafe.Pointer, first, n int) {
	var at [len(kernel.Block{}.At)]int
	for i := len(r.taken) - 1; i >= 0; i-- {
		a := r.taken[i]
		at[i] = first % a.size
		first /= a.size
		from = unsafe.Add(from, int64(at[i])*a.step)
	}
	for range n {
		r.writeRow(to, from)
		to = unsafe.Add(to, r.row)
		for i := len(r.taken) - 1; i >= 0; i-- {
			a := r.taken[i]
			if at[i]++; at[i] < a.size {
				from = unsafe.Add(from, a.step)
				break
			}
			at[i] = 0
			from = unsafe.Add(from, -int64(a.size-1)*a.step)
		}
	}
}

// writeRow copies the runs of a row.
func (r *spread) writeRow(to, from unsafe.Pointer) {
	const short = 48
	switch {
	case r.run > short:
		for _, x := range r.at {
			copy(unsafe.Slice((*byte)(to), r.run), unsafe.Slice((*byte)(unsafe.Add(from, x)), r.run))
			to = unsafe.Add(to, r.run)
		}
	case r.size == 4:
		copyShort[uint32](to, from, r.at, r.run/4)
	case r.size == 8:
		copyShort[uint64](to, from, r.at, r.run/8)
	case r.size == 2:
		copyShort[uint16](to, from, r.at, r.run/2)
	default:
		copyShort[uint8](to, from, r.at, r.run)
	}
}

// copyShort copies runs of n elements.
func copyShort[T any](to, from unsafe.Pointer, at []int64, n int) {
	out := unsafe.Slice((*T)(to), len(at)*n)
	for i, x := range at {
		in := unsafe.Slice((*T)(unsafe.Add(from, x)), n)
		for j, v := range in {
			out[i*n+j] = v
		}
	}
}

// elsewhere runs a part for other strides than r is for.
func (r *spread) elsewhere(c *kernel.Call) error {
	m := r.others.Get()
	defer r.others.Put(m)
	if err := m.become(context.Background(), c.Sizes, c.Strides); err != nil {
		return err
	}
	if n := m.Scratch(c.Sizes, c.Parts); n > r.Scratch(c.Sizes, c.Parts) { // of other code, or of more rows
		had := c.Scratch
		defer func() { c.Scratch = had }()
		b := make([]byte, n+64)
		c.Scratch = unsafe.Pointer(&b[-uintptr(unsafe.Pointer(&b[0]))&63])
	}
	return m.Run(c)
}
