package gemm

import (
	"fmt"
	"strconv"

	"ltc/ir/types"
)

// Plan is how a [Problem] is computed on a machine: which kernels, how they cut
// it to pieces. It depends on the sizes as well, kernels do not.
type Plan struct {
	Problem Problem // as it was given
	on      Machine
	core    *core
	packed  *core              // whose panels a packed B has: core, unless widens is set
	cores   [2][numCores]*core // as far as they were needed, of the problem and of it swapped
	// p is the problem as it is computed: the one given or, if swapped is set,
	// that of the transposed operands.
	p       Problem
	swapped bool
	vector  bool // A is one row
	few     bool // A has few rows, which meet B as it lies

	directA, directB bool   // operands are taken as they lie
	inC              bool   // sums are kept in C
	widens           bool   // blocks of a packed B are converted before rows meet them
	prefetchA        bool   // the kernel prefetches rows of A
	depth            int    // elements of k at a time
	width            int    // columns of B at a time
	chunk            int    // rows of A at a time
	group            int    // panels of B that meet a chunk at a time
	batches          int    // matrices of a call of the kernel
	calls            int    // rows of a call of the kernel at most
	tall             int    // rows for which a part keeps sums at a time
	image            *image // nil if B is packed, or read as it is
	spare            *image // its memory
	cuts             *known

	kernel, packA, packB, widen, epilogue string // names of units, empty if there is none
}

// UnsupportedError says that there is no product of such elements.
type UnsupportedError struct{ A, B, Acc, C types.DType }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("gemm: no product of %v and %v with sums of %v that become %v", e.A, e.B, e.Acc, e.C)
}

// New plans a problem. It returns an *[UnsupportedError] for dtypes that there
// is no kernel for.
func New(p Problem, on Machine) (*Plan, error) {
	q := &Plan{on: on, cuts: new(known)}
	if err := q.plan(p); err != nil {
		return nil, err
	}
	q.names()
	return q, nil
}

// Replan makes q the plan for a problem that differs from the one that it is for
// in sizes, strides and PackedB alone. It allocates nothing once it has planned one
// row, more of them, and a packed B.
func (q *Plan) Replan(p Problem) error { return q.plan(p) }

func (q *Plan) plan(p Problem) error {
	*q = Plan{Problem: p, on: q.on, p: p, cores: q.cores, cuts: q.cuts, spare: q.spare}
	q.cuts.Store(0)
	gathers := p.GatherA != nil || p.GatherB != nil
	if p.GatherA != nil { // all blocks begin at the first element
		q.p.StrideA[1], q.p.StrideA[2] = 0, 0
	}
	if p.GatherB != nil {
		q.p.StrideB[1], q.p.StrideB[2] = 0, 0
	}
	if !gathers && p.M > 1 && !p.PackedB && p.FewRows == 0 {
		if p.N == 1 || p.StrideC[2] != 1 && p.StrideC[1] == 1 {
			q.p, q.swapped = p.swapped(), true
		}
		if q.hasFewColumns() {
			q.p, q.swapped = q.p.swapped(), !q.swapped
		}
	}
	q.vector = !gathers && q.p.M == 1 && !p.PackedB && !p.Block && q.orderB() != Anyhow
	of := ofBlocks
	switch {
	case q.vector:
		of = ofRow
	case p.PackedB:
		of = ofPacked
	}
	if q.core = q.coreOf(of); q.core == nil {
		return &UnsupportedError{p.A, p.B, p.Acc, p.C}
	}
	q.few = p.GatherB == nil && !p.PackedB && q.orderB() == AlongK && q.hasFewRows()
	q.packed = q.core
	if q.core.narrow != types.Invalid && q.p.M > q.core.fewRows(q.on) {
		q.core, q.widens = q.coreOf(ofBlocks), true
	}
	switch {
	case q.vector:
		q.oneRow()
	case q.few:
		q.planFewRows()
	default:
		q.blocks()
		if q.image = q.imageOf(); q.image != nil {
			q.core = q.coreOf(ofImage)
			q.packed = q.core
		}
		q.choose()
	}
	return nil
}

// coreOf returns a core of the plan, nil if there is no such arithmetic.
func (q *Plan) coreOf(use coreUse) *core {
	at := &q.cores[0][use]
	if q.swapped {
		at = &q.cores[1][use]
	}
	if *at == nil {
		*at = coreOf(&q.p, q.on, use)
	}
	return *at
}

// bytesL2 and bytesL3 are the caches that plans reckon with at most, that of a core
// and the one that cores share. Blocks take half of the one and a quarter of the
// other.
const (
	bytesL2 = 1 << 20
	bytesL3 = 8 << 20
)

