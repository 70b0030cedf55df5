package gemm

import (
	"fmt"
	"unsafe"
)

// Code is a function of a loaded [Unit].
type Code interface {
	// Call calls it as i32 f(args) and returns its status.
	Call(args unsafe.Pointer) int32
	// CallShort is Call for what takes no more than some milliseconds.
	CallShort(args unsafe.Pointer) int32
	// Address is where it begins.
	Address() uintptr
}

// Product is a plan with its code. Any number of goroutines may use it.
type Product struct {
	plan *Plan
	*codes
}

// codes are the functions of a plan, nil those that it does not need.
type codes struct{ kernel, packA, packB, widen, epilogue Code }

// Bind looks the plan's units up by their names.
func (q *Plan) Bind(find func(name string) (Code, error)) (*Product, error) {
	if q.kernel == "" {
		q.names()
	}
	r := &Product{plan: q, codes: &codes{}}
	for _, u := range []struct {
		name string
		code *Code
	}{{q.kernel, &r.kernel}, {q.packA, &r.packA}, {q.packB, &r.packB}, {q.widen, &r.widen}, {q.epilogue, &r.epilogue}} {
		if u.name == "" {
			continue
		}
		code, err := find(u.name)
		if err != nil {
			return nil, fmt.Errorf("gemm: unit %s: %w", u.name, err)
		}
		*u.code = code
	}
	return r, nil
}

// For returns the product of another plan of the same kind, of a problem that
// differs from the one at hand in sizes, strides and PackedB alone.
func (r *Product) For(q *Plan) Product { return Product{q, r.codes} }

// Operands is where a product's operands lie. All of it stays the caller's.
type Operands struct {
	A, B, C unsafe.Pointer
	PackedB unsafe.Pointer // instead of B, if the problem says so
	// What prologues and epilogue take.
	PrologueA, PrologueB, Epilogue unsafe.Pointer
}

// run is the work of one part.
type run struct {
	*Product
	Operands
	box
	space
	done <-chan struct{}
}

// space is a part's share of the workspace.
type space struct {
	args                     *[words]uintptr
	out                      *[outWords]uintptr
	tile, sums, rows, panels uintptr
	vectors                  unsafe.Pointer // [panelVectors], of an [image]
}

// spaceBytes are the bytes of each of its pieces, in the same order.
func (q *Plan) spaceBytes(parts int) [7]int {
	c := q.core
	n := [7]int{8 * words, 8 * outWords, c.rows * c.rowBytes()}
	if !q.directA {
		n[4] = ceil(q.chunk, c.lanes) * c.lanes * q.rowStride()
		if q.p.GatherA != nil {
			n[4] += 64 // a vector behind the last run
		}
	}
	switch {
	case q.vector:
		n[2], n[3] = q.group*c.laneSize(), q.group*c.laneSize()
	case q.few:
		n[2] = 0
		switch {
		case q.inC:
		case q.p.K <= q.depth:
			n[3] = q.chunk * q.group * c.laneSize()
		default:
			n[3] = q.chunk * ceil(q.width, c.columns()) * c.rowBytes()
		}
	default:
		g := q.grid(parts)
		panels := ceil(min(q.width, g.columns*c.columns()), c.columns())
		switch {
		case q.inC:
		case q.p.K <= q.depth:
			n[3] = c.rows * q.group * c.rowBytes()
		default:
			n[3] = min(g.rows*c.rows, q.tall) * panels * c.rowBytes()
		}
		if q.directB {
			panels = 1
		}
		if q.p.PackedB && !q.widens {
			panels = 0
		}
		n[5] = c.panelRows(q.depth) * c.panelRow() * panels * q.matricesB(q.batches)
		if q.image != nil {
			n[5], n[6] = q.image.bytes, panels*panelVectorsBytes
		}
	}
	for i := range n {
		n[i] = (n[i] + 63) &^ 63
	}
	return n
}

