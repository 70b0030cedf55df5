package eval

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// lookedAt is a context that is done after so many questions whether it is.
type lookedAt struct {
	context.Context
	left *int
}

func (c lookedAt) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// What a run prepares ends with the run's context, not with the one that the program was
// compiled under, which is over by then.
func TestOpsPreparedByARunEndWithItsContext(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		args []soa.View
	}{
		"sizes of arguments": {openSum, []soa.View{vec(t, make([]float32, 4), 2, 2), vec(t, make([]float32, 2), 2)}},
		"values as attributes": {`func.func @main(%a: tensor<4xf32>, %at: tensor<1xi32>) -> tensor<2xf32> {
  %to = stablehlo.constant dense<4> : tensor<1xi32>
  %by = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %a, %at, %to, %by : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}`, []soa.View{vec(t, make([]float32, 4), 4), soa.Make(types.Of(types.I32, 1))}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			e, err := New().Compile(ctx, backends.NewModule(c.text), backends.Options{})
			cancel()
			require.NoError(t, err)
			looks := 1 // that of Execute itself
			err = e.Execute(lookedAt{context.Background(), &looks}, &backends.Call{Args: c.args})
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorContains(t, err, "prepare ended on line")
			require.NoError(t, e.Execute(context.Background(), &backends.Call{Args: c.args}), "another run prepares it")
		})
	}
}

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
