package llvm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/trials"
)

// matrices are products with epilogues: of two results, of what is there
// already, of a bias and gelu in bf16, of batches, of transposed operands.
var matrices = []string{`
kernel relu(x: f32[n0, n2] strides [*, 1], w: f32[n1, n2] strides [1, *], out z: f32[n0, n1] strides [*, 1], b: f32[n1] strides [1], out y: f32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %0 = load x[i, k]
    %1 = load w[j, k]
    %2 = multiply %0, %1 : f32
    %3 = reduce add %2
  }
  stage {
    store z[i, j], %3
    %5 = load b[j]
    %6 = add %3, %5 : f32
    %7 = constant 0.0 : f32
    %8 = maximum %6, %7 : f32
    store y[i, j], %8
  }
}
`, `
kernel descend(x: f32[n0, n2] strides [1, *], g: f32[n1, n2] strides [1, *], rate: f32[], out w: f32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %0 = load x[i, k]
    %1 = load g[j, k]
    %2 = multiply %0, %1 : f32
    %3 = reduce add %2
  }
  stage {
    %4 = load w[i, j]
    %5 = load rate[]
    %6 = multiply %3, %5 : f32
    %7 = subtract %4, %6 : f32
    store w[i, j], %7
  }
}
`, `
kernel scores(q: bf16[n3, n4, n0, n2] strides [*, *, *, 1], k: bf16[n3, n4, n1, n2] strides [*, *, *, 1], bias: f32[n4, n0] strides [*, *], out y: bf16[n3, n4, n0, n1] strides [*, *, *, 1]) {
  for a < n3
  for h < n4
  for i < n0
  for j < n1
  stage d < n2 {
    %0 = load q[a, h, i, d]
    %f = convert %0 : f32
    %1 = load k[a, h, j, d]
    %g = convert %1 : f32
    %2 = multiply %f, %g : f32
    %3 = reduce add %2
  }
  stage {
    %c = constant 0.125 : f32
    %4 = multiply %3, %c : f32
    %b = load bias[h, i]
    %i = iota a : f32
    %n = iota j : f32
    %s = add %i, %n : f32
    %z = add %b, %s : f32
    %5 = add %4, %z : f32
    %6 = convert %5 : bf16
    store y[a, h, i, j], %6
  }
}
`, `
kernel columns(w: i32[n0, n2] strides [1, *], x: i32[n2, n1] strides [*, *], out y: i32[n0, n1] strides [1, *]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %0 = load w[i, k]
    %1 = load x[k, j]
    %2 = multiply %0, %1 : i32
    %3 = reduce add %2
  }
  stage {
    %i = iota i : i32
    %4 = add %3, %i : i32
    store y[i, j], %4
  }
}
`, `
kernel vector(w: f64[n0, n1] strides [*, 1], x: f64[n1] strides [1], out y: f64[n0] strides [1]) {
  for i < n0
  stage k < n1 {
    %0 = load w[i, k]
    %1 = load x[k]
    %2 = multiply %0, %1 : f64
    %3 = reduce add %2
  }
  stage {
    %e = tanh %3 : f64
    store y[i], %e
  }
}
`}

// Contractions give the evaluator's results, for any number of parts to the bit,
// whether package gemm runs them or not.
func TestContractions(t *testing.T) {
	sizes := [][]int64{{37, 45, 53, 2, 3}, {1, 300, 41, 1, 1}, {300, 301, 3, 1, 1}, {300, 1, 41, 1, 2}, {14, 32, 64, 3, 1}, {3, 5, 7, 2, 2}, {64, 64, 0, 1, 1}, {130, 33, 17, 0, 2}}
	for _, c := range trials.First(compilers(t)) {
		for n, text := range matrices {
			k, err := kernel.Parse(strings.TrimSpace(text))
			require.NoError(t, err)
			require.NoError(t, kernel.Verify(k))
			codes := compile(t, c, k)
			p, ok := codes[0].(*productKernel)
			require.True(t, ok, "%v", k)
			multiplied := 0
			for _, all := range sizes {
				t.Run(fmt.Sprint(c.machine.Level, "/", k.Name, all), func(t *testing.T) {
					r := rand.New(rand.NewPCG(uint64(n), 7))
					sized := all[:k.Sizes]
					before := kerneltest.NewMemory(k, sized, kerneltest.Dense, 0)
					numbers(before, r)
					want, err := before.Run(evaluate)
					require.NoError(t, err)
					for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread} {
						var first *kerneltest.Memory
						for parts := range 3 {
							m := before.Like(layout, 0x5A)
							code, err := p.Prepare(t.Context(), m.Sizes, m.Strides)
							require.NoError(t, err)
							if _, ok := code.(*product); ok {
								multiplied++
							}
							got, err := m.Run(in(code, parts+1))
							require.NoError(t, err)
							require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{Relative: 1e-2, Absolute: 1e-3}))
							if first == nil {
								first = got
							}
							require.NoError(t, kerneltest.Same(first, got, kerneltest.Tolerance{}))
						}
					}
				})
			}
			require.Greater(t, multiplied, 12, "how often package gemm has run %v", k)
		}
	}
}

// numbers fills memory with small numbers, whose sums are not large.
func numbers(m *kerneltest.Memory, r *rand.Rand) {
	for p := range m.Kernel.Params {
		values := m.Get(p)
		t := m.Kernel.Params[p].DType
		for i := range values {
			text := fmt.Sprint(r.IntN(17) - 8)
			if t.IsFloat() {
				text = fmt.Sprintf("%v.%v", r.IntN(3)-1, []int{0, 25, 5, 75}[r.IntN(4)])
			}
			values[i], _ = kernel.ParseBits(t, text)
		}
		m.Set(p, values)
	}
}
