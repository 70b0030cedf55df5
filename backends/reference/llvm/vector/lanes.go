package vector

import (
	"fmt"
	"math"
	"strings"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Lanes is how many elements code works on at once, and which of them are
// there.
type Lanes struct {
	N    int
	Mask value.Value // <N x i1>; nil for all
}

// Mask returns a mask of the first n of lanes lanes; n is an i64 from 0 to
// lanes.
func (b *Builder) Mask(lanes int, n value.Value) value.Value {
	t := vectorOf(ll.I1, lanes)
	switch {
	case lanes == 1:
		return b.icmpn(enum.IPredNE, n, 0)
	case b.Machine.wide() && lanes < 64:
		ones := b.Block.NewSub(b.Block.NewShl(b.Index(1), n), b.Index(1))
		return b.bitcast(b.resize(ones, ll.NewInt(uint64(lanes)), false), t)
	}
	// Lanes as wide as the smallest elements keep the comparison short.
	count := ll.Type(ll.I32)
	if lanes > b.Machine.Lanes(types.I32) {
		count = ll.I8
	}
	return b.icmp(enum.IPredULT, b.iota(vectorOf(count, lanes)), b.splat(b.resize(n, count, false), lanes))
}

// Iota returns lanes of an integer or float dtype that count from 0.
func (b *Builder) Iota(d types.DType, lanes int) Value {
	if !d.IsFloat() {
		return Value{b.iota(Register(d, lanes)), d}
	}
	i := b.Iota(types.I32, lanes)
	return Value{b.rounded(b.Block.NewSIToFP(i.V, Register(d, lanes)), d).V, d}
}

func (b *Builder) iota(t ll.Type) value.Value {
	n := lanesOf(t)
	if n == 1 {
		return b.int(t, 0)
	}
	all := make([]uint64, n)
	for i := range all {
		all[i] = uint64(i)
	}
	return b.table(t, all)
}

// Splat repeats a scalar; values of that many lanes stay as they are.
func (b *Builder) Splat(v Value, lanes int) Value {
	if v.Lanes() == lanes {
		return v
	}
	r := b.splat(v.V, lanes)
	if h := b.narrow16[v.V]; h != nil {
		b.keepHalf(r, b.splat(h, lanes))
	}
	return Value{r, v.DType}
}

func (b *Builder) splat(x value.Value, lanes int) value.Value {
	t := vectorOf(x.Type(), lanes)
	if lanes == 1 {
		return x
	}
	if bits, ok := splatBits(x); ok {
		return b.bits(t, bits)
	}
	first := b.Block.NewInsertElement(b.poison(t), x, constant.NewInt(ll.I32, 0))
	zero := &literal{typ: vectorOf(ll.I32, lanes), text: "zeroinitializer"}
	return b.Block.NewShuffleVector(first, b.poison(t), zero)
}

// Lane returns lane i of v as a scalar.
func (b *Builder) Lane(v Value, i int) Value { return Value{b.lane(v.V, i), v.DType} }

func (b *Builder) lane(x value.Value, i int) value.Value {
	if lanesOf(x.Type()) == 1 {
		return x
	}
	return b.Block.NewExtractElement(x, constant.NewInt(ll.I32, int64(i)))
}

// setLane returns x with y in lane i.
func (b *Builder) setLane(x, y value.Value, i int) value.Value {
	if lanesOf(x.Type()) == 1 {
		return y
	}
	return b.Block.NewInsertElement(x, y, constant.NewInt(ll.I32, int64(i)))
}

// Slice returns n lanes of v from lane first on.
func (b *Builder) Slice(v Value, first, n int) Value {
	if n == 1 {
		return b.Lane(v, first)
	}
	return Value{b.pick(v.V, nil, ascending(first, n)), v.DType}
}

// Concat returns the lanes of x, then those of y, of which there are as many
// and more than one.
func (b *Builder) Concat(x, y Value) Value {
	return Value{b.pick(x.V, y.V, ascending(0, 2*x.Lanes())), x.DType}
}

func ascending(first, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = first + i
	}
	return all
}

// Pick returns the given lanes of x and y, counted through.
func (b *Builder) Pick(x, y Value, lanes []int) Value {
	return Value{b.pick(x.V, y.V, lanes), x.DType}
}

// Compress returns the lanes of v, integers or floats of 32 or 64 bits, where the bool is set,
// side by side from the first lane on. Those behind are 0. The machine is one of AVX-512.
func (b *Builder) Compress(v, chosen Value) Value {
	t := v.V.Type()
	return Value{b.Call("llvm.x86.avx512.mask.compress."+mangle(t), t, v.V, b.bits(t, 0), chosen.V), v.DType}
}

