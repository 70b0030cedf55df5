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

// narrowProducts are of rows beside each other: with an epilogue that uses the sum twice, and of
// batches, without one.
var narrowProducts = []string{`
kernel relu(x: f32[n0, n2] strides [*, 1], w: f32[n2, n1] strides [*, 1], b: f32[n1] strides [1], out y: f32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %0 = load x[i, k]
    %1 = load w[k, j]
    %2 = multiply %0, %1 : f32
    %3 = reduce add %2
  }
  stage {
    %4 = load b[j]
    %5 = multiply %3, %4 : f32
    %6 = add %5, %3 : f32
    %7 = constant 0.0 : f32
    %8 = maximum %6, %7 : f32
    store y[i, j], %8
  }
}
`, `
kernel batches(x: i32[n0, n2] strides [*, 1], w: i32[n0, n2, n1] strides [*, *, 1], out y: i32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %0 = load x[i, k]
    %1 = load w[i, k, j]
    %2 = multiply %0, %1 : i32
    %3 = reduce add %2
  }
  stage {
    store y[i, j], %3
  }
}
`}

// The columns of a narrow product have the bits that they have in a wide one, whose sums are in
// memory.
func TestNarrowProducts(t *testing.T) {
	trials.Sequential(t)
	const rows, wide = 3, 40
	for _, c := range compilers(t) {
		for _, text := range narrowProducts {
			k, err := kernel.Parse(strings.TrimSpace(text))
			require.NoError(t, err)
			require.NoError(t, kernel.Verify(k))
			code := compile(t, c, k)[0]
			require.Contains(t, emit.Plan(k, c.machine).Of(k), "kx4 j", "four terms at once are added to sums in memory")
			for _, depth := range []int64{0, 1, 4, 7, 8} {
				all := kerneltest.NewMemory(k, []int64{rows, wide, depth}, kerneltest.Dense, 0)
				numbers(all, rand.New(rand.NewPCG(uint64(depth), 7)))
				want, err := all.Run(in(code, 1))
				require.NoError(t, err)
				for n := int64(0); n <= 20; n++ {
					for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread} {
						m := kerneltest.NewMemory(k, []int64{rows, n, depth}, layout, 0x5A)
						for p := range k.Params {
							m.Set(p, firstColumns(all.Get(p), len(m.Get(p)), wide, int(n)))
						}
						got, err := m.Run(in(code, 1))
						require.NoError(t, err)
						y := len(k.Params) - 1
						require.Equal(t, firstColumns(want.Get(y), rows*int(n), wide, int(n)), got.Get(y), fmt.Sprint(c.machine.Level, " ", k.Name, " ", n, " columns of ", depth))
					}
				}
			}
		}
	}
}

// firstColumns returns the first n columns of rows of wide elements, size in all; values as they
// are if they have that size already.
func firstColumns(values []uint64, size, wide, n int) []uint64 {
	if len(values) == size {
		return values
	}
	some := make([]uint64, 0, size)
	for ; len(values) > 0; values = values[wide:] {
		some = append(some, values[:n]...)
	}
	return some
}
