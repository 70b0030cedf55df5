package ptx

import (
	"math"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

var inf = math.Inf(1)

// floating computes with floats; none if the op is not written for the type.
func (w *writer) floating(i *kernel.Instr, args []string) string {
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
		return f.op("div.rn", x, args[1])
	case kernel.Sqrt:
		return f.op("sqrt.rn", x)
	case kernel.Rsqrt:
		return f.op("rcp.rn", f.op("sqrt.rn", x))
	}
	if i.Type == types.F64 {
		return ""
	}
	switch i.Op {
	case kernel.Exponential:
		return f.exp(x)
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

// horner returns c0 + c1·x + c2·x² + …
func (f floats) horner(x string, c []float64) string {
	r := f.num(c[len(c)-1])
	for n := len(c) - 2; n >= 0; n-- {
		r = f.fma(r, x, f.num(c[n]))
	}
	return r
}
