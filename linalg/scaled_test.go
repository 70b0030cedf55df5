package linalg_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
	"ltc/linalg"
)

// Scaled products are those of torch._scaled_mm, within a place of the dtype, and exactly for
// results of 8 bits: with a scale for all or for each row and column, with and without bias. testdata/scaled.py writes the goldens.
func TestScaledMM(t *testing.T) {
	data, err := os.ReadFile("testdata/scaled.json")
	require.NoError(t, err)
	var cases []struct {
		X, Y                         string // dtypes
		XBits, YBits                 []int
		M, K, N                      int
		ScaleX, ScaleY, Bias, Result []float32
		DType                        string
		Within                       float64
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	require.Len(t, cases, 12)
	for _, backend := range []string{"eval", "cpu"} {
		dev, err := lazy.Open(backend)
		require.NoError(t, err)
		defer dev.Close()
		for _, c := range cases {
			tr := lazy.NewTrace(dev)
			operand := func(dtype string, bits []int, dims ...int) *lazy.Tensor {
				if dtype == "f8E5M2" {
					return lazy.From(tr, elements[types.Float8E5M2](bits), dims...)
				}
				return lazy.From(tr, elements[types.Float8E4M3FN](bits), dims...)
			}
			x, y := operand(c.X, c.XBits, c.M, c.K), operand(c.Y, c.YBits, c.K, c.N)
			scale := func(all []float32, dims ...int) *lazy.Tensor {
				if len(all) == 1 {
					return lazy.From(tr, all).Reshape()
				}
				return lazy.From(tr, all, dims...)
			}
			var bias *lazy.Tensor
			d, ok := types.ParseDType(c.DType)
			require.True(t, ok)
			if c.Bias != nil {
				bias = lazy.From(tr, c.Bias).Convert(d)
			}
			z := linalg.ScaledMM(x, y, scale(c.ScaleX, c.M, 1), scale(c.ScaleY, 1, c.N), bias, d)
			require.NoError(t, z.Err())
			require.Equal(t, types.Of(d, c.M, c.N), z.Type())
			got, err := lazy.ToSlice[float32](z.Convert(lazy.F32))
			require.NoError(t, err)
			for i, want := range c.Result {
				require.InDelta(t, want, got[i], c.Within*max(math.Abs(float64(want)), 1), "%s: %v times %v to %v, element %d", backend, c.X, c.Y, d, i)
			}
		}
	}
}

// Gradients are those of the conversions and of AddMM in f32. PyTorch has none of _scaled_mm.
func TestScaledMMGradients(t *testing.T) {
	tr := trace(t, "cpu")
	x, y := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6}, 2, 3), lazy.From(tr, []float32{2, 0.5, 1, -1, 3, 4}, 3, 2)
	scaleX, scaleY, bias := lazy.From(tr, []float32{0.5, 2}, 2, 1), lazy.From(tr, []float32{3}), lazy.From(tr, []float32{1, 2})
	weights := lazy.From(tr, []float32{1, 2, -1, 0.5}, 2, 2)
	of := func(z *lazy.Tensor) []*lazy.Tensor {
		require.NoError(t, z.Err())
		return lazy.Grad(z.Mul(weights).Sum(), x, y, scaleX, scaleY, bias)
	}
	got := of(linalg.ScaledMM(x.Convert(lazy.F8E4M3FN), y.Convert(lazy.F8E4M3FN), scaleX, scaleY, bias, lazy.F32))
	want := of(x.MatMul(y).Mul(scaleX).Mul(scaleY).Add(bias))
	for i, g := range want {
		if i < 2 {
			g = g.Convert(lazy.F8E4M3FN).Convert(lazy.F32)
		}
		require.Equal(t, values(t, g), values(t, got[i]), "operand %d", i)
	}
}

func elements[T ~uint8](bits []int) []T {
	all := make([]T, len(bits))
	for i, b := range bits {
		all[i] = T(b)
	}
	return all
}
