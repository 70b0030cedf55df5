package gemm

import (
	"fmt"
	"unsafe"
)

// Code is a function of a loaded [Unit].
type Code interface {
	// Call calls it as i32 f(args) and returns its status.
	Call(args unsafe.Pointer) int32
	// Address is where it begins.
	Address() uintptr
}

// Product is a plan with its code. Any number of goroutines may use it.
type Product struct {
	plan                          *Plan
	macro, packA, packB, epilogue Code
}

// Bind looks the plan's units up by their names.
func (q *Plan) Bind(find func(name string) (Code, error)) (*Product, error) {
	r := &Product{plan: q}
	for _, u := range []struct {
		name string
		code *Code
	}{{q.kernel(), &r.macro}, {q.packA, &r.packA}, {q.packB, &r.packB}, {q.epilogue, &r.epilogue}} {
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

// Operands is where a product's operands lie. All of it stays the caller's.
type Operands struct {
	A, B, C unsafe.Pointer
	// What prologues and epilogue take.
	PrologueA, PrologueB, Epilogue unsafe.Pointer
}

// run is the work of one part.
type run struct {
	*Product
	Operands
	box
	space
	stop func() bool
}

// space is a part's share of the workspace.
type space struct {
	args                    *[words]uintptr
	out                     *[outWords]uintptr
	tile, sums, rows, panel uintptr
}

// spaceBytes are the bytes of each of its pieces, in the same order.
func (q *Plan) spaceBytes(parts int) [6]int {
	c := q.core
	n := [6]int{8 * words, 8 * outWords, c.rows * c.rowBytes()}
	g := q.grid(parts)
	columns := min(q.width, g.columns*c.columns())
	switch {
	case q.inC:
	case q.p.K <= q.depth:
		n[3] = c.rows * q.group * c.rowBytes()
	default:
		n[3] = g.rows * c.rows * (columns + c.columns() - 1) / c.columns() * c.rowBytes()
	}
	if !q.directA {
		n[4] = (q.chunk + c.lanes - 1) / c.lanes * c.lanes * q.rowStride()
	}
	n[5] = c.panelRows(q.depth) * c.rowBytes() * ((columns + c.columns() - 1) / c.columns())
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

// Workspace returns how many bytes of memory a product run in parts needs. It
// need not be aligned, nor hold anything, and holds nothing afterwards.
func (q *Plan) Workspace(parts int) int {
	sum := 0
	for _, n := range q.spaceBytes(parts) {
		sum += n
	}
	return parts*sum + 64
}

func (q *Plan) space(part, parts int, work unsafe.Pointer) space {
	n := q.spaceBytes(parts)
	sum := 0
	for _, n := range n {
		sum += n
	}
	at := (uintptr(work) + 63) &^ 63
	work = unsafe.Add(work, at-uintptr(work)+uintptr(part*sum))
	next := func(i int) unsafe.Pointer {
		p := work
		work = unsafe.Add(work, n[i])
		return p
	}
	return space{(*[words]uintptr)(next(0)), (*[outWords]uintptr)(next(1)), uintptr(next(2)), uintptr(next(3)), uintptr(next(4)), uintptr(next(5))}
}

// Run computes one of so many parts of the product, from 0 on; parts may run at
// the same time. The result has the same bits for any number of parts. stop, if
// not nil, is asked every few milliseconds whether to give up; Run reports
// whether it did not. work is [Plan.Workspace] bytes for all parts.
func (r *Product) Run(part, parts int, o Operands, work unsafe.Pointer, stop func() bool) bool {
	q := r.plan
	b, ok := q.part(part, parts)
	if !ok {
		return true
	}
	w := run{Product: r, Operands: o, box: b, space: q.space(part, parts, work), stop: stop}
	if q.swapped {
		w.A, w.B, w.PrologueA, w.PrologueB = o.B, o.A, o.PrologueB, o.PrologueA
	}
	*w.out = [outWords]uintptr{uintptr(w.C), uintptr(w.Epilogue), word(q.p.StrideC[0]), word(q.p.StrideC[1]), word(q.p.StrideC[2])}
	for b := w.b0; b < w.b1; b++ {
		if !w.matrix(b) {
			return false
		}
	}
	return true
}

// word is a signed number as it is passed in an argument block.
func word(i int) uintptr { return uintptr(i) }

// matrix computes the part's share of a matrix.
func (r *run) matrix(b int) bool {
	q := r.plan
	for n := r.n0; n < r.n1; n += q.width {
		columns := min(q.width, r.n1-n)
		for k := 0; k == 0 || k < q.p.K; k += q.depth {
			depth := min(q.depth, q.p.K-k)
			r.pack(b, n, columns, k, depth, r.panel)
			for m := r.m0; m < r.m1; m += q.calls {
				if r.stop != nil && r.stop() {
					return false
				}
				r.multiply(b, m, min(q.calls, r.m1-m), n, columns, k, depth)
			}
		}
	}
	return true
}

// pack packs a block of B.
func (r *run) pack(b, n, columns, k, depth int, to uintptr) {
	q := r.plan
	p, c := &q.p, q.core
	size := p.B.Size()
	from := uintptr(r.B) + word((b*p.StrideB[0]+k*p.StrideB[1]+n*p.StrideB[2])*size)
	a := (*[packWords]uintptr)(unsafe.Pointer(r.args))
	*a = [packWords]uintptr{packFrom: from, packTo: to, packOperands: uintptr(r.PrologueB), packBatch: 1,
		packK: word(depth), packN: word(columns), packFromK: word(p.StrideB[1] * size), packFromN: word(p.StrideB[2] * size),
		packToPanel: word(c.panelRows(depth) * c.rowBytes()), packFirstB: word(b), packFirstK: word(k), packFirstN: word(n)}
	r.packB.Call(unsafe.Pointer(a))
}

// multiply adds the product of some rows of A and a packed block of B to C.
func (r *run) multiply(b, m, rows, n, columns, k, depth int) {
	q := r.plan
	p, c := &q.p, q.core
	size := p.A.Size()
	lane := c.laneSize()
	panel := c.panelRows(depth) * c.rowBytes()
	a := r.args
	*a = [words]uintptr{
		wordA:        uintptr(r.A) + word((b*p.StrideA[0]+m*p.StrideA[1]+k*p.StrideA[2])*size),
		wordB:        r.panel,
		wordEdge:     r.panel + word(columns/c.columns()*panel),
		wordRows:     r.rows,
		wordTile:     r.tile,
		wordPrologue: uintptr(r.PrologueA),
		wordOperands: uintptr(unsafe.Pointer(r.out)),
		wordBatch:    1,
		wordM:        word(rows),
		wordN:        word(columns),
		wordSteps:    word(c.steps(depth)),
		wordK:        word(depth),
		wordARow:     word(p.StrideA[1] * size),
		wordAK:       word(p.StrideA[2] * size),
		wordBPanel:   word(panel),
		wordBStep:    word(c.rowBytes()),
		wordEdgeStep: word(c.rowBytes()),
		wordRowsRow:  word(q.rowStride()),
		wordChunk:    word(q.chunk),
		wordGroup:    word(q.group),
		wordFirstB:   word(b),
		wordFirstM:   word(m),
		wordFirstN:   word(n),
		wordFirstK:   word(k),
	}
	if k > 0 {
		a[wordMore] = 1
	}
	if r.packA != nil {
		a[wordPackA] = r.packA.Address()
	}
	if r.epilogue != nil && k+depth >= p.K {
		a[wordEpilogue] = r.epilogue.Address()
	}
	switch {
	case q.inC:
		a[wordC] = uintptr(r.C) + word((b*p.StrideC[0]+m*p.StrideC[1]+n*p.StrideC[2])*lane)
		a[wordCRow] = word(p.StrideC[1] * lane)
		a[wordCStrip], a[wordCPanel] = a[wordCRow], word(c.rowBytes())
	case p.K <= q.depth:
		a[wordC], a[wordCRow] = r.sums, word(q.group*c.rowBytes())
	default:
		row := (columns + c.columns() - 1) / c.columns() * c.rowBytes()
		a[wordC] = r.sums + word((m-r.m0)*row)
		a[wordCRow], a[wordCStrip], a[wordCPanel] = word(row), word(row), word(c.rowBytes())
	}
	r.macro.Call(unsafe.Pointer(a))
}
