package gemm

import (
	"unsafe"

	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
)

// Gather locates the elements of an operand that no strides locate: the windows of
// a convolution, or its kernel where it has another order than the windows. The
// element of a row of A, or of a column of B, and of k is as many bytes from the
// operand's first as both of them say. An operand with a Gather is always packed.
// Packing code reads this structure: its layout is part of that code.
type Gather struct{ Row, K Runs }

// Runs are offsets in bytes of consecutive rows, columns or elements of k: runs of
// Length of them, each Step bytes behind the one before, the last run maybe shorter.
type Runs struct {
	Starts *int64 // the offset of the first of each run
	Length int    // at least 1
	Step   int
}

// rowOrder returns how a row of A of elements of a size is packed: AlongK, InStrides or Anyhow.
func (g *Gather) rowOrder(size int) Order {
	switch {
	case g.K.Length > 1 && g.K.Step == size:
		return AlongK
	case g.K.Length > 1 && g.K.Step == 2*size:
		return InStrides
	}
	return Anyhow
}

// acrossK reports whether all n columns of B of elements of a size are neighbours, and elements of k
// are not.
func (g *Gather) acrossK(size, n int) bool {
	return g.Row.Step == size && g.Row.Length >= n && g.rowOrder(size) != AlongK
}

// columns is the order of columns of elements of a size, in runs.
func (g *Gather) columns(size int) Order {
	switch g.Row.Step {
	case size:
		return InRuns
	case 2 * size:
		return InStrides
	}
	return Anyhow
}

// leastRun is the fewest neighbours of k for which vectors of them are transposed.
const leastRun = 8

// AlongK reports whether B of elements of a size is packed in vectors along k: its n columns are one
// run, and runs of k are long.
func (g *Gather) AlongK(size, n int) bool {
	return g.Row.Length >= n && g.Row.Step != size && g.K.Step == size && g.K.Length >= leastRun
}

// runs are the words of [Runs] in a function.
type runs struct{ starts, length, step value.Value }

// runs loads one of the [Runs] of the [Gather] at operands.
func (f *fn) runs(operands value.Value, field uintptr) runs {
	first := int(field / 8)
	return runs{f.pointer(operands, first), f.word(operands, first+1), f.word(operands, first+2)}
}

func (f *fn) rowRuns(operands value.Value) runs {
	return f.runs(operands, unsafe.Offsetof(Gather{}.Row))
}
func (f *fn) kRuns(operands value.Value) runs { return f.runs(operands, unsafe.Offsetof(Gather{}.K)) }

// pieces calls body for each piece of a run among n elements from first on: done
// of them are before it, it begins at an offset in bytes and has count elements.
func (f *fn) pieces(r runs, first, n value.Value, body func(done, offset, count value.Value)) {
	run, skip := f.Block.NewUDiv(first, r.length), f.Block.NewURem(first, r.length)
	start := []value.Value{i64(0), f.off(r.starts, f.mul(run, i64(8))), skip}
	f.while(start, func(at []value.Value) value.Value { return f.less(at[0], n) }, func(at []value.Value) []value.Value {
		count := f.min(f.sub(r.length, at[2]), f.sub(n, at[0]))
		body(at[0], f.add(f.load(ll.I64, at[1], 8), f.mul(at[2], r.step)), count)
		return []value.Value{f.add(at[0], count), f.off(at[1], i64(8)), i64(0)}
	})
}

// each calls body for each of n elements from first on: its number behind first,
// and its offset in bytes.
func (f *fn) each(r runs, first, n value.Value, body func(i, offset value.Value)) {
	f.pieces(r, first, n, func(done, offset, count value.Value) {
		f.count(count, i64(1), []value.Value{offset}, func(j value.Value, at []value.Value) []value.Value {
			body(f.add(done, j), at[0])
			return []value.Value{f.add(at[0], r.step)}
		})
	})
}

