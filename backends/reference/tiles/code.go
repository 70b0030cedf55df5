package tiles

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/footprint"
	"ltc/internal/spare"
)

// Compiler runs kernels without a compiler: a tile of elements at a time by the
// evaluator's loops, an op after the other, and contractions by its matrix
// product, or by those of Vectors. It is what runs kernels where nothing faster does.
//
// Its results are, bit for bit, those of [kernel.Evaluate] with [Scalars]. The
// exception is sums and products of floats over an axis along which tiles run. There a
// tile is folded as the evaluator folds a row (see loops.Fold), and added to the sum of
// the tiles before it. The bits depend on the sizes and the layout in memory alone, not
// on the number of parts. With Vectors, functions and products have the bits of these.
type Compiler struct {
	// Least is how many elements of instructions a part has at least; 0: 65,536, which
	// take about as long as waking a thread.
	Least int64
	// Vectors has faster loops; nil: all are in plain Go.
	Vectors Vectors
}

var _ kernel.Compiler = Compiler{}

// Compile returns code for all kernels, which have passed [kernel.Verify]. Where
// the context ends early it returns its error.
func (c Compiler) Compile(ctx context.Context, kernels []*kernel.Kernel) ([]kernel.Code, error) {
	all := make([]kernel.Code, len(kernels))
	for i, k := range kernels {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		code := newCode(k, vectored{Vectors: c.Vectors})
		code.least = cmp.Or(c.Least, partWork)
		all[i] = code
	}
	return all, nil
}

// A tile has so many elements that the calls cost little beside what they do,
// and that the tiles of a body stay in the second-level cache. Reductions across
// the tiles have longer ones: they read rows of memory apart from each other.
const (
	tileElements = 1 << 10
	longTile     = 1 << 12
)

// code is a kernel with the ways to run it, of which sizes and strides
// choose one.
type code struct {
	k     *kernel.Kernel
	ways  []*tiling
	gemm  *gemm // nil: the kernel is no contraction
	cuts  []int // the kernel's axes along which a launch can be cut
	least int64 // elements of instructions that a part has
	runs  *spare.Pool[run]
}

// ResidentBytes is what the ways take, and a run, which stays for the next: the kernel
// is the program's.
func (c *code) ResidentBytes() int {
	return tiles.Of([]any{c, newRun(c)})
}

func newCode(k *kernel.Kernel, v vectored) *code {
	c := &code{k: k, gemm: newGemm(k, v), least: partWork}
	c.init(v)
	return c
}

// init makes the ways of code, and reports whether they have the order of v.
func (c *code) init(v vectored) bool {
	k := c.k
	for a := range k.Axes {
		if k.Separable(a) {
			c.cuts = append(c.cuts, a)
		}
	}
	c.runs = spare.New(4, func() *run { return newRun(c) })
	switch {
	case v.order != nil && c.gemm != nil: // which runs all launches
		return true
	case v.order != nil:
		return c.orderedWays(v)
	}
	c.across(v)
	if len(c.ways) == 0 || c.hasOwnAxes() {
		c.ways = append(c.ways, newTiling(k, v, ownAxes, 0))
	}
	return true
}

// across makes the ways in tiles along axes of the kernel.
func (c *code) across(v vectored) {
	for a := len(c.k.Axes) - 1; a >= 0; a-- {
		if canTile(c.k, a) && (len(c.ways) == 0 || unitAlong(c.k, a)) {
			c.ways = append(c.ways, newTiling(c.k, v, a, 0))
		}
	}
}

func (c *code) hasOwnAxes() bool {
	return slices.ContainsFunc(c.k.Stages, func(s kernel.Stage) bool { return len(s.Axes) > 0 })
}

// unitAlong reports whether neighbours along an axis are neighbours in an
// operand.
func unitAlong(k *kernel.Kernel, axis int) bool {
	return slices.ContainsFunc(k.Instrs, func(i kernel.Instr) bool {
		if i.Mem == nil || i.Mem.Local {
			return false
		}
		for d, x := range i.Mem.Index {
			if k.Params[i.Mem.Param].Strides[d] == kernel.UnitStride && slices.Contains(x.Terms, kernel.Term{Axis: axis, Factor: 1}) {
				return true
			}
		}
		return false
	})
}

// canTile reports whether points along an axis of the kernel can run stage by stage, an
// instruction after the other. They can if the stored values do not depend on the order
// of points, or if the points still store in order.
func canTile(k *kernel.Kernel, axis int) bool {
	if k.Separable(axis) {
		return true
	}
	if axis != len(k.Axes)-1 {
		return false
	}
	accesses := make([]int, len(k.Params))
	for s := range k.Stages {
		for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
			m := k.Instrs[id].Mem
			if m == nil || m.Local || !k.Params[m.Param].Out {
				continue
			}
			if accesses[m.Param]++; accesses[m.Param] > 1 || len(k.Stages[s].Axes) > 0 {
				return false
			}
		}
	}
	return true
}

// partWork is how many elements of instructions a part has at least.
const partWork = 1 << 16

// work returns about how many elements all instructions compute together.
func (c *code) work(sizes []int64) int64 {
	n := int64(0)
	for s := range c.k.Stages {
		st := &c.k.Stages[s]
		n += countPoints(st.Axes, sizes) * int64(st.End-st.Begin)
	}
	return min(n, mostPoints) * countPoints(c.k.Axes, sizes)
}

