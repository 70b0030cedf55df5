package reference

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/internal/trials"
)

// A run of sizes that the program is not for leaves what runs others to the next run.
func TestRefusedSizesKeepThePool(t *testing.T) {
	trials.Sequential(t) // pools forget at random under the race detector
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(`
func.func public @main(%x: tensor<?xf32>) -> tensor<5xf32> {
  %y = stablehlo.slice %x [0:5] : (tensor<?xf32>) -> tensor<5xf32>
  %z = stablehlo.tanh %y : tensor<5xf32>
  return %z : tensor<5xf32>
}`), backends.Options{Compiled: true})
	require.NoError(t, err)
	f := e.(*openExecutable).Dense()
	x, err := f.take(t.Context(), []int64{7})
	require.NoError(t, err)
	f.runs.Put(x)
	_, err = f.take(t.Context(), []int64{4})
	require.ErrorIs(t, err, plan.ErrOtherSizes)
	y, err := f.take(t.Context(), []int64{7})
	require.NoError(t, err)
	require.Same(t, x, y)
	require.Equal(t, []int64{7}, y.values)
}
