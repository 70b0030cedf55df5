package scalarmath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The absolute values of complex<f32> are those of complex<f64>, rounded: also where they
// lie between two floats, are subnormal or none.
func TestAbsComplex64IsAbsComplexRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	part := func() float32 {
		switch r.IntN(4) {
		case 0:
			return math.Float32frombits(r.Uint32()) // any, NaN and infinities too
		case 1:
			return math.Float32frombits(r.Uint32() &^ 0x7F000000) // small or subnormal
		case 2:
			return float32(r.IntN(1<<14)) * float32(math.Exp2(float64(r.IntN(40)-20))) // often exact
		}
		return r.Float32() - 0.5
	}
	same := func(z complex64) {
		want, got := float32(AbsComplex(complex128(z))), AbsComplex64(z)
		require.Equal(t, math.Float32bits(want), math.Float32bits(got), "%v", z)
	}
	for range 300_000 {
		same(complex(part(), part()))
	}
	for _, z := range []complex64{0, complex(0, float32(math.Copysign(0, -1))), complex(3, 4), complex(math.MaxFloat32, math.MaxFloat32), complex(math.MaxFloat32, 0),
		complex(1<<24-1, 0), complex(0x1p-126, 0), complex(0x1p-149, 0x1p-149), complex(0x1p-127, 0x1p-127), complex(4095, 4097)} {
		same(z)
	}
	// Of a leg of 2a+1 and one of 2a(a+1) the hypotenuse is one longer: an integer, which
	// lies between two floats where it is odd and above 2^24.
	for a := 2900; a < 5792; a++ {
		same(complex(float32(2*a+1), float32(2*a*(a+1))))
	}
}
