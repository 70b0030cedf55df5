package gemm

import (
	"github.com/llir/llvm/ir"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
)

// packType is the type of functions that pack rows of A: k elements of each,
// from from on, row and step bytes apart, go to to, toRow bytes from one row to
// the next. What is behind the last unit of a row may be overwritten, up to a
// full vector, and so may be the rows behind, up to a multiple of the lanes of a vector.
//
//	void pack(operands, from, row, step, rows, k, to, toRow, b, m0, k0)
var packType = ll.NewFunc(ll.Void, ll.I8Ptr, ll.I8Ptr, ll.I64, ll.I64, ll.I64, ll.I64, ll.I8Ptr, ll.I64, ll.I64, ll.I64, ll.I64)

// packA emits a function of packType. If gathers is set, operands is a [Gather], and
// row and step are not used.
func (m *module) packA(p packer, name string, o Order, gathers bool) {
	f := m.exported(name, packType)
	a := f.Func.Params
	q := &aPacker{packer: *p.in(f, a[0]), from: a[1], row: a[2], step: a[3], rows: a[4], k: a[5], to: a[6], toRow: a[7],
		batch: a[8], m0: a[9], k0: a[10]}
	switch {
	case gathers:
		q.gather(o)
	case o == AlongK:
		q.copy()
	case o == AcrossK:
		q.turn(q.squareAcross(m, name))
	default:
		q.anyhow()
	}
	f.Block.NewRet(nil)
}

type aPacker struct {
	packer
	from, row, step, rows, k, to, toRow, batch, m0, k0 value.Value
}

// copy packs A whose elements of k are neighbours.
func (p *aPacker) copy() {
	c := p.core
	wide := c.lanes * c.group
	rest, full := p.packer.rest(p.k, wide)
	mask := p.mask(wide, rest)
	p.count(p.rows, i64(1), []value.Value{p.packer.off(p.from, i64(0)), p.to}, func(m value.Value, at []value.Value) []value.Value {
		pl := Place{Batch: p.batch, Row: p.add(p.m0, m)}
		piece := func(k value.Value, from, to value.Value, mask value.Value) {
			pl := pl
			pl.K, pl.Lanes.Mask = p.add(p.k0, k), mask
			p.store(p.along(from, pl), to, c.laneSize())
		}
		end := p.count(full, i64(wide), at, func(k value.Value, at []value.Value) []value.Value {
			p.prefetch(p.off(at[0], p.row), false, 1)
			piece(k, at[0], at[1], nil)
			return []value.Value{p.off(at[0], i64(wide*p.packer.from.Size())), p.off(at[1], i64(c.lanes*c.laneSize()))}
		})
		p.when(p.some(rest), func() { piece(full, end[0], end[1], mask) })
		return []value.Value{p.off(at[0], p.row), p.off(at[1], p.toRow)}
	})
}

// turn packs A whose rows are neighbours: squares are transposed.
func (p *aPacker) turn(square *ir.Func) {
	c := p.core
	wide := c.lanes * c.group
	p.count(p.rows, i64(c.lanes), []value.Value{p.from, p.to}, func(m value.Value, at []value.Value) []value.Value {
		p.count(p.k, i64(wide), at, func(k value.Value, at []value.Value) []value.Value {
			p.call(square, p.operands, at[0], p.step, p.sub(p.rows, m), p.sub(p.k, k), at[1], p.toRow,
				p.batch, p.add(p.m0, m), p.add(p.k0, k))
			return []value.Value{p.off(at[0], p.mul(i64(wide), p.step)), p.off(at[1], i64(c.lanes*c.laneSize()))}
		})
		return []value.Value{p.off(at[0], i64(c.lanes*p.packer.from.Size())), p.off(at[1], p.mul(i64(c.lanes), p.toRow))}
	})
}

// squareAcross emits a function that turns lanes units of each of rows rows,
// lanes at most, into a vector of units for each of lanes rows.
//
//	void square(operands, from, step, rows, k, to, toRow, b, m0, k0)
func (p *aPacker) squareAcross(m *module, name string) *ir.Func {
	c := p.core
	params := make([]*ir.Param, 10)
	for i := range params {
		params[i] = ir.NewParam("", ll.I64)
	}
	for _, i := range []int{0, 1, 5} {
		params[i].Typ = ll.I8Ptr
	}
	f := m.function(name+"_square", ll.Void, params...)
	q := p.in(f, params[0])
	from, step, rows, k, to, toRow := value.Value(params[1]), params[2], params[3], params[4], value.Value(params[5]), params[6]
	at := Place{Batch: params[7], Row: params[8], Lanes: vector.Lanes{Mask: f.mask(c.lanes, rows)}}
	v := make([]value.Value, c.lanes)
	group := f.mul(step, i64(c.group))
	// A load of no lanes reads nothing, but where there is no memory it takes the
	// processor some hundred cycles to find that out: it is of the first unit.
	begin := from
	for i := range v {
		at.K = f.add(params[9], i64(i*c.group))
		left := f.sub(k, i64(i*c.group))
		v[i] = q.across(f.Block.NewSelect(f.less(i64(0), left), from, begin), step, left, at)
		from = f.off(from, group)
	}
	for _, v := range f.transpose(v) {
		f.store(v, to, c.laneSize())
		to = f.off(to, toRow)
	}
	f.Block.NewRet(nil)
	return f.Func
}

// anyhow packs A one element at a time.
func (p *aPacker) anyhow() {
	elem := p.core.laneSize() / p.core.group
	p.count(p.rows, i64(1), []value.Value{p.from, p.to}, func(m value.Value, at []value.Value) []value.Value {
		pl := Place{Batch: p.batch, Row: p.add(p.m0, m), K: p.k0}
		p.scalars(at[0], p.step, p.k, pl, func(k value.Value) value.Value { return p.off(at[1], p.mul(k, i64(elem))) })
		return []value.Value{p.off(at[0], p.row), p.off(at[1], p.toRow)}
	})
}
