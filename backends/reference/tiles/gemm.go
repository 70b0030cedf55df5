package tiles

import (
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/internal/loops"
)

// gemm runs a contraction: blocks of the factors are packed for the
// evaluator's matrix product, and the stages that follow take the sums of a
// block row by row. Each sum is made in the order of the evaluator's.
type gemm struct {
	*kernel.Contraction
	k        *kernel.Kernel
	t        loops.DType // of products and sums
	multiply loops.GemmFunc
	fast     Products // nil if there are none
	add      loops.Loop2
	a, b     gemmFactor
	epilogue *tiling  // in tiles along the last axis of N
	order    SumOrder // of fast, if there must be one
}

// gemmFactor is how a factor is packed.
type gemmFactor struct {
	*kernel.Access
	size    int64       // of an element in memory
	convert loops.Loop1 // to the type of the products; nil if it is that
	// way computes a factor that is not loaded, along K for A and along the last axis of N for B;
	// nil for others. Its value has this number.
	way   *tiling
	value int
}

// The blocks: of b as of gemm, of a and the sums as large as still fits the
// second-level cache with it.
const (
	gemmRows    = 256
	gemmColumns = 1024
	gemmDepth   = 128
	// leastGemm is how many products it takes for packing to pay.
	leastGemm = 1 << 12
)

// newGemm returns nil for what is no contraction, or one that tiles do as
// well.
func newGemm(k *kernel.Kernel, v vectored) *gemm {
	c, ok := kernel.AsContraction(k)
	if !ok || len(c.M) == 0 && v.order == nil || (c.A.Load == kernel.None || c.B.Load == kernel.None) && len(c.K) != 1 {
		return nil
	}
	for a := range k.Axes {
		if !k.Separable(a) {
			return nil
		}
	}
	g := &gemm{Contraction: c, k: k, t: loops.Of(c.Type)}
	if g.multiply = loops.Gemm(g.t); g.multiply == nil {
		return nil
	}
	g.a, g.b = g.factor(c.A, v, len(k.Axes)), g.factor(c.B, v, c.N[len(c.N)-1])
	g.fast, g.add = v.products(c.Type), v.binary(kernel.Add, c.Type, c.Type)
	g.epilogue = newTiling(k, v, c.N[len(c.N)-1], 1)
	return g
}

// factor returns how a factor is packed; along an axis, if it is computed.
func (g *gemm) factor(f kernel.Factor, v vectored, axis int) gemmFactor {
	if f.Load == kernel.None {
		r := gemmFactor{size: int64(f.Type.Size())}
		r.way, r.value = newFactorWay(g.k, v, axis, f)
		return r
	}
	r := gemmFactor{Access: g.k.Instrs[f.Load].Mem, size: int64(f.Type.Size())}
	if f.Type != g.Type {
		r.convert = v.convert(f.Type, g.Type)
	}
	return r
}

func (g *gemm) factors() [2]*gemmFactor { return [2]*gemmFactor{&g.a, &g.b} }

// extent returns how many points some axes have; axes of K are the first
// stage's.
func (g *gemm) extent(axes []int, sizes []int64) int64 {
	n := int64(1)
	for _, a := range axes {
		n = min(n*min(g.k.Axis(0, a).Size.Of(sizes), mostPoints), mostPoints)
	}
	return n
}

// fits reports whether a launch is run by it.
func (g *gemm) fits(sizes []int64) bool {
	if g == nil {
		return false
	}
	m, n, k := g.extent(g.M, sizes), g.extent(g.N, sizes), g.extent(g.K, sizes)
	return n >= 4 && min(m*n, mostPoints)*k >= leastGemm && g.rows(sizes) < mostPoints
}

// rows returns how many rows the parts of a launch share.
func (g *gemm) rows(sizes []int64) int64 {
	return min(g.extent(g.Batch, sizes)*g.extent(g.M, sizes), mostPoints)
}

