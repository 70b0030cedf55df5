package ptx

import (
	"math"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

var inf = math.Inf(1)

// floating computes with floats; none if the op is not written for the type.
func (w *writer) floating(id kernel.ID, i *kernel.Instr, args []string) string {
	f := floats{w, i.Type}
	x := args[0]
	switch i.Op {
	case kernel.Abs:
		return f.op("abs", x)
	case kernel.Negate:
		return f.op("neg", x)
	case kernel.Ceil:
		return f.whole("rpi", x)
	case kernel.Floor:
		return f.whole("rmi", x)
	case kernel.RoundNearestEven:
		return f.whole("rni", x)
	case kernel.RoundNearestAfz:
		below := math.Nextafter(0.5, 0)
		if i.Type != types.F64 {
			below = float64(math.Nextafter32(0.5, 0))
		}
		return f.whole("rzi", f.op("add.rn", x, f.op("copysign", x, f.num(below))))
	case kernel.Sign:
		r := f.choose(f.is("gt", x, 0), f.num(1), x)
		return f.choose(f.is("lt", x, 0), f.num(-1), r)
	case kernel.Subtract:
		return f.op("sub.rn", x, args[1])
	case kernel.Divide:
		if w.byRow(id) {
			return f.shortQuotient(x, args[1])
		}
		return f.op("div.rn", x, args[1])
	case kernel.Sqrt:
		return f.op("sqrt.rn", x)
	case kernel.Rsqrt:
		return f.op("rcp.rn", f.op("sqrt.rn", x))
	}
	switch i.Op {
	case kernel.Exponential:
		return f.exponential(id, x)
	case kernel.ExponentialMinusOne:
		return f.expm1(x)
	case kernel.Log:
		return f.log(x)
	case kernel.LogPlusOne:
		return f.log1p(x)
	case kernel.Logistic:
		return f.logistic(x)
	case kernel.Tanh:
		return f.tanh(x)
	case kernel.Erf:
		return f.erf(x)
	case kernel.Sine:
		return f.sine(x)
	case kernel.Cosine:
		return f.cosine(x)
	case kernel.Tan:
		return f.tangent(x)
	case kernel.Cbrt:
		return f.cbrt(x)
	case kernel.Atan2:
		return f.atan2(x, args[1])
	case kernel.Power:
		return f.raise(x, args[1])
	case kernel.Remainder:
		return f.remainder(x, args[1])
	}
	return ""
}

// floats writes instructions on floats of a type.
type floats struct {
	*writer
	t types.DType
}

func (f floats) op(opcode string, args ...string) string {
	return f.writer.op(classOf(f.t), opcode+"."+kindOf(f.t), args...)
}

func (f floats) num(x float64) string { return float(f.t, x) }

func (f floats) choose(p, a, b string) string { return f.writer.choose(f.t, p, a, b) }

// is compares with a constant.
func (f floats) is(how, x string, with float64) string {
	return f.writer.op(predicate, "setp."+how+"."+kindOf(f.t), x, f.num(with))
}

// whole rounds to a whole number.
func (f floats) whole(how, x string) string {
	return f.op("cvt."+how+"."+kindOf(f.t), x)
}

func (f floats) fma(a, b, c string) string { return f.op("fma.rn", a, b, c) }
func (f floats) add(a, b string) string    { return f.op("add.rn", a, b) }
func (f floats) sub(a, b string) string    { return f.op("sub.rn", a, b) }
func (f floats) mul(a, b string) string    { return f.op("mul.rn", a, b) }

// fnma returns c - a·b, rounded once.
func (f floats) fnma(a, b, c string) string { return f.fma(f.op("neg", a), b, c) }

// sign returns the size of y with the sign of x.
func (f floats) sign(x, y string) string { return f.op("copysign", x, y) }

// twoSum returns a sum and what rounding takes from it (Knuth).
func (f floats) twoSum(x, y string) (sum, rest string) {
	sum = f.add(x, y)
	v := f.sub(sum, x)
	return sum, f.add(f.sub(x, f.sub(sum, v)), f.sub(y, v))
}

// fastTwoSum is twoSum where x is 0 or at least as large as y (Dekker).
func (f floats) fastTwoSum(x, y string) (sum, rest string) {
	sum = f.add(x, y)
	return sum, f.add(f.sub(x, sum), y)
}

// twoProduct returns a product and what rounding takes from it.
func (f floats) twoProduct(x, y string) (product, rest string) {
	product = f.mul(x, y)
	return product, f.fma(x, y, f.op("neg", product))
}

// double returns what writes instructions on f64s, and x as one.
func (f floats) double(x string) (floats, string) {
	d := floats{f.writer, types.F64}
	if f.t == types.F64 {
		return d, x
	}
	return d, f.writer.op(double, "cvt.f64.f32", x)
}

// ofDouble returns an f64 with the registers' precision.
func (f floats) ofDouble(x string) string {
	if f.t == types.F64 {
		return x
	}
	return f.writer.op(single, "cvt.rn.f32.f64", x)
}

// integer returns the name of integers, signed or not, as wide as the floats.
func (f floats) integer(kind string) string {
	if f.t == types.F64 {
		return kind + "64"
	}
	return kind + "32"
}

// ints computes with integers as wide as the floats: opcode lacks the width.
func (f floats) ints(opcode string, args ...string) string {
	c := word
	if f.t == types.F64 {
		c = long
	}
	return f.writer.op(c, f.integer(opcode), args...)
}

// asInt and ofInt move bits, toInt and fromInt numbers that are small integers.
func (f floats) asInt(x string) string { return f.ints("mov.b", x) }

func (f floats) ofInt(i string) string {
	return f.writer.op(classOf(f.t), "mov."+f.integer("b"), i)
}

func (f floats) toInt(x string) string {
	c := word
	if f.t == types.F64 {
		c = long
	}
	return f.writer.op(c, "cvt.rni."+f.integer("s")+"."+kindOf(f.t), x)
}

func (f floats) fromInt(i string) string {
	return f.writer.op(classOf(f.t), "cvt.rn."+kindOf(f.t)+"."+f.integer("s"), i)
}

// table returns what looks up, of rows of f64s whose length is at most a power of
// two, the one that an integer has modulo it.
func (f floats) table(name string, rows [][]float64, i string) func(row int) string {
	n := 1
	for n < len(rows[0]) {
		n *= 2
	}
	var bits []uint64
	for _, row := range rows {
		for k := range n {
			if k < len(row) {
				bits = append(bits, math.Float64bits(row[k]))
			} else {
				bits = append(bits, 0)
			}
		}
	}
	at := f.words(name, bits, f.writer.op(long, "and.b64", i, number(int64(n-1))))
	return func(row int) string { return f.writer.op(double, "mov.b64", at(row*n)) }
}

// horner returns c0 + c1·x + c2·x² + …
func (f floats) horner(x string, c []float64) string {
	r := f.num(c[len(c)-1])
	for n := len(c) - 2; n >= 0; n-- {
		r = f.fma(r, x, f.num(c[n]))
	}
	return r
}
