package gemm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// Parts find their share without looking for the cut anew, whichever numbers of parts
// are asked for between, and by the sizes of the plan as it is.
func TestGrid(t *testing.T) {
	square := func(batch, n int) Problem {
		strides := [3]int{n * n, n, 1}
		return Problem{A: types.F32, B: types.F32, Acc: types.F32, C: types.F32, Batch: batch, M: n, N: n, K: n, StrideA: strides, StrideB: strides, StrideC: strides}
	}
	q, err := New(square(1, 64), Machine{Machine: vector.Machine{Level: vector.AVX2}})
	require.NoError(t, err)
	for _, p := range []Problem{square(96, 128), square(1, 2048), square(3, 7), square(0, 5)} {
		require.NoError(t, q.Replan(p))
		for _, parts := range []int{32, 1, 2, mostParts, mostParts + 1, 1 << 16, 2, 32, 32} {
			best, _ := q.bestCuts(min(parts, mostParts))
			require.Equal(t, q.gridOf(best), q.grid(parts), "%d parts", parts)
			kept, ok := q.cuts.of(min(parts, mostParts))
			require.True(t, ok)
			require.Equal(t, best, kept)
		}
		require.Zero(t, testing.AllocsPerRun(10, func() { q.part(1, 32) }))
	}
}