// scratch returns the bytes of a part: what the epilogue takes, blocks of both
// factors and the sums, a row before conversion, where rows, columns and
// depths are, and what fast products take.
func (g *gemm) scratch(sizes []int64) int {
	blocks := gemmRows*gemmDepth + gemmDepth*gemmColumns + gemmRows*gemmColumns
	n := g.epilogue.scratch(nil) + 64
	for _, f := range g.factors() {
		if f.way != nil {
			n += f.way.scratch(nil) + 64
		}
	}
	if g.order != AnyOrder { // nothing is packed
		rows, columns := g.block(sizes)
		return n + g.t.Size()*rows*columns + 8*(gemmRows+gemmColumns) + g.fastScratch(sizes) + 128
	}
	n += g.t.Size()*blocks + 8*gemmColumns + 8*(gemmRows+gemmColumns+2*gemmDepth) + 64
	if g.fast != nil {
		n += g.t.Size()*gemmRows*gemmColumns + g.fastScratch(sizes) + 64
	}
	return n
}

// fastScratch returns the bytes that fast products of a block take.
func (g *gemm) fastScratch(sizes []int64) int {
	rows, columns := g.block(sizes)
	if g.order != AnyOrder {
		return g.fast.Scratch(rows, columns, int(g.extent(g.K, sizes)))
	}
	return max(g.fast.Scratch(rows, columns, int(g.extent(g.K, sizes))), g.fast.Scratch(rows, columns, gemmDepth))
}

// block returns how many rows and columns the largest block has.
func (g *gemm) block(sizes []int64) (rows, columns int) {
	return int(min(g.extent(g.M, sizes), gemmRows)), int(min(g.extent(g.N, sizes), gemmColumns))
}

// gemmBlock is a block of a launch: sums of rows and columns.
type gemmBlock struct {
	*gemm
	r                             *run
	a, b, sums, raw               unsafe.Pointer
	rows, columns, depthA, depthB []int64 // in bytes
	row, column                   int64   // its first ones

	part, work unsafe.Pointer // the products of a depth, and what fast ones take
	workBytes  int
}

func (g *gemm) run(r *run) {
	sizes := r.call.Sizes
	w := g.epilogue
	mem := r.call.Scratch
	begin := func(w *tiling, r *run) {
		w.setup(r, mem)
		for s := range w.stages {
			steps(r, w.stages[s].once, w.most)
		}
		mem = align64(unsafe.Add(mem, w.scratch(nil)+64))
	}
	begin(w, r)
	for i, f := range g.factors() {
		if f.way != nil {
			of := r.factors[i]
			of.call, of.strides = r.call, r.strides
			begin(f.way, of)
		}
	}
	e := gemmBlock{gemm: g, r: r}
	e.layout(mem)
	m, n := g.extent(g.M, sizes), g.extent(g.N, sizes)
	at, end := r.call.Share(g.rows(sizes))
	for at < end && !r.stopped {
		count := min(m-at%m, gemmRows, end-at)
		r.place(g.Batch, at/m)
		for j := int64(0); j < n && !r.stopped; j += gemmColumns {
			e.block(at%m, j, int(count), int(min(n-j, gemmColumns)))
		}
		at += count
	}
}

func (e *gemmBlock) layout(mem unsafe.Pointer) {
	take := func(bytes int) unsafe.Pointer {
		p := mem
		mem = unsafe.Add(mem, bytes)
		return p
	}
	numbers := func(n int) []int64 { return unsafe.Slice((*int64)(take(8*n)), n) }
	size := e.t.Size()
	if e.gemm.order != AnyOrder {
		rows, columns := e.gemm.block(e.r.call.Sizes)
		e.rows, e.columns, e.sums = numbers(gemmRows), numbers(gemmColumns), take(size*rows*columns)
		e.work, e.workBytes = align64(mem), e.fastScratch(e.r.call.Sizes)
		return
	}
	e.rows, e.columns, e.depthA, e.depthB = numbers(gemmRows), numbers(gemmColumns), numbers(gemmDepth), numbers(gemmDepth)
	e.raw = take(8 * gemmColumns)
	e.a, e.b, e.sums = take(size*gemmRows*gemmDepth), take(size*gemmDepth*gemmColumns), take(size*gemmRows*gemmColumns)
	if e.fast != nil {
		e.part, e.workBytes = take(size*gemmRows*gemmColumns), e.fastScratch(e.r.call.Sizes)
		e.work = align64(mem)
	}
}

// place sets the point along axes to the given one of theirs, in row-major
// order.
func (r *run) place(axes []int, point int64) {
	for i := len(axes) - 1; i >= 0; i-- {
		n := r.extent(0, axes[i])
		r.at[axes[i]] = point % n
		point /= n
	}
}

