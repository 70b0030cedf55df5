package gemm

import (
	"fmt"
	"slices"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
)

// mostFewRows is up to how many rows of A meet a B as it lies whose elements of k are neighbours.
// To pack it takes as long as to multiply it by some 20 rows.
const mostFewRows = 8

// leastFewRows is the least number of vectors of a sum for that. The lanes of shorter ones take
// longer to add up than packing takes.
const leastFewRows = 4

// mostSomeRows is up to how many rows do if sums have so many vectors: to add up the lanes of a sum
// takes as long as to multiply three of them.
const (
	mostSomeRows = 64
	longSum      = 64
)

// bytesDots is how much of the L1 cache, of 32 KiB or more, rows of A take at most.
const bytesDots = 24 << 10

// planFewRows chooses how few rows are multiplied by B: how many columns at a time, which
// stay in the L2 cache for all rows.
func (q *Plan) planFewRows() {
	c, p := q.core, &q.p
	q.directA = p.GatherA == nil && p.A == c.elem && q.keepsUnits() && !p.PrologueA.set() && p.StrideA[2] == 1 && q.spreads(c.dotRows())
	q.directB = true
	q.inC = p.C == p.Acc && p.StrideC[2] == 1 && !p.Overlap
	q.depth = max(p.K, 1)
	// The rows of a strip stay in the L1 cache. What a strip is does not depend on the rows at hand.
	rows := max(p.M, p.FewRows, 1)
	rows = ceil(rows, ceil(rows, c.dotRows()))
	if limit := bytesDots / (rows * c.laneSize()); p.K > limit {
		q.depth = ceil(ceil(p.K, ceil(p.K, limit)), c.lanes) * c.lanes
	}
	q.chunk, q.calls, q.tall = max(p.M, 1), max(p.M, 1), max(p.M, 1)
	columns := q.l2() / 4 / (q.depth * p.B.Size())
	if !q.inC && p.K <= q.depth { // sums wait for the epilogue in the L1 cache
		columns = min(columns, 16<<10/(q.chunk*c.laneSize()))
	}
	q.group = max(columns/c.columns(), 1) * c.columns()
	q.width = max(int(longProducts)/(q.depth*q.chunk)/q.group, 1) * q.group
	q.batches = 1
	if q.inC || p.K <= q.depth { // else the sums of one matrix wait for more of k
		q.batches = min(max(int(1e7/float64(p.M*p.N*p.K+1)), 1), max(p.Batch, 1))
	}
}

// keepsUnits reports whether rows of A, whose elements of k are neighbours, hold units as they
// are multiplied.
func (q *Plan) keepsUnits() bool {
	c := q.core
	return c.mem.Equal(vector.Memory(q.p.A)) && !c.offset && q.p.K%c.group == 0
}

// dotRows is up to how many rows have their sums in registers at a time.
func (c *core) dotRows() int {
	if c.rows < 8 { // 16 registers
		return 4
	}
	return 8
}

// dotColumns is how many columns so many rows meet at a time: a power of 2.
func (c *core) dotColumns(rows int) int {
	n := 1
	for 2*n*rows <= 2*c.dotRows() && 2*n <= c.lanes {
		n *= 2
	}
	return n
}