// gather packs A of a [Gather]: runs of k as vectors if its elements are neighbours or two
// elements apart, else element by element. The vector at the end of a run writes over what
// follows it, which the next run writes anew, or over the start of the next row.
func (p *aPacker) gather(o Order) {
	c := p.core
	k := p.kRuns(p.operands)
	elem, wide := c.laneSize()/c.group, c.lanes*c.group
	step := 1
	if o == InStrides {
		step = 2
	}
	p.each(p.rowRuns(p.operands), p.m0, p.rows, func(m, offset value.Value) {
		from, to := p.off(p.from, offset), p.off(p.to, p.mul(m, p.toRow))
		if o == Anyhow {
			p.each(k, p.k0, p.k, func(i, offset value.Value) {
				p.store(p.elements(p.off(from, offset), one), p.off(to, p.mul(i, i64(elem))), elem)
			})
		} else {
			p.pieces(k, p.k0, p.k, func(done, offset, count value.Value) {
				rest, full := p.rest(count, wide)
				start := []value.Value{p.off(from, offset), p.off(to, p.mul(done, i64(elem)))}
				piece := func(at []value.Value, count value.Value) {
					l := runLanes{strided: step == 2}
					if count != nil {
						l = p.lanesOf(wide, i64(0), count, l.strided)
					}
					p.store(p.runOf(at[0], wide, l), at[1], elem)
				}
				end := p.count(full, i64(wide), start, func(_ value.Value, at []value.Value) []value.Value {
					piece(at, nil)
					return []value.Value{p.off(at[0], i64(step*wide*p.packer.from.Size())), p.off(at[1], i64(wide*elem))}
				})
				p.when(p.some(rest), func() { piece(end, rest) })
			})
		}
		p.fill(p.k, func(k value.Value) value.Value { return p.off(to, p.mul(k, i64(elem))) })
	})
}

// one is a place of one element.
var one = Place{AlongK: true, Lanes: vector.Lanes{N: 1}}

// gatherRows packs B of a [Gather] whose columns are one run.
func (p *bPacker) gatherRows(from, to value.Value) {
	c, w := p.core, &p.w
	k, columns := p.kRuns(p.operands), p.rowRuns(p.operands)
	elem := p.from.Size()
	from = p.off(from, p.add(p.load(ll.I64, columns.starts, 8), p.mul(w[packFirstN], i64(elem))))
	panel := func(from, to value.Value, masks []value.Value) {
		p.each(k, w[packFirstK], w[packK], func(i, offset value.Value) {
			from, to := p.off(from, offset), p.off(to, p.mul(i, i64(c.panelRow())))
			for j := range c.vecs {
				l := vector.Lanes{N: c.lanes}
				if masks != nil {
					l.Mask = masks[j]
				}
				p.put(j, p.elements(p.off(from, i64(j*c.lanes*elem)), Place{Lanes: l}), to)
			}
		})
	}
	rest, full := p.rest(w[packN], c.columns())
	last := p.count(full, i64(c.columns()), []value.Value{from, to}, func(_ value.Value, at []value.Value) []value.Value {
		panel(at[0], at[1], nil)
		return []value.Value{p.off(at[0], i64(c.columns()*elem)), p.off(at[1], w[packToPanel])}
	})
	p.when(p.some(rest), func() {
		var masks []value.Value
		for j := range c.vecs {
			masks = append(masks, p.mask(c.lanes, p.sub(rest, i64(j*c.lanes))))
		}
		panel(last[0], last[1], masks)
	})
}

// gatherColumns packs B of a [Gather] whose columns are one run, and whose k has runs of neighbours.
// Steps are of one element: a run may begin at any of them.
func (p *bPacker) gatherColumns(from, to value.Value) {
	c, w := p.core, &p.w
	k, columns := p.kRuns(p.operands), p.rowRuns(p.operands)
	from = p.off(from, p.add(p.load(ll.I64, columns.starts, 8), p.mul(w[packFirstN], columns.step)))
	p.pieces(k, w[packFirstK], w[packK], func(done, offset, count value.Value) {
		of := columnsOf{from: p.off(from, offset), fromN: columns.step, firstK: p.add(w[packFirstK], done), k: count}
		p.columns(of, p.off(to, p.mul(done, i64(c.panelRow()))))
	})
}

// gather packs B of a [Gather] element by element.
func (p *bPacker) gather(from, to value.Value) {
	c, w := p.core, &p.w
	k := p.kRuns(p.operands)
	p.each(p.rowRuns(p.operands), w[packFirstN], w[packN], func(n, offset value.Value) {
		from, column := p.off(from, offset), p.column(to, n)
		p.each(k, w[packFirstK], w[packK], func(i, offset value.Value) {
			p.store(p.elements(p.off(from, offset), one), p.inColumn(column, i), c.unitSize()/c.group)
		})
		p.fill(w[packK], func(k value.Value) value.Value { return p.inColumn(column, k) })
	})
}

