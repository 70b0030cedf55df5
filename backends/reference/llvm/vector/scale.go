package vector

import (
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

// The ops that AVX-512 alone has instructions for: see expand.Target.Scales.

// onFloats512 calls an intrinsic of AVX-512, whose name ends in ps.512 or pd.512, on
// registers of floats; each call has a mask of all lanes.
func (b *Builder) onFloats512(name string, args func(p []value.Value, all value.Value) []value.Value, xs ...value.Value) value.Value {
	native, mask, suffix := 16, ll.Type(ll.I16), ".ps.512"
	if width(xs[0].Type()) == 64 {
		native, mask, suffix = 8, ll.I8, ".pd.512"
	}
	return b.pieces(native, func(p []value.Value) value.Value {
		return b.Call("llvm.x86.avx512.mask."+name+suffix, p[0].Type(), args(p, b.int(mask, -1))...)
	}, xs...)
}

// rounding of the processor's mode.
func (b *Builder) currentRounding() value.Value { return b.int(ll.I32, 4) }

func floatScale(b *Builder, _ types.DType, x, y value.Value) value.Value {
	return b.onFloats512("scalef", func(p []value.Value, all value.Value) []value.Value {
		return []value.Value{p[0], p[1], b.num(p[0].Type(), 0), all, b.currentRounding()}
	}, x, y)
}

func floatExponent(b *Builder, _ types.DType, x value.Value) value.Value {
	return b.onFloats512("getexp", func(p []value.Value, all value.Value) []value.Value {
		return []value.Value{p[0], b.num(p[0].Type(), 0), all, b.currentRounding()}
	}, x)
}

func floatMantissa(b *Builder, _ types.DType, x value.Value) value.Value {
	const interval, negativeIsNaN = 3, 2 << 2
	return b.onFloats512("getmant", func(p []value.Value, all value.Value) []value.Value {
		return []value.Value{p[0], b.int(ll.I32, interval|negativeIsNaN), b.num(p[0].Type(), 0), all, b.currentRounding()}
	}, x)
}