// block makes the sums of a block and runs the epilogue for them. The batch is
// where r.at says.
func (e *gemmBlock) block(row, column int64, rows, columns int) {
	r, size := e.r, e.t.Size()
	e.row, e.column = row, column
	e.offsets(e.rows[:rows], &e.gemm.a, e.M, row)
	e.offsets(e.columns[:columns], &e.gemm.b, e.N, column)
	if !e.inPlace(rows, columns) {
		e.packed(rows, columns)
	}
	if r.due(rows) {
		return
	}
	last := e.N[len(e.N)-1]
	for i := range rows {
		r.place(e.M, row+int64(i))
		for j := 0; j < columns && !r.stopped; {
			r.place(e.N, column+int64(j))
			n := min(int(r.extent(0, last)-r.at[last]), columns-j)
			r.p[e.Sum] = unsafe.Add(e.sums, (i*columns+j)*size)
			e.epilogue.runStages(r, 0, n)
			j += n
		}
	}
}

// inPlace makes the sums of a block of factors as they lie, where their rows, columns and elements
// of a sum are equally far apart and there is code for that.
func (e *gemmBlock) inPlace(rows, columns int) bool {
	a, b := &e.gemm.a, &e.gemm.b
	if e.fast == nil || len(e.K) != 1 || a.convert != nil || b.convert != nil || a.way != nil || b.way != nil {
		return false
	}
	size := int64(e.t.Size())
	row, evenA := apart(e.rows[:rows])
	column, evenB := apart(e.columns[:columns])
	if !evenA || !evenB {
		return false
	}
	block, few := e.gemm.order == OfMatrices, 0
	if e.gemm.order == OfFewRows {
		block, few = true, int(e.gemm.extent(e.M, e.r.call.Sizes))
	}
	if block {
		row, column = size*e.along(a, e.M), size*e.along(b, e.N)
	}
	stridesA := [2]int{int(row / size), int(e.along(a, e.K))}
	stridesB := [2]int{int(e.along(b, e.K)), int(column / size)}
	fromA, fromB, depth := e.at(a, e.rows[0]), e.at(b, e.columns[0]), int(e.extent(e.K, e.r.call.Sizes))
	if block {
		e.fast.MultiplyBlock(e.sums, fromA, fromB, rows, columns, depth, stridesA, stridesB, few, e.work, e.workBytes, e.r.budget.Done)
		return true
	}
	return e.fast.Multiply(e.sums, fromA, fromB, rows, columns, depth, stridesA, stridesB, e.work, e.workBytes, e.r.budget.Done)
}

// along returns how far a factor's elements are apart along the only one of some axes; 0 if there is
// none.
func (e *gemmBlock) along(f *gemmFactor, axes []int) int64 {
	if len(axes) == 0 {
		return 0
	}
	return f.StrideAlong(axes[0], e.r.strides[f.Param])
}

// apart returns how far places are from each other, if all are equally far.
func apart(places []int64) (by int64, even bool) {
	if len(places) < 2 {
		return 0, true
	}
	by = places[1] - places[0]
	for i := 2; i < len(places); i++ {
		if places[i]-places[i-1] != by {
			return 0, false
		}
	}
	return by, true
}

// packed makes the sums of a block of factors that are packed.
func (e *gemmBlock) packed(rows, columns int) {
	r := e.r
	clear(unsafe.Slice((*byte)(e.sums), rows*columns*e.t.Size()))
	depth := e.extent(e.K, r.call.Sizes)
	for k := int64(0); k < depth; k += gemmDepth {
		n := int(min(depth-k, gemmDepth))
		e.offsets(e.depthA[:n], &e.gemm.a, e.K, k)
		e.offsets(e.depthB[:n], &e.gemm.b, e.K, k)
		if e.gemm.a.way != nil {
			e.computeA(k, rows, n)
		} else {
			e.pack(e.a, &e.gemm.a, e.rows[:rows], e.depthA[:n])
		}
		if e.gemm.b.way != nil {
			e.computeB(k, n, columns)
		} else {
			e.pack(e.b, &e.gemm.b, e.depthB[:n], e.columns[:columns])
		}
		if e.fast != nil && e.fast.Multiply(e.part, e.a, e.b, rows, columns, n, [2]int{n, 1}, [2]int{columns, 1}, e.work, e.workBytes, r.budget.Done) {
			e.add(e.sums, e.sums, e.part, rows*columns)
		} else {
			e.multiply(&r.budget, e.sums, e.a, e.b, rows, columns, n, n, 1)
		}
		if r.due(rows) {
			return
		}
	}
}

