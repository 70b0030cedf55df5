package mlir

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"ltc/internal/minifloat"
	"ltc/internal/trials"
)

func bytesOf(v any) []byte {
	b, err := binary.Append([]byte{}, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return b
}

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		literal string
		typ     *TensorType
		want    any
		splat   bool
	}{
		{"[1.0, -2.5]", Tensor(F32, 2), []float32{1, -2.5}, false},
		{"1.5", Tensor(F32, 4), []float32{1.5}, true},
		{"1.5", Tensor(F32), []float32{1.5}, false},
		{"3", Tensor(F32, 1), []float32{3}, false},
		{"", Tensor(F32, 0), []float32{}, false},
		{"[]", Tensor(F32, 0), []float32{}, false},
		{"[[], []]", Tensor(F32, 2, 0), []float32{}, false},
		{"[0x7F800000, 0xFF800000]", Tensor(F32, 2), []float32{float32(math.Inf(1)), float32(math.Inf(-1))}, false},
		{"0x7FC00000", Tensor(F32, 2), []uint32{0x7FC00000}, true},
		{`"0x0000803F00000040"`, Tensor(F32, 2), []float32{1, 2}, false},
		{`"0x0000803F"`, Tensor(F32, 2), []float32{1}, true},
		{"[1.0e-3, 0.1]", Tensor(F64, 2), []float64{1e-3, 0.1}, false},
		{"[1.0, 65504.0, 65520.0, 6.0e-8]", Tensor(F16, 4), []uint16{0x3C00, 0x7BFF, 0x7C00, 0x0001}, false},
		{"[1.0, -3.0, 0x7FC0, 1.00390625]", Tensor(BF16, 4), []uint16{0x3F80, 0xC040, 0x7FC0, 0x3F80}, false},
		{"[true, false, 1, 0]", Tensor(I1, 4), []uint8{1, 0, 1, 0}, false},
		{`"0x010001"`, Tensor(I1, 3), []uint8{1, 0, 1}, false},
		{`"0x0502"`, Tensor(I1, 10), []uint8{1, 0, 1, 0, 0, 0, 0, 0, 0, 1}, false},
		{"[-1, 7]", Tensor(IntegerType{Width: 4}, 2), []int8{-1, 7}, false},
		{"[-128, 127, 255]", Tensor(IntegerType{Width: 8}, 3), []int8{-128, 127, -1}, false},
		{"[255, 010]", Tensor(UI8, 2), []uint8{255, 10}, false},
		{"[-1, 0x10]", Tensor(I32, 2), []int32{-1, 16}, false},
		{"[-9223372036854775808, 18446744073709551615]", Tensor(I64, 2), []int64{math.MinInt64, -1}, false},
		{"18446744073709551615", Tensor(UI64), []uint64{math.MaxUint64}, false},
		{"[(1.0,2.0), (0.0, -1.0)]", Tensor(ComplexType{F32}, 2), []float32{1, 2, 0, -1}, false},
		{"(1.0,2.0)", Tensor(ComplexType{F64}, 3), []float64{1, 2}, true},
		{"[1.0, 448.0, 0.001953125]", Tensor(FloatType{"f8E4M3FN"}, 3), []uint8{0x38, 0x7E, 0x01}, false},
		{"[[1, 2], // one\n [3, 4]]", Tensor(I32, 2, 2), []int32{1, 2, 3, 4}, false},
	} {
		a := &DenseAttr{Literal: c.literal, Type: c.typ}
		data, splat, err := a.Decode()
		require.NoError(t, err, c.literal)
		require.Empty(t, cmp.Diff(bytesOf(c.want), data), "%s : %s", c.literal, c.typ)
		require.Equal(t, c.splat, splat, "%s : %s", c.literal, c.typ)
	}
}

