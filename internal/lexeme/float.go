package lexeme

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"ltc/internal/minifloat"
)

// AppendFloat prints the bits of a number as MLIR prints it; t is the name of its type. A
// float is 1.500000e+00 with six digits where these read back to the same value. Otherwise
// it has as many digits as the format can need (0.693147182, 1.5E-45). A value that is no
// number, or whose text has no point, is printed as bits. The two decimal forms are those
// of LLVM's APFloat::toString with and without a precision.
func AppendFloat(b []byte, raw uint64, t string) []byte {
	var v float64
	m, _, mini := minifloat.Of(t)
	precision := 53
	switch {
	case mini:
		v, precision = m.Value(raw), m.Precision()
	case t == "f32":
		v, precision = float64(math.Float32frombits(uint32(raw))), 24
	default:
		v = math.Float64frombits(raw)
	}
	from := len(b)
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		digits, exp := decimal(v, 6)
		b = appendScientific(b, v, digits+strings.Repeat("0", max(6-len(digits), 0)), exp)
		if got, ok := FloatBits(string(b[from:]), t); ok && got == raw {
			return b
		}
		b = appendNatural(b[:from], v, 2+precision*59/196)
		if strings.IndexByte(string(b[from:]), '.') >= 0 {
			return b
		}
	}
	return append(append(b[:from], "0x"...), strings.ToUpper(strconv.FormatUint(raw, 16))...)
}

// decimal returns |v| as at most n digits without zeros at their end, and the
// power of ten of the first. Like APFloat::toString it first drops digits that
// n surely does not need, without rounding: 0.9 as an f32 is 0.899999 to it.
func decimal(v float64, n int) (digits string, exp int) {
	if v == 0 {
		return "", 0
	}
	frac, e := math.Frexp(math.Abs(v))
	mantissa := uint64(math.Ldexp(frac, 53))
	zeros := bits.TrailingZeros64(mantissa)
	e += zeros - 53
	x := new(big.Int).SetUint64(mantissa >> zeros)
	if e >= 0 {
		x.Lsh(x, uint(e))
		e = 0
	} else { // N * 2^e is N * 5^-e * 10^e
		x.Mul(x, new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(-e)), nil))
	}
	// 196/59 is slightly more than the bits in a digit.
	if spare := (x.BitLen() - (n*196+58)/59) * 59 / 196; spare > 0 {
		x.Quo(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(spare)), nil))
		e += spare
	}
	d := []byte(x.String())
	exp = e + len(d) - 1
	if len(d) > n {
		up := d[n] >= '5'
		d = d[:n]
		for i := n - 1; up; i-- {
			if i < 0 {
				return "1", exp + 1
			}
			if up = d[i] == '9'; up {
				d[i] = '0'
			} else {
				d[i]++
			}
		}
	}
	return strings.TrimRight(string(d), "0"), exp
}

func appendScientific(b []byte, v float64, digits string, exp int) []byte {
	if math.Signbit(v) {
		b = append(b, '-')
	}
	b = append(append(append(b, digits[0], '.'), digits[1:]...), "0e"...)
	if exp < 0 {
		b, exp = append(b, '-'), -exp
	} else {
		b = append(b, '+')
	}
	if exp < 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(exp), 10)
}

// appendNatural prints at most n digits, with an exponent where more than three
// zeros would have to be filled in.
func appendNatural(b []byte, v float64, n int) []byte {
	digits, exp := decimal(v, n)
	if digits == "" {
		return append(b, "0.0"...)
	}
	if math.Signbit(v) {
		b = append(b, '-')
	}
	zeros := exp - (len(digits) - 1) // behind the digits
	switch {
	case zeros >= 0 && (zeros > 3 || len(digits)+zeros > n), zeros < 0 && exp < -3:
		b = append(b, digits[0], '.')
		if len(digits) == 1 {
			b = append(b, '0')
		}
		b = append(append(b, digits[1:]...), 'E')
		if exp >= 0 {
			b = append(b, '+')
		}
		return strconv.AppendInt(b, int64(exp), 10)
	case zeros >= 0:
		return append(append(b, digits...), strings.Repeat("0", zeros)...)
	case exp >= 0:
		return append(append(append(b, digits[:exp+1]...), '.'), digits[exp+1:]...)
	}
	return append(append(append(b, "0."...), strings.Repeat("0", -exp-1)...), digits...)
}

// FloatBits returns the bits of a number whose type has the name t. The text is a decimal
// number, an integer, or the bits as 0x….
func FloatBits(s, t string) (uint64, bool) {
	if s == "" {
		return 0, false
	}
	m, width, mini := minifloat.Of(t)
	switch t {
	case "f32":
		width = 32
	case "f64":
		width = 64
	}
	if strings.HasPrefix(s, "0x") {
		v, err := strconv.ParseUint(s[2:], 16, 64)
		return v, err == nil && (width == 64 || v < 1<<width)
	}
	if !IsDigit(s[len(s)-1]) && s[len(s)-1] != '.' || !IsDigit(strings.TrimPrefix(s, "-")[0]) || strings.ContainsAny(s, "_xXpP") {
		return 0, false
	}
	if t == "f32" {
		f, err := strconv.ParseFloat(s, 32)
		return uint64(math.Float32bits(float32(f))), err == nil || math.IsInf(f, 0)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	switch {
	case t == "f64":
		return math.Float64bits(f), true
	case mini:
		return m.Bits(f), true
	}
	return 0, false
}