// hasFewRows reports whether there are few rows, or these are a block of few, of long sums. Elements
// of B that are converted, or multiplied in pairs, are packed: panels of them are read faster.
func (q *Plan) hasFewRows() bool {
	c, p := q.core, &q.p
	switch {
	case p.FewRows > 0:
		return true
	case p.Block || p.M <= 1 || c.group > 1 || p.B != c.elem || p.PrologueB.set():
		return false
	}
	vectors := p.K / c.lanes
	return p.M <= mostFewRows && p.GatherA == nil && vectors >= leastFewRows || p.M <= mostSomeRows && vectors >= longSum
}

// hasFewColumns reports whether few columns are better rows: panels of them have unused columns, or
// A is packed, which is much larger than B, and need not be if it takes the place of B. The
// epilogue transposes sums then, so that they must be long.
func (q *Plan) hasFewColumns() bool {
	p, c := &q.p, q.coreOf(ofBlocks)
	if c == nil || c.group > 1 || p.Block || p.N < 2 || p.N > mostSomeRows || p.M < 4*p.N || p.A != c.elem || p.B != c.elem || p.PrologueA.set() || p.PrologueB.set() {
		return false
	}
	vectors := p.K / c.lanes
	switch q.orderA() {
	case AlongK:
		unused := ceil(p.N, c.columns())*c.columns() - p.N
		return 5*unused > p.N && (p.N <= mostFewRows && vectors >= leastFewRows || vectors >= longSum)
	case AcrossK:
		return q.orderB() == AcrossK && vectors >= longSum
	}
	return false
}

// l2 returns the bytes of the L2 cache to reckon with.
func (q *Plan) l2() int {
	if q.on.L2 == 0 {
		return bytesL2
	}
	return min(q.on.L2, bytesL2)
}

// blocks chooses the sizes of the blocks. What a thread is given is not yet
// known, and must not change how sums are formed: depth depends on K alone.
func (q *Plan) blocks() {
	c, p := q.core, &q.p
	const bytes = 2048 // of k of a row of A and a column of B
	limit := bytes / c.laneSize() * c.group
	q.depth = max(p.K, 1)
	if p.K > limit {
		unit := c.lanes * c.group
		q.depth = ceil(ceil(p.K, ceil(p.K, limit)), unit) * unit
	}
	deep := c.steps(q.depth) * c.unitSize()
	q.width = max(min(bytesL3/4/deep, 2048)/c.columns(), 1) * c.columns()
	// A chunk of A and a group of panels take half of the L2 cache.
	q.chunk = 4 * c.rows
	if q.orderA() == AcrossK {
		q.chunk = 8 * c.rows // packed in squares, of which none is cut then
	}
	q.chunk = min(q.chunk, ceil(max(p.M, 1), c.rows)*c.rows)
	q.group = max(q.l2()/2/c.columns()/deep, 1)
	if p.GatherB != nil && p.GatherA == nil { // images have many columns, which few rows meet
		q.width = min(q.width, q.group*c.columns())
	}
}

// choose decides what is packed and where sums are kept.
func (q *Plan) choose() {
	c, p := q.core, &q.p
	q.inC = p.C == p.Acc && p.StrideC[2] == 1 && !p.Overlap
	q.directA = p.GatherA == nil && p.A == c.elem && q.keepsUnits() && !p.PrologueA.set() && p.StrideA[2] == 1 && q.keepsA()
	q.directB = p.GatherB == nil && p.B == c.elem && c.group == 1 && !p.PrologueB.set() && p.StrideB[2] == 1 && !p.PackedB && q.keepsB()
	rowBytes := c.steps(q.depth) * c.laneSize()
	if q.directA && p.N > c.columns() && q.collides() {
		q.chunk = ways // strips of rows that do not
	}
	if !q.directB && q.directA && p.GatherB == nil && !p.PackedB && p.M <= 12*c.rows {
		q.width = min(q.width, q.group*c.columns()) // what is packed stays in the L2 cache for all rows
	}
	q.prefetchA = p.GatherA == nil && q.orderA() == AlongK && (p.Batch > 1 || p.M*rowBytes > q.l2())
	q.batches = 1
	if q.sharedB() || q.directB && p.K <= q.depth && p.N <= q.width {
		q.batches = min(max(int(1e8/float64(p.M*p.N*p.K+1)), 1), 64, max(p.Batch, 1))
	}
	if !q.inC && p.K <= q.depth {
		// Sums wait for the epilogue in the L1 cache.
		q.group = max(min(q.group, 8<<10/(c.rows*c.rowBytes())), 1)
	}
	q.tall = max(p.M, 1)
	if p.GatherA != nil && !q.inC && p.K > q.depth { // images have many rows, and few columns
		const bytes = 4 << 20
		q.tall = max(bytes/(ceil(min(q.width, max(p.N, 1)), c.columns())*c.rowBytes())/c.rows, 1) * c.rows
	}
	rows := 5e7 / float64(q.depth*min(q.width, max(p.N, 1)))
	q.calls = max(int(min(rows, 1e9))/q.chunk, 1) * q.chunk
}

