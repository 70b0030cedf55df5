package lazy_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/lazy"
)

// Numbers as operands are elements of the tensor's dtype, on the side that the name says.
func TestNumbersAsOperands(t *testing.T) {
	inf := math.Inf(1)
	for _, backend := range []string{"eval", "cpu"} {
		dev, err := lazy.Open(backend)
		require.NoError(t, err)
		tr := lazy.NewTrace(dev)
		x, i := lazy.From(tr, []float64{-7.5, 0, 2}), lazy.From(tr, []int32{-7, 0, 6})
		mask := lazy.From(tr, []bool{true, false, true})
		cases := []struct {
			name string
			y    *lazy.Tensor
			want []float64
		}{
			{"RSubScalar", x.RSubScalar(1), []float64{8.5, 1, -1}},
			{"RDivScalar", x.RDivScalar(3), []float64{-0.4, inf, 1.5}},
			{"RPowScalar", x.RPowScalar(4), []float64{math.Pow(4, -7.5), 1, 16}},
			{"RemScalar", x.RemScalar(2), []float64{-1.5, 0, 0}},
			{"RemainderScalar", x.RemainderScalar(2), []float64{0.5, 0, 0}},
			{"RemainderScalar of integers", i.RemainderScalar(4), []float64{1, 0, 2}},
			{"FloorDivideScalar", x.FloorDivideScalar(2), []float64{-4, 0, 1}},
			{"FloorDivideScalar of integers", i.FloorDivideScalar(-4), []float64{1, 0, -2}},
			{"ClampScalar", x.ClampScalar(-1, 1), []float64{-1, 0, 1}},
			{"ClampScalar without one side", i.ClampScalar(math.Inf(-1), 1), []float64{-7, 0, 1}},
			{"ClampScalar without the other", i.ClampScalar(1, inf), []float64{1, 1, 6}},
			{"ClampScalar without sides", i.ClampScalar(-inf, inf), []float64{-7, 0, 6}},
			{"ClampScalar with crossed sides", x.ClampScalar(5, 1), []float64{1, 1, 1}},
			{"MaskedFill", x.MaskedFill(mask, -inf), []float64{-inf, 0, -inf}},
			{"MaskedFill of integers", i.MaskedFill(mask, 9), []float64{9, 0, 9}},
			{"ScalarWhere", mask.ScalarWhere(1, x), []float64{1, 0, 1}},
			{"AndScalar", i.AndScalar(3), []float64{1, 0, 2}},
			{"OrScalar", i.OrScalar(1), []float64{-7, 1, 7}},
			{"XorScalar", i.XorScalar(-1), []float64{6, -1, -7}},
			{"ShiftLeftScalar", i.ShiftLeftScalar(1), []float64{-14, 0, 12}},
			{"ShiftRightScalar", i.ShiftRightScalar(1), []float64{-4, 0, 3}},
			{"XorScalar of bools", mask.XorScalar(1).Convert(lazy.F64), []float64{0, 1, 0}},
			{"ClampScalar_", x.Clone().ClampScalar_(-1, 1), []float64{-1, 0, 1}},
			{"MaskedFill_", x.Clone().MaskedFill_(mask, 4), []float64{4, 0, 4}},
			{"CopySign_", x.Clone().CopySign_(x.Neg()), []float64{7.5, 0, -2}},
		}
		var ys []*lazy.Tensor
		for _, c := range cases {
			ys = append(ys, c.y.Convert(lazy.F64))
		}
		require.NoError(t, tr.MarkStep(ys...))
		for k, c := range cases {
			got, err := lazy.ToSlice[float64](ys[k])
			require.NoError(t, err, c.name)
			for j, w := range c.want {
				require.True(t, w == got[j] || math.Abs(w-got[j]) < 1e-15, "%s on %s gives %v, want %v", c.name, backend, got, c.want)
			}
		}
		require.NoError(t, dev.Close())
	}
}

func TestNumbersThatCannotBeOperands(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	x, i, u := lazy.From(tr, []float32{1}), lazy.From(tr, []int8{1}), lazy.From(tr, []uint8{1})
	long, unsigned := lazy.From(tr, []int64{1}), lazy.From(tr, []uint64{1})
	for want, y := range map[string]*lazy.Tensor{
		"clamp_scalar(f32[1]): a bound is NaN; use infinities for none (clamp_scalar_bounds)": x.ClampScalar(0, math.NaN()),
		"clamp_scalar(i8[1]): 0.5 is no value of i8; convert x with Convert":                  i.ClampScalar(0.5, 1),
		"remainder_scalar(i8[1]): 300 is no value of i8; convert x with Convert":              i.RemainderScalar(300),
		"r_sub_scalar(i8[1]): 0.5 is no value of i8; convert x with Convert":                  i.RSubScalar(0.5),
		"and_scalar(i8[1]): 128 is no value of i8":                                            i.AndScalar(128),
		"or_scalar(u8[1]): -1 is no value of u8":                                              u.OrScalar(-1),
		"xor_scalar(f32[1]): x must be bool or an integer, is f32":                            x.XorScalar(1),
		"masked_fill(i8[1], bool[1]): +Inf is no value of i8; convert x with Convert":         i.MaskedFill(i.Equal(i), math.Inf(1)),
		"add_scalar(i64[1]): 9007199254740992 may have been rounded: f64 has all integers only below 2^53; give a tensor, as lazy.From(tr, []int64{n}) (add_scalar_number)": long.AddScalar(1<<53 + 1),
		"less_scalar(u64[1]): 9007199254740992 may have been rounded":           unsigned.LessScalar(1 << 53),
		"masked_fill(i64[1], bool[1]): -9007199254740992 may have been rounded": long.MaskedFill(long.Equal(long), -1<<53),
		"scalar_where(bool[3], i8[2]): shapes do not broadcast":                 lazy.From(tr, []bool{true, false, true}).ScalarWhere(1, lazy.From(tr, []int8{1, 2})),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "elementwise_test.go:")
	}
	for want, y := range map[int64]*lazy.Tensor{
		1 << 53:       long.AddScalar(1<<53 - 1),
		1<<53 + 2:     long.Add(lazy.From(tr, []int64{1<<53 + 1})),
		math.MinInt64: long.MinimumScalar(math.MinInt64),
	} {
		got, err := lazy.ToSlice[int64](y)
		require.NoError(t, err)
		require.Equal(t, []int64{want}, got)
	}
}

// AsType is Convert for another dtype, and records nothing for its own.
func TestAsType(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1.5, -2})
	require.Same(t, x, x.AsType(lazy.F32))
	y := x.AsType(lazy.I32)
	require.Equal(t, lazy.I32, y.DType())
	got, err := lazy.ToSlice[int32](y)
	require.NoError(t, err)
	require.Equal(t, []int32{1, -2}, got)
	require.Error(t, (*lazy.Tensor)(nil).AsType(lazy.F32).Err())
}
