package reference

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/ir/types"
	"ltc/soa"
)

// wrappingSizes compute %size, of type T, from the size %n of an argument.
var wrappingSizes = map[string][2]string{
	"i32": {"i32", `
  %2 = stablehlo.multiply %n, %n : tensor<1xi32>
  %4 = stablehlo.multiply %2, %2 : tensor<1xi32>
  %8 = stablehlo.multiply %4, %4 : tensor<1xi32>
  %hundred = stablehlo.constant dense<100> : tensor<1xi32>
  %least = stablehlo.minimum %8, %hundred : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %size = stablehlo.maximum %least, %one : tensor<1xi32>`},
	"ui32": {"ui32", `
  %u = stablehlo.convert %n : (tensor<1xi32>) -> tensor<1xui32>
  %five = stablehlo.constant dense<5> : tensor<1xui32>
  %seven = stablehlo.constant dense<7> : tensor<1xui32>
  %less = stablehlo.subtract %u, %five : tensor<1xui32>
  %size = stablehlo.minimum %less, %seven : tensor<1xui32>`},
	"always negative": {"ui32", `
  %u = stablehlo.convert %n : (tensor<1xi32>) -> tensor<1xui32>
  %more = stablehlo.constant dense<1000000> : tensor<1xui32>
  %seven = stablehlo.constant dense<7> : tensor<1xui32>
  %less = stablehlo.subtract %u, %more : tensor<1xui32>
  %size = stablehlo.minimum %less, %seven : tensor<1xui32>`},
	"i1": {"i32", `
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %both = stablehlo.concatenate %n, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %some = stablehlo.convert %both : (tensor<2xi32>) -> tensor<2xi1>
  %ones = stablehlo.convert %some : (tensor<2xi1>) -> tensor<2xi32>
  %first = stablehlo.slice %ones [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %last = stablehlo.slice %ones [1:2] : (tensor<2xi32>) -> tensor<1xi32>
  %size = stablehlo.add %first, %last : tensor<1xi32>`},
}

// A size that is asked for and is no i32 is an error on both paths, and never another number.
func TestSizesBeyondTheirIntegers(t *testing.T) {
	text := `
module attributes {ltc.dims = {n = [0, 1099511627776]}} {
func.func public @main(%x: tensor<?x0xi8> {ltc.dim = ["n", ""]}) -> tensor<i64> {
  %d = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x0xi8>) -> tensor<i32>
  %n = stablehlo.convert %d : (tensor<i32>) -> tensor<i64>
  return %n : tensor<i64>
}
}`
	for _, name := range []string{"cpu", "eval"} {
		b, err := backends.Open(name)
		require.NoError(t, err)
		e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		for _, n := range []int{3, 1<<31 - 1, 1 << 31, 1 << 32, 1 << 36} {
			c := &backends.Call{Args: []soa.View{soa.Make(types.Of(types.I8, n, 0))}}
			err := e.Execute(t.Context(), c)
			if n >= 1<<31 {
				require.ErrorContains(t, err, fmt.Sprintf("get_dimension_size: dimension 0 is %d, which is no i32", n), name)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, []int64{int64(n)}, soa.Slice[int64](c.Results[0]), name)
		}
	}
}

// Integers that sizes are computed with wrap as their types have it.
func TestSizesWrapAsIntegersDo(t *testing.T) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	for name, of := range wrappingSizes {
		text := strings.NewReplacer("T", of[0], "BODY", of[1]).Replace(`
module attributes {ltc.dims = {n = [0, 100000]}} {
func.func public @main(%x: tensor<?xi8> {ltc.dim = ["n"]}) -> tensor<?xi32> {
  %d = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi8>) -> tensor<i32>
  %n = stablehlo.reshape %d : (tensor<i32>) -> tensor<1xi32>
BODY
  %r = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xT>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}
}`)
		e, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err, name)
		want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err, name)
		for _, n := range []int{0, 1, 2, 3, 5, 6, 7, 16, 64, 100, 1 << 16, 70_003} {
			args := []soa.View{soa.Make(types.Of(types.I8, n))}
			a, b := &backends.Call{Args: args}, &backends.Call{Args: args}
			require.NoError(t, want.Execute(t.Context(), a), "%s %d", name, n)
			require.NoError(t, e.Execute(t.Context(), b), "%s %d", name, n)
			require.Equal(t, a.Results[0].Type.Shape, b.Results[0].Type.Shape, "%s of %d", name, n)
			require.Equal(t, soa.Slice[int32](a.Results[0]), soa.Slice[int32](b.Results[0]), "%s of %d", name, n)
		}
	}
}
