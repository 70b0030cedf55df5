package blockdot

import (
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// emitter writes a unit's function.
type emitter struct {
	*vector.Builder
	Unit

	x, matrix, y, work                     vector.Pointer
	rows, blocks, groups, from, to, offset value.Value
}

// lanes is how many rows of the matrix lie side by side, codes the elements of a block.
const (
	lanes = kernel.BlockDotLanes
	codes = kernel.BlockDotCodes
)

// product writes the function.
func (g *emitter) product() {
	g.x, g.matrix = g.ArgPointer(0, types.F32), g.ArgPointer(1, types.U32)
	g.y, g.work = g.ArgPointer(2, types.F32), g.ArgPointer(3, types.I32)
	g.rows, g.blocks, g.groups = g.ArgIndex(4), g.ArgIndex(5), g.ArgIndex(6)
	g.from, g.to, g.offset = g.ArgIndex(7), g.ArgIndex(8), g.ArgIndex(9)
	if !g.on.VNNI {
		g.each(g.Index(0), g.mul(g.rows, g.blocks), nil, func(i value.Value, _ []value.Value) []value.Value {
			g.sum(i)
			return nil
		})
		g.floats()
		return
	}
	start := []value.Value{g.ConstInt(types.I32, 1, 0).V}
	largest := g.each(g.Index(0), g.mul(g.rows, g.blocks), start, func(i value.Value, largest []value.Value) []value.Value {
		return []value.Value{g.binary(kernel.Maximum, vector.Value{V: largest[0], DType: types.I32}, g.digits(i)).V}
	})
	g.Either(g.Block.NewICmp(enum.IPredSLT, largest[0], g.ConstInt(types.I32, 1, exponents).V),
		func() []value.Value { g.bytes(); return nil },
		func() []value.Value { g.floats(); return nil })
}

// exponents is the bits of an f32's exponent; those of an infinity or a NaN are all set.
const exponents = 0xff << 23

// block is where a block of x has its words in scratch memory.
func (g *emitter) block(i value.Value) vector.Pointer {
	return g.At(g.work, g.mul(i, g.Index(scratchWords)))
}

// sum writes the sum of block i of x.
func (g *emitter) sum(i value.Value) {
	n := min(g.on.Lanes(types.F32), lanes)
	at := g.At(g.x, g.mul(i, g.Index(codes)))
	s := g.Load(at, n)
	for k := n; k < codes; k += n {
		s = g.binary(kernel.Add, s, g.Load(g.At(at, g.Index(int64(k))), n))
	}
	g.Store(g.At(g.PointerTo(g.block(i).V, types.F32), g.Index(sumAt)), g.fold(kernel.Add, s))
}

// digits writes the digits of block i of x and what belongs to them. It returns the bits of the exponent
// of the largest x.
func (g *emitter) digits(i value.Value) (exponent vector.Value) {
	// The largest x is below 2^(e+1), with e its exponent: in units of 2^(e-digitBits+1), below 2^digitBits.
	const digitBits = 22
	const bias, mantissa = 127, 23
	g.sum(i)
	at, to := g.At(g.x, g.mul(i, g.Index(codes))), g.block(i)
	x := []vector.Value{g.Load(at, lanes), g.Load(g.At(at, g.Index(lanes)), lanes)}
	sizes := func(k int) vector.Value { return g.and(g.bits(x[k], types.I32), 1<<31-1) }
	exponent = g.and(g.fold(kernel.Maximum, g.binary(kernel.Maximum, sizes(0), sizes(1))), exponents)
	// The least unit is the least normal number: smaller x are rounded to multiples of that.
	kept := g.binary(kernel.Maximum, exponent, g.ConstInt(types.I32, 1, digitBits<<mantissa))
	unit := g.binary(kernel.Subtract, kept, g.ConstInt(types.I32, 1, (digitBits-1)<<mantissa))
	factor := g.bits(g.binary(kernel.Subtract, g.ConstInt(types.I32, 1, (2*bias+digitBits-1)<<mantissa), kept), types.F32)
	g.Store(g.At(to, g.Index(unitAt)), unit)

	sums := make([]vector.Value, digits)
	bytes := g.PointerTo(to.V, types.I8)
	for k := range x {
		scaled := g.binary(kernel.Multiply, x[k], g.Splat(factor, lanes))
		rounded := g.Call("llvm.rint.v16f32", scaled.V.Type(), scaled.V)
		q := vector.Value{V: g.Block.NewFPToSI(rounded, ll.NewVector(lanes, ll.I32)), DType: types.I32}
		for d := digits - 1; d >= 0; d-- {
			digit := q
			if d > 0 {
				digit = g.shift(kernel.ShiftRightArithmetic, g.shift(kernel.ShiftLeft, q, 24), 24)
				q = g.shift(kernel.ShiftRightArithmetic, g.binary(kernel.Subtract, q, digit), 8)
			}
			place := g.At(bytes, g.Index(int64(d*codes+k*lanes)))
			g.Store(place, vector.Value{V: g.Block.NewTrunc(digit.V, ll.NewVector(lanes, ll.I8)), DType: types.I8})
			if k == 0 {
				sums[d] = digit
			} else {
				sums[d] = g.binary(kernel.Add, sums[d], digit)
			}
		}
	}
	offset := vector.Value{V: g.Block.NewTrunc(g.offset, ll.I32), DType: types.I32}
	for d, s := range sums {
		g.Store(g.At(to, g.Index(int64(beginAt+d))), g.binary(kernel.Multiply, g.fold(kernel.Add, s), offset))
	}
	return exponent
}

// bytes sums the products of codes and digits.
func (g *emitter) bytes() {
	none := g.Index(0)
	g.eachSum(1, func(group, row, _ value.Value) {
		zero := g.Const(types.F32, lanes, 0).V
		acc := g.each(none, g.blocks, []value.Value{zero, zero}, func(j value.Value, acc []value.Value) []value.Value {
			at, of := g.blockOf(group, j), g.block(g.add(g.mul(row, g.blocks), j))
			word := func(i int) value.Value { return g.Splat(g.Load(g.At(of, g.Index(int64(i))), 1), lanes).V }
			sums := make([]value.Value, digits)
			for d := range sums {
				sums[d] = word(beginAt + d)
			}
			dot := func(codes vector.Value, words int) {
				for d := range sums {
					sums[d] = g.Call("llvm.x86.avx512.vpdpbusd.512", sums[d].Type(), sums[d], codes.V, word(d*wordsOfRow+words))
				}
			}
			for c := range g.of.Words() {
				w := g.word(at, c, none, lanes)
				if g.of.Bits == 8 {
					dot(w, c)
					continue
				}
				dot(g.and(w, 0x0f0f0f0f), c)
				dot(g.and(g.shift(kernel.ShiftRightLogical, w, 4), 0x0f0f0f0f), wordsOfRow/2+c)
			}
			as := func(x value.Value) vector.Value { return g.Convert(vector.Value{V: x, DType: types.I32}, types.F32) }
			upper := as(g.Block.NewAdd(g.Block.NewShl(sums[0], g.ConstInt(types.I32, lanes, 8).V), sums[1]))
			sum := g.FMA(upper, g.Const(types.F32, lanes, 256), as(sums[2]))
			unit := g.binary(kernel.Multiply, g.scale(at, none, lanes), g.Splat(g.Load(g.At(g.PointerTo(of.V, types.F32), g.Index(unitAt)), 1), lanes))
			first := g.FMA(sum, unit, f32(acc[0]))
			second := f32(acc[1])
			if g.of.Minima {
				second = g.FMA(g.minimum(at, none, lanes), g.sumOf(of, lanes), second)
			}
			return []value.Value{first.V, second.V}
		})
		g.store(row, group, none, g.binary(kernel.Add, f32(acc[0]), f32(acc[1])))
	})
}

// floats sums the products of codes and x as f32.
func (g *emitter) floats() {
	n := min(g.on.Lanes(types.F32), lanes)
	g.eachSum(lanes/n, func(group, row, part value.Value) {
		zero, first := g.Const(types.F32, n, 0), g.mul(part, g.Index(int64(n)))
		acc := g.each(g.Index(0), g.blocks, []value.Value{zero.V, zero.V}, func(j value.Value, acc []value.Value) []value.Value {
			i := g.add(g.mul(row, g.blocks), j)
			at, of := g.blockOf(group, j), g.block(i)
			x := func(k int) vector.Value {
				return g.Splat(g.Load(g.At(g.x, g.add(g.mul(i, g.Index(codes)), g.Index(int64(k)))), 1), n)
			}
			sums := []vector.Value{zero, zero}
			for c := range g.of.Words() {
				w := g.word(at, c, first, n)
				for e := range 4 {
					byteOf := g.shift(kernel.ShiftRightLogical, w, 8*e)
					if g.of.Bits == 8 {
						offset := g.Splat(vector.Value{V: g.Block.NewTrunc(g.offset, ll.I32), DType: types.I32}, n)
						code := g.binary(kernel.Add, g.bits(g.and(byteOf, 0xff), types.I32), offset)
						sums[e%2] = g.FMA(g.Convert(code, types.F32), x(4*c+e), sums[e%2])
						continue
					}
					sums[0] = g.FMA(g.LowBits(byteOf), x(4*c+e), sums[0])
					sums[1] = g.FMA(g.LowBits(g.shift(kernel.ShiftRightLogical, byteOf, 4)), x(codes/2+4*c+e), sums[1])
				}
			}
			scale := g.scale(at, first, n)
			one := g.FMA(g.binary(kernel.Add, sums[0], sums[1]), scale, f32(acc[0]))
			two, base := f32(acc[1]), zero
			if g.of.Minima {
				base = g.minimum(at, first, n)
			}
			if g.of.Bits == 4 {
				offset := vector.Value{V: g.Block.NewSIToFP(g.offset, ll.Float), DType: types.F32}
				base = g.FMA(scale, g.Splat(offset, n), base)
			}
			if g.of.Bits == 4 || g.of.Minima {
				two = g.FMA(base, g.sumOf(of, n), two)
			}
			return []value.Value{one.V, two.V}
		})
		g.store(row, group, first, g.binary(kernel.Add, f32(acc[0]), f32(acc[1])))
	})
}

// eachSum runs body for the groups of the part, all rows of x and the parts of a group's lanes.
func (g *emitter) eachSum(parts int, body func(group, row, part value.Value)) {
	g.each(g.from, g.to, nil, func(group value.Value, _ []value.Value) []value.Value {
		g.each(g.Index(0), g.rows, nil, func(row value.Value, _ []value.Value) []value.Value {
			g.each(g.Index(0), g.Index(int64(parts)), nil, func(part value.Value, _ []value.Value) []value.Value {
				body(group, row, part)
				return nil
			})
			return nil
		})
		return nil
	})
}

// each runs body for i = from, from+1, … below to.
func (g *emitter) each(from, to value.Value, start []value.Value, body func(i value.Value, carried []value.Value) []value.Value) []value.Value {
	_, end := g.For(vector.Loop{From: from, To: to, Step: g.Index(1), Rolled: true}, start, body)
	return end
}

// blockOf is where a block of a group of the matrix begins.
func (g *emitter) blockOf(group, j value.Value) vector.Pointer {
	return g.At(g.matrix, g.mul(g.add(g.mul(group, g.blocks), j), g.Index(int64(g.of.Size()))))
}

// word returns words c of n rows of the matrix, from a lane on.
func (g *emitter) word(block vector.Pointer, c int, lane value.Value, n int) vector.Value {
	first := g.of.Halves()/2 + c*lanes
	return g.Load(g.At(block, g.add(g.Index(int64(first)), lane)), n)
}

// scale returns the scales that n rows of the matrix have in a block, from a lane on, as f32.
func (g *emitter) scale(block vector.Pointer, lane value.Value, n int) vector.Value {
	return g.Convert(g.Load(g.At(g.PointerTo(block.V, types.F16), lane), n), types.F32)
}

// minimum is scale for the minima.
func (g *emitter) minimum(block vector.Pointer, lane value.Value, n int) vector.Value {
	return g.scale(g.At(block, g.Index(lanes/2)), lane, n)
}

// sumOf returns the sum of a block of x in n lanes.
func (g *emitter) sumOf(block vector.Pointer, n int) vector.Value {
	return g.Splat(g.Load(g.At(g.PointerTo(block.V, types.F32), g.Index(sumAt)), 1), n)
}

// store writes results of a row of x from a lane of a group on.
func (g *emitter) store(row, group, lane value.Value, y vector.Value) {
	g.Store(g.At(g.y, g.add(g.mul(g.add(g.mul(row, g.groups), group), g.Index(lanes)), lane)), y)
}

func f32(x value.Value) vector.Value { return vector.Value{V: x, DType: types.F32} }

func (g *emitter) add(x, y value.Value) value.Value { return g.Block.NewAdd(x, y) }
func (g *emitter) mul(x, y value.Value) value.Value { return g.Block.NewMul(x, y) }

// must panics on an error: every machine has code for these ops and types.
func must(v vector.Value, err error) vector.Value {
	if err != nil {
		panic(err)
	}
	return v
}

func (g *emitter) binary(op kernel.Op, x, y vector.Value) vector.Value {
	return must(g.Binary(op, x, y))
}

func (g *emitter) fold(op kernel.Op, x vector.Value) vector.Value { return must(g.Fold(op, x)) }

func (g *emitter) bits(x vector.Value, to types.DType) vector.Value { return must(g.Bitcast(x, to)) }

func (g *emitter) and(x vector.Value, mask int64) vector.Value {
	return g.binary(kernel.And, x, g.ConstInt(x.DType, x.Lanes(), mask))
}

func (g *emitter) shift(op kernel.Op, x vector.Value, by int) vector.Value {
	if by == 0 {
		return x
	}
	return g.binary(op, x, g.ConstInt(x.DType, x.Lanes(), int64(by)))
}