// Count returns, as an i64, how many lanes of a bool value are set.
func (b *Builder) Count(v Value) value.Value {
	n := b.resize(b.bitcast(v.V, ll.NewInt(uint64(v.Lanes()))), ll.I32, false)
	return b.resize(b.intrinsic("ctpop", n), ll.I64, false)
}

// pick returns the given lanes of x and y, counted through; -1 is any. A nil y
// has nothing to choose from.
func (b *Builder) pick(x, y value.Value, lanes []int) value.Value {
	if y == nil {
		y = b.poison(x.Type())
	}
	var s strings.Builder
	for i, l := range lanes {
		if i > 0 {
			s.WriteString(", ")
		}
		if l < 0 {
			s.WriteString("i32 poison")
			continue
		}
		fmt.Fprintf(&s, "i32 %d", l)
	}
	mask := &literal{typ: vectorOf(ll.I32, len(lanes)), text: "<" + s.String() + ">"}
	r := b.Block.NewShuffleVector(x, y, mask)
	r.Typ = ll.NewVector(uint64(len(lanes)), elem(x.Type()))
	return r
}

// pad returns x with more lanes, whose values are any.
func (b *Builder) pad(x value.Value, lanes int) value.Value {
	n := lanesOf(x.Type())
	switch {
	case n == lanes:
		return x
	case n == 1:
		return b.Block.NewInsertElement(b.poison(vectorOf(x.Type(), lanes)), x, constant.NewInt(ll.I32, 0))
	}
	list := ascending(0, lanes)
	for i := n; i < lanes; i++ {
		list[i] = -1
	}
	return b.pick(x, nil, list)
}

// head returns the first lanes of x.
func (b *Builder) head(x value.Value, lanes int) value.Value {
	switch {
	case lanesOf(x.Type()) == lanes:
		return x
	case lanes == 1:
		return b.lane(x, 0)
	}
	return b.pick(x, nil, ascending(0, lanes))
}

// pieces runs f on parts of as many lanes as native, into which the operands
// are split or padded, and joins the results. All operands have equally many
// lanes, a power of two.
func (b *Builder) pieces(native int, f func(parts []value.Value) value.Value, xs ...value.Value) value.Value {
	n := lanesOf(xs[0].Type())
	if n <= native {
		parts := make([]value.Value, len(xs))
		for i, x := range xs {
			parts[i] = b.pad(x, native)
		}
		return b.head(f(parts), n)
	}
	lo, hi := make([]value.Value, len(xs)), make([]value.Value, len(xs))
	for i, x := range xs {
		lo[i] = b.pick(x, nil, ascending(0, n/2))
		hi[i] = b.pick(x, nil, ascending(n/2, n/2))
	}
	return b.pick(b.pieces(native, f, lo...), b.pieces(native, f, hi...), ascending(0, n))
}

// Any reports, as an i1, whether a lane of a bool value is set.
func (b *Builder) Any(v Value) value.Value {
	n := v.Lanes()
	if n == 1 {
		return v.V
	}
	return b.icmpn(enum.IPredNE, b.bitcast(v.V, ll.NewInt(uint64(n))), 0)
}

// Fold combines the lanes of v, a power of two, into a scalar with a binary
// op: the halves, then the halves of the result, and so on.
func (b *Builder) Fold(op kernel.Op, v Value) (Value, error) {
	for n := v.Lanes() / 2; n > 0; n /= 2 {
		r, err := b.Binary(op, b.Slice(v, 0, n), b.Slice(v, n, n))
		if err != nil {
			return Value{}, err
		}
		v = r
	}
	return v, nil
}

// Prefix returns the lanes of v, a power of two, each combined by a binary op with
// all before it, or all behind it in reverse. Lanes of neutral stand for those that
// there are not.
func (b *Builder) Prefix(op kernel.Op, v, neutral Value, reverse bool) (r Value, err error) {
	for n := 1; n < v.Lanes() && err == nil; n *= 2 {
		if b.Machine.Bits() == 128 {
			// A register shifts its bytes, and zeros in, by one instruction.
			v, err = b.Binary(op, b.Shift(v, neutral, n, reverse), v)
		} else {
			v, err = b.joinBlocks(op, v, n, reverse)
		}
	}
	return v, err
}

