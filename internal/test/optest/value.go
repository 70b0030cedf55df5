package optest

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/soa"
)

// Elem is an element: a floating-point number, or an integer of any size. Bool
// is the integer 0 or 1. F is the real part of a complex number.
type Elem struct {
	F, Im float64
	I     *big.Int // nil when it is floating point or complex
}

// Tensor holds elements in row-major order.
type Tensor struct {
	Type  types.Type
	Elems []Elem
}

// Float and Int make elements.
func Float(x float64) Elem { return Elem{F: x} }

// Int makes an integer element.
func Int(x int64) Elem { return Elem{I: big.NewInt(x)} }

// Truth makes a bool element.
func Truth(b bool) Elem {
	if b {
		return Int(1)
	}
	return Int(0)
}

// Number returns the element's value as a float64, exact but for large integers.
func (e Elem) Number() float64 {
	if e.I == nil {
		return e.F
	}
	x, _ := new(big.Float).SetInt(e.I).Float64()
	return x
}

// Round returns e as an element of d: floats rounded to nearest even, integers
// modulo the range.
func Round(d types.DType, e Elem) Elem {
	switch {
	case d.IsComplex():
		return Elem{F: Round(d.Part(), Float(e.F)).F, Im: Round(d.Part(), Float(e.Im)).F}
	case d == types.F32:
		return Float(float64(float32(e.F)))
	case d == types.F16:
		return Float(float64(types.ToFloat16(e.F).Float32()))
	case d == types.BF16:
		return Float(float64(types.ToBFloat16(e.F).Float32()))
	case d.IsFloat8():
		return Float(float64(types.Float8Value(d, types.Float8Bits(d, e.F))))
	case d.IsFloat():
		return Float(e.F)
	}
	n := width(d)
	m := new(big.Int).Lsh(big.NewInt(1), n)
	x := new(big.Int).Mod(e.I, m) // Mod's result is not negative
	if d.IsSigned() && x.Bit(int(n-1)) == 1 {
		x.Sub(x, m)
	}
	return Elem{I: x}
}

func width(d types.DType) uint {
	if d == types.Bool {
		return 1
	}
	return uint(8 * d.Size())
}

// ParseElem reads an element of d: a number, nan, inf, -inf, true or false; a complex one as 1-2i. A
// number that d cannot hold exactly is rounded, an integer out of range an
// error.
func ParseElem(d types.DType, s string) (Elem, error) {
	switch {
	case d == types.Bool && (s == "true" || s == "false"):
		return Truth(s == "true"), nil
	case d == types.Bool:
		return Elem{}, fmt.Errorf("%q is neither true nor false", s)
	case d.IsComplex():
		z, err := strconv.ParseComplex(s, 8*d.Size())
		return Round(d, Elem{F: real(z), Im: imag(z)}), err
	case d.IsFloat() || d.IsFloat8():
		size := 64
		if d == types.F32 {
			size = 32
		}
		x, err := strconv.ParseFloat(s, size)
		return Round(d, Float(x)), err
	}
	x, ok := new(big.Int).SetString(s, 10)
	if !ok {
		return Elem{}, fmt.Errorf("%q is no integer", s)
	}
	if e := Round(d, Elem{I: x}); e.I.Cmp(x) == 0 {
		return e, nil
	}
	return Elem{}, fmt.Errorf("%s is out of range of %v", s, d)
}

// FormatElem prints an element of d with the fewest digits that ParseElem reads
// as the same.
func FormatElem(d types.DType, e Elem) string {
	switch {
	case d == types.Bool:
		return strconv.FormatBool(e.I.Sign() != 0)
	case d.IsComplex():
		return strings.ToLower(strings.Trim(strconv.FormatComplex(complex(e.F, e.Im), 'g', -1, 8*d.Size()), "()"))
	case e.I != nil:
		return e.I.String()
	case e.F != e.F:
		return "nan"
	case math.IsInf(e.F, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(e.F, 'g', -1, 64), "+"))
	case d == types.F64:
		return strconv.FormatFloat(e.F, 'g', -1, 64)
	case d == types.F32:
		return strconv.FormatFloat(e.F, 'g', -1, 32)
	}
	for digits := 1; ; digits++ {
		s := strconv.FormatFloat(e.F, 'g', digits, 64)
		if back, err := ParseElem(d, s); err == nil && back.F == e.F {
			return s
		}
	}
}

