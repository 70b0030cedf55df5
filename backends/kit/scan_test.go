package kit_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
	"ltc/soa"
)

// cumulative is a module that scans its argument as exported cumulative ops do.
func cumulative(shape, elem, window, padding, op, init string) string {
	rank := strings.Count(shape, "x") + 1
	return fmt.Sprintf(`func.func @main(%%x: tensor<%[1]sx%[2]s>) -> tensor<%[1]sx%[2]s> {
    %%i = stablehlo.constant dense<%[6]s> : tensor<%[2]s>
    %%1 = "stablehlo.reduce_window"(%%x, %%i) <{padding = dense<[%[4]s]> : tensor<%[7]dx2xi64>, window_dimensions = array<i64: %[3]s>}> ({
    ^bb0(%%a: tensor<%[2]s>, %%b: tensor<%[2]s>):
      %%2 = stablehlo.%[5]s %%a, %%b : tensor<%[2]s>
      stablehlo.return %%2 : tensor<%[2]s>
    }) : (tensor<%[1]sx%[2]s>, tensor<%[2]s>) -> tensor<%[1]sx%[2]s>
    return %%1 : tensor<%[1]sx%[2]s>
  }`, shape, elem, window, padding, op, init, rank)
}

// scanKernels returns how many of a program's kernels scan.
func scanKernels(p *kit.Program) int {
	n := 0
	for _, k := range p.Kernels {
		if k.Scans() {
			n++
		}
	}
	return n
}

// Windows of full width with padding on one side are scans, which compute what the
// evaluator does: along each dimension, in both orders, with and without the element
// itself, of each type.
func TestFullWindowsAreScans(t *testing.T) {
	for _, window := range []struct{ name, window, padding string }{
		{"first", "3, 1, 1", "[2, 0], [0, 0], [0, 0]"},
		{"middle", "1, 8, 1", "[0, 0], [7, 0], [0, 0]"},
		{"last", "1, 1, 6", "[0, 0], [0, 0], [5, 0]"},
		{"last, reverse", "1, 1, 6", "[0, 0], [0, 0], [0, 5]"},
		{"middle, reverse", "1, 8, 1", "[0, 0], [0, 7], [0, 0]"},
		{"wider", "1, 1, 9", "[0, 0], [0, 0], [8, 0]"},
		{"wider, reverse", "1, 1, 9", "[0, 0], [0, 0], [0, 8]"},
		{"exclusive", "1, 1, 6", "[0, 0], [0, 0], [6, -1]"},
		{"exclusive, reverse", "5, 1, 1", "[-1, 5], [0, 0], [0, 0]"},
	} {
		for _, c := range []struct{ elem, op, init string }{
			{"f32", "add", "0.0"}, {"f64", "add", "0.0"}, {"f16", "add", "0.0"}, {"bf16", "add", "0.0"},
			{"f32", "multiply", "1.0"}, {"f32", "maximum", "0xFF800000"}, {"f32", "minimum", "0x7F800000"},
			{"f32", "maximum", "0.5"}, {"bf16", "maximum", "0xFF80"}, {"f16", "minimum", "0x7C00"},
			{"i8", "add", "0"}, {"i16", "multiply", "1"}, {"i32", "add", "0"}, {"i64", "add", "0"},
			{"ui8", "add", "0"}, {"ui16", "maximum", "0"}, {"ui32", "xor", "0"}, {"ui64", "or", "0"},
			{"i32", "minimum", "7"}, {"i1", "and", "true"}, {"i1", "or", "false"},
		} {
			t.Run(fmt.Sprint(window.name, "/", c.elem, "/", c.op), func(t *testing.T) {
				text, most := cumulative("3x8x6", c.elem, window.window, window.padding, c.op, c.init), 1e-5
				if strings.HasSuffix(c.elem, "f16") { // the evaluator rounds each sum
					most = 0.05
				}
				p := sameWithin(t, text, compile(t, text), most)
				require.Empty(t, p.HostSteps())
				require.Equal(t, 1, scanKernels(p), "%v", p)
			})
		}
	}
}

// What only looks like a scan is none: the padding counts as the initial value, which
// is not neutral; a window that is too short; windows that move by two.
func TestOtherWindowsAreNoScans(t *testing.T) {
	for name, text := range map[string]string{
		"initial": cumulative("3x6", "f32", "1, 6", "[0, 0], [5, 0]", "add", "1.0"),
		"short":   cumulative("3x6", "f32", "1, 5", "[0, 0], [4, 0]", "add", "0.0"),
		"both":    cumulative("3x6", "f32", "3, 6", "[2, 0], [5, 0]", "add", "0.0"),
		"middle":  cumulative("3x6", "f32", "1, 11", "[0, 0], [5, 5]", "add", "0.0"),
	} {
		t.Run(name, func(t *testing.T) {
			require.Zero(t, scanKernels(same(t, text)))
		})
	}
}

