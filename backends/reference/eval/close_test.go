package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/dims"
	"ltc/mlir"
)

// fixed returns what FixSizes makes of a body: the types of the results of its ops, and what it
// has found out besides.
func fixed(t *testing.T, args, body string, shapes ...[]int) (types []string, sizes Sizes, err error) {
	t.Helper()
	p, err := backends.LoadOpen(context.Background(), backends.NewModule("func.func @main("+args+") {\n"+body+"\n}"), backends.Options{})
	require.NoError(t, err)
	sizes, err = New().FixSizes(context.Background(), p, shapes)
	p.Module.Walk(func(op *mlir.Op) bool {
		for _, r := range op.Results {
			types = append(types, strings.TrimPrefix(r.Type.String(), "tensor"))
		}
		return true
	})
	return types, sizes, err
}

func TestFixSizesOfExpressions(t *testing.T) {
	b, s := int(dims.Symbol("batch", 1, 512)), int(dims.Symbol("seq", 1, 512))
	types, sizes, err := fixed(t, "%x: tensor<?x?x8xf32>, %w: tensor<8x4xf32>", `
  %y = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<?x?x8xf32>, tensor<8x4xf32>) -> tensor<?x?x4xf32>
  %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?x8xf32>) -> tensor<i32>
  %s = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?x8xf32>) -> tensor<i32>
  %bs = stablehlo.multiply %b, %s : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %r = stablehlo.reshape %bs : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %r, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %flat = stablehlo.dynamic_reshape %y, %shape : (tensor<?x?x4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %t = stablehlo.transpose %flat, dims = [1, 0] : (tensor<?x4xf32>) -> tensor<4x?xf32>
  %c = stablehlo.concatenate %t, %t, dim = 1 : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
  return`, []int{b, s, 8}, []int{8, 4})
	require.NoError(t, err)
	require.Equal(t, "<{batch}x{seq}x4xf32> <i32> <1xi32> <1xi32> <2xi32> <{batch*seq}x4xf32> <4x{batch*seq}xf32> <4x{2*batch*seq}xf32>",
		strings.Join(types[:8], " "), "%v", types)
	require.Equal(t, []int64{int64(b), int64(s)}, sizes.Args)
	require.Empty(t, sizes.Guards)
}

func TestFixSizesNotesGuards(t *testing.T) {
	n, m := int(dims.Symbol("n", 0, 1000)), int(dims.Symbol("m", 0, 1000))
	_, sizes, err := fixed(t, "%x: tensor<?x4xf32>", "  %y = stablehlo.slice %x [0:5, 0:4] : (tensor<?x4xf32>) -> tensor<5x4xf32>\n  return", []int{n, 4})
	require.NoError(t, err)
	require.Len(t, sizes.Guards, 1)
	require.Equal(t, "5 should be at most n", sizes.Guards[0].String())

	_, _, err = fixed(t, "%x: tensor<?x4xf32>", `
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %h = stablehlo.divide %n, %two : tensor<i32>
  %r = stablehlo.reshape %h : (tensor<i32>) -> tensor<1xi32>
  %eight = stablehlo.constant dense<8> : tensor<1xi32>
  %shape = stablehlo.concatenate %r, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %z = stablehlo.dynamic_reshape %x, %shape : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x8xf32>
  return`, []int{n, 4})
	var unequal *NotEqual
	require.ErrorAs(t, err, &unequal)
	require.Equal(t, "stablehlo.dynamic_reshape: 4*n should be 8*floor(n / 2)", unequal.Error())
	_, _, err = fixed(t, "%x: tensor<?xf32>, %y: tensor<?xf32>", "  %z = stablehlo.add %x, %y : tensor<?xf32>\n  return", []int{n}, []int{m})
	require.True(t, errors.As(err, &unequal))
	require.Equal(t, "stablehlo.add: n should be m", unequal.Error())
	_, _, err = fixed(t, "%x: tensor<?xf32>, %y: tensor<2000xf32>", "  %z = stablehlo.add %x, %y : (tensor<?xf32>, tensor<2000xf32>) -> tensor<?xf32>\n  return", []int{n}, []int{2000})
	require.ErrorContains(t, err, "operands are tensor<{n}xf32> and tensor<2000xf32>")
}

// Where shapes follow from integers that may be beyond their type, a guard keeps the program from
// sizes for which they are.
func TestFixSizesGuardsRanges(t *testing.T) {
	n := int(dims.Symbol("n", 0, 100_000))
	body := func(elem string) string {
		return `
  %d = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %n = stablehlo.convert %d : (tensor<i32>) -> tensor<` + elem + `>
  %hash = stablehlo.multiply %n, %n : tensor<` + elem + `>
  %seven = stablehlo.constant dense<7> : tensor<` + elem + `>
  %less = stablehlo.subtract %n, %seven : tensor<` + elem + `>
  %twice = stablehlo.multiply %less, %less : tensor<` + elem + `>
  %size = stablehlo.reshape %twice : (tensor<` + elem + `>) -> tensor<1x` + elem + `>
  %i = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1x` + elem + `>) -> tensor<?xf32>
  return`
	}
	for elem, want := range map[string][]string{
		"i64":  nil,
		"i32":  {"n*n - 14*n + 49 should be at most 2147483647"},
		"ui64": {"0 should be at most n*n - 14*n + 49", "0 should be at most n - 7"},
		"ui32": {"0 should be at most n*n - 14*n + 49", "n*n - 14*n + 49 should be at most 4294967295", "0 should be at most n - 7"},
	} {
		_, sizes, err := fixed(t, "%x: tensor<?xf32>", body(elem), []int{n})
		require.NoError(t, err)
		var guards []string
		for _, g := range sizes.Guards {
			guards = append(guards, g.String())
		}
		require.Equal(t, want, guards, elem)
	}
}

// All pairs of sizes that have to be one are found in one pass.
func TestFixSizesFindsAllThatDiffer(t *testing.T) {
	var shapes [][]int
	for _, name := range []string{"a", "b", "c"} {
		shapes = append(shapes, []int{int(dims.Symbol(name, 1, 9))})
	}
	_, _, err := fixed(t, "%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>", `
  %0 = stablehlo.add %x, %y : tensor<?xf32>
  %1 = stablehlo.add %0, %z : tensor<?xf32>
  return`, shapes...)
	var unequal *NotEqual
	require.ErrorAs(t, err, &unequal)
	require.Equal(t, "stablehlo.add: a should be b", unequal.Error())
	require.Len(t, unequal.More, 1)
	require.Equal(t, "a should be c", unequal.More[0].String())
}

// No integer of an attribute is taken for an expression, however many integers it has.
func TestFixSizesRefusesNames(t *testing.T) {
	const rank = 33
	n := int(dims.Symbol("n", 0, 1000))
	shape, ones, pads := []int{n}, []string{"1"}, []string{fmt.Sprintf("[%d, %d]", n, n)}
	for range rank - 1 {
		shape, ones, pads = append(shape, 1), append(ones, "1"), append(pads, "[0, 0]")
	}
	typ := "tensor<?x" + strings.Repeat("1x", rank-1) + "f32>"
	_, _, err := fixed(t, "%x: "+typ+", %z: tensor<f32>", `
  %w = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {window_dimensions = array<i64: `+strings.Join(ones, ", ")+`>, padding = dense<[`+strings.Join(pads, ", ")+`]> : tensor<33x2xi64>} : (`+typ+`, tensor<f32>) -> `+typ+`
  return`, shape, nil)
	require.ErrorContains(t, err, "padding has")
}