// ReadsImage reports whether blocks of B are read from copies of parts of an image. Otherwise the
// plan is no plan of a problem that has a [Border].
func (q *Plan) ReadsImage() bool { return q.image != nil }

// OfRow reports whether A is one row, whose sums have an order of their own.
func (q *Plan) OfRow() bool { return q.vector }

// OfFewRows reports whether sums have the order of few rows that meet a B as it lies. Rows may be
// columns of the problem: see swapped.
func (q *Plan) OfFewRows() (few, swapped bool) { return q.few, q.swapped }

// Packings returns how often a part that computes all packs each element of A and
// of B, or reads it, if it is taken as it lies.
func (q *Plan) Packings() (a, b int) {
	p := &q.p
	a, b = 1, 1
	if !q.vector {
		a = max(ceil(p.N, q.width), 1)
	}
	if p.StrideA[0] == 0 {
		a *= max(p.Batch, 1)
	}
	if p.oneB() {
		b = max(ceil(p.Batch, q.batches), 1)
	}
	if q.swapped {
		a, b = b, a
	}
	return a, b
}

// setsL1 is the distance in bytes of what shares a set of the L1 cache. It has ways
// places for that, and so many are reckoned with of the L2 cache.
const (
	setsL1 = 4 << 10
	ways   = 8
)

// keepsA reports whether the rows of a strip can be read as they lie: their
// lines do not push each other out of the L1 cache, and pages are few.
func (q *Plan) keepsA() bool {
	c, p := q.core, &q.p
	row := max(abs(p.StrideA[1]*p.A.Size()), line)
	if q.collides() {
		return p.N <= 4*c.columns() // to copy them takes longer than few panels gain by it
	}
	return row < 3584 || p.N <= 16*c.columns()
}

// collides reports whether rows of a strip are in more lines of a set of the L1 cache than it has
// places.
func (q *Plan) collides() bool { return !q.spreads(q.core.rows - 1) }

// spreads reports whether so many rows of A leave places in the sets of the L1 cache to others.
func (q *Plan) spreads(rows int) bool {
	row := max(abs(q.p.StrideA[1]*q.p.A.Size()), line)
	return rows < ways*setsL1/gcd(row, setsL1)
}

// keepsB reports whether panels can be read unpacked. One reason is that packing them would
// take longer than few rows gain by it. The other is that their lines do not push each
// other out of the L2 cache, and either all of them stay there or no more than some strips
// meet each panel.
func (q *Plan) keepsB() bool {
	c, p := q.core, &q.p
	if p.M <= 5*c.rows {
		return true
	}
	row := max(abs(p.StrideB[1]*p.B.Size()), line)
	return q.depth <= q.l2()/gcd(row, q.l2()/ways) && (p.K*p.N*p.B.Size() <= q.l2() || p.M <= 12*c.rows)
}

func abs(x int) int { return max(x, -x) }

