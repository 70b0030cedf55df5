package cuda

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// idle returns a backend on a driver that does nothing when work is queued, and a
// program of so many kernels.
func idle(t testing.TB, kernels int) (*Backend, *executable) {
	f := cudafake.New(cudafake.Options{})
	t.Cleanup(func() { f.Close() })
	d, leave, err := f.Stubbed("cuLaunchKernel", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2", "cuEventRecord", "cuEventSynchronize", "cuStreamSynchronize",
		"cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuGraphLaunch", "cuGraphExecKernelNodeSetParams_v2")
	require.NoError(t, err)
	t.Cleanup(leave)
	dev, err := Use(d, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = dev.close() }) // what it made is not all there
	b := On(dev)
	var text strings.Builder
	text.WriteString("func.func public @main(%a0: tensor<8x8xf32>) -> tensor<8x8xf32> {\n")
	for i := range kernels { // products, which stay a kernel each
		fmt.Fprintf(&text, "  %%a%d = stablehlo.dot_general %%a%d, %%a%d, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n", i+1, i, i)
	}
	fmt.Fprintf(&text, "  return %%a%d : tensor<8x8xf32>\n}", kernels)
	return b, compile(t, b, text.String(), backends.Options{})
}

// A run of a cached program allocates nothing.
func TestHotPath(t *testing.T) {
	b, e := idle(t, 20)
	square := types.Of(types.F32, 8, 8)
	strided, err := b.dev.view(1<<40, types.Of(types.F32, 8, 16)).Restride(square, 0, []int{16, 1})
	require.NoError(t, err)
	for name, args := range map[string][2]soa.View{
		"strided":       {strided, b.dev.view(1<<41, square)},
		"on the device": {b.dev.view(1<<40, square), b.dev.view(1<<41, square)},
		"on the host":   {soa.Make(square), soa.Make(square)},
	} {
		c := &backends.Call{Args: args[:1], Results: args[1:]}
		run := func() { require.NoError(t, e.Execute(context.Background(), c)) }
		run()
		if trials.Race {
			run()
			continue
		}
		require.Zero(t, testing.AllocsPerRun(100, run), name)
	}
}

// What the host does for a step of 100 kernels, with a driver that does nothing.
func BenchmarkStep(b *testing.B) {
	on, e := idle(b, 100)
	square := types.Of(types.F32, 8, 8)
	c := &backends.Call{Args: []soa.View{on.dev.view(1<<40, square)}, Results: []soa.View{on.dev.view(1<<41, square)}}
	b.ReportAllocs()
	for b.Loop() {
		if err := e.Execute(context.Background(), c); err != nil {
			b.Fatal(err)
		}
	}
}