// rowStride is the bytes from one packed row of A to the next: an odd number of
// cache lines, so that rows do not share the sets of the L1 cache.
func (q *Plan) rowStride() int {
	c := q.core
	vectors := (c.steps(q.depth) + c.lanes - 1) / c.lanes * c.lanes * c.laneSize()
	lines := (vectors + 63) / 64
	return (lines | 1) * 64
}

// PartBytes returns how many bytes of memory one of so many parts of a product
// needs to run: a multiple of 64. It need not hold anything, and holds nothing
// afterwards.
func (q *Plan) PartBytes(parts int) int {
	sum := 0
	for _, n := range q.spaceBytes(parts) {
		sum += n
	}
	return sum
}

// space divides the memory of one of so many parts.
func (q *Plan) space(parts int, work unsafe.Pointer) space {
	n := q.spaceBytes(parts)
	next := func(i int) unsafe.Pointer {
		p := work
		work = unsafe.Add(work, n[i])
		return p
	}
	return space{(*[words]uintptr)(next(0)), (*[outWords]uintptr)(next(1)), uintptr(next(2)), uintptr(next(3)), uintptr(next(4)), uintptr(next(5)), next(6)}
}

// RunIn computes one of so many parts of the product, from 0 on, in memory of its
// own: [Plan.PartBytes] bytes, aligned to 64. Parts may run at the same time. The
// result has the same bits for any number of parts. RunIn gives up a few
// milliseconds after done, which may be nil, is closed, and reports whether it did
// not.
func (r *Product) RunIn(i, parts int, o Operands, work unsafe.Pointer, done <-chan struct{}) bool {
	q := r.plan
	part, ok := q.part(i, parts)
	if !ok {
		return true
	}
	w := run{Product: r, Operands: o, box: part, space: q.space(parts, work), done: done}
	if q.swapped {
		w.A, w.B, w.PrologueA, w.PrologueB = o.B, o.A, o.PrologueB, o.PrologueA
	}
	*w.out = [outWords]uintptr{uintptr(w.C), uintptr(w.Epilogue), word(q.p.StrideC[0]), word(q.p.StrideC[1]), word(q.p.StrideC[2])}
	if g := q.p.GatherA; g != nil {
		w.PrologueA = unsafe.Pointer(g)
	}
	if g := q.p.GatherB; g != nil {
		w.PrologueB = unsafe.Pointer(g)
	}
	for b := w.b0; b < w.b1; b += q.batches {
		for m := part.m0; m < part.m1; m += q.tall {
			w.m0, w.m1 = m, min(m+q.tall, part.m1)
			if !w.matrices(b, min(q.batches, w.b1-b)) {
				return false
			}
		}
	}
	return true
}

// word is a signed number as it is passed in an argument block.
func word(i int) uintptr { return uintptr(i) }

// matrices computes the part's share of count matrices from b on.
func (r *run) matrices(b, count int) bool {
	q := r.plan
	for n := r.n0; n < r.n1; n += q.width {
		x := block{b: b, count: count, n: n, columns: min(q.width, r.n1-n)}
		for x.k = 0; x.k == 0 || x.k < q.p.K; x.k += q.depth {
			x.depth = min(q.depth, q.p.K-x.k)
			r.pack(&x)
			for m := r.m0; m < r.m1; m += q.calls {
				select {
				case <-r.done:
					return false
				default:
				}
				r.multiply(&x, m, min(q.calls, r.m1-m))
			}
		}
	}
	return true
}

// block is a block of B of each of count matrices.
type block struct{ b, count, n, columns, k, depth int }

// matricesB is how many matrices of B count matrices of C are made of.
func (q *Plan) matricesB(count int) int {
	if q.p.oneB() {
		return min(count, 1)
	}
	return count
}

// panel is the bytes of a packed panel of x.
func (r *run) panel(x *block) int {
	c := r.plan.core
	return c.panelRows(x.depth) * c.panelRow()
}

