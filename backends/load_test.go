package backends

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/mlir"
)

func TestLoad(t *testing.T) {
	ctx := context.Background()
	p, err := Load(ctx, NewModule("func.func @main(%a: tensor<2xf32>, %b: tensor<?xf32>, %c: tensor<i4>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}"), Options{})
	require.NoError(t, err)
	require.Equal(t, "module.mlir", p.File)
	require.Len(t, p.Signature.Args, 3)
	require.NotNil(t, p.Module.Func("main"))
	err = Unsupported("chip", p.File, append([]UnsupportedOp{{Op: "func.return", Pos: mlir.Pos{Line: 2, Col: 3}, Line: p.Line(mlir.Pos{Line: 2})}}, p.Lacking...))
	require.EqualError(t, err, `backend chip cannot run 3 of the program's ops:
module.mlir:1:1: func.func: argument 1 of @main: tensor<?xf32> has a dynamic shape
  func.func @main(%a: tensor<2xf32>, %b: tensor<?xf32>, %c: tensor<i4>) -> tensor<2xf32> {
module.mlir:1:1: func.func: argument 2 of @main: a caller cannot hold elements of type i4
  func.func @main(%a: tensor<2xf32>, %b: tensor<?xf32>, %c: tensor<i4>) -> tensor<2xf32> {
module.mlir:2:3: func.return: 
  return %a : tensor<2xf32>`)
	require.NoError(t, Unsupported("chip", p.File, nil))
	require.Empty(t, p.Line(mlir.Pos{Line: 4}))

	// Quantized elements are held as integers.
	p, err = Load(ctx, NewModule("func.func @main(%a: tensor<2x!quant.uniform<u8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<u8:f32, 0.5:3>> {\n  return %a : tensor<2x!quant.uniform<u8:f32, 0.5:3>>\n}"), Options{})
	require.NoError(t, err)
	require.Empty(t, p.Lacking)
	require.Equal(t, types.Of(types.U8, 2), p.Signature.Args[0].Type)
	require.Equal(t, types.Of(types.U8, 2), p.Signature.Results[0].Type)

	p, err = LoadOpen(ctx, NewModule("func.func @main(%a: tensor<?xf32>) {\n  return\n}"), Options{})
	require.NoError(t, err)
	require.Empty(t, p.Lacking)
	require.Equal(t, AnySize, p.Signature.Args[0].Type.Shape[0])
}

// A signature prints as a function does, with its names.
func TestSignaturePrints(t *testing.T) {
	p, err := LoadOpen(context.Background(), NewModule(`func.func @main(%a: tensor<?x2xf32> {ltc.name = "x"}, %w: tensor<2xbf16> {ltc.constant, ltc.name = "w"},
    %c: tensor<f32> {tf.aliasing_output = 1 : i32}) -> (tensor<?x2xf32> {ltc.name = "y"}, tensor<f32>) {
  return %a, %c : tensor<?x2xf32>, tensor<f32>
}`), Options{})
	require.NoError(t, err)
	require.Equal(t, "main(x: f32[?,2], w: bf16[2] constant, 2: f32[]) -> y: f32[?,2], 1: f32[] in 2", p.Signature.String())
	require.Equal(t, "<nil>", (*Signature)(nil).String())
}

func TestLoadErrors(t *testing.T) {
	donated := "func.func @main(%a: tensor<2xf32> {tf.aliasing_output = 3 : i32}) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}"
	for _, c := range []struct{ text, want string }{
		{"func.func @main( {", "m.mlir:1:18: error: "},
		{"func.func @main() {\n  %0 = stablehlo.add %x, %x : tensor<f32>\n  return\n}", "m.mlir:2:22: error: "},
		{"module {}", "m.mlir: error: the module has no function @main with a body of one block"},
		{donated, "m.mlir:1:1: error: argument 0 of @main: tf.aliasing_output = 3: it has 1 result\nfunc.func @main("},
	} {
		_, err := Load(context.Background(), NewModule(c.text), Options{Name: "m.mlir"})
		require.ErrorContains(t, err, c.want)
		var at *mlir.Error
		require.ErrorAs(t, err, &at)
	}
	_, err := Load(context.Background(), NewModule("module {}"), Options{Threads: -1})
	require.EqualError(t, err, "compile: Threads is -1: give a number of threads, or 0 for the default")
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(gone)
	_, err = Load(ctx, NewModule("module {}"), Options{})
	require.ErrorIs(t, err, gone)
}