// fewRows emits a kernel for few rows of A and a B whose elements of k are neighbours. Each sum
// has one vector, of which each lane adds up products of elements of k that many apart, and whose
// lanes are added last. It takes the words of the macro-kernel; wordBPanel is the bytes between
// columns, wordGroup how many columns are computed before the epilogue. Sums of a group go to
// wordC, those of the next one wordCPanel bytes for each column behind.
func (m *module) fewRows(p packer, name string) {
	c := p.core
	most := c.dotRows()
	dots := make([][2]*ir.Func, most+1)
	for h := 1; h <= most; h++ {
		dots[h] = [2]*ir.Func{m.dots(p, h, c.dotColumns(h)), m.dots(p, h, 1)}
	}
	f, args := m.kernel(name)
	var w [words]value.Value
	for i := range w {
		if i < wordBatch {
			w[i] = f.pointer(args, i)
		} else {
			w[i] = f.word(args, i)
		}
	}
	packs := f.some(w[wordPackA])
	row := f.Block.NewSelect(packs, w[wordRowsRow], w[wordARow])
	strips := f.Block.NewUDiv(f.add(w[wordM], i64(most-1)), i64(most))
	high := f.Block.NewUDiv(f.add(w[wordM], f.sub(strips, i64(1))), strips) // of a strip: about as high as others
	f.count(w[wordBatch], i64(1), []value.Value{w[wordA], w[wordB], w[wordC]}, func(b value.Value, at []value.Value) []value.Value {
		batch := f.add(b, w[wordFirstB])
		f.when(packs, func() { f.callPack(&w, at[0], w[wordM], batch, w[wordFirstM]) })
		a := f.Block.NewSelect(packs, w[wordRows], at[0])
		f.count(w[wordN], w[wordGroup], nil, func(n value.Value, _ []value.Value) []value.Value {
			columns := f.min(w[wordGroup], f.sub(w[wordN], n))
			from, sums := f.off(at[1], f.mul(n, w[wordBPanel])), f.off(at[2], f.mul(n, w[wordCPanel]))
			f.count(w[wordM], high, []value.Value{a, sums}, func(m value.Value, at []value.Value) []value.Value {
				f.rowsOfDots(c, dots, f.min(high, f.sub(w[wordM], m)), at[0], row, from, w[wordBPanel], at[1], w[wordCRow], columns, w[wordK], w[wordMore])
				return []value.Value{f.off(at[0], f.mul(high, row)), f.off(at[1], f.mul(high, w[wordCRow]))}
			})
			f.when(f.some(w[wordEpilogue]), func() {
				f.callEpilogue(&w, sums, w[wordCRow], batch, w[wordFirstM], n, w[wordM], columns)
			})
			return nil
		})
		return []value.Value{f.off(at[0], w[wordABatch]), f.off(at[1], w[wordBBatch]), f.off(at[2], w[wordCBatch])}
	})
	f.end()
}

// rowsOfDots calls the functions for so many rows: for columns that are computed side by side,
// then for those behind them.
func (f *fn) rowsOfDots(c *core, dots [][2]*ir.Func, rows, a, aRow, b, bColumn, out, outRow, columns, k, more value.Value) {
	before, after := f.Block, f.Func.NewBlock("")
	var cases []*ir.Case
	var first *ir.Block
	for h := 1; h < len(dots); h++ {
		f.Block = f.Func.NewBlock("")
		if first == nil {
			first = f.Block
		} else {
			cases = append(cases, ir.NewCase(constant.NewInt(ll.I64, int64(h)), f.Block))
		}
		n := c.dotColumns(h)
		rest, whole := f.rest(columns, n)
		f.call(dots[h][0], a, aRow, b, bColumn, out, outRow, f.Block.NewUDiv(whole, i64(n)), k, more)
		f.call(dots[h][1], a, aRow, f.off(b, f.mul(whole, bColumn)), bColumn, f.off(out, f.mul(whole, i64(c.laneSize()))), outRow, rest, k, more)
		f.Block.NewBr(after)
	}
	before.NewSwitch(rows, first, cases...)
	f.Block = after
}

// dots emits a function that multiplies h rows of A by count times n columns of B.
//
//	void dots(a, aRow, b, bColumn, c, cRow, count, k, more)
//
// Sums are added to what C holds if more is not 0, else stored.
func (m *module) dots(p packer, h, n int) *ir.Func {
	c := p.core
	params := make([]*ir.Param, 9)
	for i := range params {
		params[i] = ir.NewParam("", ll.I64)
	}
	for _, i := range []int{0, 2, 4} {
		params[i].Typ = ll.I8Ptr
	}
	f := m.function(fmt.Sprintf("dots%dx%d", h, n), ll.Void, params...)
	d := &dotsOfRows{packer: *p.in(f, nil), h: h, n: n, aRow: params[1], bColumn: params[3], cRow: params[5], adds: f.some(params[8])}
	d.aRow3, d.bColumn3 = f.mul(d.aRow, i64(3)), f.mul(d.bColumn, i64(3))
	rows := f.every(params[0], d.aRow, h)
	wide := c.lanes * c.group
	rest, full := f.rest(params[7], wide)
	d.bytes, d.next = f.mul(params[7], i64(p.from.Size())), f.mul(i64(n), d.bColumn)
	maskB, maskA := f.mask(wide, rest), f.mask(c.lanes, f.Block.NewUDiv(f.add(rest, i64(c.group-1)), i64(c.group)))
	f.count(params[6], i64(1), []value.Value{params[2], params[4]}, func(_ value.Value, at []value.Value) []value.Value {
		pointers := append(append([]value.Value{}, rows...), f.every(at[0], d.bColumn, n)...)
		start := append([]value.Value{}, pointers...)
		for range h * n {
			start = append(start, zero(c.vector()))
		}
		last := f.count(full, i64(wide), start, func(k value.Value, x []value.Value) []value.Value {
			x = slices.Clone(x) // those at hand are what the loop ends with
			next := make([]value.Value, len(pointers), len(x))
			for i := range next {
				x[i] = f.opaque(x[i])
				if i < len(rows) {
					next[i] = f.off(x[i], i64(c.lanes*c.laneSize()))
				} else {
					next[i] = f.off(x[i], i64(wide*p.from.Size()))
				}
			}
			ahead := f.sub(f.prefetchOffset(f.mul(k, i64(p.from.Size())), d.bytes, d.next), f.mul(k, i64(p.from.Size())))
			return append(next, d.step(x[:len(rows)], x[len(rows):len(pointers)], x[len(pointers):], ahead, nil, nil)...)
		})
		sums := f.choose(f.some(rest), last[len(pointers):], func() []value.Value {
			return d.step(last[:len(rows)], last[len(rows):len(pointers)], last[len(pointers):], nil, maskA, maskB)
		})
		d.store(sums, at[1])
		return []value.Value{f.off(at[0], d.next), f.off(at[1], i64(n*c.laneSize()))}
	})
	f.Block.NewRet(nil)
	return f.Func
}