// packedAt is where the panels of a block of a packed B begin, of its first matrix.
func (r *run) packedAt(x *block) uintptr {
	q := r.plan
	at := uintptr(r.PackedB) + word(x.n/q.core.columns()*q.panelBytes()+q.rowsBefore(x.k)*q.packed.panelRow())
	if !q.p.oneB() {
		at += word(x.b * q.matrixBytes())
	}
	return at
}

// pack packs a block of B, or the columns behind its last full panel if the
// others are taken as they lie. It converts a block that is packed already.
func (r *run) pack(x *block) {
	q := r.plan
	p, c := &q.p, q.core
	n, columns := x.n, x.columns
	panels := ceil(columns, c.columns())
	if q.directB {
		n += columns / c.columns() * c.columns()
		columns %= c.columns()
		panels = 1
	}
	if columns == 0 || q.vector || q.few || p.PackedB && !q.widens {
		return
	}
	if q.image != nil {
		r.copyImage(x)
		return
	}
	size := p.B.Size()
	a := (*[packWords]uintptr)(unsafe.Pointer(r.args))
	if q.widens {
		*a = [packWords]uintptr{
			packFrom:      r.packedAt(x),
			packTo:        r.panels,
			packBatch:     word(q.matricesB(x.count)),
			packK:         word(x.depth),
			packN:         word(columns),
			packFromBatch: word(q.matrixBytes()),
			packFromN:     word(q.panelBytes()),
			packToBatch:   word(panels * r.panel(x)),
			packToPanel:   word(r.panel(x)),
			packOperands:  uintptr(r.PrologueB),
			packFirstB:    word(x.b),
			packFirstK:    word(x.k),
			packFirstN:    word(n),
		}
		r.widen.CallShort(unsafe.Pointer(a))
		return
	}
	*a = [packWords]uintptr{
		packFrom:      uintptr(r.B) + word((x.b*p.StrideB[0]+x.k*p.StrideB[1]+n*p.StrideB[2])*size),
		packTo:        r.panels,
		packOperands:  uintptr(r.PrologueB),
		packBatch:     word(q.matricesB(x.count)),
		packK:         word(x.depth),
		packN:         word(columns),
		packFromBatch: word(p.StrideB[0] * size),
		packFromK:     word(p.StrideB[1] * size),
		packFromN:     word(p.StrideB[2] * size),
		packToBatch:   word(panels * r.panel(x)),
		packToPanel:   word(r.panel(x)),
		packFirstB:    word(x.b),
		packFirstK:    word(x.k),
		packFirstN:    word(n),
	}
	r.packB.CallShort(unsafe.Pointer(a))
}

// longProducts is how many products a call may add up that has the processor to
// itself; blocks are of less, but one row may be as long as it likes.
const longProducts = 3e7

