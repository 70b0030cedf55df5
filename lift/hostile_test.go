package lift_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lift"
)

// reduction is a text that reduces four numbers of a dtype by an op, which is bounded by a
// constant.
func reduction(dtype, init, op, bound, most string) string {
	return strings.NewReplacer("T", "tensor<"+dtype+">", "INIT", init, "OP", op, "BOUND", bound, "MOST", most, "X", "tensor<4x"+dtype+">").Replace(`
func.func @main(%x: X) -> T {
  %i = stablehlo.constant dense<INIT> : T
  %y = "stablehlo.reduce"(%x, %i) ({
  ^bb0(%a: T, %b: T):
    %c = stablehlo.constant dense<MOST> : T
    %m = stablehlo.OP %a, %b : T
    %n = stablehlo.BOUND %m, %c : T
    stablehlo.return %n : T
  }) {dimensions = array<i64: 0>} : (X, T) -> T
  return %y : T
}`)
}

// largest is a text that reduces numbers and their places to the largest and its place.
func largest(value, place string) string {
	return strings.NewReplacer("VALUE", value, "PLACE", place).Replace(`
func.func @main(%x: tensor<4xi32>) -> (tensor<i32>, tensor<i32>) {
  %i = stablehlo.constant dense<VALUE> : tensor<i32>
  %j = stablehlo.constant dense<PLACE> : tensor<i32>
  %p = stablehlo.iota dim = 0 : tensor<4xi32>
  %y:2 = "stablehlo.reduce"(%x, %p, %i, %j) ({
  ^bb0(%a: tensor<i32>, %ia: tensor<i32>, %b: tensor<i32>, %ib: tensor<i32>):
    %win = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %eq = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %lt = stablehlo.compare LT, %ia, %ib : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %tie = stablehlo.and %eq, %lt : tensor<i1>
    %first = stablehlo.or %win, %tie : tensor<i1>
    %v = stablehlo.select %first, %a, %b : tensor<i1>, tensor<i32>
    %k = stablehlo.select %first, %ia, %ib : tensor<i1>, tensor<i32>
    stablehlo.return %v, %k : tensor<i32>, tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  return %y#0, %y#1 : tensor<i32>, tensor<i32>
}`)
}

// sorted is a text that sorts along an axis, by numbers up to 5 if they are bounded.
func sorted(axis int, bounded bool) string {
	a, b := "%a", "%b"
	if bounded {
		a, b = "%m", "%n"
	}
	return fmt.Sprintf(`
func.func @main(%%x: tensor<3x4xi32>, %%y: tensor<3x4xi32>) -> (tensor<3x4xi32>, tensor<3x4xi32>) {
  %%r:2 = "stablehlo.sort"(%%x, %%y) ({
  ^bb0(%%a: tensor<i32>, %%b: tensor<i32>, %%d: tensor<i32>, %%e: tensor<i32>):
    %%c = stablehlo.constant dense<5> : tensor<i32>
    %%m = stablehlo.minimum %%a, %%c : tensor<i32>
    %%n = stablehlo.minimum %%b, %%c : tensor<i32>
    %%p = stablehlo.compare GT, %s, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%p : tensor<i1>
  }) {dimension = %d : i64, is_stable = true} : (tensor<3x4xi32>, tensor<3x4xi32>) -> (tensor<3x4xi32>, tensor<3x4xi32>)
  return %%r#0, %%r#1 : tensor<3x4xi32>, tensor<3x4xi32>
}`, a, b, axis)
}

// doubling is a text whose functions call the next one twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %y = func.call @f0(%x) : (tensor<f32>) -> tensor<f32>\n  return %y : tensor<f32>\n}\n")
	for i := range n {
		fmt.Fprintf(&b, "func.func private @f%d(%%x: tensor<f32>) -> tensor<f32> {\n  %%a = func.call @f%d(%%x) : (tensor<f32>) -> tensor<f32>\n  %%b = func.call @f%d(%%a) : (tensor<f32>) -> tensor<f32>\n  return %%b : tensor<f32>\n}\n", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "func.func private @f%d(%%x: tensor<f32>) -> tensor<f32> {\n  %%a = stablehlo.add %%x, %%x : tensor<f32>\n  return %%a : tensor<f32>\n}\n", n)
	return b.String()
}

// Texts that nearly are what tensors have an op for are errors.
func TestNearMisses(t *testing.T) {
	region := "its region is no sum, product, maximum or minimum"
	for name, c := range map[string]struct{ text, want string }{
		"a sum that saturates":        {reduction("i32", "0", "add", "minimum", "20"), region},
		"a maximum that saturates":    {reduction("f32", "-1.0e3", "maximum", "minimum", "1.0e2"), region},
		"an order of bounded numbers": {sorted(1, true), "its comparator is not the order"},
		"another largest number":      {largest("100", "0"), "its region and initial value are not those"},
		"a negative place":            {largest("-2147483648", "-5"), "the place that it begins with must be a constant"},
		"no body":                     {"func.func private @main(tensor<f32>) -> tensor<f32>", "function main has no body"},
		"calls without end":           {doubling(60), "more than 1048576 ops, each call counted"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := lift.Read("near.mlir", c.text)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// Texts at the ends of what their types hold give the bits that they give themselves.
func TestEnds(t *testing.T) {
	texts := map[string]string{
		"axis from the end": sorted(-1, false),
		"largest":           largest("-2147483648", "0"),
		"narrow product": `
func.func @main(%x: tensor<8x64xf32>, %y: tensor<64x8xf32>) -> tensor<8x8xf16> {
  %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf16>
  return %z : tensor<8x8xf16>
}`,
		"initial value of nothing": `
func.func @main(%x: tensor<0xi64>) -> tensor<i64> {
  %i = stablehlo.constant dense<-9223372036854775807> : tensor<i64>
  %y = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<0xi64>, tensor<i64>) -> tensor<i64>
  return %y : tensor<i64>
}`,
	}
	for _, index := range []string{"18446744073709551615", "9223372036854775808", "1"} {
		texts["gather "+index] = `
func.func @main(%x: tensor<5x3xf32>) -> tensor<1x2x2xf32> {
  %i = stablehlo.constant dense<` + index + `> : tensor<1x2xui64>
  %y = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 2>, indices_are_sorted = false}> : (tensor<5x3xf32>, tensor<1x2xui64>) -> tensor<1x2x2xf32>
  return %y : tensor<1x2x2xf32>
}`
		texts["scatter "+index] = `
func.func @main(%x: tensor<5x3xf32>, %u: tensor<1x2x2xf32>) -> tensor<5x3xf32> {
  %i = stablehlo.constant dense<` + index + `> : tensor<1x2xui64>
  %y = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<1x2xui64>, tensor<1x2x2xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}`
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			f, err := lift.Read("end.mlir", text)
			require.NoError(t, err)
			other, constants, err := again(f)
			require.NoError(t, err)
			want, got := run(t, text, inputs(t, f, 1)), run(t, other, append(inputs(t, f, 1), constants...))
			require.Len(t, got, len(want))
			for i := range want {
				requireSame(t, got[i], want[i], "result %d of\n%s\nlifted to\n%s", i, text, other)
			}
		})
	}
}
