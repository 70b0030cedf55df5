package gemm

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// packB emits a kernel that packs columns of B into panels: a step's units of
// all columns of a panel, then the next step's. Where there are no columns for
// the rest of the last panel it may hold anything.
// If gathers is set, the operands are a [Gather], and the strides of k and of
// columns are not used.
func (m *module) packB(p packer, name string, o Order, gathers bool) {
	q := &bPacker{m: m, name: name}
	f, args := m.kernel(name)
	for i := range q.w {
		if i < packBatch {
			q.w[i] = f.pointer(args, i)
		} else {
			q.w[i] = f.word(args, i)
		}
	}
	w := &q.w
	q.packer = *p.in(f, w[packOperands])
	from, to := w[packFrom], w[packTo]
	f.count(w[packBatch], i64(1), []value.Value{from, to}, func(b value.Value, at []value.Value) []value.Value {
		q.batch = f.add(b, w[packFirstB])
		panels := at[1]
		if p.core.offset {
			panels = f.off(panels, i64(p.core.panelRow()))
		}
		switch {
		case gathers && o == AcrossK:
			q.gatherRows(at[0], panels)
		case gathers && o == AlongK:
			q.gatherColumns(at[0], panels)
		case gathers && o != Anyhow:
			q.gatherRuns(at[0], panels, o == InStrides)
		case gathers:
			q.gather(at[0], panels)
		case o == AcrossK:
			q.rows(at[0], panels)
		case o == AlongK:
			q.columns(columnsOf{from: at[0], fromN: w[packFromN], firstK: w[packFirstK], k: w[packK]}, panels)
		default:
			q.anyhow(at[0], panels)
		}
		if p.core.offset {
			q.compensate(at[1])
		}
		return []value.Value{f.off(at[0], w[packFromBatch]), f.off(at[1], w[packToBatch])}
	})
	f.end()
}

type bPacker struct {
	packer
	m     *module
	name  string
	w     [packWords]value.Value
	batch value.Value
	first value.Value // of a row of pairs, until there is the second
}

// rowsAtATime is how many steps of B are packed before the next panel: as many
// streams as prefetchers follow.
const rowsAtATime = 8

// rows packs B whose columns are neighbours.
func (p *bPacker) rows(from, to value.Value) {
	c, w := p.core, &p.w
	left, whole := p.rest(w[packK], c.group)
	steps := p.Block.NewUDiv(whole, i64(c.group))
	step := p.mul(w[packFromK], i64(c.group))
	p.count(steps, i64(rowsAtATime), nil, func(s value.Value, _ []value.Value) []value.Value {
		n := p.min(i64(rowsAtATime), p.sub(steps, s))
		p.someRows(p.off(from, p.mul(s, step)), p.off(to, p.mul(s, i64(c.panelRow()))), s, n, step, nil)
		return nil
	})
	if c.group > 1 {
		p.when(p.some(left), func() {
			p.someRows(p.off(from, p.mul(steps, step)), p.off(to, p.mul(steps, i64(c.panelRow()))), steps, i64(1), step, left)
		})
	}
}

// someRows packs n steps from s on, of which the last has only left elements of
// k if that is not nil. What the next panel takes is asked for meanwhile, its
// own memory above all: the machine sees no order in these stores, and waiting
// for each line took as long again as all else.
func (p *bPacker) someRows(from, to, s, n, step, left value.Value) {
	c, w := p.core, &p.w
	elem := p.from.Size()
	panel := func(from, to, first value.Value, masks []value.Value) {
		p.count(n, i64(1), []value.Value{from, to}, func(i value.Value, at []value.Value) []value.Value {
			for j := range c.vecs {
				pl := Place{Batch: p.batch, Row: p.add(first, i64(j*c.lanes)),
					K: p.add(w[packFirstK], p.mul(p.add(s, i), i64(c.group)))}
				if masks != nil {
					pl.Lanes.Mask = masks[j]
				}
				p.prefetch(p.off(at[0], i64(j*c.lanes*elem+256)), false, 1)
				p.prefetch(p.off(at[1], p.add(w[packToPanel], i64(j*c.lanes*c.unitSize()))), true, 3)
				p.put(j, p.across(p.off(at[0], i64(j*c.lanes*elem)), w[packFromK], left, pl), at[1])
			}
			return []value.Value{p.off(at[0], step), p.off(at[1], i64(c.panelRow()))}
		})
	}
	rest, full := p.rest(w[packN], c.columns())
	last := p.count(full, i64(c.columns()), []value.Value{from, to}, func(n value.Value, at []value.Value) []value.Value {
		panel(at[0], at[1], p.add(n, w[packFirstN]), nil)
		return []value.Value{p.off(at[0], i64(c.columns()*elem)), p.off(at[1], w[packToPanel])}
	})
	p.when(p.some(rest), func() {
		var masks []value.Value
		for j := range c.vecs {
			masks = append(masks, p.mask(c.lanes, p.sub(rest, i64(j*c.lanes))))
		}
		panel(last[0], last[1], p.add(full, w[packFirstN]), masks)
	})
}