// Bits returns the bits of e in memory.
func Bits(d types.DType, e Elem) uint64 {
	switch d {
	case types.F64:
		return math.Float64bits(e.F)
	case types.F32:
		return uint64(math.Float32bits(float32(e.F)))
	case types.F16:
		return uint64(types.ToFloat16(e.F))
	case types.BF16:
		return uint64(types.ToBFloat16(e.F))
	case types.F8E4M3FN, types.F8E5M2:
		return uint64(types.Float8Bits(d, e.F))
	}
	if e.I.Sign() < 0 {
		return uint64(e.I.Int64()) & (math.MaxUint64 >> (64 - width(d)))
	}
	return e.I.Uint64()
}

// FromBits is the inverse of Bits.
func FromBits(d types.DType, bits uint64) Elem {
	switch d {
	case types.F64:
		return Float(math.Float64frombits(bits))
	case types.F32:
		return Float(float64(math.Float32frombits(uint32(bits))))
	case types.F16:
		return Float(float64(types.Float16(bits).Float32()))
	case types.BF16:
		return Float(float64(types.BFloat16(bits).Float32()))
	case types.F8E4M3FN, types.F8E5M2:
		return Float(float64(types.Float8Value(d, uint8(bits))))
	}
	return Round(d, Elem{I: new(big.Int).SetUint64(bits)})
}

// View returns the elements in fresh memory.
func (t *Tensor) View() soa.View {
	v := soa.Make(t.Type)
	d := t.Type.DType.Part()
	for i, e := range t.Elems {
		if t.Type.DType.IsComplex() {
			samples.SetBits(v.Parts(), 2*i, Bits(d, Float(e.F)))
			samples.SetBits(v.Parts(), 2*i+1, Bits(d, Float(e.Im)))
			continue
		}
		samples.SetBits(v, i, Bits(d, e))
	}
	return v
}

// FromView reads the elements of a view.
func FromView(v soa.View) (*Tensor, error) {
	v, err := samples.Dense(v)
	if err != nil {
		return nil, err
	}
	t := &Tensor{Type: v.Type}
	if d := v.Type.DType.Part(); d != v.Type.DType {
		p := v.Parts()
		for i := range v.Type.Elements() {
			t.Elems = append(t.Elems, Elem{F: FromBits(d, samples.Bits(p, 2*i)).F, Im: FromBits(d, samples.Bits(p, 2*i+1)).F})
		}
		return t, nil
	}
	for i := range v.Type.Elements() {
		t.Elems = append(t.Elems, FromBits(v.Type.DType, samples.Bits(v, i)))
	}
	return t, nil
}

// Distance returns how many values of d lie between a and b, 0 when they are
// equal or both NaN. Integers are at distance 0 or infinitely far apart. Of complex numbers it is
// that of the part that is further apart.
func Distance(d types.DType, a, b Elem) float64 {
	switch {
	case d.IsComplex():
		return max(Distance(d.Part(), Float(a.F), Float(b.F)), Distance(d.Part(), Float(a.Im), Float(b.Im)))
	case a.I != nil && a.I.Cmp(b.I) == 0, a.I == nil && (a.F == b.F || a.F != a.F && b.F != b.F):
		return 0
	case a.I != nil || a.F != a.F || b.F != b.F || math.IsInf(a.F, 0) || math.IsInf(b.F, 0):
		return math.Inf(1)
	}
	x, y := Bits(d, Float(math.Abs(a.F))), Bits(d, Float(math.Abs(b.F))) // each counts the values from 0
	if math.Signbit(a.F) != math.Signbit(b.F) {
		return float64(x) + float64(y)
	}
	return float64(max(x, y) - min(x, y)) // subtracted as integers: a float64 has no room for the bits of an f64
}

// Differs says where a and b, which must be of one type, are more than ulps
// units in the last place apart; "" if nowhere.
func Differs(got, want *Tensor, ulps float64) string {
	if !got.Type.Equal(want.Type) {
		return fmt.Sprintf("got %v, want %v", got.Type, want.Type)
	}
	d := got.Type.DType
	for i := range got.Elems {
		if by := Distance(d, got.Elems[i], want.Elems[i]); by > ulps {
			return fmt.Sprintf("element %d of %v is %s, want %s: %v units in the last place apart, %v allowed",
				i, got.Type, FormatElem(d, got.Elems[i]), FormatElem(d, want.Elems[i]), by, ulps)
		}
	}
	return ""
}