// joinBlocks makes prefixes of blocks of n lanes ones of blocks of 2*n: it combines each
// lane of a block's upper half with the last one of the lower half. That is one shuffle
// of one register, even where lanes cross 128 bits.
func (b *Builder) joinBlocks(op kernel.Op, v Value, n int, reverse bool) (Value, error) {
	from, upper := ascending(0, v.Lanes()), make([]bool, v.Lanes())
	for i := range from {
		last := i&^(2*n-1) + n - 1 // of the lower half
		if reverse {
			last++
		}
		if upper[i] = (i&n != 0) != reverse; upper[i] {
			from[i] = last
		}
	}
	r, err := b.Binary(op, Value{b.pick(v.V, nil, from), v.DType}, v)
	if err != nil || op.Idempotent() {
		return r, err
	}
	return b.merge(upper, r, v), nil
}

// Ordered returns integers in the order of f32s or f64s, of which maxima and minima are
// one instruction: -0 comes before 0. NaN, all of them one, is the largest if last is set,
// else the least.
func (b *Builder) Ordered(v Value, last bool) Value {
	nan := math.NaN()
	if !last {
		nan = math.Copysign(nan, -1)
	}
	x := b.asInt(b.sel(b.isNaN(v.V), b.num(v.V.Type(), nan), v.V))
	return Value{b.sizeFlipped(x), OrderedType(v.DType)}
}

// FromOrdered returns the floats of a dtype whose place in the order is given.
func (b *Builder) FromOrdered(v Value, d types.DType) Value {
	return Value{b.asFloat(b.sizeFlipped(v.V)), d}
}

// sizeFlipped returns integers with all bits but the sign inverted where that is set.
func (b *Builder) sizeFlipped(x value.Value) value.Value {
	w := width(x.Type())
	sign := b.ashr(x, b.int(x.Type(), int64(w-1)))
	return b.xor(x, b.and(sign, b.bits(x.Type(), 1<<(w-1)-1)))
}

// OrderedType is the dtype of what [Builder.Ordered] returns for one of f32 or f64.
func OrderedType(d types.DType) types.DType {
	if d == types.F64 {
		return types.I64
	}
	return types.I32
}

// merge returns the lanes of x where chosen, else those of y. The optimizer is not told
// which lanes these are on machines that compute under masks: it would have later
// shuffles read x, which then is computed without one and merged besides.
func (b *Builder) merge(chosen []bool, x, y Value) Value {
	lanes := len(chosen)
	if !b.Machine.wide() || lanes < 8 {
		all := ascending(lanes, lanes)
		for i, c := range chosen {
			if c {
				all[i] = i
			}
		}
		return Value{b.pick(x.V, y.V, all), x.DType}
	}
	bits := uint64(0)
	for i, c := range chosen {
		if c {
			bits |= 1 << i
		}
	}
	mask := b.opaque(b.int(ll.NewInt(uint64(lanes)), int64(bits)))
	return b.Select(Value{b.bitcast(mask, vectorOf(ll.I1, lanes)), types.Bool}, x, y)
}

// opaque returns an integer of 8 to 64 bits that the optimizer does not know.
func (b *Builder) opaque(x value.Value) value.Value {
	t := x.Type()
	c := b.Block.NewCall(ir.NewInlineAsm(ll.NewPointer(ll.NewFunc(t, t)), "", "=r,0"), x)
	c.FuncAttrs = append(c.FuncAttrs, enum.FuncAttrReadNone, enum.FuncAttrNoUnwind)
	return c
}

// Repeat returns lane i of v in as many lanes as v has.
func (b *Builder) Repeat(v Value, i int) Value {
	all := make([]int, v.Lanes())
	for n := range all {
		all[n] = i
	}
	return Value{b.pick(v.V, nil, all), v.DType}
}

// Shift returns the lanes of v moved up by n, or down in reverse; those of before,
// the last or the first of them, move in.
func (b *Builder) Shift(v, before Value, n int, reverse bool) Value {
	lanes := v.Lanes()
	if reverse {
		return Value{b.pick(v.V, before.V, ascending(n, lanes)), v.DType}
	}
	return Value{b.pick(before.V, v.V, ascending(lanes-n, lanes)), v.DType}
}

// Transpose turns n vectors of n lanes, n a power of two, so that lane i of vector j becomes
// lane j of vector i. Blocks of n/2 change places, then blocks of n/4 in each, and so on.
func (b *Builder) Transpose(v []Value) []Value {
	n := len(v)
	for s := n / 2; s > 0; s /= 2 {
		low, high := make([]int, n), make([]int, n)
		for l := range n {
			if l&s == 0 {
				low[l], high[l] = l, l+s
			} else {
				low[l], high[l] = n+l-s, n+l
			}
		}
		next := make([]Value, n)
		for i := range n {
			if i&s == 0 {
				next[i] = Value{b.pick(v[i].V, v[i+s].V, low), v[i].DType}
				next[i+s] = Value{b.pick(v[i].V, v[i+s].V, high), v[i].DType}
			}
		}
		v = next
	}
	return v
}
