package backendtest

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// severalWays has a kernel, a loop and a sort, which backends may run in as many ways.
const severalWays = `func.func public @main(%w: tensor<3xf32>, %n: tensor<i32> {ltc.constant}) -> tensor<3xf32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %2:2 = stablehlo.while(%i = %0, %x = %w) : tensor<i32>, tensor<3xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %1 : tensor<i32>
      %y = stablehlo.add %x, %x : tensor<3xf32>
      stablehlo.return %j, %y : tensor<i32>, tensor<3xf32>
    }
  %3 = "stablehlo.sort"(%2#1) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return %3 : tensor<3xf32>
}`

// testContexts: what a context holds is its owner's again when a method has returned. It may
// be a request with all that belongs to it, which others write.
func testContexts(t *testing.T, b backends.Backend) {
	var contexts trials.Requests
	var e backends.Executable
	contexts.With("Compile", func(ctx context.Context) {
		var err error
		e, err = b.Compile(ctx, backends.NewModule(severalWays), backends.Options{})
		if errors.Is(err, errors.ErrUnsupported) {
			skip(t, err)
		}
		require.NoError(t, err)
	})
	execute := func(method string, e backends.Executable, args ...soa.View) {
		contexts.With(method, func(ctx context.Context) {
			c := &backends.Call{Args: args}
			require.NoError(t, e.Execute(ctx, c))
			require.Equal(t, []float32{4, 8, 12}, floats(c.Results[0]))
		})
	}
	w := f32s(t, []float32{3, 1, 2})
	n, err := soa.Borrow([]int32{2}, types.Of(types.I32))
	require.NoError(t, err)
	execute("Execute", e, w, n)
	bound := e
	contexts.With("Bind", func(ctx context.Context) {
		x, err := e.Bind(ctx, map[int]soa.View{1: n})
		if errors.Is(err, errors.ErrUnsupported) {
			return
		}
		require.NoError(t, err)
		bound = x
	})
	if bound != e {
		execute("Execute of what Bind gave", bound, w, soa.View{})
	}
	contexts.Released(t)
	runtime.KeepAlive([]backends.Executable{e, bound})
}
