package llvm

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// computed are products of factors that are computed as they are packed:
//
//   - bytes with a sign and a scale for each column;
//   - rows that are normalised;
//   - bf16;
//   - factors of batches, at every other place with a table, and of a vector.
var computed = []string{`
kernel dequantised(x: f32[n0, n2] strides [*, 1], w: u8[n2, n1] strides [*, 1], s: f32[n1] strides [*], b: f32[n1] strides [1], out y: f32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %0 = load x[i, k]
    %1 = load w[k, j]
    %2 = convert %1 : i32
    %3 = constant 24 : i32
    %4 = shift_left %2, %3 : i32
    %5 = shift_right_arithmetic %4, %3 : i32
    %6 = convert %5 : f32
    %7 = load s[j]
    %8 = multiply %6, %7 : f32
    %9 = multiply %0, %8 : f32
    %10 = reduce add %9
  }
  stage {
    %11 = load b[j]
    %12 = add %10, %11 : f32
    store y[i, j], %12
  }
}
`, `
kernel normalised(x: f32[n0, n2] strides [*, 1], m: f32[n0] strides [1], r: f32[n0] strides [*], g: f32[n2] strides [1], b: f32[n2] strides [*], w: f32[n1, n2] strides [1, *], out y: f32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %0 = load x[i, k]
    %1 = load m[i]
    %2 = subtract %0, %1 : f32
    %3 = load r[i]
    %4 = multiply %2, %3 : f32
    %5 = load g[k]
    %6 = multiply %4, %5 : f32
    %7 = load b[k]
    %8 = add %6, %7 : f32
    %9 = load w[j, k]
    %10 = negate %9 : f32
    %11 = multiply %8, %10 : f32
    %12 = reduce add %11
  }
  stage {
    store y[i, j], %12
  }
}
`, `
kernel halves(x: bf16[n0, n2] strides [1, *], w: bf16[n1, n2] strides [*, 1], out y: bf16[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %0 = load x[i, k]
    %1 = convert %0 : f32
    %2 = load w[j, k]
    %3 = constant 0.0 : bf16
    %4 = maximum %2, %3 : bf16
    %5 = convert %4 : f32
    %6 = multiply %1, %5 : f32
    %7 = reduce add %6
  }
  stage {
    %8 = convert %7 : bf16
    store y[i, j], %8
  }
}
`, `
kernel heads(q: f32[n3, n4, n0, n2] strides [*, *, *, 1], s: f32[n3, n4] strides [*, *], k: u8[n3, n4, n1, n2] strides [*, *, *, 1], z: f32[n3, n1] strides [*, *], out y: f32[n3, n4, n0, n1] strides [*, *, *, 1]) {
  for a < n3
  for h < n4
  for i < n0
  for j < n1
  stage d < n2 {
    %0 = load q[a, h, i, d]
    %1 = load s[a, h]
    %2 = multiply %0, %1 : f32
    %i = iota i : f32
    %d = iota d : f32
    %h = iota h : f32
    %n = subtract %i, %d : f32
    %o = subtract %n, %h : f32
    %p = add %2, %o : f32
    %3 = load k[a, h, j, d]
    %4 = convert %3 : f32
    %5 = load z[a, j]
    %6 = subtract %4, %5 : f32
    %7 = multiply %p, %6 : f32
    %8 = reduce add %7
  }
  stage {
    store y[a, h, i, j], %8
  }
}
`, `
kernel spread(x: f32[n0, n2] strides [*, *], t: f32[5] strides [1], w: u8[n2, n1] strides [*, *], out y: f32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %0 = load x[i, k]
    %1 = load w[k, j]
    %c = constant 0.25 : f32
    %2 = load t[%1] else %c
    %3 = multiply %0, %2 : f32
    %4 = reduce add %3
  }
  stage {
    store y[i, j], %4
  }
}
`, `
kernel vector(w: u8[n0, n1] strides [*, 1], s: f32[n0] strides [1], x: f32[n1] strides [1], out y: f32[n0] strides [1]) {
  for i < n0
  stage k < n1 {
    %0 = load w[i, k]
    %1 = convert %0 : f32
    %2 = load s[i]
    %3 = multiply %1, %2 : f32
    %4 = load x[k]
    %5 = exponential %4 : f32
    %6 = multiply %3, %5 : f32
    %7 = reduce add %6
  }
  stage {
    store y[i], %7
  }
}
`, `
kernel counts(w: u8[n0, n2] strides [1, *], x: i32[n2, n1] strides [*, 1], out y: i32[n0, n1] strides [1, *]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %0 = load w[i, k]
    %1 = convert %0 : i32
    %2 = constant 3 : i32
    %3 = subtract %1, %2 : i32
    %4 = load x[k, j]
    %5 = multiply %3, %4 : i32
    %6 = reduce add %5
  }
  stage {
    store y[i, j], %6
  }
}
`}

// Contractions give the evaluator's results, for any number of parts to the bit,
// whether package gemm runs them or not.
func TestContractions(t *testing.T) {
	trials.Sequential(t)
	sizes := [][]int64{{37, 45, 53, 2, 3}, {1, 300, 41, 1, 1}, {300, 301, 3, 1, 1}, {300, 1, 41, 1, 2}, {14, 32, 64, 3, 1}, {3, 5, 7, 2, 2}, {64, 64, 0, 1, 1}, {130, 33, 17, 0, 2}}
	for i, c := range trials.First(compilers(t)) {
		if i > 0 && !trials.Soaking() { // levels below the processor's
			sizes = sizes[:4]
		}
		texts := slices.Concat(matrices, computed)
		if i > 0 && !trials.Soaking() {
			texts = everyThird(texts, i)
		}
		for n, text := range texts {
			sizes := sizes
			if n > 1 && !trials.Soaking() { // the others are cut as the first ones are
				sizes = sizes[:4]
			}
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
							code, err := p.Prepare(t.Context(), m.Sizes, m.Strides, nil)
							require.NoError(t, err)
							if q, ok := code.(*product); ok && q.own == nil {
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
			require.Greater(t, multiplied, 3*len(sizes)/2, "how often package gemm has run %v", k)
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
