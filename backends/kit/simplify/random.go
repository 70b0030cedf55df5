package simplify

import (
	"math"

	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// The generators of rng_bit_generator, with the evaluator's bits: Threefry-2x32 with 20
// rounds and Philox-4x32 with 10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3,
// 2011). The first word of the state is the key. The others are a counter: a block of 32-bit
// words is a function of the key and of the counter plus the number of the block.

// randomBits computes all blocks at once, each from its number. The counter goes up by how
// many there are, which must not depend on a size that is open.
func randomBits(e *editor, op *mlir.Op) []*mlir.Value {
	state, out := tensorOf(op.Operands[0]), tensorOf(op.Results[1])
	if dims.IsExpr(out.Elements()) || state.Elem != mlir.Type(mlir.UI64) || len(state.Shape) != 1 || !wholeBytes(out.Elem) {
		return nil
	}
	g := generator{editor: e, state: op.Operands[0], words: state.Shape[0]}
	var bits *mlir.Value
	switch stablehlo.AsRNGBitGenerator(op).RNGAlgorithm() {
	case "THREE_FRY":
		if g.words != 2 {
			return nil
		}
		bits = g.threefryBits(out)
	case "PHILOX", "DEFAULT":
		if g.words != 2 && g.words != 3 {
			return nil
		}
		bits = g.philoxBits(out)
	default:
		return nil
	}
	return []*mlir.Value{g.after(), bits}
}

// wholeBytes reports whether elements are integers or floats of 8 to 64 bits that kernels
// have.
func wholeBytes(elem mlir.Type) bool {
	switch t := elem.(type) {
	case mlir.IntegerType:
		return t.Width >= 8 && t.Width <= 64
	case mlir.FloatType:
		_, ok := layouts[t.Name]
		return ok
	}
	return false
}

// generator emits the blocks of a state.
type generator struct {
	*editor
	state  *mlir.Value
	words  int64 // of the state
	blocks int64 // that have been taken
}

// word returns word i of the state, a scalar.
func (g *generator) word(i int64) *mlir.Value {
	one := g.slice(g.state, ranges{start: []int64{i}, limit: []int64{i + 1}, stride: []int64{1}})
	return g.reshape(one, []int64{})
}

// counters returns the counters of so many blocks, of 64 bits, and where they have carried.
func (g *generator) counters(blocks int64) (low, carry *mlir.Value) {
	g.blocks = blocks
	numbers := g.emit(stablehlo.Iota, mlir.Tensor(mlir.UI64, blocks), mlir.Dict{{Name: "iota_dimension", Value: mlir.I64Attr(0)}})
	first := g.broadcast(g.word(1), []int64{blocks}, []int64{})
	low = g.binary(stablehlo.Add, numbers, first)
	return low, g.carried(low, first)
}

// carried is 1 where a sum of 64 bits is less than one of its terms, and 0 elsewhere.
func (g *generator) carried(sum, term *mlir.Value) *mlir.Value {
	return g.converted(g.compareWords("LT", sum, term), tensorOf(sum))
}

// after returns the state with the counter behind the blocks that have been taken.
func (g *generator) after() *mlir.Value {
	low := g.plus(g.word(1), uint64(g.blocks))
	words := []*mlir.Value{g.word(0), low}
	if g.words == 3 {
		words = append(words, g.binary(stablehlo.Add, g.word(2), g.carried(low, g.word(1))))
	}
	for i, w := range words {
		words[i] = g.reshape(w, []int64{1})
	}
	return g.concatenate(words, 0)
}

// The same with a number for the second operand.
func (g *generator) plus(x *mlir.Value, n uint64) *mlir.Value {
	return g.binary(stablehlo.Add, x, g.bits(tensorOf(x), n))
}

func (g *generator) times(x *mlir.Value, n uint64) *mlir.Value {
	return g.binary(stablehlo.Multiply, x, g.bits(tensorOf(x), n))
}

func (g *generator) right(x *mlir.Value, n uint64) *mlir.Value {
	return g.binary(stablehlo.ShiftRightLogical, x, g.bits(tensorOf(x), n))
}

func (g *generator) left(x *mlir.Value, n uint64) *mlir.Value {
	return g.binary(stablehlo.ShiftLeft, x, g.bits(tensorOf(x), n))
}

func (g *generator) xor(x, y *mlir.Value) *mlir.Value { return g.binary(stablehlo.Xor, x, y) }

// low and high are the halves of words of 64 bits, as such.
func (g *generator) low(x *mlir.Value) *mlir.Value {
	return g.binary(stablehlo.And, x, g.bits(tensorOf(x), math.MaxUint32))
}

func (g *generator) high(x *mlir.Value) *mlir.Value { return g.right(x, 32) }

// as converts words.
func (g *generator) as(elem mlir.Type, x *mlir.Value) *mlir.Value {
	return g.converted(x, mlir.Tensor(elem, tensorOf(x).Shape...))
}

// element makes elements of words that have as many bits at least: their lowest.
func (g *generator) element(elem mlir.Type, words *mlir.Value) *mlir.Value {
	x := g.as(mlir.IntegerType{Width: 8 * mlir.ElementBytes(elem), Sign: mlir.Unsigned}, words)
	if t := mlir.Tensor(elem, tensorOf(x).Shape...); !mlir.SameType(t, x.Type) {
		x = g.emit(stablehlo.BitcastConvert, t, nil, x)
	}
	return x
}

// pair makes words of 64 bits of two of 32.
func (g *generator) pair(low, high *mlir.Value) *mlir.Value {
	return g.binary(stablehlo.Or, g.left(g.as(mlir.UI64, high), 32), g.as(mlir.UI64, low))
}

// interleave puts values next to each other along a dimension, element by element, and
// leaves out what is beyond a shape.
func (g *generator) interleave(values []*mlir.Value, dim int64, shape []int64) *mlir.Value {
	from := tensorOf(values[0]).Shape
	apart := make([]int64, 0, len(from)+1)
	apart = append(append(append(apart, from[:dim+1]...), 1), from[dim+1:]...)
	for i, v := range values {
		values[i] = g.reshape(v, apart)
	}
	all := append([]int64{}, from...)
	all[dim] *= int64(len(values))
	r := full(all)
	copy(r.limit, shape)
	return g.slice(g.reshape(g.concatenate(values, dim+1), all), r)
}

// threefryBits takes a block of two words for each element of 64 bits. Of narrower elements,
// a block gives two neighbours along one dimension: the first whose size is even, or else the
// first of the longest.
func (g *generator) threefryBits(out *mlir.TensorType) *mlir.Value {
	if mlir.ElementBytes(out.Elem) == 8 {
		x, y := g.threefry(int64(out.Elements()))
		return g.reshape(g.element(out.Elem, g.pair(x, y)), out.Shape)
	}
	shape := out.Shape
	if len(shape) == 0 {
		shape = []int64{1}
	}
	split := 0
	for i, n := range shape {
		if n%2 == 0 {
			split = i
			break
		}
		if n > shape[split] {
			split = i
		}
	}
	half := append([]int64{}, shape...)
	half[split] = (shape[split] + 1) / 2
	x, y := g.threefry(int64(like(out, half).Elements()))
	words := []*mlir.Value{x, y}
	for i, w := range words {
		words[i] = g.reshape(g.element(out.Elem, w), half)
	}
	return g.reshape(g.interleave(words, int64(split), shape), out.Shape)
}

// threefry returns the two words of each block.
func (g *generator) threefry(blocks int64) (x, y *mlir.Value) {
	counter, _ := g.counters(blocks)
	all := func(scalar *mlir.Value) *mlir.Value { return g.broadcast(scalar, []int64{blocks}, []int64{}) }
	var k [3]*mlir.Value
	k[0], k[1] = g.as(mlir.UI32, g.low(g.word(0))), g.as(mlir.UI32, g.high(g.word(0)))
	k[2] = g.xor(g.xor(k[0], k[1]), g.bits(tensorOf(k[0]), 0x1BD11BDA))
	x = g.binary(stablehlo.Add, g.as(mlir.UI32, g.low(counter)), all(k[0]))
	y = g.binary(stablehlo.Add, g.as(mlir.UI32, g.high(counter)), all(k[1]))
	rotations := [2][4]uint64{{13, 15, 26, 6}, {17, 29, 16, 24}}
	for i := range 5 {
		for _, r := range rotations[i%2] {
			x = g.binary(stablehlo.Add, x, y)
			y = g.xor(g.binary(stablehlo.Or, g.left(y, r), g.right(y, 32-r)), x)
		}
		x = g.binary(stablehlo.Add, x, all(k[(i+1)%3]))
		y = g.binary(stablehlo.Add, y, all(g.plus(k[(i+2)%3], uint64(i+1))))
	}
	return x, y
}

// philoxBits takes blocks of four words, for the elements in order. An element of 64 bits has
// two of them.
func (g *generator) philoxBits(out *mlir.TensorType) *mlir.Value {
	n := int64(out.Elements())
	wide := mlir.ElementBytes(out.Elem) == 8
	each := int64(4) // elements of a block
	if wide {
		each = 2
	}
	x := g.philox((n + each - 1) / each)
	elements := x[:]
	if wide {
		elements = []*mlir.Value{g.pair(x[0], x[1]), g.pair(x[2], x[3])}
	}
	for i, w := range elements {
		elements[i] = g.element(out.Elem, w)
	}
	return g.reshape(g.interleave(elements, 0, []int64{n}), out.Shape)
}

// philox returns the four words of each block, as words of 64 bits, of which a product has
// both its halves. Where the state has the lower half of the counter alone, the upper one
// begins as the key.
func (g *generator) philox(blocks int64) [4]*mlir.Value {
	low, carry := g.counters(blocks)
	all := func(scalar *mlir.Value) *mlir.Value { return g.broadcast(scalar, []int64{blocks}, []int64{}) }
	upper := g.word(0)
	if g.words == 3 {
		upper = g.word(2)
	}
	high := g.binary(stablehlo.Add, carry, all(upper))
	k0, k1 := g.low(g.word(0)), g.high(g.word(0))
	x := [4]*mlir.Value{g.low(low), g.high(low), g.low(high), g.high(high)}
	for range 10 {
		p0, p1 := g.times(x[0], 0xD2511F53), g.times(x[2], 0xCD9E8D57)
		x = [4]*mlir.Value{
			g.xor(g.xor(g.high(p1), x[1]), all(k0)), g.low(p1),
			g.xor(g.xor(g.high(p0), x[3]), all(k1)), g.low(p0),
		}
		k0, k1 = g.low(g.plus(k0, 0x9E3779B9)), g.low(g.plus(k1, 0xBB67AE85))
	}
	return x
}
