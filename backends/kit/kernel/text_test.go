package kernel_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/diag"
	"ltc/ir/types"
)

func parse(t testing.TB, text string) *kernel.Kernel {
	t.Helper()
	k, err := kernel.Parse(text)
	require.NoError(t, err)
	return k
}

// replace replaces the first old of text.
func replace(text, old, new string) string { return strings.Replace(text, old, new, 1) }

// stays requires that a kernel reads back as it was printed.
func stays(t testing.TB, k *kernel.Kernel) {
	t.Helper()
	text := k.String()
	again, err := kernel.Parse(text)
	require.NoError(t, err, text)
	require.Equal(t, k, again)
	require.Equal(t, text, again.String())
}

func TestText(t *testing.T) {
	for _, g := range kerneltest.Goldens(t) {
		t.Run(g.Kernel.Name, func(t *testing.T) { stays(t, g.Kernel) })
	}
}

func TestParseAll(t *testing.T) {
	a, b := kerneltest.Kernel(t, "gather"), kerneltest.Kernel(t, "scatter")
	all, err := kernel.ParseAll("// Two.\n" + a.String() + b.String())
	require.NoError(t, err)
	require.Equal(t, []*kernel.Kernel{a, b}, all)
}

// What is printed is what is read, to the letter.
func TestString(t *testing.T) {
	text := `kernel all(x: f32[n0, 3] strides [*, 0], out out: i32[n0] strides [1]) {
  for i < n0
  local row: bf16[3]
  stage j < 3 {
    %0 = load x[i, j]
    %1 = constant 0x7FC00001 : f32
    %2 = maximum %0, %1 : f32
    %3 = convert %2 : bf16
    store row[-1*j + 2], %3
    %5 = reduce minimum %2
    %6 = iota j : i64
    %7 = size n0
    %8 = constant -7 : i32
    %9 = load out[i]
  }
  stage {
    %10 = compare_ge %5, %5 : bool
    %11 = constant -1 : i64
    %12 = constant 1.5 : f64
    %13 = load x[2*i + %11 - 4, 1] else %5
    %14 = constant 0x8000 : bf16
    %15 = constant -0.0 : f32
    %16 = constant true : bool
    store or out[%11 - 4] inside, %17
  }
}
`
	text = replace(text, "store or out[%11 - 4] inside, %17", "%17 = constant 9 : i32\n    store or out[%11 - 4] inside, %17")
	k := parse(t, text)
	require.Equal(t, text, k.String())
	require.Equal(t, 1, k.Sizes)
	require.Equal(t, []kernel.Index{{Terms: []kernel.Term{{Axis: 0, Factor: 2}}, Value: 11, Offset: -4}, kernel.At(1)}, k.Instrs[13].Mem.Index)
}

func TestBuilder(t *testing.T) {
	b := kernel.NewBuilder("scale")
	n := b.Size()
	m := b.Size()
	i := b.Axis("i", n)
	x := b.Param(kernel.Param{Name: "x", DType: types.F32, Dims: []kernel.Size{n, m}, Strides: []kernel.Stride{kernel.AnyStride, kernel.UnitStride}})
	y := b.Param(kernel.Param{Name: "y", DType: types.F32, Dims: []kernel.Size{n, m}, Strides: []kernel.Stride{kernel.AnyStride, kernel.UnitStride}, Out: true})
	b.Stage(kernel.Axis{Name: "j", Size: m})
	at := []kernel.Index{kernel.Along(i), kernel.Along(i + 1)}
	v := b.Op(kernel.Multiply, types.F32, b.Load(x, at...), b.F32(2))
	b.Store(y, v, at...)
	require.NoError(t, kernel.Verify(b.Kernel()))
	require.Equal(t, kerneltest.Kernel(t, "scale"), b.Kernel())
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line, col  int
		message    string
	}{
		{"nothing", "", 1, 1, `expected "kernel"`},
		{"word", "kernels k() {}", 1, 1, `expected "kernel"`},
		{"type", "kernel k(x: f33[]) {}", 1, 13, "expected a type of elements, such as f32"},
		{"size", "kernel k(x: f32[m]) {}", 1, 18, "m is not a size: want a number, or n0, n1, …"},
		{"sizes", "kernel k(x: f32[n99999]) {}", 1, 23, "n99999 is not a size: want a number, or n0, n1, …"},
		{"stride", "kernel k(x: f32[3] strides [2]) {}", 1, 29, "expected the class of a stride: *, 1, 0 or table"},
		{"op", "kernel k() {\n stage {\n  %0 = plus %1, %2 : f32\n }\n}", 3, 8, "expected an op: store, or %name = and one that has a value"},
		{"named store", "kernel k(out y: f32[]) {\n stage {\n  %0 = store y[], %0\n }\n}", 3, 8, "expected an op: store, or %name = and one that has a value"},
		{"value", "kernel k() {\n stage {\n  %0 = negate %1 : f32\n }\n}", 3, 17, "there is no value %1 before"},
		{"twice", "kernel k() {\n stage {\n  %a = constant 1 : i32\n  %a = constant 1 : i32\n }\n}", 4, 24, "%a is there already"},
		{"operand", "kernel k() {\n stage {\n  %a = load x[]\n }\n}", 3, 14, "there is no operand or local x"},
		{"axis", "kernel k(x: f32[3]) {\n stage {\n  %a = load x[2*i]\n }\n}", 3, 18, "there is no axis i here"},
		{"number", "kernel k(x: f32[3]) {\n stage {\n  %a = load x[9223372036854775808]\n }\n}", 3, 34, "9223372036854775808 is not a number of 64 bits"},
		{"constants", "kernel k(x: f32[3]) {\n stage {\n  %a = load x[9223372036854775807 + 1]\n }\n}", 3, 38, "the sum of the constants does not fit an i64"},
		{"subtracted", "kernel k(x: f32[3]) {\n stage {\n  %a = size 3\n  %b = load x[1 - %a]\n }\n}", 4, 19, "an index adds at most one value, and subtracts none"},
		{"literal", "kernel k() {\n stage {\n  %0 = constant 256 : u8\n }\n}", 3, 25, `"256" is not a literal of u8`},
		{"behind", "kernel k() {\n} x", 2, 3, "expected the end of the text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := kernel.Parse(c.text)
			var d *diag.Error
			require.ErrorAs(t, err, &d)
			require.Equal(t, c.message, d.Msg)
			require.Equal(t, [2]int{c.line, c.col}, [2]int{d.Line, d.Col})
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, g := range kerneltest.Goldens(f) {
		f.Add(g.Kernel.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := kernel.ParseAll(text)
		if err != nil {
			return
		}
		for _, k := range all {
			if kernel.Verify(k) == nil {
				stays(t, k)
			}
		}
	})
}
