package ptxsim

import (
	"math"
	"math/big"
)

func f32(a uint64) float32    { return math.Float32frombits(uint32(a)) }
func bits32(x float32) uint64 { return uint64(math.Float32bits(x)) }
func f64(a uint64) float64    { return math.Float64frombits(a) }
func bits64(x float64) uint64 { return math.Float64bits(x) }

func (o *table) floats() {
	single := map[string]func(a, b float64) float64{ // of what f32 rounds right from f64
		"add.rn": func(a, b float64) float64 { return a + b }, "sub.rn": func(a, b float64) float64 { return a - b },
		"mul.rn": func(a, b float64) float64 { return a * b }, "div.rn": func(a, b float64) float64 { return a / b },
		"max.NaN": passed(math.Max), "min.NaN": passed(math.Min), "max": number(math.Max), "min": number(math.Min),
	}
	for name, f := range single {
		half := func(a, b uint64) uint64 { return bits32(float32(f(float64(f32(a)), float64(f32(b))))) }
		full := func(a, b uint64) uint64 { return bits64(f(f64(a), f64(b))) }
		o.binary[name+".f32"] = half
		if name != "max.NaN" && name != "min.NaN" {
			o.binary[name+".f64"] = full
		}
	}
	o.ternary["fma.rn.f32"] = func(a, b, c uint64) uint64 { return bits32(fma32(f32(a), f32(b), f32(c))) }
	o.ternary["fma.rn.f64"] = func(a, b, c uint64) uint64 { return bits64(math.FMA(f64(a), f64(b), f64(c))) }
	o.unary["sqrt.rn.f32"] = func(a uint64) uint64 { return bits32(float32(math.Sqrt(float64(f32(a))))) }
	o.unary["sqrt.rn.f64"] = func(a uint64) uint64 { return bits64(math.Sqrt(f64(a))) }
	o.unary["rcp.rn.f32"] = func(a uint64) uint64 { return bits32(1 / f32(a)) }
	o.unary["rcp.rn.f64"] = func(a uint64) uint64 { return bits64(1 / f64(a)) }
	o.unary["neg.f32"] = func(a uint64) uint64 { return a ^ 1<<31 }
	o.unary["neg.f64"] = func(a uint64) uint64 { return a ^ 1<<63 }
	o.unary["abs.f32"] = func(a uint64) uint64 { return a & (1<<31 - 1) }
	o.unary["abs.f64"] = func(a uint64) uint64 { return a & (1<<63 - 1) }
	// copysign d, a, b is b with the sign of a.
	o.binary["copysign.f32"] = func(a, b uint64) uint64 { return a&(1<<31) | b&(1<<31-1) }
	o.binary["copysign.f64"] = func(a, b uint64) uint64 { return a&(1<<63) | b&(1<<63-1) }
	o.setp("f32", func(a, b uint64) (bool, bool, bool) { return ordered(float64(f32(a)), float64(f32(b))) })
	o.setp("f64", func(a, b uint64) (bool, bool, bool) { return ordered(f64(a), f64(b)) })
	o.ternary["selp.f32"], o.ternary["selp.f64"] = o.ternary["selp.b32"], o.ternary["selp.b64"]
}

func ordered(a, b float64) (less, equal, ordered bool) { return a < b, a == b, a == a && b == b }

// passed makes a choice that NaNs pass, even beside infinities.
func passed(f func(a, b float64) float64) func(a, b float64) float64 {
	return func(a, b float64) float64 {
		if a != a || b != b {
			return math.NaN()
		}
		return f(a, b)
	}
}

// number makes a choice that leaves NaNs out.
func number(f func(a, b float64) float64) func(a, b float64) float64 {
	return func(a, b float64) float64 {
		switch {
		case a != a:
			return b
		case b != b:
			return a
		}
		return f(a, b)
	}
}

// fma32 rounds a·b+c once. The product is exact in f64. A sum there that is rounded may lie
// half way between two floats of 32 bits where the exact one does not. Such a sum is then
// computed with all its bits.
func fma32(a, b, c float32) float32 {
	p, x := float64(a)*float64(b), float64(c)
	s := p + x
	if math.Float64bits(s)&(1<<29-1) != 1<<28 && math.Abs(s) > 0x1p-120 || s == 0 || s != s || math.IsInf(s, 0) {
		return float32(s)
	}
	exact := new(big.Float).SetPrec(600).SetFloat64(p)
	exact.Add(exact, new(big.Float).SetFloat64(x))
	r, _ := exact.Float32()
	return r
}
