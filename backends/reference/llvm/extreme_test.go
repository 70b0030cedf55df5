package llvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// Maxima and minima of rows have the sign of zeros, and are NaN where there is one,
// wherever in a row these are and whatever else is there: to the bit what the
// evaluator gives.
func TestExtremes(t *testing.T) {
	trials.Sequential(t)
	dtypes := []types.DType{types.F32, types.F64, types.BF16, types.F16}
	var kernels []*kernel.Kernel
	for _, op := range []string{"maximum", "minimum"} {
		for _, d := range dtypes {
			text := fmt.Sprintf(`kernel %[1]s_%[2]v(x: %[2]v[n0, n1] strides [*, 1], out y: %[2]v[n0] strides [1]) {
  for i < n0
  stage j < n1 {
    %%0 = load x[i, j]
    %%1 = reduce %[1]s %%0
  }
  stage {
    store y[i], %%1
  }
}
`, op, d)
			k, err := kernel.Parse(text)
			require.NoError(t, err)
			require.NoError(t, kernel.Verify(k))
			kernels = append(kernels, k)
		}
	}
	for _, c := range compilers(t) {
		codes := compile(t, c, kernels...)
		for i, k := range kernels {
			t.Run(fmt.Sprint(c.machine.Level, "/", k.Name), func(t *testing.T) {
				for _, columns := range []int64{1, 7, 8, 31, 32, 33, 64, 77, 130} {
					extremesOfRows(t, k, codes[i], columns)
				}
			})
		}
	}
}

// extremesOfRows compares rows of which each has one of all pairs of these numbers
// somewhere among many of another.
func extremesOfRows(t *testing.T, k *kernel.Kernel, c kernel.Code, columns int64) {
	zero := math.Copysign(0, -1)
	list := []float64{0, zero, 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1)}
	rng := rand.New(rand.NewPCG(uint64(columns), 5))
	d := k.Params[0].DType
	var values []uint64
	for _, most := range list {
		for _, one := range list {
			row := make([]uint64, columns)
			for j := range row {
				row[j] = bitsOf(d, most)
			}
			row[rng.IntN(len(row))] = bitsOf(d, one)
			values = append(values, row...)
		}
	}
	m := kerneltest.NewMemory(k, []int64{int64(len(list) * len(list)), columns}, kerneltest.Dense, 0)
	m.Set(0, values)
	want, err := m.Run(evaluate)
	require.NoError(t, err)
	got, err := m.Run(in(c, 1))
	require.NoError(t, err)
	require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%d columns", columns)
	for i, bits := range want.Get(1) { // Same takes zeros of both signs for equal
		if bits<<(65-8*d.Size()) == 0 {
			require.Equal(t, bits, got.Get(1)[i], "%d columns, row %d", columns, i)
		}
	}
}

// bitsOf returns a number as it lies in memory.
func bitsOf(d types.DType, x float64) uint64 {
	switch d {
	case types.F64:
		return math.Float64bits(x)
	case types.F16:
		return uint64(types.ToFloat16(x))
	case types.BF16:
		return uint64(types.ToBFloat16(x))
	}
	return uint64(math.Float32bits(float32(x)))
}
