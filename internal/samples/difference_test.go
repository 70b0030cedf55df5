package samples

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

func TestDistance(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ got, want, size float64 }{
		{1, 1, 0},
		{1.5, 1, 0.25},
		{1, 1.5, 0.2},
		{-1, 1, 1},
		{0, 0.25, 0.2},
		{1001, 999, 0.002},
		{math.MaxFloat64, -math.MaxFloat64, 2},
		{nan, nan, 0},
		{nan, 1, inf},
		{1, nan, inf},
		{inf, inf, 0},
		{-inf, inf, inf},
		{1, inf, inf},
		{inf, 1, inf},
	} {
		got, err := soa.Borrow([]float64{c.got}, types.Of(types.F64, 1))
		require.NoError(t, err)
		want, err := soa.Borrow([]float64{c.want}, types.Of(types.F64, 1))
		require.NoError(t, err)
		require.Equal(t, c.size, distance(got, want, 0), "%v for %v", c.got, c.want)
	}
}

// Either part of complex numbers may differ.
func TestDifferComplex(t *testing.T) {
	of := func(z ...complex128) soa.View {
		v, err := soa.Borrow(z, types.Of(types.C128, len(z)))
		require.NoError(t, err)
		return v
	}
	d, err := Differ(of(1+2i, 3+1.5i), of(1+2i, 3+1i))
	require.NoError(t, err)
	require.Equal(t, Difference{Size: 0.25, At: []int{1}, Got: "(3+1.5i)", Want: "(3+1i)", Count: 1}, d)
	d, err = Differ(of(1+2i), of(2+2i))
	require.NoError(t, err)
	require.Equal(t, 1.0/3, d.Size)
}

func TestDiffer(t *testing.T) {
	floats, err := soa.Borrow([]float32{1, 2, 3, 4, 5, 6}, types.Of(types.F32, 2, 3))
	require.NoError(t, err)
	others, err := soa.Borrow([]float32{1, 2, 3, 4.5, 5, 9}, types.Of(types.F32, 2, 3))
	require.NoError(t, err)
	d, err := Differ(floats, floats)
	require.NoError(t, err)
	require.Equal(t, Difference{}, d)
	d, err = Differ(others, floats)
	require.NoError(t, err)
	require.Equal(t, Difference{Size: 3.0 / 7, At: []int{1, 2}, Got: "9", Want: "6", Count: 2}, d)

	ints, err := soa.Borrow([]int32{7, 8}, types.Of(types.I32, 2))
	require.NoError(t, err)
	_, err = Differ(ints, floats)
	require.EqualError(t, err, "is i32[2], want f32[2,3]")
	more, err := soa.Borrow([]int32{7, -9}, types.Of(types.I32, 2))
	require.NoError(t, err)
	d, err = Differ(more, ints)
	require.NoError(t, err)
	require.Equal(t, Difference{Size: math.Inf(1), At: []int{1}, Got: "-9", Want: "8", Count: 1}, d)
}
