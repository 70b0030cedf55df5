package loops

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
	"ltc/stablehlo"
)

// vectorOperand returns n f32s of all kinds. It begins within memory, so that
// vectors are not aligned.
func vectorOperand(r *rand.Rand, n int) []float32 {
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32, math.SmallestNonzeroFloat32}
	x := make([]float32, n+1)[1:]
	for i := range x {
		if x[i] = float32(r.NormFloat64()); r.IntN(2) == 0 {
			x[i] = special[r.IntN(len(special))]
		}
	}
	return x
}

// sameFloats requires the same bits, but for those of NaN.
func sameFloats(t *testing.T, want, got []float32, what ...any) {
	t.Helper()
	bits := func(x []float32) []uint32 {
		all := make([]uint32, len(x))
		for i, v := range x {
			if all[i] = math.Float32bits(v); v != v {
				all[i] = 0x7FC00000
			}
		}
		return all
	}
	require.Equal(t, bits(want), bits(got), what...)
}

// Loops on vectors give the bits of the plain ones, in place too, and write
// nothing behind the end.
func TestVectors(t *testing.T) {
	if !hasVectors() {
		t.Skip("this build has none, or this CPU: GOEXPERIMENT=simd, AVX2")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, op := range []mlir.Code{stablehlo.Add, stablehlo.Subtract, stablehlo.Multiply, stablehlo.Divide, stablehlo.Maximum, stablehlo.Minimum} {
		plain, vectors := floatBinary[float32](op), float32Binary(op)
		require.NotNil(t, vectorBinary(op))
		for n := range 70 {
			a, b := vectorOperand(r, n), vectorOperand(r, n)
			want, got := make([]float32, n), make([]float32, n+8)
			plain(want, a, b)
			vectors(got[:n], a, b)
			sameFloats(t, want, got[:n], "%s of %d", op, n)
			require.Equal(t, make([]float32, 8), got[n:])
			vectors(b, a, b)
			sameFloats(t, want, b, "%s of %d in place", op, n)
		}
	}
	require.Nil(t, vectorBinary(stablehlo.Power))
}

func TestVectorRows(t *testing.T) {
	if !hasVectors() {
		t.Skip("this build has none, or this CPU: GOEXPERIMENT=simd, AVX2")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 70 {
		var rows [6][]float32
		for i := range rows {
			rows[i] = vectorOperand(r, n)
		}
		f := [8]float32(vectorOperand(r, 8))
		c0, c1 := slices.Clone(rows[0]), slices.Clone(rows[1])
		axpy4x2(c0, c1, rows[2], rows[3], rows[4], rows[5], f)
		float32Rows()(rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], f)
		sameFloats(t, c0, rows[0], "%d columns", n)
		sameFloats(t, c1, rows[1], "%d columns", n)
	}
}
