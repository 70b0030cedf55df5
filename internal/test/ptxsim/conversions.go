package ptxsim

import (
	"math"
	"math/bits"
	"strconv"
)

func (o *table) conversions() {
	for _, to := range []int{8, 16, 32, 64} {
		for _, from := range []int{8, 16, 32, 64} {
			for _, t := range []string{"s", "u"} { // the operand's sign counts
				for _, d := range []string{"s", "u"} {
					m := mask(max(to, 32))
					o.unary["cvt."+d+strconv.Itoa(to)+"."+t+strconv.Itoa(from)] = func(a uint64) uint64 {
						if a &= mask(from); t == "s" {
							a = uint64(signed(a, from))
						}
						if a &= mask(to); d == "s" {
							a = uint64(signed(a, to))
						}
						return a & m
					}
				}
			}
		}
	}
	for _, n := range []int{32, 64} {
		s, u := "s"+strconv.Itoa(n), "u"+strconv.Itoa(n)
		o.unary["cvt.rn.f32."+s] = func(a uint64) uint64 { return bits32(float32(signed(a, n))) }
		o.unary["cvt.rn.f64."+s] = func(a uint64) uint64 { return bits64(float64(signed(a, n))) }
		o.unary["cvt.rn.f32."+u] = func(a uint64) uint64 { return bits32(float32(a & mask(n))) }
		o.unary["cvt.rn.f64."+u] = func(a uint64) uint64 { return bits64(float64(a & mask(n))) }
		for _, round := range []struct {
			name string
			f    func(float64) float64
		}{{"rzi", math.Trunc}, {"rni", math.RoundToEven}} {
			o.unary["cvt."+round.name+"."+s+".f32"] = func(a uint64) uint64 { return toInteger(round.f(float64(f32(a))), n, true, n == 64) }
			o.unary["cvt."+round.name+"."+s+".f64"] = func(a uint64) uint64 { return toInteger(round.f(f64(a)), n, true, true) }
			o.unary["cvt."+round.name+"."+u+".f32"] = func(a uint64) uint64 { return toInteger(round.f(float64(f32(a))), n, false, n == 64) }
			o.unary["cvt."+round.name+"."+u+".f64"] = func(a uint64) uint64 { return toInteger(round.f(f64(a)), n, false, true) }
		}
	}
	for name, f := range map[string]func(float64) float64{"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil} {
		o.unary["cvt."+name+".f32.f32"] = func(a uint64) uint64 { return bits32(float32(f(float64(f32(a))))) }
		o.unary["cvt."+name+".f64.f64"] = func(a uint64) uint64 { return bits64(f(f64(a))) }
	}
	o.unary["cvta.param.u64"] = func(a uint64) uint64 { return a } // addresses are those of all memory
	o.unary["cvt.f64.f32"] = func(a uint64) uint64 { return bits64(float64(f32(a))) }
	o.unary["cvt.rn.f32.f64"] = func(a uint64) uint64 { return bits32(float32(f64(a))) }
	o.unary["cvt.rz.f32.f64"] = func(a uint64) uint64 { return bits32(truncated(f64(a))) }
	o.unary["cvt.rz.f32.s64"] = func(a uint64) uint64 { return bits32(truncatedInteger(a, true)) }
	o.unary["cvt.rz.f32.u64"] = func(a uint64) uint64 { return bits32(truncatedInteger(a, false)) }
	o.unary["cvt.f32.f16"] = func(a uint64) uint64 { return bits32(fromHalf(uint16(a))) }
	o.unary["cvt.rn.f16.f32"] = func(a uint64) uint64 { return narrow(float64(f32(a)), 10, 5) }
	o.unary["cvt.rn.f16.f64"] = func(a uint64) uint64 { return narrow(f64(a), 10, 5) }
	o.binary["cvt.rn.bf16x2.f32"] = func(a, b uint64) uint64 { return narrow(float64(f32(a)), 7, 8)<<16 | narrow(float64(f32(b)), 7, 8) }
	o.binary["cvt.rn.f16x2.f32"] = func(a, b uint64) uint64 { return narrow(float64(f32(a)), 10, 5)<<16 | narrow(float64(f32(b)), 10, 5) }
	o.unary["cvt.rna.tf32.f32"] = tf32
	o.unary["cvt.rn.bf16.f32"] = func(a uint64) uint64 { return narrow(float64(f32(a)), 7, 8) }
}

// unusedTF32 is how many of a float's lowest bits a tf32 has not.
const unusedTF32 = 13

// tf32 rounds to nearest, what lies half way away from 0.
func tf32(a uint64) uint64 {
	if x := f32(a); x != x {
		return 0x7FFFE000
	}
	if a&mask(31) >= 0x7F800000 { // infinite
		return a & mask(32)
	}
	return (a + 1<<(unusedTF32-1)) & mask(32) >> unusedTF32 << unusedTF32
}

// truncated rounds toward 0.
func truncated(x float64) float32 {
	f := float32(x)
	if math.Abs(float64(f)) > math.Abs(x) {
		return math.Nextafter32(f, 0)
	}
	return f
}

// truncatedInteger rounds an integer toward 0.
func truncatedInteger(a uint64, sign bool) float32 {
	negative := sign && int64(a) < 0
	if negative {
		a = -a
	}
	if cut := bits.Len64(a) - 24; cut > 0 {
		a = a >> cut << cut
	}
	if negative {
		return -float32(a)
	}
	return float32(a)
}

// toInteger converts an integral float; what is outside becomes the nearest
// number inside. Of NaN, PTX has two: 0, and the number with the highest bit set.
func toInteger(x float64, n int, sign, high bool) uint64 {
	limit := math.Ldexp(1, n)
	low := 0.0
	if sign {
		limit /= 2
		low = -limit
	}
	switch {
	case x != x && high:
		return 1 << (n - 1)
	case x != x:
		return 0
	case x >= limit && sign:
		return mask(n) >> 1
	case x >= limit:
		return mask(n)
	case x <= low && sign:
		return 1 << (n - 1)
	case x <= low:
		return 0
	case sign:
		return uint64(int64(x)) & mask(n)
	}
	return uint64(x)
}

// narrow rounds to a format with the given bits of fraction and exponent.
func narrow(x float64, fraction, exponent int) uint64 {
	sign := math.Float64bits(x) >> 63 << (fraction + exponent)
	bias := 1<<(exponent-1) - 1
	infinite := uint64(mask(exponent)) << fraction
	x = math.Abs(x)
	if x != x {
		return mask(fraction + exponent)
	}
	_, e := math.Frexp(x)
	e = max(e-1, 1-bias) // of the number's highest bit; of subnormal ones, the least
	units := math.RoundToEven(math.Ldexp(x, fraction-e))
	if x == 0 {
		return sign
	}
	if math.IsInf(x, 0) || e > bias {
		return sign | infinite
	}
	return sign | min(uint64(e+bias-1)<<fraction+uint64(units), infinite)
}

func fromHalf(h uint16) float32 {
	sign, e, f := uint32(h>>15)<<31, int(h>>10&31), float64(h&1023)
	var x float64
	switch e {
	case 31:
		if f != 0 {
			return float32(math.NaN())
		}
		x = math.Inf(1)
	case 0:
		x = math.Ldexp(f, -24)
	default:
		x = math.Ldexp(1024+f, e-25)
	}
	return math.Float32frombits(math.Float32bits(float32(x)) | sign)
}
