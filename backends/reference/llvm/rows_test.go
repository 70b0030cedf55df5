package llvm

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/llvm/emit"
	"ltc/internal/trials"
)

// Networks whose sums are in registers give what the evaluator gives, for all
// numbers of rows, to the bit for any number of parts and wherever a row lies.
func TestRowsOfProducts(t *testing.T) {
	trials.Sequential(t)
	text, err := os.ReadFile("testdata/rows.txt")
	require.NoError(t, err)
	kernels, err := kernel.ParseAll(string(text))
	require.NoError(t, err)
	for _, c := range compilers(t) {
		codes := compile(t, c, kernels...)
		for i, k := range kernels {
			t.Run(fmt.Sprint(c.machine.Level, "/", k.Name), func(t *testing.T) {
				require.NoError(t, kernel.Verify(k))
				require.Contains(t, emit.Plan(k, c.machine).Of(k), "holding")
				for _, rows := range []int64{0, 1, 3, 16, 17, 33, 63, 64, 65, 200, 700} {
					rowsOfProducts(t, k, codes[i], rows)
				}
			})
		}
	}
}

func rowsOfProducts(t *testing.T, k *kernel.Kernel, c kernel.Code, rows int64) {
	sizes := []int64{rows}
	before := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0)
	before.Fill(rand.New(rand.NewPCG(uint64(rows), 7)))
	want, err := before.Run(evaluate)
	require.NoError(t, err)
	var first *kerneltest.Memory
	for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread, kerneltest.Reverse} {
		for parts := 1; parts <= 3; parts++ {
			got, err := before.Like(layout, 0xFF).Run(in(c, parts))
			require.NoError(t, err)
			require.NoError(t, kerneltest.Same(want, got, near), "%d rows%s", rows, schedule(c))
			if first == nil {
				first = got
			}
			require.NoError(t, kerneltest.Same(first, got, kerneltest.Tolerance{}), "%d rows in %d parts", rows, parts)
		}
	}
}
