package optest

import (
	"math"
	"math/big"

	"ltc/ir/types"
)

type big2 = func(z, x, y *big.Int) *big.Int

// The elementwise ops. f1 and f2 are over floats, i1 and i2 over integers.
func f1(f func(float64) float64) elementwise {
	return elementwise{f: func(_ Call, _ types.DType, x []Elem) Elem { return Float(f(x[0].F)) }}
}

func both1(f func(float64) float64, i big1) elementwise {
	return elementwise{f: func(_ Call, _ types.DType, x []Elem) Elem {
		if x[0].I == nil {
			return Float(f(x[0].F))
		}
		return Elem{I: i(new(big.Int), x[0].I)}
	}}
}

type big1 = func(z, x *big.Int) *big.Int

func both2(f func(x, y float64) float64, i big2) elementwise {
	return elementwise{f: func(_ Call, _ types.DType, x []Elem) Elem {
		if x[0].I == nil {
			return Float(f(x[0].F, x[1].F))
		}
		return Elem{I: i(new(big.Int), x[0].I, x[1].I)}
	}}
}

// shift moves the bits of x, taken as unsigned; nothing is left of them when
// they are moved by their width.
func shift(f func(z, x *big.Int, n uint) *big.Int) elementwise {
	return elementwise{f: func(_ Call, d types.DType, x []Elem) Elem {
		n := new(big.Int).SetUint64(Bits(d, x[1]))
		if n.Cmp(big.NewInt(int64(width(d)))) >= 0 {
			return Int(0)
		}
		return Elem{I: f(new(big.Int), new(big.Int).SetUint64(Bits(d, x[0])), uint(n.Int64()))}
	}}
}

func cmpElem(x, y Elem) int {
	if x.I != nil {
		return x.I.Cmp(y.I)
	}
	switch {
	case x.F < y.F:
		return -1
	case x.F > y.F:
		return 1
	}
	return 0
}

func larger(z, x, y *big.Int) *big.Int {
	if x.Cmp(y) < 0 {
		return z.Set(y)
	}
	return z.Set(x)
}

