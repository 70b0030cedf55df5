package llvm

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/llvm/emit"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// Products of integers of 16 bits or less are those that the evaluator computes, of their
// whole range and where sums wrap, on machines that multiply pairs of these and on others.
func TestWords(t *testing.T) {
	trials.Sequential(t)
	pairs := [][2]types.DType{{types.I16, types.I16}, {types.U8, types.I8}, {types.I8, types.U8}, {types.I16, types.I8}, {types.U8, types.I16}, {types.I8, types.I8}}
	var kernels []*kernel.Kernel
	for _, d := range pairs {
		k, err := kernel.Parse(fmt.Sprintf(`kernel words(x: %v[n0, n2] strides [*, 1], y: %v[n2, n1] strides [*, 1], out z: i32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %%0 = load x[i, k]
    %%1 = load y[k, j]
    %%2 = convert %%0 : i32
    %%3 = convert %%1 : i32
    %%4 = multiply %%2, %%3 : i32
    %%5 = reduce add %%4
  }
  stage {
    store z[i, j], %%5
  }
}
`, d[0], d[1]))
		require.NoError(t, err)
		require.NoError(t, kernel.Verify(k))
		kernels = append(kernels, k)
	}
	for _, c := range compilers(t) {
		for at, code := range compile(t, c, kernels...) {
			k := kernels[at]
			p, ok := emit.AsProduct(k, c.units.machine)
			require.True(t, ok, "%v on %v", k, c.machine.Level)
			require.LessOrEqual(t, max(p.Nominal().A.Size(), p.Nominal().B.Size()), 2)
			for _, sizes := range [][]int64{{70, 61, 130}, {1, 40, 33}, {40, 1, 33}, {33, 47, 1}, {5, 7, 3000}} {
				before := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 1)
				for n := range 2 {
					values := before.Get(n)
					for i := range values {
						values[i] = uint64(i*i*40503+n)*0x9e3779b97f4a7c15>>40 | uint64(i%3/2)<<15
						if i%5 == 0 {
							values[i] = []uint64{0x8000, 0x7fff, 0xff, 0x80, 0x7f}[i/5%5]
						}
						values[i] &= 1<<(8*pairs[at][n].Size()) - 1
					}
					before.Set(n, values)
				}
				want, err := before.Run(evaluate)
				require.NoError(t, err)
				prepared, err := code.(kernel.Preparer).Prepare(t.Context(), before.Sizes, before.Strides, nil)
				require.NoError(t, err)
				require.Nil(t, prepared.(*product).own, "%v of %v", k, sizes)
				got, err := before.Run(in(prepared, 1))
				require.NoError(t, err)
				require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v: %v of %v", c.machine.Level, k, sizes)
			}
		}
	}
}