// mostPoints bounds numbers of points, so that products of two fit.
const mostPoints = 1 << 31

func countPoints(axes []kernel.Axis, sizes []int64) int64 {
	n := int64(1)
	for _, a := range axes {
		n = min(n*min(a.Size.Of(sizes), mostPoints), mostPoints)
	}
	return n
}

// Parts implements [kernel.Code].
func (c *code) Parts(sizes []int64, threads int) int {
	if threads <= 1 {
		return 1
	}
	most := min(int64(threads), c.work(sizes)/c.least)
	if most <= 1 {
		return 1
	}
	if c.gemm.fits(sizes) {
		return int(max(min(most, c.gemm.rows(sizes)), 1))
	}
	_, n := c.cut(sizes, most)
	return int(max(min(most, n), 1))
}

// cut returns the axis along which a launch is cut, the outermost that is long
// enough for all parts or else the longest, and its length: -1 and 1 if there is
// none.
func (c *code) cut(sizes []int64, parts int64) (int, int64) {
	best, most := -1, int64(1)
	for _, a := range c.cuts {
		n := c.k.Axes[a].Size.Of(sizes)
		if n >= parts {
			return a, n
		}
		if n > most {
			best, most = a, n
		}
	}
	return best, most
}

// Scratch implements [kernel.Code].
func (c *code) Scratch(sizes []int64, parts int) int {
	n := 0
	for _, w := range c.ways {
		n = max(n, w.scratch(sizes))
	}
	if c.gemm.fits(sizes) {
		n = max(n, c.gemm.scratch(sizes))
	}
	return n + 64
}

// Run implements [kernel.Code].
func (c *code) Run(call *kernel.Call) error {
	r := c.runs.Get()
	r.begin(call)
	if countPoints(c.k.Axes, call.Sizes) > 0 {
		if c.gemm.fits(call.Sizes) {
			c.gemm.run(r)
		} else {
			axis, n := c.cut(call.Sizes, int64(call.Parts))
			r.cut, r.from, r.to = axis, 0, n
			if axis >= 0 {
				r.from, r.to = call.Share(n)
			}
			if axis >= 0 || call.Part == 0 {
				c.way(r).run(r)
			}
		}
	}
	r.end()
	c.runs.Put(r)
	return nil
}

// way chooses how to run a launch: the one of the least estimated time.
func (c *code) way(r *run) *tiling {
	best := c.ways[0]
	if len(c.ways) == 1 {
		return best
	}
	least := -1.0
	for _, w := range c.ways {
		if t := w.estimate(r); t >= 0 && (least < 0 || t < least) {
			best, least = w, t
		}
	}
	return best
}

// run is what a part of a launch has while it runs.
type run struct {
	k        *kernel.Kernel
	call     *kernel.Call
	p        []unsafe.Pointer // where values are, by number
	at       []int64          // the point, by axis; the first of a tile's
	strides  [][]int64        // of operands, in elements
	accesses []accessState
	numbers  []int64 // memory of accesses
	tile     int64   // the elements of a tile
	cut      int     // the axis that the launch is cut along; -1 if it is not
	from, to int64   // the part of it
	budget   loops.Budget
	factors  [2]*run // that compute factors of a contraction; nil: they are loaded
	stopped  bool
}

func newRun(c *code) *run {
	k := c.k
	most := 0
	for s := range k.Stages {
		most = max(most, len(k.Stages[s].Axes))
	}
	values, accesses, numbers := 0, 0, 0
	need := func(w *tiling) {
		values, accesses, numbers = max(values, w.values), max(accesses, len(w.accesses)), max(numbers, w.numbers())
	}
	for _, w := range c.ways {
		need(w)
	}
	if c.gemm != nil {
		need(c.gemm.epilogue)
	}
	run := func(at []int64) *run {
		return &run{k: k, at: at, p: make([]unsafe.Pointer, values), accesses: make([]accessState, accesses), numbers: make([]int64, numbers)}
	}
	r := run(make([]int64, len(k.Axes)+most))
	if c.gemm == nil {
		return r
	}
	for i, f := range c.gemm.factors() {
		if f.way != nil {
			values, accesses, numbers = f.way.values, len(f.way.accesses), f.way.numbers()
			r.factors[i] = run(r.at) // at the same point
		}
	}
	return r
}

func (r *run) begin(call *kernel.Call) {
	r.call, r.stopped = call, false
	r.budget = loops.Budget{Done: call.Done, Fuel: loops.Tank}
	r.strides = r.k.StrideTable(r.strides, call.Strides)
	clear(r.at)
}

// end forgets the caller's memory.
func (r *run) end() {
	clear(r.p)
	clear(r.accesses)
	r.call, r.budget.Done = nil, nil
	for _, f := range r.factors {
		if f != nil {
			f.end()
		}
	}
}

// due notes that work was done, and reports whether to stop.
func (r *run) due(work int) bool {
	r.stopped = r.stopped || r.budget.Due(work)
	return r.stopped
}

// extent returns how long an axis is, as stage s numbers it.
func (r *run) extent(s, axis int) int64 {
	return r.k.Axis(s, axis).Size.Of(r.call.Sizes)
}

// tiles counts what tiles take beside their kernel, which is the program's, and built-in products.
var tiles = footprint.New(reflect.TypeFor[kernel.Kernel](), reflect.TypeFor[Products]())
