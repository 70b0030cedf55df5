package reference

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/soa"
)

// twice keeps a product while it makes another of it.
const twice = `func.func public @main(%a: tensor<2048x2048xf32>) -> (tensor<2048x2048xf32>, tensor<2048x2048xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %1 = stablehlo.dot_general %0, %a, contracting_dims = [1] x [0] : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %2 = stablehlo.dot_general %1, %0, contracting_dims = [1] x [0] : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %3 = stablehlo.dot_general %2, %2, contracting_dims = [1] x [0] : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %1, %3 : tensor<2048x2048xf32>, tensor<2048x2048xf32>
}`

// A program whose results and temporaries fit one by one, but not together, is
// an error before any of their memory is there.
func TestProgramBeyondMemory(t *testing.T) {
	compile := func() (backends.Executable, error) {
		return asKernels{eval.New()}.Compile(context.Background(), backends.NewModule(twice), backends.Options{Threads: 1})
	}
	e, err := compile()
	require.NoError(t, err)
	needs := e.(*compiled).WorkspaceBytes() + e.(*compiled).resultBytes()
	require.Greater(t, needs, 3*16<<20)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(needs - 1)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = compile()
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, soa.ErrMemory)
	require.ErrorContains(t, err, "the results and the values that are alive at once: not enough memory")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
	debug.SetMemoryLimit(int64(needs))
	_, err = compile()
	require.NoError(t, err)
}
