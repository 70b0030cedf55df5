package eval

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// Integers that float64 cannot hold are rounded once, not by way of it: each of
// these lies just above the middle between two numbers of the narrower type.
func TestWideIntegersRoundOnce(t *testing.T) {
	for _, c := range []struct {
		from, to, value string
		want            float32
	}{
		{"i64", "bf16", "4629700416936869889", 0x1.02p62},
		{"i64", "bf16", "4629700416936869888", 0x1p62}, // the middle itself: to even
		{"i64", "bf16", "-4629700416936869889", -0x1.02p62},
		{"ui64", "bf16", "9259400833873739777", 0x1.02p63},
		{"i64", "tf32", "4613937818241073153", 0x1.004p62},
		{"i64", "f8E8M0FNU", "6917529027641081857", 0x1p63},
		{"i64", "f16", "-9223372036854775808", float32(math.Inf(-1))},
		{"i64", "bf16", "-9223372036854775808", -0x1p63},
	} {
		e := compile(t, `func.func public @main() -> tensor<f32> {
  %0 = stablehlo.constant dense<`+c.value+`> : tensor<`+c.from+`>
  %1 = stablehlo.convert %0 : (tensor<`+c.from+`>) -> tensor<`+c.to+`>
  %2 = stablehlo.convert %1 : (tensor<`+c.to+`>) -> tensor<f32>
  return %2 : tensor<f32>
}`)
		call := &backends.Call{}
		require.NoError(t, e.Execute(context.Background(), call))
		require.Equal(t, c.want, soa.Slice[float32](call.Results[0])[0], c)
	}
}

// Sizes whose sums do not fit 64 bits are neither taken nor mistaken for others.
func TestExtremeSizes(t *testing.T) {
	const pad = `func.func public @main() -> tensor<4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  %1 = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.pad %0, %1, low = [LOW], high = [HIGH], interior = [INNER] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}`
	for _, c := range []struct{ low, high, inner, want string }{
		{"-9223372036854775808", "-9223372036854775808", "0", "pad_c4"},
		{"0", "0", "6148914691236517205", "pad_c4"},
		{"-9223372036854775807", "-2", "3074457345618258603", "more than the evaluator takes"},
	} {
		err := compileError(strings.NewReplacer("LOW", c.low, "HIGH", c.high, "INNER", c.inner).Replace(pad))
		require.Error(t, err, c)
		require.ErrorContains(t, err, c.want)
	}
	require.ErrorContains(t, compileError(`func.func @main(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<12xf32> {
  %0 = "stablehlo.reduce_window"(%a, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) {window_dimensions = array<i64: 4611686018427387904>, window_dilations = array<i64: 8>} : (tensor<4xf32>, tensor<f32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}`), "its shape should be [0] (reduce_window_c15)")
	e := compile(t, `func.func public @main() -> tensor<1xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %1 = stablehlo.slice %0 [1:3:9223372036854775807] : (tensor<3xf32>) -> tensor<1xf32>
  return %1 : tensor<1xf32>
}`)
	call := &backends.Call{}
	require.NoError(t, e.Execute(context.Background(), call))
	require.Equal(t, []float32{2}, soa.Slice[float32](call.Results[0]))
}

// A scatter keeps nothing for each element of its windows.
func TestScatterWholeWindow(t *testing.T) {
	trials.Sequential(t)
	const rows, columns = 1500, 1500
	text := fmt.Sprintf(`func.func @main(%%a: tensor<%[1]dx%[2]dxf32>, %%i: tensor<2xi32>) -> tensor<%[1]dx%[2]dxf32> {
  %%0 = "stablehlo.scatter"(%%a, %%i, %%a) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>}> ({
  ^bb0(%%x: tensor<f32>, %%y: tensor<f32>):
    %%1 = stablehlo.add %%x, %%y : tensor<f32>
    stablehlo.return %%1 : tensor<f32>
  }) : (tensor<%[1]dx%[2]dxf32>, tensor<2xi32>, tensor<%[1]dx%[2]dxf32>) -> tensor<%[1]dx%[2]dxf32>
  return %%0 : tensor<%[1]dx%[2]dxf32>
}`, rows, columns)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e := compile(t, text)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "in bytes")
	x := make([]float32, rows*columns)
	for i := range x {
		x[i] = float32(i)
	}
	// Moved by more than a row and a column, so that what leaves the tensor is left out.
	for _, at := range [][]int32{{0, 0}, {3, -2}, {-rows, 0}, {1 << 30, -1 << 30}} {
		i, err := soa.Borrow(at, types.Of(types.I32, 2))
		require.NoError(t, err)
		c := &backends.Call{Args: []soa.View{vec(t, x, rows, columns), i}}
		require.NoError(t, e.Execute(context.Background(), c))
		want := slices.Clone(x)
		for r := range rows {
			for k := range columns {
				if r, k := r+int(at[0]), k+int(at[1]); r >= 0 && r < rows && k >= 0 && k < columns {
					want[r*columns+k] += x[(r-int(at[0]))*columns+k-int(at[1])]
				}
			}
		}
		require.True(t, slices.Equal(want, soa.Slice[float32](c.Results[0])), at)
	}
}