// dotsOfRows is what the sums of h rows and n columns at a time have in common.
type dotsOfRows struct {
	packer
	h, n              int
	aRow, aRow3       value.Value
	bColumn, bColumn3 value.Value
	cRow              value.Value
	adds              value.Value // whether sums are added to what C holds
	bytes, next       value.Value // of a column, and to the columns that follow
}

// every returns the pointers to every fifth of n rows, stride apart: see [fn.reach].
func (f *fn) every(p, stride value.Value, n int) []value.Value {
	all := []value.Value{p}
	for r := perPointer; r < n; r += perPointer {
		all = append(all, f.off(all[len(all)-1], f.mul(stride, i64(perPointer))))
	}
	return all
}

// step adds the products of a vector of each row and of each column. Lanes that masks leave out
// are not read. A later vector of each column is prefetched, so many bytes ahead.
func (d *dotsOfRows) step(rows, columns, sums []value.Value, ahead, maskA, maskB value.Value) []value.Value {
	c, f := d.core, d.fn
	bs := make([]value.Value, d.n)
	for j := range bs {
		at := f.reach(columns[j/perPointer], d.bColumn, d.bColumn3, j%perPointer)
		bs[j] = d.along(at, Place{Lanes: vector.Lanes{Mask: maskB}})
		if ahead != nil {
			f.prefetch(f.off(at, ahead), false, 1)
		}
	}
	next := make([]value.Value, len(sums))
	units := vec(c.lanes, c.unit)
	for r := range d.h {
		at := f.reach(rows[r/perPointer], d.aRow, d.aRow3, r%perPointer)
		var a value.Value
		if maskA == nil {
			a = f.load(units, at, size(c.mem))
		} else {
			a = f.maskedLoad(units, at, size(c.mem), maskA)
		}
		for j, b := range bs {
			next[r*d.n+j] = c.mac(f, sums[r*d.n+j], a, b)
		}
	}
	return next
}

// store adds up the lanes of sums, and stores them row by row.
func (d *dotsOfRows) store(sums []value.Value, to value.Value) {
	c, f := d.core, d.fn
	rows, at := make([]value.Value, d.h), make([]value.Value, d.h)
	for first := 0; first < len(sums); first += c.lanes {
		some := sums[first:min(first+c.lanes, len(sums))]
		v := d.sumLanes(some)
		for i := 0; i < len(some); i += d.n {
			lanes := make([]int, d.n)
			for j := range lanes {
				lanes[j] = i + j
			}
			r := (first + i) / d.n
			rows[r], at[r] = f.shuffle(v, v, lanes), f.off(to, f.mul(i64(r), d.cRow))
		}
	}
	f.either(d.adds, func() {
		for r, v := range rows {
			f.store(c.plus(f, f.load(v.Type(), at[r], c.laneSize()), v), at[r], c.laneSize())
		}
	}, func() {
		for r, v := range rows {
			f.store(v, at[r], c.laneSize())
		}
	})
}
