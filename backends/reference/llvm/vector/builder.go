package vector

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

// Builder adds instructions to the end of a block of a function. Methods that
// branch leave Block at the block where the code goes on.
type Builder struct {
	Module  *Module
	Machine Machine
	Func    *ir.Func
	Block   *ir.Block

	args  value.Value
	fails map[int32]*ir.Block
	// narrow16 has, for f32 lanes that were f16s in memory, these: what is only
	// moved is not converted there and back, which would change some NaNs.
	narrow16 map[value.Value]value.Value
}

// Call calls the function or intrinsic with the given name, which is declared
// from the types of the arguments if it is not there.
func (b *Builder) Call(name string, result ll.Type, args ...value.Value) value.Value {
	f := b.Module.declared[name]
	if f == nil {
		params := make([]ll.Type, len(args))
		for i, a := range args {
			params[i] = a.Type()
		}
		f = b.Module.Declare(name, result, params...)
	}
	return b.Block.NewCall(f, args...)
}

// intrinsic calls llvm.name for the type of the first argument, which is that
// of the result.
func (b *Builder) intrinsic(name string, args ...value.Value) value.Value {
	t := args[0].Type()
	return b.Call("llvm."+name+"."+mangle(t), t, args...)
}

// ArgIndex returns word i of a kernel's arguments, an i64.
func (b *Builder) ArgIndex(i int) value.Value {
	l := b.Block.NewLoad(ll.I64, b.Block.NewGetElementPtr(ll.I64, b.args, b.Index(int64(i))))
	l.Align = 8
	return l
}

// ArgPointer returns word i of a kernel's arguments, the address of an element
// of dtype d.
func (b *Builder) ArgPointer(i int, d types.DType) Pointer {
	return Pointer{b.Block.NewIntToPtr(b.ArgIndex(i), ll.NewPointer(Memory(d))), d}
}

// Index returns an i64.
func (b *Builder) Index(i int64) value.Value { return constant.NewInt(ll.I64, i) }

// The methods below are on integers or floats of any lanes; floats are rounded
// once, to nearest.

func (b *Builder) fadd(x, y value.Value) value.Value { return b.Block.NewFAdd(x, y) }
func (b *Builder) fsub(x, y value.Value) value.Value { return b.Block.NewFSub(x, y) }
func (b *Builder) fmul(x, y value.Value) value.Value { return b.Block.NewFMul(x, y) }
func (b *Builder) fdiv(x, y value.Value) value.Value { return b.Block.NewFDiv(x, y) }
func (b *Builder) fneg(x value.Value) value.Value    { return b.Block.NewFNeg(x) }
func (b *Builder) fabs(x value.Value) value.Value    { return b.intrinsic("fabs", x) }

// copysign returns the size of x with the sign of y.
func (b *Builder) copysign(x, y value.Value) value.Value { return b.intrinsic("copysign", x, y) }

// fma returns x*y+z; rounded once where the machine can, else twice.
func (b *Builder) fma(x, y, z value.Value) value.Value {
	if !b.Machine.FMA() {
		return b.fadd(b.fmul(x, y), z)
	}
	return b.intrinsic("fma", x, y, z)
}

func (b *Builder) add(x, y value.Value) value.Value  { return b.Block.NewAdd(x, y) }
func (b *Builder) sub(x, y value.Value) value.Value  { return b.Block.NewSub(x, y) }
func (b *Builder) mul(x, y value.Value) value.Value  { return b.Block.NewMul(x, y) }
func (b *Builder) and(x, y value.Value) value.Value  { return b.Block.NewAnd(x, y) }
func (b *Builder) or(x, y value.Value) value.Value   { return b.Block.NewOr(x, y) }
func (b *Builder) xor(x, y value.Value) value.Value  { return b.Block.NewXor(x, y) }
func (b *Builder) shl(x, y value.Value) value.Value  { return b.Block.NewShl(x, y) }
func (b *Builder) lshr(x, y value.Value) value.Value { return b.Block.NewLShr(x, y) }
func (b *Builder) ashr(x, y value.Value) value.Value { return b.Block.NewAShr(x, y) }

// addn, andn, … have a constant in each lane as the second operand.
func (b *Builder) addn(x value.Value, y int64) value.Value  { return b.add(x, b.int(x.Type(), y)) }
func (b *Builder) andn(x value.Value, y int64) value.Value  { return b.and(x, b.int(x.Type(), y)) }
func (b *Builder) shln(x value.Value, y int64) value.Value  { return b.shl(x, b.int(x.Type(), y)) }
func (b *Builder) lshrn(x value.Value, y int64) value.Value { return b.lshr(x, b.int(x.Type(), y)) }
func (b *Builder) fmuln(x value.Value, y float64) value.Value {
	return b.fmul(x, b.num(x.Type(), y))
}
func (b *Builder) faddn(x value.Value, y float64) value.Value {
	return b.fadd(x, b.num(x.Type(), y))
}

func (b *Builder) icmp(p enum.IPred, x, y value.Value) value.Value { return b.Block.NewICmp(p, x, y) }
func (b *Builder) fcmp(p enum.FPred, x, y value.Value) value.Value { return b.Block.NewFCmp(p, x, y) }

// fcmpn compares with a constant.
func (b *Builder) fcmpn(p enum.FPred, x value.Value, y float64) value.Value {
	return b.fcmp(p, x, b.num(x.Type(), y))
}

// icmpn compares with a constant.
func (b *Builder) icmpn(p enum.IPred, x value.Value, y int64) value.Value {
	return b.icmp(p, x, b.int(x.Type(), y))
}

// isNaN reports which lanes are NaN.
func (b *Builder) isNaN(x value.Value) value.Value { return b.fcmp(enum.FPredUNO, x, x) }

// sel chooses x where c is set, else y.
func (b *Builder) sel(c, x, y value.Value) value.Value { return b.Block.NewSelect(c, x, y) }

// bitcast reinterprets bits.
func (b *Builder) bitcast(x value.Value, t ll.Type) value.Value {
	if ll.Equal(x.Type(), t) {
		return x
	}
	return b.Block.NewBitCast(x, t)
}

// asInt returns the bits of floats as integers.
func (b *Builder) asInt(x value.Value) value.Value { return b.bitcast(x, integers(x.Type())) }

// asFloat returns integers of 32 or 64 bits as the floats with these bits.
func (b *Builder) asFloat(x value.Value) value.Value {
	t := ll.Type(ll.Float)
	if width(x.Type()) == 64 {
		t = ll.Double
	}
	return b.bitcast(x, like(x.Type(), t))
}

// resize wraps or extends integers to lanes of type e.
func (b *Builder) resize(x value.Value, e ll.Type, signed bool) value.Value {
	t := like(x.Type(), e)
	switch from, to := width(x.Type()), width(t); {
	case from > to:
		return b.Block.NewTrunc(x, t)
	case from == to:
		return x
	case signed:
		return b.Block.NewSExt(x, t)
	}
	return b.Block.NewZExt(x, t)
}

// FMA returns x*y+z of floats, rounded once where the machine can. For f16 and
// bf16 the sum is rounded to the dtype once.
func (b *Builder) FMA(x, y, z Value) Value {
	return b.rounded(b.fma(x.V, y.V, z.V), x.DType)
}