// put stores vector j of the row of a panel that begins at to. Of a row of pairs it
// stores both with the second.
func (p *bPacker) put(j int, v, to value.Value) {
	c := p.core
	switch {
	case !c.paired():
		p.store(v, p.off(to, i64(j*c.lanes*c.unitSize())), c.unitSize())
	case j == 0:
		p.first = v
	default:
		p.store(p.zip(p.first, v), to, c.unitSize())
	}
}

// columnsOf is the columns of some elements of k, k from firstK on, which are neighbours. Columns are
// fromN bytes apart.
type columnsOf struct{ from, fromN, firstK, k value.Value }

// columns packs B whose elements of k are neighbours: squares are transposed. What a later
// square of these columns takes is prefetched, or what the next columns begin with.
func (p *bPacker) columns(of columnsOf, to value.Value) {
	c, w := p.core, &p.w
	square := p.squareAlong(false)
	second := square
	if c.paired() {
		second = p.squareAlong(true)
	}
	wide := c.lanes * c.group
	size := i64(p.from.Size())
	bytes, next := p.mul(of.k, size), p.mul(i64(c.lanes), of.fromN)
	p.count(w[packN], i64(c.columns()), []value.Value{of.from, to}, func(n value.Value, at []value.Value) []value.Value {
		for j := range c.vecs {
			first := p.add(n, i64(j*c.lanes))
			p.when(p.less(first, w[packN]), func() {
				base := p.off(at[0], p.mul(i64(j*c.lanes), of.fromN))
				square, panel := square, at[1]
				if c.paired() && j == 1 {
					square = second
				} else {
					panel = p.off(panel, i64(j*c.lanes*c.unitSize()))
				}
				p.count(of.k, i64(wide), []value.Value{base, panel}, func(k value.Value, at []value.Value) []value.Value {
					ahead := p.off(base, p.prefetchOffset(p.mul(k, size), bytes, next))
					for i := range c.lanes {
						p.prefetch(p.off(ahead, p.mul(i64(i), of.fromN)), false, 1)
					}
					p.call(square, p.operands, at[0], of.fromN, p.sub(w[packN], first), p.sub(of.k, k), at[1],
						p.batch, p.add(first, w[packFirstN]), p.add(k, of.firstK))
					return []value.Value{p.off(at[0], i64(wide*p.from.Size())), p.off(at[1], i64(c.lanes*c.panelRow()))}
				})
			})
		}
		return []value.Value{p.off(at[0], p.mul(i64(c.columns()), of.fromN)), p.off(at[1], w[packToPanel])}
	})
}

