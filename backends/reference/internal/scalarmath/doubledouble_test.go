package scalarmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/bigfloat"
)

// relative returns |a-b|/|b| as a power of 2.
func relative(a, b dd) float64 {
	d := a.sub(b)
	return math.Log2(math.Abs(d.hi / b.hi))
}

// The functions agree with their inverses, and with identities, far beyond f64.
func TestDoubleDouble(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		x := dd{r.NormFloat64(), 0}
		x = x.add(ddOf(x.hi * 0x1p-60 * r.Float64()))
		m, k := x.exp()
		require.Less(t, relative(m.log().add(ln2.mul(ddOf(float64(k)))), x), -94.0, "log exp %v", x)
		positive := dd{math.Abs(x.hi), math.Copysign(x.lo, x.hi*x.lo)}
		require.Less(t, relative(positive.sqrt().mul(positive.sqrt()), positive), -100.0, "sqrt %v", x)
		small := x.scale(-3)
		require.Less(t, relative(small.expm1().log1pNear(), small), -94.0, "log1p expm1 %v", small)
		s, c := x.sinCos()
		require.Less(t, relative(s.mul(s).add(c.mul(c)), ddOf(1)), -98.0, "sin cos %v", x)
		sh, ch, k := sinhCosh(x.hi * 5)
		require.Less(t, relative(ch.sub(sh).mul(ch.add(sh)).scale(2*k), ddOf(1)), -60.0, "sinh cosh %v", x)
	}
}

// The reduction of large angles and that of small ones meet, and π is π.
func TestAngles(t *testing.T) {
	pi, _, err := big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651", 10, 400, big.ToNearestEven)
	require.NoError(t, err)
	d := new(big.Float).Sub(new(big.Float).Mul(bigHalfPi(), big.NewFloat(2)), pi)
	f, _ := d.Float64()
	require.Less(t, math.Abs(f), 0x1p-350)
	for n := range 5 {
		x := float64(n+1<<20) * 1.57 // beyond the table of three parts
		s, c := ddOf(x).sinCos()
		require.InDelta(t, math.Sin(x), s.float(), 1e-15)
		require.InDelta(t, math.Cos(x), c.float(), 1e-15)
	}
	for _, y := range []float64{3, -1e-3} {
		for _, x := range []float64{2, -5e-4} {
			s, c := atan2(ddOf(y), ddOf(x)).sinCos()
			require.Less(t, relative(s.mul(ddOf(x)), c.mul(ddOf(y))), -92.0)
		}
	}
}

// The constants are those of bigfloat, which takes too long for the start of a process.
func TestConstants(t *testing.T) {
	pi := bigfloat.Pi(200)
	require.Equal(t, ddOfBig(new(big.Float).Sqrt(pi)), rootPi)
	require.Equal(t, ddOfBig(bigfloat.Log(pi)), logPi)
	for k, b := range bernoulli {
		r := new(big.Rat).SetFrac64(int64(b[0]), int64(b[1])*int64(2*k+2))
		exact := ddOfBig(new(big.Float).SetPrec(200).SetRat(r))
		require.Less(t, relative(stirling[k], exact), -103.0, "B(%d)", 2*k+2)
	}
}