// gatherRuns packs B of a [Gather] whose columns are runs, and whose runs of k have one
// element. A vector of a panel is packed for all of k before the next one. It has columns of
// several runs, each of which is loaded and stored by itself. Columns are two elements apart
// if strided is set.
func (p *bPacker) gatherRuns(from, to value.Value, strided bool) {
	c, w := p.core, &p.w
	elem, step := p.from.Size(), 1
	if strided {
		step = 2
	}
	columns := p.rowRuns(p.operands)
	starts := p.off(p.kRuns(p.operands).starts, p.mul(w[packFirstK], i64(8)))
	p.count(w[packN], i64(c.lanes), nil, func(n value.Value, _ []value.Value) []value.Value {
		panel, column := p.Block.NewUDiv(n, i64(c.columns())), p.Block.NewURem(n, i64(c.columns()))
		to := p.off(to, p.add(p.mul(panel, w[packToPanel]), p.mul(column, i64(c.unitSize()))))
		there := p.min(i64(c.lanes), p.sub(w[packN], n))
		p.pieces(columns, p.add(n, w[packFirstN]), there, func(done, offset, count value.Value) {
			from := p.off(from, p.sub(offset, p.mul(done, i64(step*elem))))
			all := p.Block.NewICmp(enum.IPredEQ, count, i64(c.lanes))
			p.either(all, func() { p.runsOf(from, to, starts, runLanes{strided: strided}) }, func() {
				p.runsOf(from, to, starts, p.lanesOf(c.lanes, done, p.add(done, count), strided))
			})
		})
		return nil
	})
}

// runLanes are the lanes of a vector that a run has; all if units is nil. Elements of the run are
// neighbours, or two elements apart if strided is set.
type runLanes struct {
	strided       bool
	units         value.Value // of the vector
	first, second value.Value // of the vectors that are loaded; the second if strided is set
}

// lanesOf returns the masks of lanes begin to end of a vector of n lanes.
func (p *packer) lanesOf(n int, begin, end value.Value, strided bool) runLanes {
	between := func(begin, end value.Value) value.Value { return p.Block.NewXor(p.mask(n, end), p.mask(n, begin)) }
	l := runLanes{strided: strided, units: between(begin, end)}
	l.first = l.units
	if strided {
		begin, end = p.mul(begin, i64(2)), p.sub(p.mul(end, i64(2)), i64(1))
		l.first = between(begin, end)
		l.second = between(p.sub(begin, i64(n-1)), p.sub(end, i64(n-1)))
	}
	return l
}

// runsAhead is how many bytes before they are read columns of an image are asked for:
// the machine sees no order in rows of many planes.
const runsAhead = 512

// runsOf packs lanes of a vector of a panel for all of k, which starts locates.
func (p *bPacker) runsOf(from, to, starts value.Value, l runLanes) {
	c, w := p.core, &p.w
	left, whole := p.rest(w[packK], c.group)
	step := func(starts, to, left value.Value) {
		rows := make([]value.Value, c.group)
		for r := range rows {
			at, l := p.off(starts, i64(8*r)), l
			if left != nil {
				there := p.less(i64(r), left)
				at = p.Block.NewSelect(there, at, starts)
				l = p.where(there, l)
			}
			first := p.off(from, p.load(ll.I64, at, 8))
			p.prefetch(p.off(first, i64(runsAhead)), false, 2)
			rows[r] = p.runOf(first, c.lanes, l)
		}
		v := p.unitsOf(rows)
		if l.units == nil {
			p.store(v, to, c.unitSize())
		} else {
			p.maskedStore(v, to, c.unitSize(), l.units)
		}
	}
	last := p.count(whole, i64(c.group), []value.Value{starts, to}, func(_ value.Value, at []value.Value) []value.Value {
		step(at[0], at[1], nil)
		return []value.Value{p.off(at[0], i64(8*c.group)), p.off(at[1], i64(c.panelRow()))}
	})
	if c.group > 1 {
		p.when(p.some(left), func() { step(last[0], last[1], left) })
	}
}

// where returns no lanes to load unless there is set.
func (p *bPacker) where(there value.Value, l runLanes) runLanes {
	n := p.core.lanes
	mask := func(m value.Value) value.Value {
		if m == nil {
			m = splatConst(n, constant.True)
		}
		return p.Block.NewSelect(there, m, zero(vec(n, ll.I1)))
	}
	l.first = mask(l.first)
	if l.strided {
		l.second = mask(l.second)
	}
	return l
}

// runOf loads lanes of n elements of a run. Of elements that are two apart nothing behind the
// last one is loaded.
func (p *packer) runOf(from value.Value, n int, l runLanes) value.Value {
	v := p.elements(from, Place{Lanes: vector.Lanes{N: n, Mask: l.first}})
	if !l.strided {
		return v
	}
	w := p.elements(p.off(from, i64((n-1)*p.from.Size())), Place{Lanes: vector.Lanes{N: n, Mask: l.second}})
	lanes := make([]int, n)
	for i := range n / 2 {
		lanes[i], lanes[n/2+i] = 2*i, n+2*i+1
	}
	return p.shuffle(v, w, lanes)
}