// multiply adds the product of a block of rows of A and a block of B to C.
func (r *run) multiply(x *block, m, rows int) {
	q := r.plan
	p, c := &q.p, q.core
	sizeA, sizeB := p.A.Size(), p.B.Size()
	a := r.args
	*a = [words]uintptr{
		wordA:         uintptr(r.A) + word((x.b*p.StrideA[0]+m*p.StrideA[1]+x.k*p.StrideA[2])*sizeA),
		wordRows:      r.rows,
		wordTile:      r.tile,
		wordPrologue:  uintptr(r.PrologueA),
		wordOperands:  uintptr(unsafe.Pointer(r.out)),
		wordPrologueB: uintptr(r.PrologueB),
		wordBatch:     word(x.count),
		wordM:         word(rows),
		wordN:         word(x.columns),
		wordSteps:     word(c.steps(x.depth)),
		wordK:         word(x.depth),
		wordABatch:    word(p.StrideA[0] * sizeA),
		wordARow:      word(p.StrideA[1] * sizeA),
		wordAK:        word(p.StrideA[2] * sizeA),
		wordEdgeStep:  word(c.panelRow()),
		wordRowsRow:   word(q.rowStride()),
		wordChunk:     word(q.chunk),
		wordGroup:     word(q.group),
		wordFirstB:    word(x.b),
		wordFirstM:    word(m),
		wordFirstN:    word(x.n),
		wordFirstK:    word(x.k),
	}
	panel := r.panel(x)
	switch {
	case q.vector || q.few:
		a[wordB] = uintptr(r.B) + word((x.b*p.StrideB[0]+x.k*p.StrideB[1]+x.n*p.StrideB[2])*sizeB)
		a[wordBBatch], a[wordBStep], a[wordBPanel] = word(p.StrideB[0]*sizeB), word(p.StrideB[1]*sizeB), word(p.StrideB[2]*sizeB)
	case q.directB:
		a[wordB] = uintptr(r.B) + word((x.b*p.StrideB[0]+x.k*p.StrideB[1]+x.n*p.StrideB[2])*sizeB)
		a[wordBBatch], a[wordBStep], a[wordBPanel] = word(p.StrideB[0]*sizeB), word(p.StrideB[1]*sizeB), word(c.rowBytes())
		a[wordEdge] = r.panels
		if p.StrideB[0] != 0 {
			a[wordEdgeBatch] = word(panel)
		}
	case q.image != nil:
		a[wordB], a[wordBPanel] = uintptr(r.vectors), word(panelVectorsBytes)
		a[wordEdge] = a[wordB] + word(x.columns/c.columns()*panelVectorsBytes)
		a[wordPrologueB] = uintptr(unsafe.Pointer(&q.image.offsets[x.k]))
	default:
		from, batch := r.panels, ceil(x.columns, c.columns())*panel
		if p.PackedB && !q.widens {
			panel, batch = q.panelBytes(), q.matrixBytes()
			from = r.packedAt(x)
		}
		a[wordB], a[wordEdge] = from, from+word(x.columns/c.columns()*panel)
		a[wordBStep], a[wordBPanel] = word(c.panelRow()), word(panel)
		if !p.oneB() {
			a[wordBBatch], a[wordEdgeBatch] = word(batch), word(batch)
		}
	}
	if x.k > 0 {
		a[wordMore] = 1
	}
	r.setPrefetch(x, rows)
	if r.packA != nil {
		a[wordPackA] = r.packA.Address()
	}
	if r.epilogue != nil && x.k+x.depth >= p.K {
		a[wordEpilogue] = r.epilogue.Address()
	}
	r.sumsOf(x, m)
	if q.vector && float64(x.depth)*float64(x.columns)*float64(x.count) > longProducts {
		r.kernel.Call(unsafe.Pointer(a))
		return
	}
	r.kernel.CallShort(unsafe.Pointer(a))
}

// sumsOf says where sums are kept of rows from m on.
func (r *run) sumsOf(x *block, m int) {
	q, a := r.plan, r.args
	p, c := &q.p, q.core
	lane, panel := c.laneSize(), c.rowBytes() // of sums
	if q.vector || q.few {
		panel = lane
	}
	switch {
	case q.inC:
		a[wordC] = uintptr(r.C) + word((x.b*p.StrideC[0]+m*p.StrideC[1]+x.n*p.StrideC[2])*lane)
		a[wordCBatch], a[wordCRow] = word(p.StrideC[0]*lane), word(p.StrideC[1]*lane)
		a[wordCStrip], a[wordCPanel] = a[wordCRow], word(panel)
	case p.K <= q.depth: // all in one place
		a[wordC], a[wordCRow] = r.sums, word(q.group*panel)
	default:
		row := ceil(x.columns, c.columns()) * c.rowBytes()
		a[wordC] = r.sums + word((m-r.m0)*row)
		a[wordCRow], a[wordCStrip], a[wordCPanel] = word(row), word(row), word(panel)
	}
}
