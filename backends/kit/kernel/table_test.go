package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
)

// columns copies columns that lie anywhere.
const columns = `kernel columns(x: f32[n0, n1] strides [1, table], at: i64[n1] strides [1], out y: f32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage {
    %0 = load at[j]
    %1 = load x[i, %0]
    store y[i, j], %1
  }
}
`

// An entry of a table is the index of its dimension alone, and nothing bounds it.
func TestTables(t *testing.T) {
	k := parse(t, columns)
	require.NoError(t, kernel.Verify(k))
	require.NoError(t, kernel.Bounds(k, []int64{2, 3}))
	stays(t, k)
	for _, c := range []struct{ old, new, message string }{
		{"x[i, %0]", "x[i, j]", "kernel columns: %1 load: index 1 of a dimension with a table is no entry of it alone, or guarded (kernel_table)"},
		{"x[i, %0]", "x[i, %0 + 1]", "kernel columns: %1 load: index 1 of a dimension with a table is no entry of it alone, or guarded (kernel_table)"},
		{"load at[j]", "iota j : i64", "kernel columns: %1 load: index 1: %0 is not loaded from a table of i64 (kernel_table)"},
	} {
		text := replace(columns, c.old, c.new)
		require.EqualError(t, kernel.Verify(parse(t, text)), c.message)
	}
}
