package vector

import (
	"fmt"
	"math"
	"strings"

	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

// literal is a constant with its text: llir prints floats inexactly, has no
// splats, and prints vectors slowly.
type literal struct {
	typ  ll.Type
	text string
	bits uint64 // of each lane, if splat
	// splat says that all lanes are equal.
	splat bool
}

// IsConstant makes it one of llir's.
func (*literal) IsConstant()      {}
func (c *literal) Type() ll.Type  { return c.typ }
func (c *literal) Ident() string  { return c.text }
func (c *literal) String() string { return c.typ.String() + " " + c.text }

// Const returns a constant of lanes elements of dtype d with value x, rounded
// to the nearest; x is truncated for integers, and 0 or not for bools.
func (b *Builder) Const(d types.DType, lanes int, x float64) Value {
	switch d {
	case types.Bool:
		return b.ConstInt(d, lanes, int64(nonzero(x)))
	case types.U64:
		if x >= 1<<63 {
			return b.ConstInt(d, lanes, int64(uint64(x)))
		}
	case types.F16:
		x = float64(types.ToFloat16(x).Float32())
	case types.BF16:
		x = float64(types.ToBFloat16(x).Float32())
	}
	if !d.IsFloat() {
		return b.ConstInt(d, lanes, int64(x))
	}
	return Value{b.num(Register(d, lanes), x), d}
}

func nonzero(x float64) int {
	if x != 0 {
		return 1
	}
	return 0
}

// ConstInt returns a constant of an integer or bool dtype, from the lowest bits
// of x.
func (b *Builder) ConstInt(d types.DType, lanes int, x int64) Value {
	if d.IsFloat() {
		return b.Const(d, lanes, float64(x))
	}
	return Value{b.int(Register(d, lanes), x), d}
}

// ConstBits returns a constant by the bits that an element has in memory.
func (b *Builder) ConstBits(d types.DType, lanes int, bits uint64) Value {
	t := Register(d, lanes)
	switch d {
	case types.F16:
		return Value{b.bits(t, uint64(math.Float32bits(types.Float16(bits).Float32()))), d}
	case types.BF16:
		return Value{b.bits(t, bits<<16&math.MaxUint32), d}
	case types.Bool:
		return b.ConstInt(d, lanes, int64(nonzero(float64(bits&0xff))))
	}
	return Value{b.bits(t, bits), d}
}

// num returns the float constant x in each lane of t, rounded.
func (b *Builder) num(t ll.Type, x float64) value.Value {
	if width(t) == 32 {
		return b.bits(t, uint64(math.Float32bits(float32(x))))
	}
	return b.bits(t, math.Float64bits(x))
}

// int returns the integer constant x in each lane of t.
func (b *Builder) int(t ll.Type, x int64) value.Value { return b.bits(t, uint64(x)) }

// bits returns the constant with the given bits in each lane of t.
func (b *Builder) bits(t ll.Type, bits uint64) value.Value {
	if w := width(t); w < 64 {
		bits &= 1<<w - 1
	}
	c := &literal{typ: t, bits: bits, splat: true}
	scalar := number(t, bits)
	n := lanesOf(t)
	switch e := elem(t).String(); {
	case n == 1:
		c.text = scalar
	case bits == 0:
		c.text = "zeroinitializer"
	case b.Machine.Splats:
		c.text = fmt.Sprintf("splat (%s %s)", e, scalar)
	default:
		c.text = fmt.Sprintf("shufflevector (%[1]s insertelement (%[1]s poison, %[2]s %[3]s, i32 0), %[1]s poison, <%[4]d x i32> zeroinitializer)", t, e, scalar, n)
	}
	return c
}

// table returns a vector constant of type t, whose lanes have the given bits.
func (b *Builder) table(t ll.Type, lanes []uint64) value.Value {
	var s strings.Builder
	for i, v := range lanes {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(elem(t).String() + " " + number(t, v))
	}
	return &literal{typ: t, text: "<" + s.String() + ">"}
}

// poison returns no value in particular.
func (b *Builder) poison(t ll.Type) value.Value { return &literal{typ: t, text: "poison"} }

// number prints a lane of type t with the given bits. LLVM writes the bits of
// floats as those of a double.
func number(t ll.Type, bits uint64) string {
	switch {
	case !isFloat(t):
		w := width(t)
		if w == 1 {
			return [...]string{"false", "true"}[bits&1]
		}
		w = min(w, 64) // wider ones are of 64 bits, with the sign extended
		return fmt.Sprint(int64(bits<<(64-w)) >> (64 - w))
	case width(t) == 64:
		return fmt.Sprintf("0x%016X", bits)
	}
	f := math.Float32frombits(uint32(bits))
	if f != f { // a conversion would make it quiet
		return fmt.Sprintf("0x%016X", bits>>31<<63|0x7ff<<52|bits&(1<<23-1)<<29)
	}
	return fmt.Sprintf("0x%016X", math.Float64bits(float64(f)))
}

// splatBits returns the bits of each lane of a constant with equal lanes.
func splatBits(v value.Value) (uint64, bool) {
	c, ok := v.(*literal)
	if !ok || !c.splat {
		return 0, false
	}
	return c.bits, true
}

// splatFloat returns the number of a float constant with equal lanes.
func splatFloat(v value.Value) (float64, bool) {
	bits, ok := splatBits(v)
	if !ok || !isFloat(v.Type()) {
		return 0, false
	}
	if width(v.Type()) == 32 {
		return float64(math.Float32frombits(uint32(bits))), true
	}
	return math.Float64frombits(bits), true
}
