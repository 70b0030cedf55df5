package llvm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/llvm/emit"
	"ltc/internal/trials"
)

// Fields of records that are loaded at once are what the evaluator loads, whichever
// they are, of all types, for all numbers of records and wherever these lie.
func TestFields(t *testing.T) {
	trials.Sequential(t)
	var kernels []*kernel.Kernel
	for _, of := range []string{"f32", "f64", "bf16", "i16"} {
		for _, places := range [][]int{{0, 1}, {1, 2, 3}, {3, 0, 2}, {0, 1, 2, 3, 4, 5, 6}} {
			var b strings.Builder
			fmt.Fprintf(&b, "kernel k(x: T[n0, 8] strides [*, 1], out y: T[n0] strides [*]) {\n  for i < n0\n  stage {\n    %%0 = load x[i, %d]\n", places[0])
			for j, at := range places[1:] {
				fmt.Fprintf(&b, "    %%%d = load x[i, %d]\n    %%%d = subtract %%%d, %%%d : T\n", 2*j+1, at, 2*j+2, 2*j, 2*j+1)
			}
			fmt.Fprintf(&b, "    store y[i], %%%d\n  }\n}\n", 2*len(places)-2)
			k, err := kernel.Parse(strings.ReplaceAll(b.String(), "T", of))
			require.NoError(t, err)
			require.NoError(t, kernel.Verify(k))
			kernels = append(kernels, k)
		}
	}
	for _, c := range compilers(t) {
		codes := compile(t, c, kernels...)
		for i, k := range kernels {
			t.Run(fmt.Sprint(c.machine.Level, "/", i), func(t *testing.T) {
				require.Contains(t, emit.Plan(k, c.machine).Of(k), " fields of x")
				for _, n := range []int64{0, 1, 15, 16, 17, 64, 101} {
					before := kerneltest.NewMemory(k, []int64{n}, kerneltest.Dense, 0)
					before.Fill(rand.New(rand.NewPCG(uint64(n), 3)))
					want, err := before.Run(evaluate)
					require.NoError(t, err)
					for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread, kerneltest.Reverse} {
						got, err := before.Like(layout, 0xFF).Run(in(codes[i], 2))
						require.NoError(t, err)
						require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%d records%s", n, schedule(codes[i]))
					}
				}
			})
		}
	}
}
