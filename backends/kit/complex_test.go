package kit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/samples"
	"ltc/internal/test/kittest"
	"ltc/soa"
)

// Programs of complex numbers are kernels of their parts, also in loops.
func TestComplexNumbers(t *testing.T) {
	for name, text := range map[string]string{
		"elements": `func.func @main(%x: tensor<5x7xf32>, %y: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xi1>) {
  %a = stablehlo.complex %x, %y : tensor<5x7xcomplex<f32>>
  %b = stablehlo.constant dense<(1.5, -2.0)> : tensor<5x7xcomplex<f32>>
  %0 = stablehlo.multiply %a, %b : tensor<5x7xcomplex<f32>>
  %1 = stablehlo.add %0, %a : tensor<5x7xcomplex<f32>>
  %2 = stablehlo.abs %1 : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
  %3 = stablehlo.maximum %1, %b : tensor<5x7xcomplex<f32>>
  %4 = stablehlo.imag %3 : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
  %5 = stablehlo.compare EQ, %3, %b : (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xi1>
  return %2, %4, %5 : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xi1>
}`,
		"doubles": `func.func @main(%x: tensor<35xf64>) -> (tensor<35xf64>, tensor<35xf32>) {
  %a = stablehlo.convert %x : (tensor<35xf64>) -> tensor<35xcomplex<f64>>
  %b = stablehlo.constant dense<(0.0, 1.0)> : tensor<35xcomplex<f64>>
  %0 = stablehlo.add %a, %b : tensor<35xcomplex<f64>>
  %1 = stablehlo.abs %0 : (tensor<35xcomplex<f64>>) -> tensor<35xf64>
  %2 = stablehlo.convert %0 : (tensor<35xcomplex<f64>>) -> tensor<35xf32>
  return %1, %2 : tensor<35xf64>, tensor<35xf32>
}`,
		"moves": `func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x5xf32> {
  %a = stablehlo.complex %x, %y : tensor<4x6xcomplex<f32>>
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xcomplex<f32>>) -> tensor<6x4xcomplex<f32>>
  %1 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<6x4xcomplex<f32>>, tensor<3x1xi32>) -> tensor<3x4xcomplex<f32>>
  %2 = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %3 = stablehlo.pad %1, %2, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<3x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3x5xcomplex<f32>>
  %4 = stablehlo.abs %3 : (tensor<3x5xcomplex<f32>>) -> tensor<3x5xf32>
  return %4 : tensor<3x5xf32>
}`,
		"sums": `func.func @main(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> (tensor<8xf32>, tensor<8x8xf32>, tensor<8x4xf32>) {
  %a = stablehlo.complex %x, %y : tensor<8x16xcomplex<f32>>
  %0 = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %1 = stablehlo.reduce(%a init: %0) applies stablehlo.add across dimensions = [1] : (tensor<8x16xcomplex<f32>>, tensor<complex<f32>>) -> tensor<8xcomplex<f32>>
  %2 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<8x16xcomplex<f32>>, tensor<8x16xcomplex<f32>>) -> tensor<8x8xcomplex<f32>>
  %b = stablehlo.convert %w : (tensor<16x4xf32>) -> tensor<16x4xcomplex<f32>>
  %3 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xcomplex<f32>>, tensor<16x4xcomplex<f32>>) -> tensor<8x4xcomplex<f32>>
  %4 = stablehlo.abs %1 : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
  %5 = stablehlo.imag %2 : (tensor<8x8xcomplex<f32>>) -> tensor<8x8xf32>
  %6 = stablehlo.real %3 : (tensor<8x4xcomplex<f32>>) -> tensor<8x4xf32>
  return %4, %5, %6 : tensor<8xf32>, tensor<8x8xf32>, tensor<8x4xf32>
}`,
		"convolution": `func.func @main(%x: tensor<2x16x3xf32>, %y: tensor<2x16x3xf32>, %u: tensor<3x3x8xf32>, %v: tensor<3x3x8xf32>) -> (tensor<2x16x8xf32>, tensor<2x16x8xf32>) {
  %a = stablehlo.complex %x, %y : tensor<2x16x3xcomplex<f32>>
  %b = stablehlo.complex %u, %v : tensor<3x3x8xcomplex<f32>>
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x3xcomplex<f32>>, tensor<3x3x8xcomplex<f32>>) -> tensor<2x16x8xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<2x16x8xcomplex<f32>>) -> tensor<2x16x8xf32>
  %2 = stablehlo.imag %0 : (tensor<2x16x8xcomplex<f32>>) -> tensor<2x16x8xf32>
  return %1, %2 : tensor<2x16x8xf32>, tensor<2x16x8xf32>
}`,
		"loop": `func.func @main(%x: tensor<9xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  %a = stablehlo.complex %x, %y : tensor<9xcomplex<f32>>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %z = %a) : tensor<i32>, tensor<9xcomplex<f32>>
  cond {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %c : tensor<i32>
    %2 = stablehlo.multiply %z, %z : tensor<9xcomplex<f32>>
    %3 = stablehlo.subtract %2, %a : tensor<9xcomplex<f32>>
    stablehlo.return %1, %3 : tensor<i32>, tensor<9xcomplex<f32>>
  }
  %4 = stablehlo.imag %0#1 : (tensor<9xcomplex<f32>>) -> tensor<9xf32>
  return %4 : tensor<9xf32>
}`,
	} {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, kittest.Same(t, text).HostSteps())
			requireOnCPU(t, text, name)
		})
	}
}

