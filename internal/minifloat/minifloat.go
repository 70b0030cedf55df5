// Package minifloat has the floating-point formats narrower than f32: which numbers they
// hold, and how they round. Its central type is [Format].
//
// The package imports only the standard library.
package minifloat

import (
	"iter"
	"maps"
	"math"
)

// Format is a binary floating-point format narrower than f32.
type Format struct {
	width, mantissa int
	bias            int
	special         special
	unsigned        bool // no sign bit, no zero: powers of two alone
}

type special uint8

const (
	ieee   special = iota // infinities and NaNs at the largest exponent
	nanAll                // no infinity; NaN is all ones (…FN)
	nanNeg                // no infinity; NaN is the negative zero (…FNUZ)
	finite                // neither
)

// formats are the formats narrower than f32, as the OCP and IEEE standards
// and the names define them: E exponent bits, M mantissa bits.
var formats = map[string]Format{
	"f16":           {16, 10, 15, ieee, false},
	"bf16":          {16, 7, 127, ieee, false},
	"tf32":          {19, 10, 127, ieee, false},
	"f4E2M1FN":      {4, 1, 1, finite, false},
	"f6E2M3FN":      {6, 3, 1, finite, false},
	"f6E3M2FN":      {6, 2, 3, finite, false},
	"f8E3M4":        {8, 4, 3, ieee, false},
	"f8E4M3":        {8, 3, 7, ieee, false},
	"f8E4M3FN":      {8, 3, 7, nanAll, false},
	"f8E4M3FNUZ":    {8, 3, 8, nanNeg, false},
	"f8E4M3B11FNUZ": {8, 3, 11, nanNeg, false},
	"f8E5M2":        {8, 2, 15, ieee, false},
	"f8E5M2FNUZ":    {8, 2, 16, nanNeg, false},
	"f8E8M0FNU":     {8, 0, 127, nanAll, true},
}

// Of returns the format of the given name, such as f8E4M3FN, with
// the number of its bits; false for f32, f64 and what is no float.
func Of(name string) (m Format, bits int, ok bool) {
	m, ok = formats[name]
	return m, m.width, ok
}

// Names returns the name of every format, in any order.
func Names() iter.Seq[string] { return maps.Keys(formats) }

// Precision returns the bits of a number's significand, with the one that is not stored.
func (m Format) Precision() int { return m.mantissa + 1 }

func (m Format) sign() uint64 {
	if m.unsigned {
		return 0
	}
	return 1 << (m.width - 1)
}

// magnitude is the mask of all bits but the sign.
func (m Format) magnitude() uint64 {
	if m.unsigned {
		return 1<<m.width - 1
	}
	return m.sign() - 1
}

// largest is the magnitude of the largest finite number.
func (m Format) largest() uint64 {
	switch m.special {
	case ieee:
		return (m.magnitude()>>m.mantissa)<<m.mantissa - 1
	case nanAll:
		return m.magnitude() - 1
	}
	return m.magnitude()
}

func (m Format) nan() uint64 {
	switch m.special {
	case ieee:
		exponent := (m.magnitude() >> m.mantissa) << m.mantissa
		return exponent | 1<<max(m.mantissa-1, 0)
	case nanNeg:
		return m.sign()
	}
	return m.magnitude()
}

// Bits rounds f to nearest, ties to even, as ml_dtypes and XLA do. What is too
// large becomes infinity, or NaN where the format has none, or the largest number
// where it has neither. A NaN becomes a zero of the other sign where there is no
// NaN. Where there is no sign, zero and what is negative become NaN, and ties
// go up.
func (m Format) Bits(f float64) uint64 {
	switch {
	case math.IsNaN(f) && m.special == finite && math.Signbit(f):
		return 0
	case math.IsNaN(f) && m.special == finite:
		return m.sign()
	case math.IsNaN(f), m.unsigned && f <= 0:
		return m.nan()
	}
	sign := uint64(0)
	if math.Signbit(f) {
		sign = m.sign()
		f = -f
	}
	v := m.round(f)
	if v > m.largest() {
		switch m.special {
		case ieee:
			v = m.largest() + 1
		case finite:
			v = m.largest()
		case nanNeg: // which has the sign's bit alone
			return m.nan()
		default:
			return m.nan() | sign
		}
	}
	if v == 0 && m.special == nanNeg {
		return 0 // there is one zero; its negative is NaN
	}
	return sign | v
}

// round returns the magnitude bits of f >= 0, which may be past the largest.
func (m Format) round(f float64) uint64 {
	switch {
	case math.IsInf(f, 0):
		return m.largest() + 1
	case f == 0: // Frexp has no exponent for it
		return 0
	}
	if m.unsigned {
		frac, e := math.Frexp(f)
		code := e - 1 + m.bias
		if code < 0 {
			return 0
		}
		if frac >= 0.75 { // nearest power of two, ties to the larger one
			code++
		}
		return uint64(code)
	}
	_, e := math.Frexp(f)
	exponent := max(e-1+m.bias, 1)
	// In units of the last place of that exponent; the carry of rounding up
	// moves into the exponent by itself.
	units := math.RoundToEven(math.Ldexp(f, m.mantissa-(exponent-m.bias)))
	if units > float64(uint64(1)<<32) {
		return m.largest() + 1
	}
	return uint64(exponent-1)<<m.mantissa + uint64(units)
}

// Value returns the number that the bits stand for.
func (m Format) Value(b uint64) float64 {
	v := b & m.magnitude()
	switch {
	case m.special == ieee && v > m.largest()+1, m.special == nanAll && v == m.magnitude(), m.special == nanNeg && b == m.sign():
		return math.NaN()
	case m.special == ieee && v == m.largest()+1:
		return math.Copysign(math.Inf(1), signOf(b&m.sign() != 0))
	case m.unsigned:
		return math.Ldexp(1, int(v)-m.bias)
	}
	frac := float64(v & (1<<m.mantissa - 1))
	exponent := int(v >> m.mantissa)
	if exponent == 0 {
		exponent = 1
	} else {
		frac += float64(uint64(1) << m.mantissa)
	}
	return math.Copysign(math.Ldexp(frac, exponent-m.bias-m.mantissa), signOf(b&m.sign() != 0))
}

func signOf(negative bool) float64 {
	if negative {
		return -1
	}
	return 1
}
