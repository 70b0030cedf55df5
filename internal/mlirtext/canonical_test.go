package mlirtext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// Each row has texts of one type; the first is how it is printed.
func TestTypesHaveOneText(t *testing.T) {
	for _, texts := range [][]string{
		{"!quant.uniform<i8:f32, 2.000000e+00:15>", "!quant.uniform<i8:f32, 2.0:15>", "!quant.uniform<i8<-128:127>:f32,  2.0e0 : 15>"},
		{"!quant.uniform<i8:f32, 1.000000e-01>", "!quant.uniform<i8:f32, 0.1:0>"},
		{"!quant.uniform<u8<0:200>:f32, 0.072314441204071045:3>", "!quant.uniform<u8<0:200>:f32, 7.2314441204071045e-2:3>"},
		{"!quant.uniform<ui8:f32, 1.000000e+00>", "!quant.uniform<ui8<0:255>:f32, 1.0>"},
		{"tensor<2x!quant.uniform<i8:f32:0, {1.000000e-01:-30,5.000000e-01}>>", "tensor<2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>"},
		{"tensor<2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{2.000000e+00:120}, {4.000000e+00}}>>", "tensor<2x2x!quant.uniform<i8:f32:{0:1,1:2},{{2.0:120},{4.0:0}}>>"},
		{"tensor<?x2xf32, #stablehlo.bounds<3, ?>>", "tensor<?x2xf32, #stablehlo.bounds<3,?>>", "tensor<?x2xf32, #stablehlo.type_extensions<bounds = [3, ?]>>"},
		{"!stablehlo.future<tensor<2x!quant.uniform<i8:f32, 2.000000e+00>>, tensor<f32>>", "!stablehlo.future<tensor<2x!quant.uniform<i8:f32,2.0:0>>,tensor<f32>>"},
		{"tuple<tensor<!quant.uniform<i8:f32, 2.000000e+00>>, tuple<>>", "tuple<tensor<!quant.uniform<i8:f32, 2.0>>, tuple<>>"},
		{"!stablehlo.token", "!stablehlo.token<>"},
	} {
		for _, text := range texts {
			m, err := stablehlo.Parse("", "func.func @f(%a: "+text+") -> "+texts[0]+" {\n  return %a : "+texts[0]+"\n}")
			require.NoError(t, err, text)
			require.NoError(t, verify.Module(m), text)
			ft := m.Ops[0].FuncType()
			require.Equal(t, texts[0], ft.Ins[0].String())
			require.True(t, mlir.SameType(ft.Ins[0], ft.Outs[0]))
		}
	}
}
