package kit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/kittest"
	"ltc/ir/types"
	"ltc/soa"
)

// compose gives the function %m*x + %n that applies %a*x + %b and then %c*x + %d. It is
// associative and not commutative.
const compose = `%m = stablehlo.multiply %a, %c : $T
      %h = stablehlo.multiply %b, %c : $T
      %n = stablehlo.add %h, %d : $T`

// composed is the reduce_window of functions along dimension 1 of two.
func composed(shape, window, padding string) string {
	return fmt.Sprintf(`func.func @main(%%x: tensor<%[1]sxi32>, %%y: tensor<%[1]sxi32>) -> (tensor<%[1]sxi32>, tensor<%[1]sxi32>) {
    %%i = stablehlo.constant dense<1> : tensor<i32>
    %%j = stablehlo.constant dense<0> : tensor<i32>
    %%1:2 = "stablehlo.reduce_window"(%%x, %%y, %%i, %%j) <{padding = dense<[[0, 0], [%[3]s]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, %[2]s>}> ({
    ^bb0(%%a: tensor<i32>, %%b: tensor<i32>, %%c: tensor<i32>, %%d: tensor<i32>):
      %[4]s
      stablehlo.return %%m, %%n : tensor<i32>, tensor<i32>
    }) : (tensor<%[1]sxi32>, tensor<%[1]sxi32>, tensor<i32>, tensor<i32>) -> (tensor<%[1]sxi32>, tensor<%[1]sxi32>)
    return %%1#0, %%1#1 : tensor<%[1]sxi32>, tensor<%[1]sxi32>
  }`, shape, window, padding, strings.ReplaceAll(compose, "$T", "tensor<i32>"))
}

// composedByScan is the chlo.scan of functions, which goes on from (3, 5) and says what
// attributes do.
func composedByScan(shape, rest, attributes, results string) string {
	return fmt.Sprintf(`func.func @main(%%x: tensor<%[1]sxi32>, %%y: tensor<%[1]sxi32>) -> (%[4]s) {
    %%i = stablehlo.constant dense<3> : tensor<%[2]sxi32>
    %%j = stablehlo.constant dense<5> : tensor<%[2]sxi32>
    %%r:4 = chlo.scan(%%x, %%y) inits (%%i, %%j) dimension=1 attributes {%[3]s} {
    ^bb0(%%c: tensor<%[2]sxi32>, %%d: tensor<%[2]sxi32>, %%a: tensor<%[2]sxi32>, %%b: tensor<%[2]sxi32>):
      %[5]s
      stablehlo.return %%m, %%n, %%m, %%n : tensor<%[2]sxi32>, tensor<%[2]sxi32>, tensor<%[2]sxi32>, tensor<%[2]sxi32>
    } : (tensor<%[1]sxi32>, tensor<%[1]sxi32>, tensor<%[2]sxi32>, tensor<%[2]sxi32>) -> (tensor<%[1]sxi32>, tensor<%[1]sxi32>, tensor<%[2]sxi32>, tensor<%[2]sxi32>)
    return %%r#0, %%r#1%[6]s : %[4]s
  }`, shape, rest, attributes, results, strings.ReplaceAll(compose, "$T", "tensor<"+rest+"xi32>"),
		map[bool]string{true: ", %r#2"}[strings.Count(results, "tensor") > 2])
}

// A scan of few long rows whose function is associative is cut into parts that run at the
// same time, about as many as elements of each. Such are windows, in both orders and without
// the element itself, and a chlo.scan that says so. A scan whose last value is read, or
// which has enough rows, is not cut.
func TestLongScansOfFunctionsAreCut(t *testing.T) {
	const n = 65536
	both := "tensor<2x65536xi32>, tensor<2x65536xi32>"
	for _, c := range []struct {
		name, text         string
		rows, steps, parts int
		reverse, exclusive bool
		from               [2]int32
	}{
		{name: "windows", text: composed("2x65536", "65536", "65535, 0"), rows: 2, steps: 3, from: [2]int32{1, 0}},
		{name: "windows in reverse", text: composed("1x65536", "65536", "0, 65535"), rows: 1, steps: 3, reverse: true, from: [2]int32{1, 0}},
		{name: "exclusive windows", text: composed("1x65536", "65536", "65536, -1"), rows: 1, steps: 3, exclusive: true, from: [2]int32{1, 0}},
		{name: "scan", text: composedByScan("2x65536", "2", "is_associative = true", both), rows: 2, steps: 3, from: [2]int32{3, 5}},
		{name: "scan in reverse", text: composedByScan("2x65536", "2", "is_associative = true, is_reverse = true", both), rows: 2, steps: 3, reverse: true, from: [2]int32{3, 5}},
		{name: "scan of no known order", text: composedByScan("2x65536", "2", "is_reverse = false", both), rows: 2, steps: 1, from: [2]int32{3, 5}},
		{name: "scan with its last value", text: composedByScan("2x65536", "2", "is_associative = true", both+", tensor<2xi32>"), rows: 2, steps: 1, from: [2]int32{3, 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := kittest.Compile(t, c.text)
			require.Empty(t, p.HostSteps())
			require.Len(t, p.Steps, c.steps)
			x := make([]soa.View, 2)
			for i := range x {
				x[i] = soa.Make(types.Of(types.I32, c.rows, n))
				for j := range soa.Slice[int32](x[i]) {
					soa.Slice[int32](x[i])[j] = int32(j*j%7*2 + i - 3) // odd factors lose nothing
				}
			}
			got := kittest.Evaluate(t, p, x)
			for row := range c.rows {
				var m, b []int32 // what the functions so far are, and are but for the last
				at := c.from
				for j := range n {
					if c.reverse {
						j = n - 1 - j
					}
					before := at
					mj, nj := soa.Slice[int32](x[0])[row*n+j], soa.Slice[int32](x[1])[row*n+j]
					if c.reverse && c.from[0] == 1 { // windows combine an element with what is behind it
						at = [2]int32{mj * before[0], nj*before[0] + before[1]}
					} else {
						at = [2]int32{before[0] * mj, before[1]*mj + nj}
					}
					if !c.exclusive {
						before = at
					}
					m, b = append(m, before[0]), append(b, before[1])
				}
				if c.reverse {
					slices.Reverse(m)
					slices.Reverse(b)
				}
				require.True(t, slices.Equal(m, soa.Slice[int32](got[0])[row*n:row*n+n]))
				require.True(t, slices.Equal(b, soa.Slice[int32](got[1])[row*n:row*n+n]))
			}
		})
	}
	require.Len(t, kittest.Compile(t, composed("16x65536", "65536", "65535, 0")).Steps, 1, "enough rows")
	require.Len(t, kittest.Compile(t, composed("1x65538", "65538", "65537, 0")).Steps, 1, "no power of two divides the length")
}

// What sums the rows of a scan of any function is part of its kernel.
func TestScansOfFunctionsMerge(t *testing.T) {
	text := strings.NewReplacer("-> tensor<3x7xf32> {\n", "-> tensor<3xf32> {\n", "return %1 : tensor<3x7xf32>", `%o = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %o) applies stablehlo.add across dimensions = [1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>
    return %2 : tensor<3xf32>`).Replace(cumulativeLSE("f32", "0xFF800000", 7, "6, 0"))
	p := kittest.Same(t, text)
	require.Empty(t, p.HostSteps())
	require.Len(t, p.Kernels, 1, "%v", p)
}