func smaller(z, x, y *big.Int) *big.Int {
	return z.Neg(larger(z, new(big.Int).Neg(x), new(big.Int).Neg(y)))
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

// power is x to the power of y; 0 for a negative y unless x is 1 or -1.
func power(z, x, y *big.Int) *big.Int {
	if y.Sign() >= 0 {
		return z.Exp(x, y, nil)
	}
	switch {
	case x.CmpAbs(big.NewInt(1)) != 0:
		return z.SetInt64(0)
	case x.Sign() > 0 || y.Bit(0) == 0:
		return z.SetInt64(1)
	}
	return z.SetInt64(-1)
}

// lgamma is infinite for both infinities, as in C.
func lgamma(x float64) float64 {
	y, _ := math.Lgamma(math.Max(x, -math.MaxFloat64))
	return y
}

// digamma is by its series for large x, to which recurrence and reflection lead.
func digamma(x float64) float64 {
	switch {
	case x == 0:
		return -1 / x
	case x <= 0 && x == math.Floor(x):
		return math.NaN()
	case x < 0.5:
		return digamma(1-x) - math.Pi/math.Tan(math.Pi*x)
	}
	y := 0.0
	for ; x < 16; x++ {
		y -= 1 / x
	}
	z := 1 / (x * x)
	return y + math.Log(x) - 0.5/x - z*(1./12-z*(1./120-z*(1./252-z*(1./240-z/132))))
}

// nextAfter steps through the bits, which for numbers of one sign count in their order.
func nextAfter(d types.DType, x, y Elem) Elem {
	bits := Bits(d, x)
	switch {
	case x.F != x.F || y.F != y.F:
		return Float(math.NaN())
	case x.F == y.F:
		return y
	case x.F == 0:
		return Float(math.Copysign(FromBits(d, 1).F, y.F))
	case x.F < y.F == (x.F > 0):
		return FromBits(d, bits+1)
	}
	return FromBits(d, bits-1)
}

func relation(c Call, x, y Elem) bool {
	less, equal := cmpElem(x, y) < 0, cmpElem(x, y) == 0
	if x.F != x.F || y.F != y.F {
		return word(c, "direction") == "NE"
	}
	switch word(c, "direction") {
	case "EQ":
		return equal
	case "NE":
		return !equal
	case "LT":
		return less
	case "LE":
		return less || equal
	case "GT":
		return !less && !equal
	}
	return !less
}

// converted brings an element to dtype d.
func converted(d types.DType, x Elem) Elem {
	switch {
	case d == types.Bool:
		return Truth(x.Number() != 0 || x.F != x.F)
	case d.IsFloat() || d.IsFloat8():
		return Float(x.Number())
	case x.I != nil:
		return x
	}
	i, _ := big.NewFloat(math.Trunc(x.F)).Int(nil)
	return Elem{I: i}
}

func dtypeAttr(c Call, d types.DType) types.DType {
	out, _ := types.ParseDType(c.Attr("dtype", d))
	return out
}

var naiveElementwise = map[string]elementwise{
	"abs":     both1(math.Abs, (*big.Int).Abs),
	"neg":     both1(func(x float64) float64 { return -x }, (*big.Int).Neg),
	"sign":    both1(sign, func(z, x *big.Int) *big.Int { return z.SetInt64(int64(x.Sign())) }),
	"exp":     f1(math.Exp),
	"expm1":   f1(math.Expm1),
	"log":     f1(math.Log),
	"log1p":   f1(math.Log1p),
	"sqrt":    f1(math.Sqrt),
	"rsqrt":   f1(func(x float64) float64 { return 1 / math.Sqrt(x) }),
	"sin":     f1(math.Sin),
	"cos":     f1(math.Cos),
	"tanh":    f1(math.Tanh),
	"sigmoid": f1(func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }),
	"floor":   f1(math.Floor),
	"ceil":    f1(math.Ceil),
	"round":   f1(math.RoundToEven),
	"not":     both1(nil, (*big.Int).Not),
	"tan":     f1(math.Tan),
	"asin":    f1(math.Asin),
	"acos":    f1(math.Acos),
	"atan":    f1(math.Atan),
	"asinh":   f1(math.Asinh),
	"acosh":   f1(math.Acosh),
	"atanh":   f1(math.Atanh),
	"cbrt":    f1(math.Cbrt),
	"erfc":    f1(math.Erfc),
	"erf_inv": f1(math.Erfinv),
	"lgamma":  f1(lgamma),
	"digamma": f1(digamma),
	"relu":    both1(func(x float64) float64 { return math.Max(x, 0) }, func(z, x *big.Int) *big.Int { return larger(z, x, new(big.Int)) }),

	"clamp_index": {f: func(c Call, _ types.DType, x []Elem) Elem {
		rows, err := c.IntAttr("rows")
		if err != nil {
			return Int(-1)
		}
		return Int(int64(min(max(x[0].Number(), 0), float64(rows-1))))
	}},
	"count_leading_zeros": {f: func(_ Call, d types.DType, x []Elem) Elem {
		if x[0].I.Sign() < 0 {
			return Int(0)
		}
		return Int(int64(8*d.Size() - x[0].I.BitLen()))
	}},

	"add":     both2(func(x, y float64) float64 { return x + y }, (*big.Int).Add),
	"sub":     both2(func(x, y float64) float64 { return x - y }, (*big.Int).Sub),
	"mul":     both2(func(x, y float64) float64 { return x * y }, (*big.Int).Mul),
	"div":     both2(func(x, y float64) float64 { return x / y }, (*big.Int).Quo),
	"rem":     both2(math.Mod, (*big.Int).Rem),
	"pow":     both2(math.Pow, power),
	"maximum": both2(math.Max, larger),
	"minimum": both2(math.Min, smaller),
	"and":     both2(nil, (*big.Int).And),
	"or":      both2(nil, (*big.Int).Or),
	"xor":     both2(nil, (*big.Int).Xor),

	"atan2":      both2(math.Atan2, nil),
	"next_after": {f: func(_ Call, d types.DType, x []Elem) Elem { return nextAfter(d, x[0], x[1]) }},

	"shift_left":          shift((*big.Int).Lsh),
	"shift_right_logical": shift((*big.Int).Rsh),
	"shift_right": {f: func(_ Call, d types.DType, x []Elem) Elem {
		n := new(big.Int).SetUint64(Bits(d, x[1]))
		return Elem{I: new(big.Int).Rsh(x[0].I, uint(min(n.Uint64(), 64)))}
	}},
	"bit_cast": {
		f:   func(c Call, d types.DType, x []Elem) Elem { return FromBits(dtypeAttr(c, d), Bits(d, x[0])) },
		out: dtypeAttr},

	"compare": {
		f:   func(c Call, _ types.DType, x []Elem) Elem { return Truth(relation(c, x[0], x[1])) },
		out: func(Call, types.DType) types.DType { return types.Bool }},
	"where": {f: func(_ Call, _ types.DType, x []Elem) Elem {
		if x[0].I.Sign() != 0 {
			return x[1]
		}
		return x[2]
	}},
	"convert": {
		f: func(c Call, d types.DType, x []Elem) Elem {
			return converted(dtypeAttr(c, d), x[0])
		},
		out: dtypeAttr},

	"erf": f1(math.Erf),
	"gelu": f1(func(x float64) float64 {
		return x / 2 * math.Erfc(-x/math.Sqrt2)
	}),
}
