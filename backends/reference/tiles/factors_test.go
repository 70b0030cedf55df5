package tiles

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/trials"
)

// computedFactors has a contraction whose factors are computed: of elements of both, of those that
// are the same in a row, along the sum or in a batch, and of places beyond the operand.
const computedFactors = `kernel k(x: f32[n0, n1, n3] strides [*, *, 1], s: f32[n0, n1] strides [*, 1], t: f32[n3] strides [1], y: f32[n0, n3, n2, n4] strides [*, *, *, 1], u: f32[n2] strides [1], out z: f32[n0, n1, n2, n4] strides [*, *, *, 1]) {
  for b < n0
  for i < n1
  for j < n2
  for q < n4
  stage l < n3 {
    %c0 = constant 0 : f32
    %x = load x[b, i, l]
    %s = load s[b, i]
    %e = negate %s : f32
    %t = load t[l]
    %xs = multiply %x, %e : f32
    %xt = add %xs, %t : f32
    %y = load y[b, l, j, q - 1] else %c0
    %u = load u[j]
    %yu = multiply %y, %u : f32
    %c = constant 0.5 : f32
    %yc = maximum %yu, %c : f32
    %p = multiply %xt, %yc : f32
    %sum = reduce add %p
  }
  stage {
    store z[b, i, j, q], %sum
  }
}`

// Factors that are computed are packed as they are, with the evaluator's bits.
func TestTilesComputedFactors(t *testing.T) {
	trials.Sequential(t)
	k, err := kernel.Parse(computedFactors)
	require.NoError(t, err)
	require.NoError(t, kernel.Verify(k))
	code := newCode(k, vectored{})
	require.NotNil(t, code.gemm)
	require.NotNil(t, code.gemm.a.way)
	require.NotNil(t, code.gemm.b.way)
	for _, sizes := range [][]int64{{2, 5, 3, 140, 7}, {1, 300, 2, 9, 5}, {1, 3, 1, 11, 1100}, {3, 2, 600, 4, 3}} {
		require.True(t, code.gemm.fits(sizes))
		m := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0)
		m.Fill(rand.New(rand.NewPCG(1, 3)))
		want, err := m.Run(evaluateKernel)
		require.NoError(t, err)
		for _, layout := range layouts {
			for _, parts := range []int{1, 3} {
				got, err := m.Like(layout, 0x5A).Run(launch(code, parts))
				require.NoError(t, err)
				require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v in %d parts", sizes, parts)
			}
		}
	}
}