func gcd(x, y int) int {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

// sharedB reports whether all matrices of A are multiplied by the same packed
// block of B before the next one.
func (q *Plan) sharedB() bool {
	return q.p.oneB() && (q.inC || q.p.K <= q.depth)
}

// oneRow chooses how one row is multiplied by B: how many columns at a time, in
// scratch memory that takes a part of the L1 cache.
func (q *Plan) oneRow() {
	c, p := q.core, &q.p
	q.directA = p.A == c.acc && c.elem == c.acc && !p.PrologueA.set() && p.StrideA[2] == 1
	q.directB = true
	q.inC = p.C == p.Acc && p.StrideC[2] == 1 && !p.Overlap
	q.depth = max(p.K, 1)
	q.group = 16 << 10 / c.laneSize()
	q.width = max(5e6/q.depth/c.columns(), 1) * c.columns()
	if q.orderB() == AcrossK { // short parts of long rows take several times as long
		q.width = max(q.width, q.group)
	}
	q.chunk, q.calls, q.tall = 1, 1, 1
	q.batches = min(max(int(1e7/float64(p.N*p.K+1)), 1), max(p.Batch, 1))
}

func (q *Plan) orderA() Order {
	p := &q.p
	if g := p.GatherA; g != nil {
		return g.rowOrder(p.A.Size())
	}
	return orderOf(p.StrideA[2], p.StrideA[1])
}

func (q *Plan) orderB() Order {
	p := &q.p
	if g := p.GatherB; g != nil {
		switch {
		case !p.PackedB && g.K.Length == 1 && g.Row.Length > 1 && g.columns(p.B.Size()) != Anyhow:
			return g.columns(p.B.Size())
		case q.core.group == 1 && g.acrossK(p.B.Size(), p.N):
			return AcrossK
		case q.core.group == 1 && g.AlongK(p.B.Size(), p.N):
			return AlongK
		}
		return Anyhow
	}
	return orderOf(p.StrideB[1], p.StrideB[2])
}

// mostEdgePanels is the most panels of B whose last one is worth a kernel of its own.
const mostEdgePanels = 16

// edge returns how many half vectors the columns of the last panel take, 0 if kernels of whole panels
// multiply it: those of fewer vectors do so in less time, with the same sums. Panels of another dtype,
// those that begin with a row of offsets, and copies of images are read by the usual kernels.
func (q *Plan) edge() int {
	c, n := q.core, q.p.N
	rest := n % c.columns()
	if q.vector || q.few || q.image != nil || c.narrow != types.Invalid || c.offset || rest == 0 || n > mostEdgePanels*c.columns() {
		return 0
	}
	halves := ceil(rest, c.lanes/2)
	if !c.halves(q.on) {
		halves = 2 * ceil(rest, c.lanes)
	}
	return halves % (2 * c.vecs)
}

// Kind is what plans differ in that need other units, of problems that differ in
// sizes, strides and PackedB alone.
type Kind struct {
	vector, few, swapped, packsA, packsB, finishes bool
	narrow, widens                                 bool
	orderA, orderB, orderC                         Order
	gathersA, gathersB                             bool
	image, border                                  bool
	edge                                           int
}

// Kind returns the kind of the plan.
func (q *Plan) Kind() Kind {
	c, p := q.core, &q.p
	return Kind{
		vector: q.vector, few: q.few, swapped: q.swapped, packsA: !q.directA,
		packsB: !q.vector && !q.few && !(q.directB && p.N%c.columns() == 0),
		narrow: q.packed.narrow != types.Invalid, widens: q.widens,
		finishes: !q.inC || p.Epilogue.set(),
		orderA:   q.orderA(), orderB: q.orderB(), orderC: orderOf(p.StrideC[2], 0),
		gathersA: p.GatherA != nil, gathersB: p.GatherB != nil, image: q.image != nil, border: q.image != nil && p.BorderB != nil,
		edge: q.edge(),
	}
}

// names names the units that the plan needs.
func (q *Plan) names() {
	c, p, k := q.core, &q.p, q.Kind()
	q.packA, q.packB, q.widen, q.epilogue = "", "", "", ""
	packing, applied := p.PrologueB.Name, "" // where the prologue is
	if q.packed.prologue != nil {
		packing, applied = "", p.PrologueB.Name
	}
	q.kernel = unitName(c.panels())
	if c.prologue != nil {
		q.kernel = unitName(c.panels(), applied)
	}
	if k.edge > 0 {
		q.kernel = unitName(c.panels(), "edge"+strconv.Itoa(k.edge))
	}
	if q.vector {
		q.kernel = unitName(c.name, "vecmat", p.B.String(), k.orderB.String(), p.PrologueB.Name)
	}
	if q.few {
		q.kernel = unitName(c.name, "fewrows", p.B.String())
	}
	if k.packsA {
		q.packA = unitName(c.name, "packa", p.A.String(), k.orderA.String(), gatherName(k.gathersA)+p.PrologueA.Name)
	}
	switch {
	case k.border:
		q.packB = unitName(c.name, "border", p.B.String(), k.orderB.String())
	case k.image:
		q.packB = unitName(c.name, "image", p.B.String(), k.orderB.String())
	case k.packsB:
		q.packB = unitName(q.packed.panels(), "packb", p.B.String(), k.orderB.String(), gatherName(k.gathersB)+packing)
	}
	if k.widens {
		q.widen = unitName(q.packed.panels(), "widen", applied)
	}
	if k.finishes {
		q.epilogue = unitName("epilogue", p.Acc.String(), p.C.String(), k.orderC.String(), p.Epilogue.Name)
		if q.swapped && p.Epilogue.set() {
			q.epilogue += "_swapped"
		}
	}
}

func gatherName(gathers bool) string {
	if gathers {
		return "gather"
	}
	return ""
}
