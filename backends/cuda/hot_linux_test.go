package cuda

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// idling returns a backend on a driver that does nothing when work is queued.
func idling(t testing.TB) (*Backend, *cudafake.Fake) {
	f := cudafake.New(cudafake.Options{})
	t.Cleanup(func() { f.Close() })
	d, leave, err := f.Stubbed("cuLaunchKernel", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2", "cuEventRecord", "cuEventQuery", "cuEventSynchronize", "cuStreamWaitEvent", "cuStreamSynchronize",
		"cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuGraphLaunch", "cuGraphExecKernelNodeSetParams_v2")
	require.NoError(t, err)
	t.Cleanup(leave)
	dev, err := Use(d, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = dev.close() }) // what it made is not all there
	return On(dev), f
}

// idle returns one, and a program of so many kernels.
func idle(t testing.TB, kernels int) (*Backend, *executable) {
	b, _ := idling(t)
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
	var columns []soa.View
	for i := range 8 {
		columns = append(columns, b.dev.view(driver.Ptr(1<<40+i<<10), types.Of(types.F32, 8)))
	}
	gathered, err := soa.NewTable(1, columns...)
	require.NoError(t, err)
	for name, args := range map[string][2]soa.View{
		"gathered":      {gathered, gathered},
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
		b.dev.home.large = 1 // of the host's, all is copied beside kernels
		run()
		require.Zero(t, testing.AllocsPerRun(100, run), name)
		b.dev.home.large = large
	}
}

// Nor does one whose products are the library's, which say where the bias is when that
// moves.
func TestHotPathOfProducts(t *testing.T) {
	b, f := idling(t)
	stub, err := cudafake.Stub()
	require.NoError(t, err)
	l, err := cublaslt.Use(func(name string) uintptr {
		if name == "cublasLtMatmul" {
			return stub
		}
		return f.Lookup(name)
	}, 13)
	require.NoError(t, err)
	b.dev.UseLibrary(l)
	b.dev.products.least = 1
	m := matmul{types.F32, types.F32, plainDims, []int{72, 40}, []int{40, 80}, []int{72, 80}, withBiasTail}
	e := compile(t, b, m.text(), backends.Options{})
	c := &backends.Call{Results: []soa.View{b.dev.view(1<<41, types.Of(types.F32, m.y...))}}
	for i, shape := range [][]int{m.x, m.w, m.y[1:], m.y} {
		c.Args = append(c.Args, b.dev.view(driver.Ptr(i+1)<<36, types.Of(types.F32, shape...)))
	}
	run := func() { require.NoError(t, e.Execute(context.Background(), c)) }
	run()
	require.Equal(t, Launches{Products: 1}, e.Launches())
	if !trials.Race {
		require.Zero(t, testing.AllocsPerRun(100, run))
	}
	bias := f.Calls("cublasLtMatmulDescSetAttribute")
	c.Args[2] = b.dev.view(1<<42, c.Args[2].Type)
	run()
	require.EqualValues(t, 1, f.Calls("cublasLtMatmulDescSetAttribute")-bias)
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
