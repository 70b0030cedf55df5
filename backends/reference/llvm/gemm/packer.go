package gemm

import (
	"github.com/llir/llvm/ir/constant"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// Order says along which dimension elements of an operand are neighbours in memory.
type Order uint8

// The orders.
const (
	AlongK    Order = iota // elements of k are neighbours
	AcrossK                // rows of A, or columns of B, are
	Anyhow                 // none are, or nothing is known
	InRuns                 // runs of columns of a gathered B are
	InStrides              // runs of columns of a gathered B, or of k of a gathered A, are two elements apart
)

func (o Order) String() string { return [...]string{"along", "across", "any", "runs", "strides"}[o] }

// Prologue turns loaded elements of an operand, of its dtype in memory, into
// elements of the dtype that its [Fused] says, as they are packed. It is called
// where a function begins, once for each function that packs, and may load there
// from what the words of operands, an i8*, point to. What it returns is called
// for each place in the function where elements are loaded.
type Prologue func(b *vector.Builder, operands value.Value) Apply

// Apply turns elements that have been loaded from a place. Lanes that at.Lanes leaves out
// are 0, and their results are not used. The others lie within the operand, and so does the
// first along the dimension that lanes do not run along, even if all are left out.
type Apply func(x vector.Value, at Place) vector.Value

// Place says which elements of an operand a [Prologue] is given: those of the
// lanes are neighbours along k if AlongK is set, else along the rows of A or
// columns of B.
type Place struct {
	Batch, Row, K value.Value // i64: of the first lane; Row is a column for B
	AlongK        bool
	Lanes         vector.Lanes
}

// packer emits code that reads elements of an operand as units.
type packer struct {
	*fn
	core     *core
	from     types.DType // of an element in memory
	narrow   types.DType // of elements of units, if the core converts them; else Invalid
	flip     bool        // invert the upper bit of each element
	signed   bool        // bytes are two's complement
	prologue Prologue
	operands value.Value // of the prologue, an i8*
	apply    Apply
}

// in returns p for another function, which begins, where operands is the
// prologue's block.
func (p packer) in(f *fn, operands value.Value) *packer {
	p.fn, p.operands = f, operands
	if p.prologue != nil {
		p.apply = p.prologue(f.Builder, operands)
	}
	return &p
}

// elements loads elements that are neighbours, ready to be stored packed. Those
// that the mask leaves out are 0.
func (p *packer) elements(at value.Value, pl Place) value.Value {
	l, elem := pl.Lanes, p.core.elem
	if p.narrow != types.Invalid {
		elem = p.narrow
	}
	if p.prologue == nil && p.from == elem {
		return p.fit(p.plain(at, l))
	}
	v := p.LoadLanes(p.PointerTo(at, p.from), l)
	if p.apply != nil {
		v = p.apply(v, pl)
	}
	v = p.Convert(v, elem)
	if p.apply != nil && l.Mask != nil {
		v = p.Select(vector.Value{V: l.Mask, DType: types.Bool}, v, p.ConstBits(v.DType, l.N, 0))
	}
	return p.fit(p.Narrow(v))
}

// plain loads elements as they are.
func (p *packer) plain(at value.Value, l vector.Lanes) value.Value {
	t := vector.Memory(p.from)
	align := size(t)
	switch {
	case l.N == 1:
		return p.load(t, at, align)
	case l.Mask == nil:
		return p.load(vec(l.N, t), at, align)
	}
	return p.maskedLoad(vec(l.N, t), at, align, l.Mask)
}

// like is t, of as many lanes as v has.
func like(v value.Value, t ll.Type) ll.Type {
	if v, ok := v.Type().(*ll.VectorType); ok {
		return vec(int(v.Len), t)
	}
	return t
}

// fit turns bytes into what the core multiplies.
func (p *packer) fit(v value.Value) value.Value {
	c := p.core
	switch {
	case c.elem != types.U8, p.narrow != types.Invalid:
		return v
	case p.flip:
		n := 1
		if t, ok := v.Type().(*ll.VectorType); ok {
			n = int(t.Len)
		}
		return p.Block.NewXor(v, p.ConstInt(types.U8, n, 128).V)
	case c.mem == ll.I8:
		return v
	case p.signed:
		return p.Block.NewSExt(v, like(v, c.mem))
	}
	return p.Block.NewZExt(v, like(v, c.mem))
}

// along loads a vector of units of consecutive k.
func (p *packer) along(at value.Value, pl Place) value.Value {
	c := p.core
	pl.AlongK = true
	pl.Lanes.N = c.lanes * c.group
	v := p.elements(at, pl)
	if c.group == 1 {
		return v
	}
	return p.Block.NewBitCast(v, vec(c.lanes, p.unit()))
}

// unit is the type of a unit as it is packed.
func (p *packer) unit() ll.Type {
	if p.narrow != types.Invalid {
		return ll.NewInt(uint64(8 * p.core.unitSize()))
	}
	return p.core.unit
}

// across loads a vector of units of one k, whose elements are step bytes apart;
// of these there are left, all if it is nil, the others are 0.
func (p *packer) across(from, step, left value.Value, pl Place) value.Value {
	c := p.core
	pl.Lanes.N = c.lanes
	rows := make([]value.Value, c.group)
	mask, first, begin := pl.Lanes.Mask, pl.K, from
	for r := range rows {
		row := from
		if left != nil {
			all := mask
			if all == nil {
				all = splatConst(c.lanes, constant.True)
			}
			there := p.less(i64(r), left)
			pl.Lanes.Mask = p.Block.NewSelect(there, all, zero(vec(c.lanes, ll.I1)))
			row = p.Block.NewSelect(there, from, begin) // see squareAcross
		}
		at := i64(r)
		if left != nil && p.apply != nil { // what a prologue loads for k is there
			at = p.min(at, p.sub(left, i64(1)))
		}
		pl.K = p.add(first, at)
		rows[r] = p.elements(row, pl)
		from = p.off(from, step)
	}
	return p.unitsOf(rows)
}

// unitsOf makes a vector of units of vectors of elements, one for each k of a unit.
func (p *packer) unitsOf(rows []value.Value) value.Value {
	for len(rows) > 1 {
		half := len(rows) / 2
		for i := range half {
			rows[i] = p.zip(rows[i], rows[i+half])
		}
		rows = rows[:half]
	}
	if p.core.group == 1 {
		return rows[0]
	}
	return p.Block.NewBitCast(rows[0], vec(p.core.lanes, p.unit()))
}

// zip takes lanes of x and y by turns.
func (p *packer) zip(x, y value.Value) value.Value {
	n := int(x.Type().(*ll.VectorType).Len)
	lanes := make([]int, 2*n)
	for i := range n {
		lanes[2*i], lanes[2*i+1] = i, n+i
	}
	return p.shuffle(x, y, lanes)
}

// scalars packs elements one by one: k elements, step bytes apart, to to, and
// zeros up to a full unit.
func (p *packer) scalars(from, step, k value.Value, pl Place, to func(k value.Value) value.Value) {
	pl.AlongK, pl.Lanes = true, vector.Lanes{N: 1}
	align := size(p.core.mem)
	if p.narrow != types.Invalid {
		align = p.narrow.Size()
	}
	first := pl.K
	p.count(k, i64(1), []value.Value{from}, func(i value.Value, at []value.Value) []value.Value {
		pl.K = p.add(first, i)
		p.store(p.elements(at[0], pl), to(i), align)
		return []value.Value{p.off(at[0], step)}
	})
	p.fill(k, to)
}

// fill writes zeros behind k elements up to a full unit.
func (p *packer) fill(k value.Value, to func(k value.Value) value.Value) {
	if p.core.group == 1 {
		return
	}
	mem := p.core.mem
	if p.narrow != types.Invalid {
		mem = vector.Memory(p.narrow)
	}
	missing := p.Block.NewURem(p.sub(i64(0), k), i64(p.core.group))
	p.count(missing, i64(1), nil, func(i value.Value, _ []value.Value) []value.Value {
		p.store(zero(mem), to(p.add(k, i)), size(mem))
		return nil
	})
}