// What each element needs before and after is done by the scan's kernel.
func TestScansFuse(t *testing.T) {
	p := same(t, `func.func @main(%x: tensor<5x40xf32>, %y: tensor<5x40xf32>) -> tensor<5x40xf32> {
    %i = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.multiply %x, %y : tensor<5x40xf32>
    %1 = "stablehlo.reduce_window"(%0, %i) <{padding = dense<[[0, 0], [0, 39]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 40>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<5x40xf32>, tensor<f32>) -> tensor<5x40xf32>
    %3 = stablehlo.negate %1 : tensor<5x40xf32>
    %4 = stablehlo.subtract %3, %y : tensor<5x40xf32>
    return %4 : tensor<5x40xf32>
  }`)
	require.Len(t, p.Kernels, 1)
	require.Equal(t, `kernel k(x0: f32[n0, n1] strides [*, 1], x1: f32[n0, n1] strides [*, 1], out y2: f32[n0, n1] strides [*, 1]) {
  for i0 < n0
  stage scan reverse j0 < n1 {
    %0 = load x0[i0, j0]
    %1 = load x1[i0, j0]
    %2 = multiply %0, %1 : f32
    %3 = scan add %2
    %4 = negate %3 : f32
    %5 = subtract %4, %1 : f32
    store y2[i0, j0], %5
  }
}
`, p.Kernels[0].String())
}

// A scan of few long rows is cut into parts that run at the same time, in either order.
func TestLongScansAreCut(t *testing.T) {
	for _, padding := range []string{"[0, 0], [65535, 0]", "[0, 0], [0, 65535]"} {
		p := compile(t, cumulative("2x65536", "i32", "1, 65536", padding, "add", "0"))
		x := soa.Make(types.Type{DType: types.I32, Shape: types.Shape{2, 65536}})
		for i := range soa.Slice[int32](x) {
			soa.Slice[int32](x)[i] = int32(i*i) % 1001
		}
		got := soa.Slice[int32](evaluate(t, p, []soa.View{x})[0])
		for row := range 2 {
			sum := int32(0)
			for j := range 65536 {
				if strings.HasPrefix(padding, "[0, 0], [0,") {
					j = 65535 - j
				}
				sum += soa.Slice[int32](x)[row*65536+j]
				require.Equal(t, sum, got[row*65536+j], "%d %d", row, j)
			}
		}
		require.Len(t, p.Steps, 3)
		require.Equal(t, 2, scanKernels(p))
		last := p.Kernels[p.Steps[2].Launch().Kernel]
		require.Len(t, last.Axes, 2, "rows and parts are parallel axes: %v", last)
		require.NotEqual(t, kernel.FreeAxis, last.Stages[0].Scanned())
	}
}

// Scans of few elements, or of one, which are none any more, are as right as others.
func TestScansOfFewElements(t *testing.T) {
	for _, c := range []struct {
		shape, window, padding string
	}{{"3x1", "1, 1", "[0, 0], [0, 0]"}, {"1x2", "1, 2", "[0, 0], [2, -1]"}, {"2x1", "2, 1", "[0, 1], [0, 0]"}} {
		t.Run(c.shape, func(t *testing.T) {
			require.Empty(t, same(t, cumulative(c.shape, "f32", c.window, c.padding, "add", "0.0")).HostSteps())
		})
	}
}

// A cumulative maximum or minimum is NaN from the first NaN on.
func TestScansKeepNaN(t *testing.T) {
	nan := float32(math.NaN())
	for _, op := range []string{"maximum", "minimum"} {
		init := map[string]string{"maximum": "0xFF800000", "minimum": "0x7F800000"}[op]
		p := compile(t, cumulative("1x5", "f32", "1, 5", "[0, 0], [0, 4]", op, init))
		x := soa.Make(types.Type{DType: types.F32, Shape: types.Shape{1, 5}})
		copy(soa.Slice[float32](x), []float32{1, 2, nan, 4, 4})
		got := soa.Slice[float32](evaluate(t, p, []soa.View{x})[0])
		for i, v := range got {
			require.Equal(t, i < 3, v != v, "%s %d: %v", op, i, got)
		}
		require.EqualValues(t, 4, got[4])
	}
}
