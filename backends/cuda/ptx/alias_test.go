package ptx_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/internal/test/ptxsim"
)

// What is stored may be where the same points have loaded from: the first operand
// of these is the memory of the last, too.
func TestInPlace(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"rows", `kernel k(x: f32[n0] strides [1], a: f32[n0, n1] strides [*, 1], out y: f32[n0] strides [1]) {
  for i < n0
  stage j < n1 {
    %0 = load a[i, j]
    %1 = reduce add %0
  }
  stage {
    %2 = load x[i]
    %3 = add %1, %2 : f32
    store y[i], %3
  }
}`},
		{"columns", `kernel k(x: f32[n1] strides [1], a: f32[n0, n1] strides [*, 1], out y: f32[n1] strides [1]) {
  for j < n1
  stage i < n0 {
    %0 = load a[i, j]
    %1 = reduce add %0
  }
  stage {
    %2 = load x[j]
    %3 = add %1, %2 : f32
    store y[j], %3
  }
}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, err := kernel.Parse(c.text)
			require.NoError(t, err)
			module, s, err := text(k)
			require.NoError(t, err)
			m, err := ptxsim.Parse(module)
			require.NoError(t, err)
			e, err := m.Entry("k")
			require.NoError(t, err)
			const n = 40
			x, a := make([]byte, 4*n), make([]byte, 4*n*n)
			for i := range n {
				binary.LittleEndian.PutUint32(x[4*i:], math.Float32bits(float32(i)))
			}
			for i := range n * n {
				binary.LittleEndian.PutUint32(a[4*i:], math.Float32bits(0.5))
			}
			var memory ptxsim.Memory
			at := memory.Alloc(x)
			args := []uint64{at, memory.Alloc(a), at, n, n, n}
			l, err := s.Launch([]int64{n, n})
			require.NoError(t, err)
			_, err = e.Run(&memory, ptxsim.Launch{Grid: l.Grid, Block: l.Block, Shared: l.Shared, Args: args})
			require.NoError(t, err)
			for i := range n {
				require.Equal(t, float32(i)+n/2, math.Float32frombits(binary.LittleEndian.Uint32(x[4*i:])))
			}
		})
	}
}
