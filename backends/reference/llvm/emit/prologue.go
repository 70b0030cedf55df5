package emit

import (
	"slices"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// prologues makes what A and B are computed by as they are packed, of those that
// are; the others are packed as they are loaded.
func (p *Product) prologues(a, b bool) {
	p.prologue = [2]gemm.Fused[gemm.Prologue]{}
	if a {
		p.prologue[0] = p.prologueOf(p.Contraction.A, p.M, "_a")
	}
	if b {
		p.prologue[1] = p.prologueOf(p.Contraction.B, p.N, "_b")
	}
}

// prologueOf returns the prologue of a factor whose own axis is M or N. What it
// gives is the factor's value, or the element of 16 bits or less that this is converted from,
// which machines may multiply faster, and which takes less memory packed.
func (p *Product) prologueOf(f kernel.Factor, own int, suffix string) gemm.Fused[gemm.Prologue] {
	k := p.Kernel
	v := f.Value
	if i := &k.Instrs[v]; i.Op == kernel.Convert {
		switch from := k.Instrs[i.Args[0]].Type; {
		case i.Type == types.F32 && (from == types.BF16 || from == types.F16),
			i.Type.IsInteger() && i.Type.Size() == 4 && (from == types.I16 || from == types.I8 || from == types.U8):
			v = i.Args[0]
		}
	}
	q := &prologue{Product: p, Factor: f, value: v, own: own, wanted: make([]bool, len(k.Instrs))}
	for _, id := range f.Body {
		q.wanted[id] = id <= v && id != f.Source
	}
	return gemm.Fused[gemm.Prologue]{Name: Symbol(k) + suffix, Emit: q.begin, Type: k.Instrs[v].Type}
}

// prologue writes the instructions of a factor on some neighbours of its source.
type prologue struct {
	*Product
	kernel.Factor
	value  kernel.ID
	own    int    // the axis that the factor runs along besides those of Batch and K
	wanted []bool // by instruction: whether it is written
}

// begin is a [gemm.Prologue]. It is handed a [kernel.Block] as epilogues are.
func (q *prologue) begin(b *vector.Builder, operands value.Value) gemm.Apply {
	f := newFunction(b, q.Kernel, &Schedule{Form: Points})
	f.args = f.PointerTo(operands, types.I64)
	f.begin()
	for i, a := range q.Outer {
		f.axis[a] = f.word(wordAt + i)
	}
	return func(x vector.Value, at gemm.Place) vector.Value { return q.apply(f, x, at) }
}

// apply writes the factor of elements that have been loaded.
func (q *prologue) apply(begun *function, x vector.Value, at gemm.Place) vector.Value {
	k := q.Contraction.K[0]
	s := Stage{Vector: q.own, Loops: []int{k}, Lanes: at.Lanes.N, Unroll: 1, Rows: 1}
	if at.AlongK {
		s.Vector, s.Loops = k, nil
	}
	f := *begun
	f.s = &Schedule{Form: Points, Lanes: at.Lanes.N, Vector: s.Vector, Stages: []Stage{s}}
	f.lanes = at.Lanes.N
	f.axis, f.vals = slices.Clone(begun.axis), make([][]vector.Value, len(begun.vals))
	for _, x := range []struct {
		axis int
		at   value.Value
	}{{q.Batch, at.Batch}, {q.own, at.Row}} {
		if x.axis >= 0 {
			f.axis[x.axis] = x.at
		}
	}
	b := f.newBody(0, 1)
	b.wanted = q.wanted
	if x.Lanes() > 1 && !f.on[q.Source].Has(s.Vector) {
		x = b.Lane(x, 0) // the same in all
	}
	f.vals[q.Source] = []vector.Value{x}
	b.enter(0, nil)
	b.emit(0, vector.Lanes{N: 1})
	if !at.AlongK {
		b.enter(1, []place{{at.K, 0}})
		b.emit(1, vector.Lanes{N: 1})
	}
	if s.Vector >= 0 {
		first := at.Row
		if at.AlongK {
			first = at.K
		}
		b.enter(b.last(), []place{{first, 0}})
		b.emit(b.last(), at.Lanes)
	}
	return b.arg(q.value, 0, 1, at.Lanes)
}
