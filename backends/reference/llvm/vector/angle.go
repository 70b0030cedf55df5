package vector

import (
	"math"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/approx"
)

// largeTurns returns the lanes of n, r and, if it is there, low, those where |x|
// is large anew: one by one, in memory, by a function.
func (b *Builder) largeTurns(x value.Value, lanes []value.Value) []value.Value {
	args := []value.Value{b.Index(int64(lanesOf(x.Type()))), b.spill(x)}
	for _, v := range lanes {
		args = append(args, b.spill(v))
	}
	if len(lanes) == 2 {
		args = append(args, b.spill(x)) // for low, which nobody reads
	}
	b.Block.NewCall(b.Module.angles(), args...)
	out := make([]value.Value, len(lanes))
	for i, v := range lanes {
		out[i] = b.Block.NewLoad(v.Type(), b.bitcast(args[2+i], ll.NewPointer(v.Type())))
	}
	return out
}

// spill stores lanes to memory of the function's own and returns the address of
// the first.
func (b *Builder) spill(v value.Value) value.Value {
	p := ir.NewAlloca(v.Type())
	entry := b.Func.Blocks[0]
	entry.Insts = append([]ir.Instruction{p}, entry.Insts...)
	b.Block.NewStore(v, p)
	return b.bitcast(p, ll.NewPointer(elem(v.Type())))
}

// oneByOne returns f of the lanes of x, by a function of this name for scalars;
// y where done is set.
func (b *Builder) oneByOne(name string, x value.Value, f func(b *Builder, x value.Value) value.Value, done, y value.Value) value.Value {
	t := elem(x.Type())
	p := b.spill(x)
	one := b.Module.declared[name]
	if one == nil {
		params := []*ir.Param{ir.NewParam("count", ll.I64), ir.NewParam("x", ll.NewPointer(t))}
		g := b.Module.private(name, params...)
		one = g.Func
		g.For(Loop{From: g.Index(0), To: params[0], Step: g.Index(1), Rolled: true}, nil, func(i value.Value, _ []value.Value) []value.Value {
			at := g.Block.NewGetElementPtr(t, params[1], i)
			g.Block.NewStore(f(g, g.Block.NewLoad(t, at)), at)
			return nil
		})
		g.Block.NewRet(nil)
	}
	b.Block.NewCall(one, b.Index(int64(lanesOf(x.Type()))), p)
	return b.sel(done, y, b.Block.NewLoad(x.Type(), b.bitcast(p, ll.NewPointer(x.Type()))))
}

// private starts a function that is called from within the module only, and not
// inlined: code for what is rare.
func (m *Module) private(name string, params ...*ir.Param) *Builder {
	b := m.Func(name, ll.Void, params...)
	b.Func.Linkage = enum.LinkagePrivate
	b.Func.FuncAttrs = append(b.Func.FuncAttrs, enum.FuncAttrNoInline)
	m.declared[name] = b.Func
	return b
}

// angles returns the function (i64 count, double* x, i64* n, double* r,
// double* low) that gives every x from largeAngle on as n·π/2 + r + low.
func (m *Module) angles() *ir.Func {
	const name = "ltc.angles"
	if f := m.declared[name]; f != nil {
		return f
	}
	real, whole := ll.NewPointer(ll.Double), ll.I64Ptr
	params := []*ir.Param{ir.NewParam("count", ll.I64), ir.NewParam("x", real), ir.NewParam("n", whole), ir.NewParam("r", real), ir.NewParam("low", real)}
	b := m.private(name, params...)
	b.For(Loop{From: b.Index(0), To: params[0], Step: b.Index(1), Rolled: true}, nil, func(i value.Value, _ []value.Value) []value.Value {
		at := func(p *ir.Param) value.Value { return b.Block.NewGetElementPtr(p.Typ.(*ll.PointerType).ElemType, p, i) }
		x := b.Block.NewLoad(ll.Double, at(params[1]))
		b.If(b.fcmpn(enum.FPredOGE, b.fabs(x), largeAngle), func() {
			for k, v := range b.angle(x) {
				b.Block.NewStore(v, at(params[2+k]))
			}
		})
		return nil
	})
	b.Block.NewRet(nil)
	return b.Func
}

