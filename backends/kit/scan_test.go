package kit_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/internal/samples"
	"ltc/internal/test/kittest"
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
func scanKernels(p *plan.Program) int {
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
				p := kittest.SameWithin(t, text, kittest.Compile(t, text), most)
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
			require.Zero(t, scanKernels(kittest.Same(t, text)))
		})
	}
}

// What each element needs before and after is done by the scan's kernel.
func TestScansFuse(t *testing.T) {
	p := kittest.Same(t, `func.func @main(%x: tensor<5x40xf32>, %y: tensor<5x40xf32>) -> tensor<5x40xf32> {
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
		p := kittest.Compile(t, cumulative("2x65536", "i32", "1, 65536", padding, "add", "0"))
		x := soa.Make(types.Type{DType: types.I32, Shape: types.Shape{2, 65536}})
		for i := range soa.Slice[int32](x) {
			soa.Slice[int32](x)[i] = int32(i*i) % 1001
		}
		got := soa.Slice[int32](kittest.Evaluate(t, p, []soa.View{x})[0])
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
			require.Empty(t, kittest.Same(t, cumulative(c.shape, "f32", c.window, c.padding, "add", "0.0")).HostSteps())
		})
	}
}

// A cumulative maximum or minimum is NaN from the first NaN on.
func TestScansKeepNaN(t *testing.T) {
	nan := float32(math.NaN())
	for _, op := range []string{"maximum", "minimum"} {
		init := map[string]string{"maximum": "0xFF800000", "minimum": "0x7F800000"}[op]
		p := kittest.Compile(t, cumulative("1x5", "f32", "1, 5", "[0, 0], [0, 4]", op, init))
		x := soa.Make(types.Type{DType: types.F32, Shape: types.Shape{1, 5}})
		copy(soa.Slice[float32](x), []float32{1, 2, nan, 4, 4})
		got := soa.Slice[float32](kittest.Evaluate(t, p, []soa.View{x})[0])
		for i, v := range got {
			require.Equal(t, i < 3, v != v, "%s %d: %v", op, i, got)
		}
		require.EqualValues(t, 4, got[4])
	}
}

// scanOf is a module with a chlo.scan along a dimension of operands of one shape.
type scanOf struct {
	shape, rest   string // of the operands, and without the dimension
	dim           int
	reverse       bool
	elems         []string // of the operands
	carries       []string // what they begin with: a literal, or %c for an argument
	carryElems    []string
	body, returns string // of %x0, %x1, … and %c0, %c1, …; $T is the type of what the body has
	outs          []string
}

func (s scanOf) String() string {
	of := func(shape, elem string) string {
		if shape == "" {
			return "tensor<" + elem + ">"
		}
		return "tensor<" + shape + "x" + elem + ">"
	}
	var args, ins, inits, block, types, results, setup []string
	for i, e := range s.elems {
		args = append(args, fmt.Sprintf("%%x%d: %s", i, of(s.shape, e)))
		ins, types = append(ins, fmt.Sprintf("%%x%d", i)), append(types, of(s.shape, e))
		block = append(block, fmt.Sprintf("%%x%d: %s", i, of(s.rest, e)))
	}
	for i, c := range s.carries {
		e := s.carryElems[i]
		if c == "%c" {
			args = append(args, fmt.Sprintf("%%i%d: %s", i, of(s.rest, e)))
		} else {
			setup = append(setup, fmt.Sprintf("%%i%d = stablehlo.constant dense<%s> : %s", i, c, of(s.rest, e)))
		}
		inits, types = append(inits, fmt.Sprintf("%%i%d", i)), append(types, of(s.rest, e))
		block = append(block, fmt.Sprintf("%%c%d: %s", i, of(s.rest, e)))
	}
	var inner []string
	for _, e := range s.outs {
		results, inner = append(results, of(s.shape, e)), append(inner, of(s.rest, e))
	}
	for _, e := range s.carryElems {
		results, inner = append(results, of(s.rest, e)), append(inner, of(s.rest, e))
	}
	attrs := ""
	if s.reverse {
		attrs = " attributes {is_reverse = true}"
	}
	var all []string
	for i := range results {
		all = append(all, fmt.Sprintf("%%r#%d", i))
	}
	body := s.body
	for _, e := range []string{"f32", "f64", "bf16", "i32", "i64", "i1"} {
		body = strings.ReplaceAll(body, "$"+e, of(s.rest, e))
	}
	return fmt.Sprintf(`func.func @main(%s) -> (%s) {
    %s
    %%r:%d = chlo.scan(%s) inits (%s) dimension=%d%s {
    ^bb0(%s):
      %s
      stablehlo.return %s : %s
    } : (%s) -> (%s)
    return %s : %s
  }`, strings.Join(args, ", "), strings.Join(results, ", "), strings.Join(setup, "\n"), len(results), strings.Join(ins, ", "), strings.Join(inits, ", "), s.dim, attrs,
		strings.Join(block, ", "), body, s.returns, strings.Join(inner, ", "), strings.Join(types, ", "), strings.Join(results, ", "), strings.Join(all, ", "), strings.Join(results, ", "))
}

// logaddexp is what JAX writes for the logarithm of a sum of exponentials, of %a and %b.
const logaddexp = `%m = stablehlo.maximum %a, %b : $T
      %d = stablehlo.subtract %a, %b : $T
      %n = stablehlo.compare NE, %d, %d : ($T, $T) -> $P
      %s = stablehlo.add %a, %b : $T
      %e = stablehlo.abs %d : $T
      %f = stablehlo.negate %e : $T
      %g = stablehlo.exponential %f : $T
      %h = stablehlo.log_plus_one %g : $T
      %k = stablehlo.add %m, %h : $T
      %l = stablehlo.select %n, %s, %k : $P, $T`

// Scans of associative functions, and of others, are kernels that compute what the
// evaluator does: along each dimension, in both orders, of one value and of several.
func TestScansOfFunctions(t *testing.T) {
	lse := strings.NewReplacer("$T", "$f32", "$P", "$i1", "%a", "%c0", "%b", "%x0").Replace(logaddexp)
	for _, c := range []struct {
		name string
		scanOf
	}{
		{"log-sum-exp", scanOf{elems: []string{"f32"}, carries: []string{"0xFF800000"}, carryElems: []string{"f32"}, body: lse, returns: "%l, %l", outs: []string{"f32"}}},
		{"recurrence", scanOf{elems: []string{"f32", "f32"}, carries: []string{"%c"}, carryElems: []string{"f32"},
			body: "%a = stablehlo.multiply %c0, %x0 : $f32\n%b = stablehlo.add %a, %x1 : $f32", returns: "%b, %b", outs: []string{"f32"}}},
		{"pairs", scanOf{elems: []string{"f32", "f32"}, carries: []string{"1.0", "0.0"}, carryElems: []string{"f32", "f32"},
			body: "%a = stablehlo.multiply %c0, %x0 : $f32\n%b = stablehlo.multiply %c1, %x0 : $f32\n%d = stablehlo.add %b, %x1 : $f32", returns: "%a, %d, %a, %d", outs: []string{"f32", "f32"}}},
		{"exclusive", scanOf{elems: []string{"i32"}, carries: []string{"%c"}, carryElems: []string{"i32"},
			body: "%a = stablehlo.add %c0, %x0 : $i32", returns: "%c0, %a", outs: []string{"i32"}}},
		{"sum", scanOf{elems: []string{"i64"}, carries: []string{"%c"}, carryElems: []string{"i64"},
			body: "%a = stablehlo.add %c0, %x0 : $i64", returns: "%a, %a", outs: []string{"i64"}}},
		{"types", scanOf{elems: []string{"f32", "i32"}, carries: []string{"0", "false"}, carryElems: []string{"i64", "i1"},
			body:    "%z = stablehlo.constant dense<0.5> : $f32\n%a = stablehlo.compare GT, %x0, %z : ($f32, $f32) -> $i1\n%b = stablehlo.convert %x1 : ($i32) -> $i64\n%d = stablehlo.select %a, %b, %c0 : $i1, $i64\n%e = stablehlo.xor %a, %c1 : $i1",
			returns: "%e, %d, %d, %e", outs: []string{"i1", "i64"}}},
		{"half", scanOf{elems: []string{"bf16"}, carries: []string{"%c"}, carryElems: []string{"bf16"},
			body: "%a = stablehlo.multiply %c0, %x0 : $bf16\n%b = stablehlo.add %a, %x0 : $bf16", returns: "%b, %b", outs: []string{"bf16"}}},
		{"order", scanOf{elems: []string{"i32"}, carries: []string{"7"}, carryElems: []string{"i32"},
			body: "%a = stablehlo.subtract %x0, %c0 : $i32", returns: "%a, %a", outs: []string{"i32"}}},
	} {
		for _, along := range []struct {
			shape, rest string
			dim         int
		}{{"7x3x5", "3x5", 0}, {"3x9x5", "3x5", 1}, {"3x5x11", "3x5", 2}, {"13", "", 0}, {"2x1", "2", 1}, {"0x4", "4", 0}, {"4x0", "4", 1}, {"0", "", 0}, {"0x5", "0", 1}} {
			for _, reverse := range []bool{false, true} {
				t.Run(fmt.Sprint(c.name, "/", along.shape, "/", along.dim, "/", reverse), func(t *testing.T) {
					s := c.scanOf
					s.shape, s.rest, s.dim, s.reverse = along.shape, along.rest, along.dim, reverse
					p := kittest.SameWithin(t, s.String(), kittest.Compile(t, s.String()), 0)
					require.Empty(t, p.HostSteps(), "%v", p)
					require.Empty(t, p.Fallbacks(), "%v", p)
				})
			}
		}
	}
}

// cumulativeLSE is what jax.lax.cumlogsumexp is exported as for windows, along dimension
// 1 of two.
func cumulativeLSE(elem, init string, n int, padding string) string {
	body := strings.NewReplacer("$T", "tensor<"+elem+">", "$P", "tensor<i1>").Replace(logaddexp)
	return fmt.Sprintf(`func.func @main(%%x: tensor<3x%[3]dx%[1]s>) -> tensor<3x%[3]dx%[1]s> {
    %%i = stablehlo.constant dense<%[2]s> : tensor<%[1]s>
    %%1 = "stablehlo.reduce_window"(%%x, %%i) <{padding = dense<[[0, 0], [%[4]s]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, %[3]d>}> ({
    ^bb0(%%a: tensor<%[1]s>, %%b: tensor<%[1]s>):
      %[5]s
      stablehlo.return %%l : tensor<%[1]s>
    }) : (tensor<3x%[3]dx%[1]s>, tensor<%[1]s>) -> tensor<3x%[3]dx%[1]s>
    return %%1 : tensor<3x%[3]dx%[1]s>
  }`, elem, init, n, padding, body)
}

// Windows of full width are scans with any combining op, where the padding does not
// change the initial value. Their results from the first element on are the evaluator's
// to the bit, including NaN and infinities.
func TestWindowsOfFunctionsAreScans(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	rows := [][]float32{{1, 2, -3, 40, 5, 90, -7}, {-inf, -inf, 0.5, nan, 1, inf, 2}, {inf, 3, -inf, inf, -2, 88, 89}}
	for _, c := range []struct {
		name, elem, init, padding string
		most                      float64
	}{
		{"f32", "f32", "0xFF800000", "6, 0", 0},
		{"reverse", "f32", "0xFF800000", "0, 6", 1e-6},
		{"exclusive", "f32", "0xFF800000", "7, -1", 0},
		{"f64", "f64", "0xFFF0000000000000", "6, 0", 0},
		{"bf16", "bf16", "0xFF80", "6, 0", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := cumulativeLSE(c.elem, c.init, 7, c.padding)
			p := kittest.SameWithin(t, text, kittest.Compile(t, text), c.most)
			require.Empty(t, p.HostSteps())
			require.Equal(t, 1, scanKernels(p))
			if c.elem != "f32" {
				return
			}
			x := soa.Make(types.Type{DType: types.F32, Shape: types.Shape{3, 7}})
			for i, r := range rows {
				copy(soa.Slice[float32](x)[7*i:], r)
			}
			exe, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			call := &backends.Call{Args: []soa.View{x}}
			require.NoError(t, exe.Execute(t.Context(), call))
			d, err := samples.Differ(kittest.Evaluate(t, p, []soa.View{x})[0], call.Results[0])
			require.NoError(t, err)
			require.LessOrEqual(t, d.Size, c.most, "at %v: %s, want %s", d.At, d.Got, d.Want)
		})
	}
	require.Zero(t, scanKernels(kittest.Same(t, cumulativeLSE("f32", "1.0", 7, "6, 0"))), "1 combined with itself is another number")
}

// Windows of two values are scans, too: the largest so far, and where it is.
func TestWindowsOfTwoValuesAreScans(t *testing.T) {
	for _, padding := range []string{"8, 0", "0, 8"} {
		text := fmt.Sprintf(`func.func @main(%%x: tensor<4x9xf32>, %%y: tensor<4x9xi32>) -> (tensor<4x9xf32>, tensor<4x9xi32>) {
    %%i = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %%j = stablehlo.constant dense<0> : tensor<i32>
    %%1:2 = "stablehlo.reduce_window"(%%x, %%y, %%i, %%j) <{padding = dense<[[0, 0], [%s]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 9>}> ({
    ^bb0(%%a: tensor<f32>, %%m: tensor<i32>, %%b: tensor<f32>, %%n: tensor<i32>):
      %%2 = stablehlo.compare GE, %%a, %%b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %%3 = stablehlo.select %%2, %%a, %%b : tensor<i1>, tensor<f32>
      %%4 = stablehlo.select %%2, %%m, %%n : tensor<i1>, tensor<i32>
      stablehlo.return %%3, %%4 : tensor<f32>, tensor<i32>
    }) : (tensor<4x9xf32>, tensor<4x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x9xf32>, tensor<4x9xi32>)
    return %%1#0, %%1#1 : tensor<4x9xf32>, tensor<4x9xi32>
  }`, padding)
		p := kittest.SameWithin(t, text, kittest.Compile(t, text), 0)
		require.Empty(t, p.HostSteps())
		require.Equal(t, 1, scanKernels(p))
	}
}

// A scan whose body computes an element of others becomes a loop over programs of kernels.
func TestScansOfMatricesAreLoops(t *testing.T) {
	p := kittest.Same(t, `func.func @main(%x: tensor<5x3x3xf32>, %h: tensor<3x3xf32>) -> (tensor<5x3x3xf32>, tensor<3x3xf32>) {
    %r:2 = chlo.scan(%x) inits (%h) dimension=0 {
    ^bb0(%a: tensor<3x3xf32>, %c: tensor<3x3xf32>):
      %0 = stablehlo.dot_general %c, %a, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
      stablehlo.return %0, %0 : tensor<3x3xf32>, tensor<3x3xf32>
    } : (tensor<5x3x3xf32>, tensor<3x3xf32>) -> (tensor<5x3x3xf32>, tensor<3x3xf32>)
    return %r#0, %r#1 : tensor<5x3x3xf32>, tensor<3x3xf32>
  }`)
	require.Empty(t, p.Fallbacks())
	require.Zero(t, scanKernels(p))
	require.True(t, slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Regions() != nil }), "%v", p)
}

// A sum of floats is a scan that adds in any order where the text says that it may be;
// else each is added to what those before came to, as the text has it. What is fused
// with either is part of its kernel.
func TestAssociativeSumsScan(t *testing.T) {
	for _, c := range []struct{ attributes, want string }{
		{" attributes {is_associative = true}", `kernel k(x0: f32[n0, n1] strides [*, 1], x1: f32[n0] strides [1], out y2: f32[n0, n1] strides [*, 1]) {
  for i0 < n0
  stage scan j0 < n1 {
    %0 = load x0[i0, j0]
    %1 = exponential %0 : f32
    %2 = scan add %1
    %3 = load x1[i0]
    %4 = add %3, %2 : f32
    %5 = negate %4 : f32
    store y2[i0, j0], %5
  }
}
`},
		{"", `kernel k(x0: f32[n0] strides [1], x1: f32[n0, n1] strides [*, 1], out y2: f32[n0, n1] strides [*, 1]) {
  for i0 < n0
  local t0: f32[]
  stage {
    %0 = load x0[i0]
    store t0[], %0
  }
  stage scan j0 < n1 {
    %2 = load t0[]
    %3 = load x1[i0, j0]
    %4 = exponential %3 : f32
    %5 = add %2, %4 : f32
    store t0[], %5
    %7 = negate %5 : f32
    store y2[i0, j0], %7
  }
}
`},
	} {
		p := kittest.Same(t, fmt.Sprintf(`func.func @main(%%x: tensor<70x40xf32>, %%c: tensor<70xf32>) -> tensor<70x40xf32> {
    %%0 = stablehlo.exponential %%x : tensor<70x40xf32>
    %%r:2 = chlo.scan(%%0) inits (%%c) dimension=1%s {
    ^bb0(%%a: tensor<70xf32>, %%b: tensor<70xf32>):
      %%1 = stablehlo.add %%b, %%a : tensor<70xf32>
      stablehlo.return %%1, %%1 : tensor<70xf32>, tensor<70xf32>
    } : (tensor<70x40xf32>, tensor<70xf32>) -> (tensor<70x40xf32>, tensor<70xf32>)
    %%2 = stablehlo.negate %%r#0 : tensor<70x40xf32>
    return %%2 : tensor<70x40xf32>
  }`, c.attributes))
		require.Len(t, p.Kernels, 1, "%v", p)
		require.Equal(t, c.want, p.Kernels[0].String())
	}
}

// What jax.lax.associative_scan writes, slices and pads of halves of the elements, are
// kernels.
func TestAssociativeScanOfJAXIsKernels(t *testing.T) {
	p := kittest.Same(t, `func.func @main(%x: tensor<5x3xf32>) -> tensor<5x3xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %a = stablehlo.slice %x [0:4:2, 0:3] : (tensor<5x3xf32>) -> tensor<2x3xf32>
    %b = stablehlo.slice %x [1:5:2, 0:3] : (tensor<5x3xf32>) -> tensor<2x3xf32>
    %c = stablehlo.add %a, %b : tensor<2x3xf32>
    %d = stablehlo.slice %c [0:1:2, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
    %e = stablehlo.slice %c [1:2:2, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
    %f = stablehlo.add %d, %e : tensor<1x3xf32>
    %g = stablehlo.pad %d, %z, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<1x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %h = stablehlo.pad %f, %z, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<1x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %odd = stablehlo.add %g, %h : tensor<2x3xf32>
    %k = stablehlo.slice %x [2:5:2, 0:3] : (tensor<5x3xf32>) -> tensor<2x3xf32>
    %l = stablehlo.add %odd, %k : tensor<2x3xf32>
    %m = stablehlo.slice %x [0:1, 0:3] : (tensor<5x3xf32>) -> tensor<1x3xf32>
    %even = stablehlo.concatenate %m, %l, dim = 0 : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
    %n = stablehlo.pad %even, %z, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<5x3xf32>
    %o = stablehlo.pad %odd, %z, low = [1, 0], high = [1, 0], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
    %r = stablehlo.add %n, %o : tensor<5x3xf32>
    return %r : tensor<5x3xf32>
  }`)
	require.Empty(t, p.HostSteps())
}
