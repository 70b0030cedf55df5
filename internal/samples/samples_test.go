package samples

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

func made(t *testing.T, spec string, d types.DType, dims ...int) soa.View {
	t.Helper()
	v, err := Make(types.Of(d, dims...), spec)
	require.NoError(t, err)
	return v
}

func TestMake(t *testing.T) {
	require.Equal(t, []float32{0, 0}, soa.Slice[float32](made(t, "zeros", types.F32, 2)))
	require.Equal(t, []int64{0, 1, 2}, soa.Slice[int64](made(t, "iota", types.I64, 3)))
	require.Equal(t, []bool{false, true, false}, soa.Slice[bool](made(t, "iota", types.Bool, 3)))
	require.Equal(t, float64(3), Float(made(t, "iota", types.BF16, 2, 2), 3))
	require.Equal(t, float64(3), Float(made(t, "iota", types.F16, 2, 2), 3))

	for _, d := range types.RealDTypes() {
		v := made(t, "rand:1", d, 1000)
		again := made(t, "rand:1", d, 1000)
		distinct := map[uint64]bool{}
		for i := range 1000 {
			distinct[Bits(v, i)] = true
			require.Equal(t, Bits(v, i), Bits(again, i), "%v", d)
			if d.IsFloat() {
				require.LessOrEqual(t, math.Abs(Float(v, i)), 1.0)
			}
		}
		want := map[bool]int{true: 19, false: 10}[d.IsSigned()]
		switch {
		case d == types.Bool:
			require.Len(t, distinct, 2)
		case d.IsInteger():
			require.Len(t, distinct, want, "%v", d)
		default:
			require.Greater(t, len(distinct), 100, "%v", d)
		}
	}
	parts := soa.Slice[float32](made(t, "rand:1", types.F32, 2, 2))
	require.Equal(t, []complex64{complex(parts[0], parts[1]), complex(parts[2], parts[3])}, soa.Slice[complex64](made(t, "rand:1", types.C64, 2)))
	// The values are a promise: expected results in tests depend on them.
	require.Equal(t, []int32{-5, 3, -3, -1}, soa.Slice[int32](made(t, "rand:0", types.I32, 4)))

	_, err := Make(types.Of(types.F32), "ones")
	require.EqualError(t, err, `"ones": want zeros, iota or rand:SEED`)
	_, err = Make(types.Of(types.F32), "rand:-1")
	require.EqualError(t, err, `"rand:-1": want rand: and a seed from 0 to 2^64-1`)
}

func TestFormat(t *testing.T) {
	half := made(t, "zeros", types.F16, 3)
	Set(half, 0, 0.1)
	Set(half, 1, 65504)
	Set(half, 2, math.Inf(-1))
	brain := made(t, "zeros", types.BF16, 2)
	Set(brain, 0, 0.1)
	Set(brain, 1, math.NaN())
	single := made(t, "zeros", types.F32, 2, 2)
	Set(single, 1, 0.1)
	Set(single, 2, -1e10)
	complexes := made(t, "iota", types.C64, 2)
	SetComplex(complexes, 1, 0.1-2i)
	turned := made(t, "iota", types.I32, 2, 3)
	turned.Type, turned.Strides = types.Of(types.I32, 3, 2), []int{1, 3}
	for _, c := range []struct {
		v    soa.View
		want string
	}{
		{made(t, "iota", types.I32), "0"},
		{made(t, "iota", types.F64, 0), "[]"},
		{made(t, "iota", types.F64, 2, 0), "[]"},
		{made(t, "iota", types.F64, 1_000_000, 0), "[]"},
		{made(t, "iota", types.Bool, 2), "[false  true]"},
		{made(t, "iota", types.I64, 2, 6), "[[ 0  1  2  3  4  5]\n [ 6  7  8  9 10 11]]"},
		{made(t, "iota", types.U8, 2, 2, 1), "[[[0]\n  [1]]\n\n [[2]\n  [3]]]"},
		{single, "[[     0    0.1]\n [-1e+10      0]]"},
		{half, "[  0.1 65500  -Inf]"},
		{brain, "[0.1 NaN]"},
		{complexes, "[  (0+0i) (0.1-2i)]"},
		{made(t, "iota", types.C128, 2), "[(0+0i) (1+0i)]"},
		{turned, "[[0 3]\n [1 4]\n [2 5]]"},
		{made(t, "iota", types.I32, 2000), "[   0    1    2 ... 1997 1998 1999]"},
		{made(t, "iota", types.I32, 2, 1000), "[[   0    1    2 ...  997  998  999]\n [1000 1001 1002 ... 1997 1998 1999]]"},
		{made(t, "iota", types.I32, 1001, 1), "[[   0]\n [   1]\n [   2]\n ...\n [ 998]\n [ 999]\n [1000]]"},
	} {
		got, err := Format(c.v)
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%v", c.v.Type)
	}
}

func TestBitsRoundTrip(t *testing.T) {
	for _, d := range types.RealDTypes() {
		v := made(t, "zeros", d, 2)
		SetBits(v, 1, 1)
		require.Equal(t, uint64(0), Bits(v, 0))
		require.Equal(t, uint64(1), Bits(v, 1))
	}
}

func TestMakeTooLarge(t *testing.T) {
	for _, spec := range []string{"zeros", "iota", "rand:1"} {
		_, err := Make(types.Of(types.F32, 1_000_000, 1_000_000), spec)
		require.ErrorIs(t, err, soa.ErrMemory)
		require.ErrorContains(t, err, "f32[1000000,1000000]: not enough memory: 3.6 TiB are needed")
	}
}
