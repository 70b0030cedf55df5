package lazy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/optest"
	"ltc/soa"
)

// importedLike imports a text and compares what it gives in a trace with the text's own results.
// Programs without arguments and of sizes that follow from data are not imported.
func importedLike(t *testing.T, text string, args []soa.View, want []*optest.Tensor) {
	f, err := Import("golden.mlir", text)
	if len(args) == 0 || strings.Contains(text, "tensor<?x") {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	tr := newRecording(t).tr
	xs := make([]*Tensor, len(args))
	for i, v := range args {
		xs[i] = FromView(tr, v)
	}
	ys := f.CallAll(xs...)
	for _, y := range ys {
		require.NoError(t, y.Err())
	}
	require.NoError(t, tr.MarkStep(ys...))
	for i, y := range ys {
		v, err := y.Value()
		require.NoError(t, err)
		got, err := optest.FromView(v)
		require.NoError(t, err)
		require.Empty(t, optest.Differs(got, want[i], 0), "the imported program gives another result than the text")
	}
}

const doubled = `
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = stablehlo.constant dense<[1.0, 10.0]> : tensor<2xf32>
  %y = stablehlo.add %x, %x : tensor<2xf32>
  %z = stablehlo.multiply %x, %c : tensor<2xf32>
  return %y, %z : tensor<2xf32>, tensor<2xf32>
}`

// An imported program may be called wherever ops are recorded: in functions, branches, loops
// and for many examples at once. Its constants are made once.
func TestImportedInClosures(t *testing.T) {
	f, err := Import("doubled.mlir", doubled)
	require.NoError(t, err)
	tr := evalTrace(t)
	x := From(tr, []float32{1, 2})
	chosen := If(x.Sum().GreaterScalar(0), func(*Trace) []*Tensor { return f.CallAll(x) }, func(*Trace) []*Tensor { return []*Tensor{x, x} })
	rows := From(tr, []float32{1, 2, 3, 4}, 2, 2)
	many := Vmap(func(_ *Trace, xs []*Tensor) []*Tensor { return f.CallAll(xs[0]) }, []*Tensor{rows}, VmapOptions{})
	loop := For(3, func(_ *Trace, _ *Tensor, s []*Tensor) []*Tensor { return []*Tensor{f.CallAll(s[0])[1]} }, x)
	grad := Grad(loop[0].Sum(), x)[0]
	require.NoError(t, tr.MarkStep(chosen[0], chosen[1], many[0], many[1], loop[0], grad))
	for want, y := range map[string]*Tensor{"[2 4]": chosen[0], "[1 20]": chosen[1], "[2 4 6 8]": many[0], "[1 20 3 40]": many[1], "[1 2000]": loop[0], "[1 1000]": grad} {
		got, err := ToSlice[float32](y)
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprint(got))
	}
	fn := Func(tr.Device(), func(_ *Trace, x *Tensor) *Tensor { return f.CallAll(x)[1] })
	y, err := fn.Call(t.Context(), x)
	require.NoError(t, err)
	got, err := ToSlice[float32](y)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 20}, got)
	require.Len(t, f.constants, 1)
	require.Len(t, f.constants[tr.Device()], 1)
}

// A composite with the name of one here, but other operands, attributes or results, has the
// gradient of its body.
func TestImportedUnderOtherNames(t *testing.T) {
	for _, name := range []string{"ltc.softmax", "ltc.erf", "ltc.top_k"} {
		f, err := Import("names.mlir", `
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %r = stablehlo.composite "`+name+`" %x, %y {decomposition = @body} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @body(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}`)
		require.NoError(t, err)
		tr := evalTrace(t)
		x, y := From(tr, []float32{1, 2}), From(tr, []float32{3, 4})
		g := Grad(f.Call(x, y).Sum(), x)[0]
		require.NoError(t, tr.MarkStep(g))
		got, err := ToSlice[float32](g)
		require.NoError(t, err)
		require.Equal(t, []float32{3, 4}, got, name)
	}
}

// A bad text or call is an error with its place, the op and the types.
func TestMistakesWithImported(t *testing.T) {
	for text, want := range map[string]string{
		"func.func @main(": "lazy: import: bad.mlir:1:",
		"func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {\n  %y = stablehlo.popcnt %x : tensor<2xi32>\n  return %x : tensor<2xi32>\n}":                                             "bad.mlir:2:8: stablehlo.popcnt: there is no op of lazy tensors for it",
		"func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}":                                                                                         "argument 0 of main is tensor<?xf32>, whose sizes must be numbers",
		"func.func @main() -> tensor<f32> {\n  %y = stablehlo.constant dense<1.0> : tensor<f32>\n  return %y : tensor<f32>\n}":                                                          "main has no arguments",
		"func.func private @f(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}":                                                                                          "the module has no function main, and 0 others that are public",
		"func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %y = func.call @main(%x) : (tensor<f32>) -> tensor<f32>\n  return %y : tensor<f32>\n}":                                    "bad.mlir:2:8: func.call: functions call each other more than 200 deep",
		"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = stablehlo.custom_call @lapack_spotrf_ffi(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %y : tensor<2xf32>\n}": "bad.mlir:2:8: stablehlo.custom_call",
		"func.func @main(%x: tensor<2xf8E5M2FNUZ>) -> tensor<2xf8E5M2FNUZ> {\n  return %x : tensor<2xf8E5M2FNUZ>\n}":                                                                    "of elements that lazy tensors do not have",
	} {
		_, err := Import("bad.mlir", text)
		require.ErrorContains(t, err, want)
	}
	f, err := Import("doubled.mlir", doubled)
	require.NoError(t, err)
	tr := evalTrace(t)
	for want, ys := range map[string][]*Tensor{
		"import main(f32[3]): argument 0 is f32[3], must be f32[2]": f.CallAll(From(tr, []float32{1, 2, 3})),
		"the program has 1 argument, the call has 2":                f.CallAll(From(tr, []float32{1, 2}), From(tr, []float32{1, 2})),
		"nil": f.CallAll(nil),
	} {
		require.Len(t, ys, 2)
		require.ErrorContains(t, ys[1].Err(), want)
		require.ErrorContains(t, ys[1].Err(), "imported_test.go:")
	}
}