// An op that is left to the evaluator takes and gives complex numbers between kernels.
func TestComplexNumbersOfTheEvaluator(t *testing.T) {
	steps := kittest.Same(t, `func.func @main(%x: tensor<5x3xf32>, %y: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %a = stablehlo.complex %x, %y : tensor<5x3xcomplex<f32>>
  %0 = stablehlo.negate %a : tensor<5x3xcomplex<f32>>
  %1 = stablehlo.cbrt %0 : tensor<5x3xcomplex<f32>>
  %2 = stablehlo.add %1, %a : tensor<5x3xcomplex<f32>>
  %3 = stablehlo.abs %2 : (tensor<5x3xcomplex<f32>>) -> tensor<5x3xf32>
  return %3 : tensor<5x3xf32>
}`).HostSteps()
	require.Len(t, steps, 1)
	require.Equal(t, "stablehlo.cbrt", steps[0].Op.String())
}

// Functions of complex numbers are kernels.
func TestComplexFunctions(t *testing.T) {
	for elem, ops := range map[string]string{
		"f32": "cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sign sine sqrt tan tanh",
		"f64": "exponential sign sqrt",
	} {
		for _, op := range strings.Fields(ops) {
			text := strings.NewReplacer("OP", op, "Z", "tensor<67xcomplex<"+elem+">>", "P", "tensor<67x"+elem+">").Replace(`func.func @main(%x: P, %y: P, %u: P) -> (P, P) {
  %a = stablehlo.complex %x, %y : Z
  %b = stablehlo.complex %y, %u : Z
  %0 = stablehlo.divide %a, %b : Z
  %1 = stablehlo.OP %0 : Z
  %2 = stablehlo.convert %x : (P) -> Z
  %3 = stablehlo.divide %1, %2 : Z
  %4 = stablehlo.real %3 : (Z) -> P
  %5 = stablehlo.imag %3 : (Z) -> P
  return %4, %5 : P, P
}`)
			require.Empty(t, kittest.Same(t, text).HostSteps(), op)
			requireOnCPU(t, text, op)
		}
	}
}

// requireOnCPU compares a program on the backend cpu with the evaluator, and requires that
// nothing of it is left to that.
func requireOnCPU(t *testing.T, text, what string) {
	t.Helper()
	require.Empty(t, hostSteps(t, text), what)
	programs := onBoth(t, text)
	var args []soa.View
	for i, a := range programs[0].Signature().Args {
		v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", i+1))
		require.NoError(t, err)
		args = append(args, v)
	}
	results := resultsOf(t, programs, args)
	for j, want := range results[1] {
		d, err := samples.Differ(results[0][j], want)
		require.NoError(t, err)
		require.LessOrEqual(t, d.Size, 1e-4, "%s: result %d differs at %v: %s, want %s", what, j, d.At, d.Got, d.Want)
	}
}
