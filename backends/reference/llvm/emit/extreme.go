package emit

import (
	"fmt"
	"math"

	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// extremes reports whether a reduction is a maximum or minimum of floats that is
// taken as a number, in one instruction that leaves NaNs out, while these are looked
// for besides; see [body.signs] for zeros. It is put right at the end of the row.
func (b *body) extremes(id kernel.ID) bool {
	i := &b.k.Instrs[id]
	op := kernel.Op(i.Aux)
	return (op == kernel.Maximum || op == kernel.Minimum) && i.Type.IsFloat() &&
		b.Machine.Level != vector.NEON && b.Lanes*max(i.Type.Size(), 4) == b.Machine.Bits()/8
}

// signs reports whether the signs of what extremes are of are collected, too: -0 is
// less than 0 for an instruction of AVX-512 (vrange), and equal to it for others. A
// maximum of 0 is -0 if all signs are set, a minimum if one is.
func (b *body) signs() bool {
	return b.Machine.Level != vector.AVX512 && b.Machine.Level != vector.AVX512BF16
}

// registers returns the types of what a reduction has in registers, and of integers
// as wide.
func (r reduction) registers(d types.DType) (float, integer types.DType) {
	if d == types.F64 {
		return d, types.I64
	}
	return types.F32, types.I32
}

// besides returns what extremes begin with besides numbers: no NaN, and signs.
func (b *body) besides(r reduction) []value.Value {
	i := &b.k.Instrs[r.id]
	if !b.signs() {
		return []value.Value{b.ConstInt(types.Bool, b.Lanes, 0).V}
	}
	_, integer := r.registers(i.Type)
	signs := int64(0)
	if kernel.Op(i.Aux) == kernel.Maximum {
		signs = -1
	}
	return []value.Value{b.ConstInt(integer, b.Lanes, 0).V, b.ConstInt(integer, b.Lanes, signs).V}
}

// extreme adds variants of what is reduced to the vectors from the given one on.
func (b *body) extreme(r reduction, sums []value.Value, first, vars int, l vector.Lanes) {
	i := &b.k.Instrs[r.id]
	var last value.Value
	for v := range vars {
		x := b.arg(i.Args[0], v, vars, l).V
		m := b.extremum(kernel.Op(i.Aux), x, sums[first+v])
		if l.Mask != nil {
			m = b.choose(l.Mask, m, sums[first+v])
		}
		sums[first+v] = m
		switch {
		case v%2 == 0 && v+1 < vars: // with the next
			last = x
			continue
		case v%2 == 0:
			last = x
		}
		b.beside(r, sums, last, x, l)
	}
}

// beside adds whether there are NaNs among two variants and, of whole vectors, their
// signs.
func (b *body) beside(r reduction, sums []value.Value, x, y value.Value, l vector.Lanes) {
	i, nan := &b.k.Instrs[r.id], &sums[b.nanOf(r)]
	unordered := value.Value(b.Block.NewFCmp(enum.FPredUNO, x, y))
	if l.Mask != nil {
		unordered = b.Block.NewAnd(unordered, l.Mask)
	}
	if !b.signs() {
		*nan = b.Block.NewOr(*nan, unordered)
		return
	}
	*nan = b.Block.NewOr(*nan, b.Block.NewSExt(unordered, (*nan).Type())) // as the instruction gives it
	signs := &sums[b.nanOf(r)+1]
	bits := func(x value.Value) value.Value { return b.Block.NewBitCast(x, (*signs).Type()) }
	if kernel.Op(i.Aux) == kernel.Maximum {
		*signs = b.Block.NewAnd(*signs, b.Block.NewAnd(bits(x), bits(y)))
	} else {
		*signs = b.Block.NewOr(*signs, b.Block.NewOr(bits(x), bits(y)))
	}
}

// settled returns a vector of extremes that are numbers with the signs of zeros, and
// NaN where there has been one.
func (b *body) settled(r reduction, m vector.Value, sums []value.Value) vector.Value {
	i := &b.k.Instrs[r.id]
	float, integer := r.registers(i.Type)
	lanes := m.Lanes()
	nan, signs := sums[b.nanOf(r)-r.at], sums[b.nanOf(r)-r.at+1]
	sign := b.Block.NewAnd(signs, b.ConstInt(integer, lanes, math.MinInt64>>(64-8*integer.Size())).V)
	zero := b.Block.NewFCmp(enum.FPredOEQ, m.V, b.Const(float, lanes, 0).V)
	m.V = b.choose(zero, b.Block.NewBitCast(sign, m.V.Type()), m.V)
	some := b.Block.NewICmp(enum.IPredNE, nan, b.ConstInt(integer, lanes, 0).V)
	return b.Select(vector.Value{V: some, DType: types.Bool}, b.Const(i.Type, lanes, math.NaN()), m)
}

// extremum returns the maximum or minimum of numbers; y if x is NaN.
func (b *body) extremum(op kernel.Op, x, y value.Value) value.Value {
	if !b.signs() {
		return b.vrange(op, x, y)
	}
	p := enum.FPredOLT
	if op == kernel.Maximum {
		p = enum.FPredOGT
	}
	return b.choose(b.Block.NewFCmp(p, x, y), x, y)
}

// vrange returns the same, and takes -0 for less than 0.
func (b *body) vrange(op kernel.Op, x, y value.Value) value.Value {
	t := x.Type().(*ll.VectorType)
	kind := map[bool]string{true: "pd", false: "ps"}[ll.Equal(t.ElemType, ll.Double)]
	how := int64(0b0100) // the sign is the result's
	if op == kernel.Maximum {
		how |= 1
	}
	all := constant.NewInt(ll.NewInt(t.Len), -1)
	return b.Call(fmt.Sprintf("llvm.x86.avx512.mask.range.%s.512", kind), t, x, y,
		constant.NewInt(ll.I32, how), x, all, constant.NewInt(ll.I32, 4))
}
