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

// Operands that are read as they lie cost little to read twice: rows are cut where that makes parts
// more even than whole panels of columns do. Operands that are packed are packed once.
func TestCutsByWhatIsPacked(t *testing.T) {
	on := Machine{Machine: vector.Machine{Level: vector.AVX512}, L2: 2 << 20}
	for _, c := range []struct {
		m, n, k int
		direct  bool
		want    cuts
	}{
		{112, 196, 672, true, cuts{1, 2, 1}},  // 8 strips, 7 panels
		{192, 49, 1152, true, cuts{1, 2, 1}},  // half of the weights each
		{128, 1536, 384, true, cuts{1, 1, 2}}, // more columns than rows
		{112, 196, 672, false, cuts{1, 1, 2}},
	} {
		p := Dense(types.F32, types.F32, types.F32, types.F32, 1, c.m, c.n, c.k)
		if !c.direct {
			p.StrideB = [3]int{c.k * c.n, 1, c.k}
		}
		q, err := New(p, on)
		require.NoError(t, err)
		require.Equal(t, c.direct, q.directB, "%v", c)
		got, _ := q.bestCuts(2)
		require.Equal(t, c.want, got, "%v", c)
	}
}

// Parts of rows of B are not short if there are matrices to cut, or rows of which parts are long enough.
// One row that meets a B from memory rather is one part.
func TestCutsOfFewRows(t *testing.T) {
	on := Machine{Machine: vector.Machine{Level: vector.AVX512}, L2: 1 << 20}
	for _, c := range []struct {
		batch, m, n, k, parts int
		want                  cuts
	}{
		{4, 1, 1536, 144, 2, cuts{2, 1, 1}},
		{4, 1, 1536, 144, 8, cuts{4, 1, 1}},
		{1, 1, 1536, 576, 2, cuts{1, 1, 1}},
		{1, 1, 4096, 576, 4, cuts{1, 1, 2}},
		{1, 1, 1536, 100, 2, cuts{1, 1, 2}}, // in a cache
		{3, 1, 64, 512, 2, cuts{2, 1, 1}},
		{3, 4, 64, 512, 2, cuts{2, 1, 1}},
		{1, 4, 1536, 576, 2, cuts{1, 1, 2}},
	} {
		q, err := New(Dense(types.F32, types.F32, types.F32, types.F32, c.batch, c.m, c.n, c.k), on)
		require.NoError(t, err)
		got, _ := q.bestCuts(c.parts)
		require.Equal(t, c.want, got, "%v", c)
	}
}

// Long columns do not make parts of rows of B short.
func TestWidthOfOneRow(t *testing.T) {
	q, err := New(Dense(types.F32, types.F32, types.F32, types.F32, 1, 1, 4096, 4096), best())
	require.NoError(t, err)
	require.Equal(t, 4096, q.width)
}