// squareAlong emits a function that turns a vector of units of each of lanes
// columns, from from on, stride bytes apart, into a vector of a panel for each
// step. Instead of columns that there are not the last one is read. Of pairs it writes the
// first ones, or the second ones after that.
//
//	void square(operands, from, stride, columns, k, to, b, n0, k0)
func (p *bPacker) squareAlong(second bool) *ir.Func {
	c := p.core
	params := make([]*ir.Param, 9)
	for i := range params {
		params[i] = ir.NewParam("", ll.I64)
	}
	for _, i := range []int{0, 1, 5} {
		params[i].Typ = ll.I8Ptr
	}
	name := p.name + "_square"
	if second {
		name += "2"
	}
	f := p.m.function(name, ll.Void, params...)
	q := p.in(f, params[0])
	from, stride, columns, k, to := params[1], params[2], params[3], params[4], params[5]
	at := Place{Batch: params[6], K: params[8], Lanes: vector.Lanes{Mask: f.mask(c.lanes*c.group, k)}}
	v := make([]value.Value, c.lanes)
	last := f.sub(columns, i64(1))
	for i := range v {
		n := f.min(i64(i), last)
		at.Row = f.add(params[7], n)
		v[i] = q.along(f.off(from, f.mul(stride, n)), at)
	}
	if c.narrow != types.Invalid { // lanes of 32 bits change places faster
		for i := range v {
			v[i] = f.Block.NewZExt(v[i], vec(c.lanes, ll.I32))
		}
	}
	v = f.transpose(v)
	row := func(i int) {
		to := f.off(to, i64(i*c.panelRow()))
		switch {
		case second:
			upper := f.Block.NewShl(v[i], splatConst(c.lanes, constant.NewInt(ll.I32, 16)))
			f.store(f.Block.NewOr(upper, f.load(upper.Type(), to, c.unitSize())), to, c.unitSize())
		case c.narrow != types.Invalid && !c.paired():
			f.store(f.Block.NewTrunc(v[i], vec(c.lanes, ll.NewInt(uint64(8*c.unitSize())))), to, c.unitSize())
		default:
			f.store(v[i], to, c.unitSize())
		}
	}
	steps := f.Block.NewUDiv(f.add(k, i64(c.group-1)), i64(c.group))
	f.either(f.less(steps, i64(c.lanes)), func() {
		for i := range v {
			f.when(f.less(i64(i), steps), func() { row(i) })
		}
	}, func() {
		for i := range v {
			row(i)
		}
	})
	f.Block.NewRet(nil)
	return f.Func
}

// anyhow packs B one element at a time.
func (p *bPacker) anyhow(from, to value.Value) {
	w := &p.w
	p.count(w[packN], i64(1), []value.Value{from}, func(n value.Value, at []value.Value) []value.Value {
		column := p.column(to, n)
		pl := Place{Batch: p.batch, Row: p.add(n, w[packFirstN]), K: w[packFirstK]}
		p.scalars(at[0], w[packFromK], w[packK], pl, func(k value.Value) value.Value { return p.inColumn(column, k) })
		return []value.Value{p.off(at[0], w[packFromN])}
	})
}

// column is where a column of the panels that begin at to begins.
func (p *bPacker) column(to, n value.Value) value.Value {
	c := p.core
	panel, column := p.Block.NewUDiv(n, i64(c.columns())), value.Value(p.Block.NewURem(n, i64(c.columns())))
	first := p.off(to, p.mul(panel, p.w[packToPanel]))
	if c.paired() {
		pair, second := p.Block.NewURem(column, i64(c.lanes)), p.Block.NewUDiv(column, i64(c.lanes))
		column = p.add(p.mul(pair, i64(c.vecs)), second)
	}
	return p.off(first, p.mul(column, i64(c.unitSize())))
}

// inColumn is where a column has an element of k.
func (p *bPacker) inColumn(column, k value.Value) value.Value {
	c := p.core
	row := p.off(column, p.mul(p.Block.NewUDiv(k, i64(c.group)), i64(c.panelRow())))
	return p.off(row, p.mul(p.Block.NewURem(k, i64(c.group)), i64(c.unitSize()/c.group)))
}

// compensate writes the first row of each panel: -128 times the sum of each
// column, for the 128 that elements of A are too large.
func (p *bPacker) compensate(to value.Value) {
	c, w := p.core, &p.w
	steps := p.Block.NewUDiv(p.add(w[packK], i64(c.group-1)), i64(c.group))
	p.count(w[packN], i64(c.columns()), []value.Value{to}, func(_ value.Value, at []value.Value) []value.Value {
		for j := range c.vecs {
			panel := p.off(at[0], i64(j*c.lanes*c.laneSize()))
			start := []value.Value{p.off(panel, i64(c.panelRow())), zero(c.vector())}
			sums := p.count(steps, i64(1), start, func(_ value.Value, at []value.Value) []value.Value {
				b := p.load(c.vector(), at[0], c.laneSize())
				return []value.Value{p.off(at[0], i64(c.panelRow())), c.mac(p.fn, at[1], offsets(c), b)}
			})
			p.store(p.sub(zero(c.vector()), sums[1]), panel, c.laneSize())
		}
		return []value.Value{p.off(at[0], w[packToPanel])}
	})
}
