package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/mlir"
	"ltc/soa"
)

// What would take more memory than there is, or more work than such a tensor
// stands for, is refused before anything is allocated.
func TestWindowsBeyondMemory(t *testing.T) {
	const body = `({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %1 = stablehlo.add %x, %y : tensor<f32>
  stablehlo.return %1 : tensor<f32>
})`
	window := func(attrs string) string {
		return `func.func public @main(%a: tensor<2xf32>, %i: tensor<f32>) -> tensor<1xf32> {
  %0 = "stablehlo.reduce_window"(%a, %i) <{` + attrs + `}> ` + body + ` : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}`
	}
	for _, attrs := range []string{
		"window_dimensions = array<i64: 1099511627776>, padding = dense<[[1099511627774, 0]]> : tensor<1x2xi64>",
		"window_dimensions = array<i64: 1099511627777>, base_dilations = array<i64: 1099511627776>",
		"window_dimensions = array<i64: 1>, window_strides = array<i64: 4611686018427387904>, padding = dense<[[4611686018427387902, 0]]> : tensor<1x2xi64>",
		"window_dimensions = array<i64: 2>, window_dilations = array<i64: 4611686018427387904>, padding = dense<[[4611686018427387903, 0]]> : tensor<1x2xi64>",
	} {
		err := compileError(window(attrs))
		require.ErrorContains(t, err, "m.mlir:2:8: error: stablehlo.reduce_window: padded dimension 0: not enough memory", attrs)
	}
}

// The shape that rng is given may turn out to be another than its result's.
func TestRngShape(t *testing.T) {
	e := compile(t, `func.func public @main(%s: tensor<2xi64>) -> tensor<2x3xf32> {
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}`)
	shape := soa.Make(e.Signature().Args[0].Type)
	copy(soa.Slice[int64](shape), []int64{2, 4})
	err := e.Execute(context.Background(), &backends.Call{Args: []soa.View{shape}, Results: make([]soa.View, 1)})
	var re *backends.RunError
	require.ErrorAs(t, err, &re)
	require.EqualError(t, re.Reason, "shape[1] is 4, the result's dimension 3")
}

// Each op of a run, and each time it is reached, draws other numbers; each run
// the same.
func TestRngRepeats(t *testing.T) {
	e := compile(t, `func.func public @main() -> (tensor<4xf64>, tensor<4xf64>, tensor<2x4xf64>) {
  %a = stablehlo.constant dense<0.0> : tensor<f64>
  %b = stablehlo.constant dense<1.0> : tensor<f64>
  %s = stablehlo.constant dense<4> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<4xf64>
  %1 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<4xf64>
  %2 = func.call @f(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<1x4xf64>
  %3 = func.call @f(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<1x4xf64>
  %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<1x4xf64>, tensor<1x4xf64>) -> tensor<2x4xf64>
  return %0, %1, %4 : tensor<4xf64>, tensor<4xf64>, tensor<2x4xf64>
}
func.func private @f(%a: tensor<f64>, %b: tensor<f64>) -> tensor<1x4xf64> {
  %s = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f64>, tensor<f64>, tensor<2xi64>) -> tensor<1x4xf64>
  return %0 : tensor<1x4xf64>
}`)
	draw := func() []float64 {
		c := &backends.Call{Results: make([]soa.View, 3)}
		require.NoError(t, e.Execute(context.Background(), c))
		var all []float64
		for _, r := range c.Results {
			all = append(all, soa.Slice[float64](r)...)
		}
		return all
	}
	first := draw()
	require.Equal(t, first, draw())
	slices.Sort(first)
	require.Len(t, slices.Compact(first), 16)
}

func TestMergeSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		keys, perm, temp := make([]int, n), make([]int, n), make([]int, n)
		for i := range keys {
			keys[i], perm[i] = r.IntN(5), i
		}
		require.NoError(t, mergeSort(perm, temp, func(x, y int) (bool, error) { return keys[x] < keys[y], nil }))
		for i := 1; i < n; i++ {
			a, b := perm[i-1], perm[i]
			require.True(t, keys[a] < keys[b] || keys[a] == keys[b] && a < b, "not stable")
		}
		// No order at all: each element is still there once.
		require.NoError(t, mergeSort(perm, temp, func(int, int) (bool, error) { return r.IntN(2) == 0, nil }))
		slices.Sort(perm)
		for i, x := range perm {
			require.Equal(t, i, x)
		}
		fails := fmt.Errorf("no")
		if n > 1 {
			require.Equal(t, fails, mergeSort(perm, temp, func(int, int) (bool, error) { return false, fails }))
		}
	}
}

func TestParseConvDims(t *testing.T) {
	lists, err := parseConvDims(mlir.DialectAttr{Text: "stablehlo.conv<[b, 1, 0, f]x[0, i, 1, o]->[f, 0, b, 1]>"}, 4)
	require.NoError(t, err)
	raw, err := parseConvDims(mlir.DialectAttr{Text: `stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [2, 1],
    kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 2],
    output_batch_dimension = 2, output_feature_dimension = 0, output_spatial_dimensions = [1, 3]>`}, 4)
	require.NoError(t, err)
	require.Equal(t, lists, raw)
	for _, text := range []string{
		"stablehlo.conv<>", "stablehlo.conv<[b, f]x[i, o]>", "stablehlo.conv<[b, f]x[i, o]->[b, b]>", "stablehlo.conv<[b, f, 1]x[i, o, 0]->[b, f, 0]>",
		"stablehlo.conv<raw a>", "stablehlo.conv<raw input_batch_dimension = [0]>", "stablehlo.conv<raw input_spatial_dimensions = [x]>", "stablehlo.conv<[b, f]x[i, o]->[b, f]>",
		"stablehlo.gather<>",
	} {
		_, err := parseConvDims(mlir.DialectAttr{Text: text}, 3)
		require.ErrorContains(t, err, "dimension", text)
	}
	_, err = parseConvDims(nil, 3)
	require.ErrorContains(t, err, "#stablehlo.conv<…> is expected")
}
