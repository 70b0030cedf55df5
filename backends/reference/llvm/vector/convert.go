package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

// Convert returns lanes as dtype to. Integers wrap; floats are truncated to
// integers and saturate, NaN becomes 0; floats are rounded once; what is not 0
// is true.
func (b *Builder) Convert(x Value, to types.DType) Value {
	from := x.DType
	t := Register(to, x.Lanes())
	switch {
	case from == to:
		return x
	case to == types.Bool && from.IsFloat():
		return Value{b.fcmpn(enum.FPredUNE, x.V, 0), to}
	case to == types.Bool:
		return Value{b.icmpn(enum.IPredNE, x.V, 0), to}
	case !from.IsFloat() && !to.IsFloat():
		return Value{b.resize(x.V, scalar(to), from.IsSigned()), to}
	case from.IsFloat() && to.IsFloat():
		return b.betweenFloats(x, to)
	case from.IsFloat() && b.Machine.Level == NEON:
		name := signed(to, "fptosi", "fptoui")
		return Value{b.Call("llvm."+name+".sat."+mangle(t)+"."+mangle(x.V.Type()), t, x.V), to}
	case from.IsFloat():
		return b.saturated(x.V, to)
	}
	return b.intToFloat(x, to)
}

// saturated returns floats as integers. LLVM has an intrinsic for it, of which it makes code
// that converts each lane by itself on x86.
func (b *Builder) saturated(x value.Value, to types.DType) Value {
	bits := 8 * to.Size()
	low, limit := 0.0, math.Ldexp(1, bits)
	if to.IsSigned() {
		low, limit = -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
	}
	t := Register(to, lanesOf(x.Type()))
	nan := b.isNaN(x)
	within := b.sel(b.fcmpn(enum.FPredOGT, x, low), x, b.num(x.Type(), low))
	convert := func(t ll.Type, signed bool) value.Value {
		if signed {
			return b.Block.NewFPToSI(within, t)
		}
		return b.Block.NewFPToUI(within, t)
	}
	if bits <= 16 {
		within = b.sel(b.fcmpn(enum.FPredOLT, within, limit-1), within, b.num(x.Type(), limit-1))
		i := convert(like(t, ll.I32), true)
		i = b.sel(nan, b.int(i.Type(), 0), i)
		return Value{b.resize(i, scalar(to), true), to}
	}
	// The largest integer may be no float. What is too large has any value before it is replaced.
	i := convert(t, to.IsSigned())
	most := int64(-1)
	if to.IsSigned() {
		most = 1<<(bits-1) - 1
	}
	i = b.sel(b.fcmpn(enum.FPredOGE, x, limit), b.int(t, most), i)
	return Value{b.sel(nan, b.int(t, 0), i), to}
}

func (b *Builder) betweenFloats(x Value, to types.DType) Value {
	t := Register(to, x.Lanes())
	switch {
	case x.DType == types.F64 && to == types.F32:
		return Value{b.Block.NewFPTrunc(x.V, t), to}
	case x.DType == types.F64: // 16 bits
		return b.rounded(b.toOdd(x.V), to)
	case to == types.F64:
		return Value{b.Block.NewFPExt(x.V, t), to}
	}
	return b.rounded(x.V, to)
}

// toOdd returns f64 lanes as f32, rounded so that rounding again to less than
// 22 bits gives what rounding once would: what is inexact becomes the neighbour
// whose last bit is set.
func (b *Builder) toOdd(x value.Value) value.Value {
	f := b.Block.NewFPTrunc(x, like(x.Type(), ll.Float))
	back := b.Block.NewFPExt(f, x.Type())
	i := b.asInt(f)
	inexact := b.fcmp(enum.FPredONE, back, x)
	even := b.icmpn(enum.IPredEQ, b.andn(i, 1), 0)
	// The bits of both signs grow with the size.
	outward := b.fcmp(enum.FPredOGT, b.fabs(x), b.fabs(back))
	step := b.sel(outward, b.int(i.Type(), 1), b.int(i.Type(), -1))
	return b.asFloat(b.sel(b.and(inexact, even), b.add(i, step), i))
}

func (b *Builder) intToFloat(x Value, to types.DType) Value {
	t := Register(to, x.Lanes())
	from := x.DType
	convert := func(v value.Value, t ll.Type) value.Value {
		if from.IsSigned() {
			return b.Block.NewSIToFP(v, t)
		}
		return b.Block.NewUIToFP(v, t)
	}
	switch {
	case to == types.F32 || to == types.F64:
		return Value{convert(x.V, t), to}
	case from.Size() <= 2: // f32 holds them
		return b.rounded(convert(x.V, t), to)
	case from.Size() == 4:
		return b.rounded(b.toOdd(convert(x.V, like(t, ll.Double))), to)
	}
	// Of 64 bits, those that an f64 lacks leave the last one set.
	v := x.V
	size := v
	if from.IsSigned() {
		size = intAbs(b, from, v)
	}
	lost := b.icmpn(enum.IPredNE, b.andn(v, 1<<11-1), 0)
	kept := b.or(b.andn(v, -1<<11), b.sel(lost, b.int(v.Type(), 1<<11), b.int(v.Type(), 0)))
	long := b.icmpn(enum.IPredUGE, size, 1<<53)
	return b.rounded(b.toOdd(convert(b.sel(long, kept, v), like(t, ll.Double))), to)
}

// Bitcast returns the bits of lanes as those of a dtype of the same size.
func (b *Builder) Bitcast(x Value, to types.DType) (Value, error) {
	if x.DType == types.Bool || to == types.Bool || x.DType.Size() != to.Size() {
		return Value{}, &UnsupportedError{"bitcast_convert to " + to.String(), x.DType}
	}
	if x.DType == to {
		return x, nil
	}
	m := b.Narrow(x)
	return b.Widen(b.bitcast(m, vectorOf(Memory(to), x.Lanes())), to), nil
}
