package bigfloat

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// Digits from tables: 40 of them, which are 133 bits.
func TestKnownDigits(t *testing.T) {
	num := func(s string) *big.Float {
		x, _, err := big.ParseFloat(s, 10, 140, big.ToNearestEven)
		require.NoError(t, err)
		return x
	}
	sin := func(x *big.Float) *big.Float { s, _ := SinCos(x); return s }
	cos := func(x *big.Float) *big.Float { _, c := SinCos(x); return c }
	for _, c := range []struct {
		name    string
		f       func(*big.Float) *big.Float
		x, want string
	}{
		{"exp", Exp, "1", "2.718281828459045235360287471352662497757"},
		{"exp", Exp, "-20", "2.061153622438557827965940380155820976376e-9"},
		{"expm1", Expm1, "0.5", "0.6487212707001281468486507878141635716537"},
		{"log", Log, "10", "2.302585092994045684017991454684364207601"},
		{"log1p", Log1p, "0.0009765625", "0.000976085973055458895960824908017186672612"},
		{"sin", sin, "1", "0.8414709848078965066525023216302989996226"},
		{"cos", cos, "1e22", "0.5232147853951389454975944733847094921409"},
		{"sin", sin, "1e22", "-0.8522008497671888017727058937530293682618"},
		{"atan", Atan, "1", "0.7853981633974483096156608458198757210493"},
		{"erf", Erf, "1", "0.8427007929497148693412206350826092592961"},
		{"tanh", Tanh, "0.5", "0.4621171572600097585023184836436725487302"},
		{"cbrt", Cbrt, "2", "1.259921049894873164767210607278228350570"},
	} {
		got, want := c.f(num(c.x)), num(c.want)
		d := new(big.Float).Sub(got, want)
		if d.Sign() != 0 {
			require.Less(t, d.MantExp(nil), want.MantExp(nil)-126, "%s(%s) = %.40g, want %s", c.name, c.x, got, c.want)
		}
	}
}

// Every function is near package math's.
func TestLikeMath(t *testing.T) {
	for _, f := range []struct {
		name string
		big  func(*big.Float) *big.Float
		math func(float64) float64
	}{
		{"exp", Exp, math.Exp}, {"expm1", Expm1, math.Expm1}, {"log", Log, math.Log}, {"log1p", Log1p, math.Log1p},
		{"atan", Atan, math.Atan}, {"erf", Erf, math.Erf}, {"tanh", Tanh, math.Tanh}, {"cbrt", Cbrt, math.Cbrt},
	} {
		for _, x := range []float64{1e-300, 1e-20, 1e-7, 0.01, 0.3, 0.5, 0.7, 1.25, 1.5, 3, 7, 20} {
			got, _ := f.big(new(big.Float).SetPrec(100).SetFloat64(x)).Float64()
			require.InEpsilon(t, f.math(x), got, 1e-14, "%s(%g)", f.name, x)
		}
	}
}
