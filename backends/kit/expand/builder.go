package expand

import (
	"math"
	"slices"

	"ltc/backends/kit/approx"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// builder writes code whose floats, or integers if it has no floats, are of type t. Equal instructions are one.
type builder struct {
	Target
	use  Use
	t    types.DType
	code *Code
	same map[value]kernel.ID
}

// value is an instruction by what it computes.
type value struct {
	op      kernel.Op
	t       types.DType
	aux     int64
	a, b, c kernel.ID
}

func (b *builder) emit(op kernel.Op, t types.DType, aux int64, args ...kernel.ID) kernel.ID {
	key := value{op, t, aux, kernel.None, kernel.None, kernel.None}
	for i, to := range []*kernel.ID{&key.a, &key.b, &key.c}[:len(args)] {
		*to = args[i]
	}
	if id, there := b.same[key]; there {
		return id
	}
	b.code.Instrs = append(b.code.Instrs, kernel.Instr{Op: op, Type: t, Args: args, Aux: aux})
	id := kernel.ID(len(b.code.Instrs) - 1)
	b.same[key] = id
	return id
}

// as returns a builder of the same code with floats of another type.
func (b *builder) as(t types.DType) *builder {
	c := *b
	c.t = t
	return &c
}

func (b *builder) typeOf(x kernel.ID) types.DType { return b.code.Instrs[x].Type }

// op computes with values of x's type.
func (b *builder) op(op kernel.Op, x kernel.ID, more ...kernel.ID) kernel.ID {
	return b.emit(op, b.typeOf(x), 0, append([]kernel.ID{x}, more...)...)
}

// is64 reports whether floats have 64 bits.
func (b *builder) is64() bool { return b.t == types.F64 }

// pick returns what a format needs: that of f32 or of f64.
func pick[T any](b *builder, single, double T) T {
	if b.is64() {
		return double
	}
	return single
}

// format returns what is added to the exponents of floats, and how many bits lie
// below them.
func (b *builder) format() (bias, fraction int64) {
	if b.is64() {
		return 1023, 52
	}
	return 127, 23
}

// num returns a float constant, rounded.
func (b *builder) num(x float64) kernel.ID {
	if b.is64() {
		return b.emit(kernel.Constant, b.t, int64(math.Float64bits(x)))
	}
	return b.emit(kernel.Constant, b.t, int64(math.Float32bits(float32(x))))
}

// integers returns the signed integers as wide as floats; of integers, their own type.
func (b *builder) integers() types.DType {
	if b.t.IsInteger() {
		return b.t
	}
	return pick(b, types.I32, types.I64)
}

// int returns a constant of the type of integers.
func (b *builder) int(x int64) kernel.ID { return b.intOf(b.integers(), x) }

func (b *builder) intOf(t types.DType, x int64) kernel.ID {
	if n := 8 * t.Size(); n < 64 {
		x &= 1<<n - 1
	}
	return b.emit(kernel.Constant, t, x)
}

func (b *builder) add(x, y kernel.ID) kernel.ID { return b.op(kernel.Add, x, y) }
func (b *builder) sub(x, y kernel.ID) kernel.ID { return b.op(kernel.Subtract, x, y) }
func (b *builder) mul(x, y kernel.ID) kernel.ID { return b.op(kernel.Multiply, x, y) }
func (b *builder) div(x, y kernel.ID) kernel.ID { return b.op(kernel.Divide, x, y) }
func (b *builder) and(x, y kernel.ID) kernel.ID { return b.op(kernel.And, x, y) }
func (b *builder) or(x, y kernel.ID) kernel.ID  { return b.op(kernel.Or, x, y) }
func (b *builder) xor(x, y kernel.ID) kernel.ID { return b.op(kernel.Xor, x, y) }
func (b *builder) neg(x kernel.ID) kernel.ID    { return b.op(kernel.Negate, x) }
func (b *builder) not(x kernel.ID) kernel.ID    { return b.op(kernel.Not, x) }
func (b *builder) abs(x kernel.ID) kernel.ID    { return b.op(kernel.Abs, x) }
func (b *builder) floor(x kernel.ID) kernel.ID  { return b.op(kernel.Floor, x) }

// copysign returns the size of x with the sign of y.
func (b *builder) copysign(x, y kernel.ID) kernel.ID { return b.op(kernel.CopySign, x, y) }

// signed is copysign for x that is not negative: two instructions, not three, where
// copying a sign is none.
func (b *builder) signed(x, y kernel.ID) kernel.ID {
	sign := int64(-1) << (8*b.t.Size() - 1)
	return b.asFloat(b.or(b.asInt(x), b.andi(b.asInt(y), sign)))
}

// fma returns x·y+z, rounded once where the target can, else twice.
func (b *builder) fma(x, y, z kernel.ID) kernel.ID {
	if !b.FMA {
		return b.add(b.mul(x, y), z)
	}
	return b.op(kernel.FMA, x, y, z)
}

// fnma returns z-x·y, as fma.
func (b *builder) fnma(x, y, z kernel.ID) kernel.ID {
	if !b.FMA {
		return b.sub(z, b.mul(x, y))
	}
	return b.op(kernel.FMA, b.neg(x), y, z)
}

// addn, muln and subn have a float constant as the second operand.
func (b *builder) addn(x kernel.ID, y float64) kernel.ID { return b.add(x, b.num(y)) }
func (b *builder) muln(x kernel.ID, y float64) kernel.ID { return b.mul(x, b.num(y)) }

// addi, andi and the shifts have an integer constant as the second operand.
func (b *builder) addi(x kernel.ID, y int64) kernel.ID {
	return b.add(x, b.intOf(b.typeOf(x), y))
}

func (b *builder) andi(x kernel.ID, y int64) kernel.ID {
	return b.and(x, b.intOf(b.typeOf(x), y))
}

func (b *builder) shl(x kernel.ID, n int64) kernel.ID {
	return b.op(kernel.ShiftLeft, x, b.intOf(b.typeOf(x), n))
}

func (b *builder) shr(x kernel.ID, n int64) kernel.ID {
	return b.op(kernel.ShiftRightLogical, x, b.intOf(b.typeOf(x), n))
}

func (b *builder) sar(x kernel.ID, n int64) kernel.ID {
	return b.op(kernel.ShiftRightArithmetic, x, b.intOf(b.typeOf(x), n))
}

func (b *builder) compare(op kernel.Op, x, y kernel.ID) kernel.ID {
	return b.emit(op, types.Bool, 0, x, y)
}

// is compares a float with a constant.
func (b *builder) is(op kernel.Op, x kernel.ID, y float64) kernel.ID {
	return b.compare(op, x, b.num(y))
}

// isInt compares an integer with a constant.
func (b *builder) isInt(op kernel.Op, x kernel.ID, y int64) kernel.ID {
	return b.compare(op, x, b.intOf(b.typeOf(x), y))
}

// isNaN reports whether x or y is.
func (b *builder) isNaN(x, y kernel.ID) kernel.ID {
	return b.or(b.compare(kernel.CompareNE, x, x), b.compare(kernel.CompareNE, y, y))
}

// negative reports whether a float's sign is set.
func (b *builder) negative(x kernel.ID) kernel.ID {
	return b.isInt(kernel.CompareLT, b.asInt(x), 0)
}

// sel chooses x where c holds, else y.
func (b *builder) sel(c, x, y kernel.ID) kernel.ID {
	return b.emit(kernel.Select, b.typeOf(x), 0, c, x, y)
}

// rarely is what f makes of the arguments where c holds, else usual. name stands for
// f, among the code of a module.
func (b *builder) rarely(name string, c, usual kernel.ID, f function, args ...kernel.ID) kernel.ID {
	t := make([]types.DType, len(args))
	for i, a := range args {
		t[i] = b.typeOf(a)
	}
	id := b.emit(kernel.Select, b.t, 0, c, kernel.None, usual)
	b.code.Rare[id] = Rare{name, write(b.Target, b.use, b.t, t, f), args}
	return id
}

// loop returns the first of the values that begin as state and of which next makes
// others, as long as again holds, see [Loop]. The functions get the values and stays.
func (b *builder) loop(state, stays []kernel.ID, again function, next ...function) kernel.ID {
	args := slices.Concat(state, stays)
	t := make([]types.DType, len(args))
	for i, a := range args {
		t[i] = b.typeOf(a)
	}
	l := Loop{Again: write(b.Target, b.use, b.t, t, again)}
	for _, f := range next {
		l.Next = append(l.Next, write(b.Target, b.use, b.t, t, f))
	}
	b.code.Instrs = append(b.code.Instrs, kernel.Instr{Op: kernel.Loop, Type: t[0], Args: args})
	id := kernel.ID(len(b.code.Instrs) - 1)
	b.code.Loops[id] = l
	return id
}

// asInt returns the bits of a float, asFloat the float with bits.
func (b *builder) asInt(x kernel.ID) kernel.ID {
	return b.emit(kernel.BitcastConvert, b.integers(), 0, x)
}

func (b *builder) asFloat(x kernel.ID) kernel.ID {
	return b.emit(kernel.BitcastConvert, b.t, 0, x)
}

// convert returns a value as another type.
func (b *builder) convert(x kernel.ID, t types.DType) kernel.ID {
	return b.emit(kernel.Convert, t, 0, x)
}

// smallToFloat converts integers of less than 2^22, or 2^51, to floats. Machines may
// lack the conversion of 64 bits.
func (b *builder) smallToFloat(i kernel.ID) kernel.ID {
	if !b.is64() || b.Scales {
		return b.convert(i, b.t)
	}
	const magic = 0x1.8p52
	return b.addn(b.asFloat(b.addi(i, int64(math.Float64bits(magic)))), -magic)
}

// lookup returns an entry of a table's row.
func (b *builder) lookup(table, row int, i kernel.ID) kernel.ID {
	t := b.t
	if approx.Tables[table].Floats(row) == nil {
		t = types.U64
	}
	return b.emit(kernel.Lookup, t, int64(kernel.RowOf(table, row)), i)
}

// atLeast returns the larger of x and a constant that is not 0, atMost the smaller;
// NaN stays.
func (b *builder) atLeast(x kernel.ID, least float64) kernel.ID {
	l := b.num(least)
	if !b.is64() { // an instruction, as it is for f64 seldom
		return b.op(kernel.Maximum, x, l)
	}
	return b.sel(b.compare(kernel.CompareGT, l, x), l, x)
}

func (b *builder) atMost(x kernel.ID, most float64) kernel.ID {
	m := b.num(most)
	if !b.is64() {
		return b.op(kernel.Minimum, x, m)
	}
	return b.sel(b.compare(kernel.CompareLT, m, x), m, x)
}

// within returns x moved into a range; NaN stays.
func (b *builder) within(x kernel.ID, low, high float64) kernel.ID {
	return b.atMost(b.atLeast(x, low), high)
}

// horner returns c[0] + c[1]·x + c[2]·x² + …
func (b *builder) horner(x kernel.ID, c []float64) kernel.ID {
	r := b.num(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		r = b.fma(r, x, b.num(c[i]))
	}
	return r
}

// sums returns rows[0] + rows[1]·x + rows[2]·x² + … of a table's rows from first on,
// with coefficients that i looks up; x instead of the first where at0 holds.
func (b *builder) sums(table, first int, i, x, at0 kernel.ID) kernel.ID {
	row := func(k int) kernel.ID { return b.lookup(table, k, i) }
	last := approx.Tables[table].Rows() - 1
	r := row(last)
	for k := last - 1; k > first; k-- {
		r = b.fma(r, x, row(k))
	}
	return b.fma(r, x, b.sel(at0, x, row(first)))
}

// twoSum returns a sum and what rounding takes from it (Knuth).
func (b *builder) twoSum(x, y kernel.ID) (sum, rest kernel.ID) {
	sum = b.add(x, y)
	v := b.sub(sum, x)
	return sum, b.add(b.sub(x, b.sub(sum, v)), b.sub(y, v))
}

// fastTwoSum is twoSum where x is 0 or at least as large as y (Dekker).
func (b *builder) fastTwoSum(x, y kernel.ID) (sum, rest kernel.ID) {
	sum = b.add(x, y)
	return sum, b.add(b.sub(x, sum), y)
}

// twoProduct returns a product and what rounding takes from it, where its parts
// neither overflow nor underflow; without FMA, factors of f64 must be below 2^996
// (Veltkamp).
func (b *builder) twoProduct(x, y kernel.ID) (product, rest kernel.ID) {
	product = b.mul(x, y)
	if b.FMA {
		return product, b.fma(x, y, b.neg(product))
	}
	xh, xl := b.halves(x)
	yh, yl := b.halves(y)
	rest = b.sub(b.mul(xh, yh), product)
	rest = b.add(rest, b.mul(xh, yl))
	rest = b.add(rest, b.mul(xl, yh))
	return product, b.add(rest, b.mul(xl, yl))
}

// halves splits the bits of an f64: products of the parts are exact.
func (b *builder) halves(x kernel.ID) (high, low kernel.ID) {
	c := b.muln(x, 1<<27+1)
	high = b.sub(c, b.sub(c, x))
	return high, b.sub(x, high)
}

// ratio returns (x+xLow)/(y+yLow), of which the quotient of x and y is set right by
// the others; xLow may be none for 0.
func (b *builder) ratio(x, xLow, y, yLow kernel.ID) kernel.ID {
	if b.FMA {
		inverse := b.div(b.num(1), y)
		q := b.mul(x, inverse)
		rest := b.fnma(q, y, x)
		if xLow != kernel.None {
			rest = b.add(rest, xLow)
		}
		return b.fma(b.fnma(q, yLow, rest), inverse, q)
	}
	// What the quotient lacks is not known; what its parts lack is.
	q := b.div(x, y)
	rest := b.neg(b.mul(q, yLow))
	if xLow != kernel.None {
		rest = b.add(xLow, rest)
	}
	return b.add(q, b.div(rest, y))
}

// inDouble computes f in f64; single says that it is rounded to f32 in the end, so
// that fewer bits will do.
func inDouble(f func(b *builder, single bool, x []kernel.ID) kernel.ID) function {
	return func(b *builder, x []kernel.ID) kernel.ID {
		if b.is64() {
			return f(b, false, x)
		}
		wide := make([]kernel.ID, len(x))
		for i := range x {
			wide[i] = b.convert(x[i], types.F64)
		}
		return b.convert(f(b.as(types.F64), !b.Precise, wide), types.F32)
	}
}
