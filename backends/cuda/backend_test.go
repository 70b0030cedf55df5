package cuda

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/backendtest"
	"ltc/internal/cudafake"
	"ltc/ir/types"
	"ltc/soa"
)

// backend opens the backend on a fake's first device.
func backend(t *testing.T, o cudafake.Options) (*Backend, *cudafake.Fake) {
	all, f := devices(t, o)
	return On(all[0]), f
}

func TestSmallest(t *testing.T) {
	b, _ := backend(t, cudafake.Options{})
	e, err := b.Compile(t.Context(), backends.NewModule(`func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.multiply %0, %b : tensor<4xf32>
  return %1 : tensor<4xf32>
}`), backends.Options{})
	require.NoError(t, err)
	x, err := soa.Borrow([]float32{1, 2, 3, 4}, types.Of(types.F32, 4))
	require.NoError(t, err)
	c := &backends.Call{Args: []soa.View{x, x}}
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, []float32{2, 8, 18, 32}, soa.Slice[float32](c.Results[0]))
}

// The suite passes; what it leaves to the host is counted as supported, too.
func TestSuite(t *testing.T) {
	b, _ := backend(t, cudafake.Options{})
	for _, g := range backendtest.Run(t, func(string) (backends.Backend, error) { return b, nil }).Groups {
		require.Positive(t, g.Passed, g.Name)
		require.Zero(t, g.Unsupported, g.Name)
	}
}
