package llvm

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/soa"
)

// Programs of two batch sizes that are bound to one matrix hold it packed once. When one of them is
// gone the other still gives what it gave. A program that is bound after the matrix has changed packs
// what is there then.
func TestProgramsShareWhatTheyPack(t *testing.T) {
	if _, err := libllvm.Open(); err != nil {
		t.Skipf("what libLLVM compiles is tested, and there is none: %v", err)
	}
	const k, n, bytes = 1024, 1024, 4 * 1024 * 1024
	w, err := samples.Make(types.Of(types.F32, k, n), "rand:7")
	require.NoError(t, err)
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	heap := func() (used int) {
		var m runtime.MemStats
		for last := math.MaxInt; ; last = used { // until all that earlier tests left is gone
			for range 3 {
				runtime.GC()
			}
			runtime.ReadMemStats(&m)
			if used = int(m.HeapAlloc); used > last-1<<16 {
				return used
			}
		}
	}
	compile := func(rows string) backends.Executable {
		e, err := cpu.Compile(t.Context(), backends.NewModule(fmt.Sprintf(`func.func @main(%%x: tensor<%[1]sx1024xf32>, %%w: tensor<1024x1024xf32> {ltc.constant}) -> tensor<%[1]sx1024xf32> {
  %%0 = stablehlo.dot_general %%x, %%w, contracting_dims = [1] x [0] : (tensor<%[1]sx1024xf32>, tensor<1024x1024xf32>) -> tensor<%[1]sx1024xf32>
  return %%0 : tensor<%[1]sx1024xf32>
}`, rows)), backends.Options{})
		require.NoError(t, err)
		return e
	}
	x, err := samples.Make(types.Of(types.F32, 300, k), "rand:8")
	require.NoError(t, err)
	run := func(e backends.Executable, w soa.View) []float32 {
		c := &backends.Call{Args: []soa.View{x, w}}
		require.NoError(t, e.Execute(t.Context(), c))
		return slices.Clone(soa.Slice[float32](c.Results[0]))
	}
	plain := compile("300")
	want := run(plain, w)
	bind := func(rows string) (bound backends.Executable, took int) {
		e := compile(rows)
		before := heap()
		bound, err := e.Bind(t.Context(), map[int]soa.View{1: w})
		require.NoError(t, err)
		require.NoError(t, bound.(backends.Tiered).Finish(t.Context())) // stand-ins pack nothing
		return bound, heap() - before
	}
	one, took := bind("300")
	require.InDelta(t, bytes, took, bytes/4)
	two, took := bind("600")
	require.InDelta(t, 0, took, bytes/4)
	open, took := bind("?")
	run(open, soa.View{}) // which packs for its size
	require.InDelta(t, 0, took, bytes/4)
	require.Equal(t, want, run(one, soa.View{}))
	require.Equal(t, want, run(open, soa.View{}))
	runtime.KeepAlive(one)
	one = nil
	heap()
	require.Equal(t, want, run(open, soa.View{}))
	changed := soa.Slice[float32](w)
	changed[k*n/2+1]++
	other, took := bind("300")
	require.InDelta(t, bytes, took, bytes/4)
	require.Equal(t, run(plain, w), run(other, soa.View{}))
	require.Equal(t, want, run(open, soa.View{}), "packed before the change")
	runtime.KeepAlive(two)
}