// offsets writes how far a factor is at each of some points of axes, from the
// given one on, from where it is at the first.
func (e *gemmBlock) offsets(to []int64, f *gemmFactor, axes []int, first int64) {
	if f.way != nil {
		return
	}
	r := e.r
	strides := r.strides[f.Param]
	r.place(axes, first)
	for i := range to {
		at := int64(0)
		for _, a := range axes {
			at += r.at[a] * f.StrideAlong(a, strides)
		}
		to[i] = at * f.size
		for l := len(axes) - 1; l >= 0; l-- {
			if r.at[axes[l]]++; r.at[axes[l]] < r.extent(0, axes[l]) {
				break
			}
			r.at[axes[l]] = 0
		}
	}
}

// at returns where a factor of the batch at hand is, so many bytes from its first element.
func (e *gemmBlock) at(f *gemmFactor, bytes int64) unsafe.Pointer {
	r := e.r
	strides := r.strides[f.Param]
	origin := f.Origin(strides)
	for _, a := range e.Batch {
		origin += r.at[a] * f.StrideAlong(a, strides)
	}
	return unsafe.Add(r.call.Mem[f.Param], origin*f.size+bytes)
}

// pack writes a block of a factor, row by row, as elements of the type of the
// products.
func (e *gemmBlock) pack(to unsafe.Pointer, f *gemmFactor, rows, columns []int64) {
	neighbours := true
	for i, c := range columns {
		neighbours = neighbours && c == columns[0]+int64(i)*f.size
	}
	n, row := len(columns), to
	for _, at := range rows {
		raw := row
		if f.convert != nil {
			raw = e.raw
		}
		if neighbours {
			loops.CopyBytes(raw, e.at(f, at+columns[0]), n*int(f.size))
		} else {
			collect(f.size, raw, e.at(f, at+columns[0]), columns)
		}
		if f.convert != nil {
			f.convert(row, raw, n)
		}
		row = unsafe.Add(row, n*e.t.Size())
	}
}

// computeA computes a block of A, n elements of a sum from the k-th on of each row.
func (e *gemmBlock) computeA(k int64, rows, n int) {
	r, f := e.r.factors[0], &e.gemm.a
	to := e.a
	for i := range rows {
		r.place(e.M, e.row+int64(i))
		r.at[e.K[0]] = k
		to = f.compute(r, to, n)
	}
}

// computeB computes a block of B, all columns of n elements of a sum from the k-th on.
func (e *gemmBlock) computeB(k int64, n, columns int) {
	r, f, last := e.r.factors[1], &e.gemm.b, e.N[len(e.N)-1]
	to := e.b
	for l := range n {
		r.at[e.K[0]] = k + int64(l)
		for j := 0; j < columns; {
			r.place(e.N, e.column+int64(j))
			m := min(int(r.extent(0, last)-r.at[last]), columns-j)
			to = f.compute(r, to, m)
			j += m
		}
	}
}

// compute computes n elements of the factor and returns what is behind them.
func (f *gemmFactor) compute(r *run, to unsafe.Pointer, n int) unsafe.Pointer {
	st := &f.way.stages[0]
	steps(r, st.shared, n)
	steps(r, st.body, n)
	bytes := n * int(f.size)
	loops.CopyBytes(to, r.p[f.value], bytes)
	return unsafe.Add(to, bytes)
}

// collect copies the elements at places, counted from the first of them, which
// from points to.
func collect(size int64, to, from unsafe.Pointer, places []int64) {
	switch size {
	case 1:
		collectOf[uint8](to, from, places)
	case 2:
		collectOf[uint16](to, from, places)
	case 4:
		collectOf[uint32](to, from, places)
	default:
		collectOf[uint64](to, from, places)
	}
}

func collectOf[T any](to, from unsafe.Pointer, places []int64) {
	o := unsafe.Slice((*T)(to), len(places))
	for i := range o {
		o[i] = *(*T)(unsafe.Add(from, places[i]-places[0]))
	}
}
