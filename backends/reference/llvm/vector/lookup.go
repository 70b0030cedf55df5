package vector

import (
	"fmt"
	"math"

	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

// lookup returns, for lanes i of integers, row[i mod len(row)], as floats of
// their width; len(row) is a power of two. name stands for the row.
func (b *Builder) lookup(name string, row []float64, i value.Value) value.Value {
	t := b.floats(i.Type())
	switch single := width(t) == 32 && len(row) == 16; {
	case b.Machine.wide() && width(t) == 64 && len(row) == 16:
		return b.pieces(8, func(p []value.Value) value.Value {
			t := vectorOf(ll.Double, 8)
			return b.Call("llvm.x86.avx512.vpermi2var.pd.512", t, b.floatTable(t, row[:8]), p[0], b.floatTable(t, row[8:]))
		}, i)
	case single && b.Machine.wide():
		return b.pieces(16, func(p []value.Value) value.Value {
			t := vectorOf(ll.Float, 16)
			return b.Call("llvm.x86.avx512.permvar.sf.512", t, b.floatTable(t, row), p[0])
		}, i)
	case single && b.Machine.Level == AVX2:
		return b.pieces(8, func(p []value.Value) value.Value {
			t := vectorOf(ll.Float, 8)
			lo := b.Call("llvm.x86.avx2.permps", t, b.floatTable(t, row[:8]), p[0])
			hi := b.Call("llvm.x86.avx2.permps", t, b.floatTable(t, row[8:]), p[0])
			return b.sel(b.icmpn(enum.IPredSLT, b.shln(p[0], 28), 0), hi, lo)
		}, i)
	case single && b.Machine.Level == NEON:
		return b.pieces(4, func(p []value.Value) value.Value { return b.lookupBytes(row, p[0]) }, i)
	}
	return b.inMemory(fmt.Sprintf("%s.f%d", name, width(t)), elem(t), floatBits(t, row), i)
}

// LowBits returns the lower four bits of integers of 32 bits as f32.
func (b *Builder) LowBits(x Value) Value {
	row := make([]float64, 16)
	for i := range row {
		row[i] = float64(i)
	}
	if x.Lanes() < 16 {
		return b.Convert(Value{b.andn(x.V, 15), x.DType}, types.F32)
	}
	return Value{b.lookup("low_bits", row, x.V), types.F32}
}

// inMemory looks up elements of type e by their bits; name stands for the row.
func (b *Builder) inMemory(name string, e ll.Type, row []uint64, i value.Value) value.Value {
	t := like(i.Type(), e)
	g := b.Module.data(name, e, func() []uint64 { return row })
	i = b.andn(i, int64(len(row)-1))
	n := lanesOf(t)
	p := b.Block.NewGetElementPtr(e, b.bitcast(g, ll.NewPointer(e)), i)
	p.InBounds = true
	align := width(t) / 8
	if n == 1 {
		return b.Block.NewLoad(e, p)
	}
	p.Typ = ll.NewVector(uint64(n), ll.NewPointer(e))
	return b.Call("llvm.masked.gather."+mangle(t)+"."+mangle(vectorOf(ll.I8Ptr, n)), t, p,
		constant.NewInt(ll.I32, int64(align)), b.int(vectorOf(ll.I1, n), -1), b.bits(t, 0))
}

// lookupBytes looks up the four bytes of each lane, in a table of four registers.
func (b *Builder) lookupBytes(row []float64, i value.Value) value.Value {
	bytes := vectorOf(ll.I8, 16)
	four := b.mul(b.andn(i, 15), b.int(i.Type(), 0x04040404))
	args := make([]value.Value, 5)
	for k := range 4 {
		lanes := floatBits(ll.Float, row[4*k:4*k+4])
		args[k] = b.bitcast(b.table(i.Type(), lanes), bytes)
	}
	args[4] = b.bitcast(b.addn(four, 0x03020100), bytes)
	return b.bitcast(b.Call("llvm.aarch64.neon.tbl4.v16i8", bytes, args...), b.floats(i.Type()))
}

// floats returns the float type as wide as the integers t, with as many lanes.
func (b *Builder) floats(t ll.Type) ll.Type {
	if width(t) == 64 {
		return like(t, ll.Double)
	}
	return like(t, ll.Float)
}

// floatTable returns a vector constant with the given lanes.
func (b *Builder) floatTable(t ll.Type, row []float64) value.Value {
	return b.table(t, floatBits(t, row))
}

func floatBits(t ll.Type, row []float64) []uint64 {
	all := make([]uint64, len(row))
	for i, v := range row {
		if width(t) == 32 {
			all[i] = uint64(math.Float32bits(float32(v)))
		} else {
			all[i] = math.Float64bits(v)
		}
	}
	return all
}
