package reference

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/soa"
)

// What runs prepare of an evaluated program counts, and is about what it keeps of the
// heap: ops for each size of arguments, and ops for each value that becomes an attribute.
func TestOpsThatRunsPrepareCount(t *testing.T) {
	var open strings.Builder
	open.WriteString("func.func @main(%v0: tensor<?xf32>) -> tensor<?xf32> {\n")
	const ops = 40
	for i := range ops {
		fmt.Fprintf(&open, "  %%v%d = stablehlo.reverse %%v%d, dims = [0] : tensor<?xf32>\n", i+1, i)
	}
	fmt.Fprintf(&open, "  return %%v%d : tensor<?xf32>\n}\n", ops)
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	e := compile(t, open.String())
	run := func(n int) {
		require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{vec(t, make([]float32, n), n)}}))
	}
	grown := e.(backends.Growing).Grown()
	run(1)
	before, first := heap(), grown.Load()
	require.Positive(t, first)
	const sizes = 20
	for n := range sizes {
		run(n + 2)
	}
	took, said := heap()-before, int(grown.Load()-first)
	t.Logf("%d bytes an op, %d are said", took/sizes/ops, said/sizes/ops)
	require.Greater(t, said, took*3/4)
	require.Less(t, said, took*3/2)
	last := grown.Load()
	run(2)
	require.Equal(t, last, grown.Load(), "it is prepared")

	for n := range 2 * cachedOps / ops { // the cache begins anew
		run(n + sizes + 2)
	}
	require.Less(t, grown.Load(), 2*first*cachedOps/ops)
	runtime.KeepAlive(e)
}

// So does the program for no elements of one for all sizes, once it is compiled.
func TestProgramsForNoElementsCount(t *testing.T) {
	b, err := open("cpu", "")
	require.NoError(t, err)
	e, err := b.Compile(t.Context(), backends.NewModule("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n  %0 = stablehlo.sine %x : tensor<?xf32>\n  return %0 : tensor<?xf32>\n}\n"), backends.Options{})
	require.NoError(t, err)
	require.IsType(t, &sized{}, e)
	grown := e.(backends.Growing).Grown()
	var took [3]int64
	for i, n := range []int{3, 0, 0} {
		require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{vec(t, make([]float32, n), n)}}))
		took[i] = grown.Load()
	}
	require.Greater(t, took[1], took[0]+1000)
	require.Equal(t, took[1], took[2])
}
