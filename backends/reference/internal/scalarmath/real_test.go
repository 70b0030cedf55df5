package scalarmath

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The values were computed with 60 digits.
func TestPowerKeepsItsDigitsForLargeExponents(t *testing.T) {
	for _, c := range [][3]float64{
		{0.8289169093637843, 40.7183158119789, 0x1.f81622a2d14f0p-12},
		{1.0000001, 1000000000.0, 0x1.349445c228792p+144},
		{3.7, 200.25, 0x1.f7e132ac35f06p+377},
		{0.1, -300.5, 0x1.2e34f399a8763p+998},
		{1.5, 1000.125, 0x1.0666441e6d4dap+585},
		{0.999, 123456.75, 0x1.bddbf483f2ec1p-179},
		{5e-324, 0.75, 0x1.6a09e667f3bcdp-806},
		{1.7976931348623157e+308, -0.99, 0x1.2e5588f9a7e6ep-1014},
		{1.25, 700.0, 0x1.46364b39f4a09p+225},
	} {
		require.Equal(t, c[2], Pow(c[0], c[1]), "%v^%v", c[0], c[1])
	}
	require.Equal(t, -Pow(1.25, 701), Pow(-1.25, 701))
}

func TestPowerAtTheLimits(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, x := range []float64{0, zero, 1, -1, 0.5, -0.5, 2, -2, inf, -inf, nan} {
		for _, y := range []float64{0, zero, 1, -1, 2, -2, 3, -3, 0.5, 1e300, -1e300, 1025, -1080, inf, -inf, nan} {
			want, got := math.Pow(x, y), Pow(x, y)
			if want != want {
				require.True(t, got != got, "%v^%v", x, y)
				continue
			}
			require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%v^%v", x, y)
		}
	}
}

func TestLogarithmsOfTheSmallestNumbers(t *testing.T) {
	for k := -1074; k <= -1020; k++ {
		require.InEpsilon(t, float64(k)*math.Ln2, Log(math.Ldexp(1, k)), 0x1p-52, "2^%d", k)
	}
}

// The angle has the sign of y, also where y/x is no number above 0 any more.
func TestAngleOfTheSmallestNumbers(t *testing.T) {
	require.Equal(t, -math.Pi, Atan2(-5e-324, -8))
	require.Equal(t, math.Pi, Atan2(5e-324, -8))
	require.Equal(t, -math.Pi, Atan2(math.Copysign(0, -1), -1))
	require.Equal(t, -math.Pi/4, Atan2(-5e-324, 5e-324))
	require.True(t, math.IsNaN(Atan2(-1, math.NaN())))
}