func TestDense(t *testing.T) {
	for _, c := range []struct {
		typ  *TensorType
		data any
		want string
	}{
		{Tensor(F32), []float32{1}, "1.000000e+00"},
		{Tensor(F32, 2), []float32{0.1, -1e-30}, "[1.000000e-01, -1.000000e-30]"},
		{Tensor(F32, 2), []float32{1.0 / 3, 16777217}, "[0.333333343, 0x4B800000]"},
		{Tensor(F32, 3), []float32{2, 2, 2}, "2.000000e+00"},
		{Tensor(F32, 0), []float32{}, ""},
		{Tensor(F32, 4), []float32{0.9, 0.693147182, 1e-45, 1e10}, "[0.899999976, 0.693147182, 1.401300e-45, 1.000000e+10]"},
		{Tensor(F64, 3), []float64{1e-7, 123456.5, 1e300}, "[9.9999999999999995E-8, 123456.5, 1.000000e+300]"},
		{Tensor(F32, 2), []uint32{0x7FC00000, 0xFF800000}, "[0x7FC00000, 0xFF800000]"},
		{Tensor(F32, 2), []uint32{0x80000000, 0}, "[-0.000000e+00, 0.000000e+00]"},
		{Tensor(F64, 2), []float64{0.1, 1.0 / 3}, "[1.000000e-01, 0.33333333333333331]"},
		{Tensor(BF16, 2), []uint16{0x3F80, 0x7FC0}, "[1.000000e+00, 0x7FC0]"},
		{Tensor(F16, 2), []uint16{0x3C00, 0x7BFF}, "[1.000000e+00, 6.550400e+04]"},
		{Tensor(I1, 2, 1), []uint8{1, 0}, "[[true], [false]]"},
		{Tensor(IntegerType{Width: 8}, 2), []int8{-1, 2}, "[-1, 2]"},
		{Tensor(UI8, 2), []uint8{255, 2}, "[255, 2]"},
		{Tensor(I64, 2), []int64{math.MinInt64, 2}, "[-9223372036854775808, 2]"},
		{Tensor(UI64, 1), []uint64{math.MaxUint64}, "18446744073709551615"},
		{Tensor(ComplexType{F32}, 2), []float32{1, 2, 3, 4}, "[(1.000000e+00,2.000000e+00), (3.000000e+00,4.000000e+00)]"},
	} {
		a := Dense(c.typ, bytesOf(c.data))
		require.NotNil(t, a)
		require.Equal(t, c.want, a.Literal, c.typ.String())
		requireData(t, a, bytesOf(c.data))
	}
	require.Nil(t, Dense(Tensor(F32, 2), make([]byte, 4)))
	require.Nil(t, Dense(Tensor(F32, Dynamic), nil))
}

// requireData decodes a and compares its values with data, splats spread out.
func requireData(t *testing.T, a *DenseAttr, data []byte) {
	got, splat, err := a.Decode()
	require.NoError(t, err, a.Literal)
	if splat {
		got = []byte(strings.Repeat(string(got), int(a.Type.Elements())))
	}
	require.Empty(t, cmp.Diff(data, got), a.Literal)
}

// Every value of the narrow types survives the way to text and back, of the wider ones
// each 17th; with LTC_SOAK=1 all.
func TestDenseRoundTrip(t *testing.T) {
	for name := range minifloat.Names() {
		_, width, _ := minifloat.Of(name)
		elem, step := FloatType{name}, uint64(1)
		if width > 8 && !trials.Soaking() {
			step = 17
		}
		for bits := uint64(0); bits < 1<<width; bits += step {
			data := appendBits(nil, bits, elementSize(elem))
			requireData(t, Dense(Tensor(elem), data), data)
		}
	}
	long := make([]float32, 3*hexFrom)
	for i := range long {
		long[i] = float32(i) / 7
	}
	a := Dense(Tensor(F32, int64(len(long))), bytesOf(long))
	require.True(t, strings.HasPrefix(a.Literal, `"0x`))
	requireData(t, a, bytesOf(long))
	require.Equal(t, "3.125000e-02", FloatText(0.03125, F32))
	require.Equal(t, "0x7FC0", FloatText(math.NaN(), BF16))
}
