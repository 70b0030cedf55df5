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

// Sums of columns that lie near each other are formed some at once where there are
// few registers: of any number of columns and elements, with the same bits in any
// number of parts.
func TestRowsBeside(t *testing.T) {
	trials.Sequential(t)
	const text = `kernel sums_%[2]d_%[1]s(x: %[1]s[n0, %[2]d, n1] strides [*, *, *], w: %[1]s[n0, %[2]d, n1] strides [*, *, *], out y: %[1]s[%[2]d, n0] strides [1, *]) {
  for i0 < %[2]d
  for i1 < n0
  stage j0 < n1 {
    %%0 = load x[i1, i0, j0]
    %%1 = load w[i1, i0, j0]
    %%2 = multiply %%0, %%1 : %[1]s
    %%3 = reduce add %%2
  }
  stage {
    %%4 = add %%3, %%3 : %[1]s
    store y[i0, i1], %%4
  }
}
`
	var all string
	for _, n := range []int{2, 3, 5, 8, 9, 11, 16} {
		for _, dtype := range []string{"f32", "f64"} {
			all += fmt.Sprintf(text, dtype, n)
		}
	}
	kernels, err := kernel.ParseAll(all)
	require.NoError(t, err)
	for _, c := range compilers(t) {
		if c.machine.Registers() > 16 {
			continue
		}
		codes := compile(t, c, kernels...)
		beside := 0
		for i, k := range kernels {
			if emit.Plan(k, c.machine).Stages[0].Beside {
				beside++
			}
			t.Run(fmt.Sprint(c.machine.Level, "/", k.Name), func(t *testing.T) {
				for _, sizes := range [][]int64{{1, 0}, {0, 5}, {1, 1}, {2, 9}, {3, 67}} {
					before := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0)
					before.Fill(rand.New(rand.NewPCG(uint64(sizes[1]), 5)))
					want, err := before.Run(evaluate)
					require.NoError(t, err)
					var once *kerneltest.Memory
					for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread, kerneltest.Reverse} {
						for parts := 1; parts <= 3; parts++ {
							got, err := before.Like(layout, 0xFF).Run(in(codes[i], parts))
							require.NoError(t, err)
							require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{Relative: 1e-4, Absolute: 1e-4}), "%v", sizes)
							if once == nil {
								once = got
							}
							require.NoError(t, kerneltest.Same(once, got, kerneltest.Tolerance{}), "%v in %d parts", sizes, parts)
						}
					}
				}
			})
		}
		require.Equal(t, len(kernels)*6/7, beside, "%v: all but 11 columns", c.machine.Level)
	}
}
