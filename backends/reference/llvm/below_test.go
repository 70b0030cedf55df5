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

// Exponentials whose operands are no more than 0, and some that only look as if they
// were. Operands are a row less the largest of another one, and products that are
// rounded once with the difference. Numbers are far apart, and some are not finite.
func TestExponentialsOfRows(t *testing.T) {
	trials.Sequential(t)
	var kernels []*kernel.Kernel
	for _, body := range []struct{ name, first, second string }{
		{"softmax", "%0 = load x[i, j]", "%2 = load x[i, j]\n %3 = subtract %2, %1 : f32"},
		{"another", "%0 = load w[i, j]", "%2 = load x[i, j]\n %3 = subtract %2, %1 : f32"},
		{"scaled", "%6 = load x[i, j]\n %7 = constant 1.1 : f32\n %0 = multiply %6, %7 : f32",
			"%8 = load x[i, j]\n %9 = constant 1.1 : f32\n %2 = multiply %8, %9 : f32\n %3 = subtract %2, %1 : f32"},
		{"square", "%0 = load w[i, j]", "%2 = load x[i, j]\n %6 = multiply %2, %2 : f32\n %3 = negate %6 : f32"},
		{"negative", "%0 = load w[i, j]", "%2 = load x[i, j]\n %6 = negate %2 : f32\n %3 = multiply %6, %2 : f32"},
		{"product", "%0 = load w[i, j]", "%2 = load x[i, j]\n %6 = load w[i, j]\n %7 = negate %6 : f32\n %3 = multiply %7, %2 : f32"},
	} {
		k, err := kernel.Parse(fmt.Sprintf(`kernel %s(x: f32[n0, n1] strides [*, 1], w: f32[n0, n1] strides [*, 1], out y: f32[n0, n1] strides [*, 1]) {
  for i < n0
  stage j < n1 {
    %s
    %%1 = reduce maximum %%0
  }
  stage j < n1 {
    %s
    %%4 = exponential %%3 : f32
    store y[i, j], %%4
  }
}
`, body.name, body.first, body.second))
		require.NoError(t, err)
		require.NoError(t, kernel.Verify(k))
		kernels = append(kernels, k)
	}
	all := []int64{1, 7, 8, 33, 130}
	for i, c := range compilers(t) {
		if i > 0 && !trials.Soaking() { // levels below the processor's
			all = []int64{7, 33}
		}
		codes := compile(t, c, kernels...)
		for i, k := range kernels {
			t.Run(fmt.Sprint(c.machine.Level, "/", k.Name), func(t *testing.T) {
				for _, columns := range all {
					exponentialsOfRows(t, k, codes[i], columns)
				}
			})
		}
	}
}

func exponentialsOfRows(t *testing.T, k *kernel.Kernel, c kernel.Code, columns int64) {
	const rows = 40
	rng := rand.New(rand.NewPCG(uint64(columns), 9))
	odd := []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1)}
	m := kerneltest.NewMemory(k, []int64{rows, columns}, kerneltest.Dense, 0)
	for p := range 2 {
		values := make([]uint64, rows*columns)
		for n := range values {
			x := 60 * (2*rng.Float64() - 1)
			if n/int(columns)%2 == 1 && rng.IntN(8) == 0 {
				x = append(odd, 1e38*rng.Float64(), -1e38*rng.Float64())[rng.IntN(len(odd)+2)]
			}
			values[n] = bitsOf(types.F32, x)
		}
		m.Set(p, values)
	}
	want, err := m.Run(evaluate)
	require.NoError(t, err)
	for parts := 1; parts <= 2; parts++ {
		got, err := m.Run(in(c, parts))
		require.NoError(t, err)
		if k.Name != "scaled" {
			require.NoError(t, kerneltest.Same(want, got, near), "%d columns in %d parts", columns, parts)
			continue
		}
		for n, bits := range want.Get(2) { // 1e38 times 1.1 is 1e31 off once it is rounded
			is := math.Float32frombits(uint32(got.Get(2)[n]))
			require.Equal(t, math.IsNaN(float64(math.Float32frombits(uint32(bits)))), !(is >= 0), "element %d is %v", n, is)
		}
	}
}