// angle returns n, r and low with x = n·π/2 + r + low, for an |x| of largeAngle or
// more, by the bits of 2/π that count (Payne and Hanek); r is NaN for an infinite
// x.
func (b *Builder) angle(x value.Value) [3]value.Value {
	// |x| = mantissa·2^(e-52)
	raw := b.asInt(x)
	e := b.addn(b.andn(b.lshrn(raw, 52), 0x7ff), -1023)
	mantissa := b.or(b.andn(raw, 1<<52-1), b.int(ll.I64, 1<<52))
	// x·2/π modulo 4: of 2/π, the bits from weight 2^(2+52-e) down. The table
	// starts 64 bits before the point, so these are from bit first on.
	first := b.addn(e, 64-52-2)
	// An infinite x has e = 1024: still within the table, with the words after.
	word := b.lshrn(first, 6)
	shift := b.andn(first, 63)
	table := b.Module.data("ltc.two_over_pi", ll.I64, func() []uint64 { return approx.TwoOverPi })
	base := b.bitcast(table, ll.I64Ptr)
	at := func(i int64) value.Value {
		return b.Block.NewLoad(ll.I64, b.Block.NewGetElementPtr(ll.I64, base, b.addn(word, i)))
	}
	words := []value.Value{at(0), at(1), at(2), at(3)}
	wide := func(v value.Value) value.Value { return b.resize(v, ll.I128, false) }
	low64 := func(v value.Value) value.Value { return b.resize(v, ll.I64, false) }
	high64 := func(v value.Value) value.Value { return low64(b.lshrn(v, 64)) }
	join := func(h, l value.Value) value.Value { return b.or(b.shln(wide(h), 64), wide(l)) }
	var a [3]value.Value // 192 bits, highest first
	for i := range a {
		a[i] = high64(b.shl(join(words[i], words[i+1]), wide(shift)))
	}
	// Their product with the mantissa, modulo 2^192.
	p2 := b.mul(wide(mantissa), wide(a[2]))
	p1 := b.add(b.mul(wide(mantissa), wide(a[1])), wide(high64(p2)))
	p0 := b.add(b.mul(mantissa, a[0]), high64(p1))
	// Two bits before the point, 190 behind it.
	top := b.or(b.shln(join(p0, low64(p1)), 2), wide(b.lshrn(low64(p2), 62)))
	n := b.lshrn(p0, 62)
	// From 1/2 on, a quarter turn more and a negative rest.
	more := b.lshrn(high64(top), 63)
	n = b.add(n, more)
	rest := b.sel(b.icmpn(enum.IPredNE, more, 0), b.sub(b.int(ll.I128, 0), top), top)
	negative := b.xor(more, b.lshrn(raw, 63))
	// The rest is size·2^-128, with its first bit at the top after the shift.
	zeros := b.Call("llvm.ctlz.i128", ll.I128, rest, b.int(ll.I1, 0))
	size := b.shl(rest, b.andn(zeros, 127))
	toFloat := func(v value.Value) value.Value { return b.Block.NewUIToFP(v, ll.Double) }
	// 53 bits and the 64 that follow; both are exact or nearly so.
	h := toFloat(b.lshrn(high64(size), 11))
	l := toFloat(high64(b.shln(size, 53)))
	unit := b.powerOfTwo(b.sub(b.int(ll.I64, -53), low64(zeros)))
	h = b.fmul(h, unit)
	l = b.fmul(b.fmul(l, b.num(ll.Double, 0x1p-64)), unit)
	// times π/2
	pi, piLow := b.num(ll.Double, approx.HalfPi), b.num(ll.Double, approx.HalfPiRest)
	r, rLow := b.twoProduct(h, pi)
	rLow = b.fadd(rLow, b.fma(h, piLow, b.fmul(l, pi)))
	r, rLow = b.fastTwoSum(r, rLow)
	sign := b.shln(negative, 63)
	turn := func(v value.Value) value.Value { return b.asFloat(b.xor(b.asInt(v), sign)) }
	n = b.sel(b.icmpn(enum.IPredSLT, raw, 0), b.negated(n), n)
	finite := b.fcmpn(enum.FPredOLT, b.fabs(x), math.Inf(1))
	r = b.sel(finite, turn(r), b.num(ll.Double, math.NaN()))
	return [3]value.Value{n, r, turn(rLow)}
}
