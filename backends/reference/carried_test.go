package reference

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/internal/samples"
	"ltc/internal/trials"
	"ltc/soa"
)

// carriedElems are elements that lie between steps as others, with how they are
// made of %x, a tensor<6xf32>, and what they become again.
var carriedElems = map[string]string{
	"complex<f32>":                  "%v = stablehlo.complex %x, %x : tensor<6xE>",
	"complex<f64>":                  "%w = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xf64>\n  %v = stablehlo.complex %w, %w : tensor<6xE>",
	"f8E4M3FN":                      "%v = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xE>",
	"f8E5M2":                        "%v = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xE>",
	"f4E2M1FN":                      "%v = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xE>",
	"tf32":                          "%v = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xE>",
	"i4":                            "%v = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xE>",
	"ui2":                           "%v = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xE>",
	"!quant.uniform<i8:f32, 0.5:3>": "%v = stablehlo.uniform_quantize %x : (tensor<6xf32>) -> tensor<6xE>",
}

// carriedOps are ops on %v, a tensor<6xE>, that give %r, another.
var carriedOps = map[string]string{
	"reshape": "%m = stablehlo.reshape %v : (tensor<6xE>) -> tensor<2x3xE>\n  %t = stablehlo.transpose %m, dims = [1, 0] : (tensor<2x3xE>) -> tensor<3x2xE>\n  %r = stablehlo.reshape %t : (tensor<3x2xE>) -> tensor<6xE>",
	"barrier": "%r = stablehlo.optimization_barrier %v : tensor<6xE>",
	"add":     "%r = stablehlo.add %v, %v : tensor<6xE>",
	"select":  "%n = stablehlo.reverse %v, dims = [0] : tensor<6xE>\n  %r = stablehlo.select %p, %v, %n : tensor<i1>, tensor<6xE>",
	"branch": `%r = "stablehlo.if"(%p) ({
    stablehlo.return %v : tensor<6xE>
  }, {
    %n = stablehlo.reverse %v, dims = [0] : tensor<6xE>
    stablehlo.return %n : tensor<6xE>
  }) : (tensor<i1>) -> tensor<6xE>`,
	"loop": `%zero = stablehlo.constant dense<0> : tensor<i32>
  %r, %last = stablehlo.while(%a = %v, %i = %zero) : tensor<6xE>, tensor<i32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %n = stablehlo.add %a, %v : tensor<6xE>
      stablehlo.return %n, %j : tensor<6xE>, tensor<i32>
    }`,
}

// An op on elements that kernels do not have leaves itself to the evaluator, and
// not the program that it is in.
func TestCarriedElements(t *testing.T) {
	trials.Sequential(t)
	for elem, made := range carriedElems {
		for _, op := range carriedOps {
			end := "%y = stablehlo.convert %r : (tensor<6xE>) -> tensor<6xf32>"
			switch {
			case strings.HasPrefix(elem, "complex"):
				end = "%re = stablehlo.real %r : (tensor<6xE>) -> tensor<6x" + elem[8:11] + ">\n  %im = stablehlo.imag %r : (tensor<6xE>) -> tensor<6x" + elem[8:11] +
					">\n  %s = stablehlo.subtract %re, %im : tensor<6x" + elem[8:11] + ">\n  %y = stablehlo.convert %s : (tensor<6x" + elem[8:11] + ">) -> tensor<6xf32>"
			case strings.HasPrefix(elem, "!quant"):
				end = "%y = stablehlo.uniform_dequantize %r : (tensor<6xE>) -> tensor<6xf32>"
			}
			text := fmt.Sprintf(`func.func @main(%%x: tensor<6xf32>, %%p: tensor<i1>) -> tensor<6xf32> {
  %s
  %s
  %s
  %%z = stablehlo.multiply %%y, %%x : tensor<6xf32>
  return %%z : tensor<6xf32>
}`, made, op, end)
			text = strings.ReplaceAll(text, "xE>", "x"+elem+">")
			likeEvaluated(t, text)
		}
	}
}

// So does one that refers to a function of the module; others in it are not in
// the way.
func TestFunctionsOfSteps(t *testing.T) {
	require.NoError(t, backends.RegisterHost("reference.test.copied", func(_ context.Context, c *backends.HostCall) error {
		return soa.Copy(c.Results[0], c.Args[0])
	}))
	likeEvaluated(t, `func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = stablehlo.custom_call @reference.test.copied(%x) {called_computations = [@other]} : (tensor<6xf32>) -> tensor<6xf32>
  %1 = stablehlo.multiply %0, %x : tensor<6xf32>
  return %1 : tensor<6xf32>
}
func.func @other(%x: tensor<6xf32>) -> tensor<6xf32> {
  return %x : tensor<6xf32>
}`)
}

// likeEvaluated requires that a program is compiled, and computes what the
// evaluator does, bit by bit.
func likeEvaluated(t *testing.T, text string) {
	m := backends.NewModule(text)
	a, err := asKernels{eval.New()}.Compile(t.Context(), m, backends.Options{})
	require.NoError(t, err, text)
	require.IsType(t, &compiled{}, a, text)
	kernels, _ := a.(*compiled).Compiled()
	require.Positive(t, kernels, text)
	b, err := eval.New().Compile(t.Context(), m, backends.Options{})
	require.NoError(t, err, text)
	for seed := range 3 {
		got, want := &backends.Call{}, &backends.Call{}
		for _, arg := range a.Signature().Args {
			v, err := samples.Make(arg.Type, fmt.Sprintf("rand:%d", seed))
			require.NoError(t, err)
			got.Args, want.Args = append(got.Args, v), append(want.Args, v)
		}
		require.NoError(t, a.Execute(t.Context(), got), text)
		require.NoError(t, b.Execute(t.Context(), want), text)
		for i := range want.Results[0].Type.Elements() {
			require.Equal(t, samples.Bits(want.Results[0], i), samples.Bits(got.Results[0], i), text)
		}
	}
}
