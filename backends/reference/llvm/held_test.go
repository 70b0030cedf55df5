package llvm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/llvm/emit"
	"ltc/internal/trials"
)

// Stages that run along with sums of nothing run all the same, and their results for all
// points are there for the stages after them. Sums begin with the neutral element. Elements
// that are loaded for them, outside of their loop, are not there.
func TestHeldSumsOfNothing(t *testing.T) {
	trials.Sequential(t)
	k, err := kernel.Parse(`kernel sums(x: f32[n1, n0] strides [*, 1], scale: f32[1] strides [1], bias: i32[], out y: f32[n0] strides [1], out z: f32[n2, n0] strides [*, 1]) {
	for p0 < n0
	stage s0 < n1 {
		%0 = load x[s0, p0]
		%1 = load scale[0]
		%2 = multiply %0, %1 : f32
		%3 = reduce add %2
		%4 = reduce maximum %0
	}
	stage {
		%5 = load bias[]
		%6 = convert %5 : f32
		%7 = add %3, %6 : f32
		%8 = maximum %7, %4 : f32
		store y[p0], %8
	}
	stage s0 < n2 {
		%9 = add %6, %6 : f32
		store z[s0, p0], %9
	}
}
`)
	require.NoError(t, err)
	require.NoError(t, kernel.Verify(k))
	for _, c := range compilers(t) {
		plan := emit.Plan(k, c.machine).Of(k)
		require.Contains(t, plan, "holding")
		require.Contains(t, plan, "along")
		code := compile(t, c, k)[0]
		for _, sizes := range [][]int64{{20, 0, 3}, {20, 1, 0}, {67, 5, 2}, {3, 0, 1}} {
			t.Run(fmt.Sprint(c.machine.Level, sizes), func(t *testing.T) {
				before := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0)
				before.Fill(rand.New(rand.NewPCG(1, uint64(sizes[1]))))
				want, err := before.Run(evaluate)
				require.NoError(t, err)
				got, err := before.Like(kerneltest.Dense, 0xFF).Run(in(code, 1))
				require.NoError(t, err)
				require.NoError(t, kerneltest.Same(want, got, near))
			})
		}
	}
}
