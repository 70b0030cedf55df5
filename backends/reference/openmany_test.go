package reference

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// sumOf returns the sum of n arguments, each of a size without a name.
func sumOf(n int) string {
	var args []string
	var b strings.Builder
	for i := range n {
		args = append(args, fmt.Sprintf("%%a%d: tensor<?xf32>", i))
	}
	fmt.Fprintf(&b, "func.func public @main(%s) -> tensor<?xf32> {\n", strings.Join(args, ", "))
	last := "%a0"
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "  %%s%d = stablehlo.add %s, %%a%d : tensor<?xf32>\n", i, last, i)
		last = fmt.Sprintf("%%s%d", i)
	}
	fmt.Fprintf(&b, "  return %s : tensor<?xf32>\n}", last)
	return b.String()
}

// Many sizes without a name that have to be one are one program, which says where one differs.
func TestManySizesThatAreOne(t *testing.T) {
	const n = 60
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(sumOf(n)), backends.Options{Compiled: true})
	require.NoError(t, err)
	c := &backends.Call{}
	for range n {
		c.Args = append(c.Args, soa.Make(types.Of(types.F32, 2)))
		copy(soa.Slice[float32](c.Args[len(c.Args)-1]), []float32{1, 2})
	}
	require.NoError(t, e.Execute(t.Context(), c))
	require.Equal(t, []float32{n, 2 * n}, soa.Slice[float32](c.Results[0]))
	c = &backends.Call{Args: c.Args}
	c.Args[n-2] = soa.Make(types.Of(types.F32, 3))
	require.ErrorContains(t, e.Execute(t.Context(), c), "stablehlo.add")
}
