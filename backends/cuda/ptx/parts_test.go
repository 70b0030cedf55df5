package ptx_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/ptx"
	"ltc/backends/kit"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/eval"
)

// Sums of few results are cut into parts, so that a whole device has threads for
// them; others are not.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		rows, columns, sum int // along dimension sum; 2: along both
		steps              int
		blocks             [2]int // of each launch
	}{
		{4096, 4096, 0, 2, [2]int{128 * 8, 128}},
		{1024, 512, 0, 2, [2]int{16 * 16, 16}},
		{1 << 16, 96, 0, 2, [2]int{3 * 512, 3}},
		{4096, 4096, 1, 1, [2]int{4096}},
		{64, 1 << 18, 1, 2, [2]int{1024, 2}},
		{1024, 1 << 16, 1, 2, [2]int{4096, 32}},
		{4096, 4096, 2, 2, [2]int{4096, 1}},
		{512, 256, 0, 1, [2]int{8}},
		{1000, 32, 0, 1, [2]int{1}},
	} {
		t.Run(fmt.Sprint(c.rows, "x", c.columns, " along ", c.sum), func(t *testing.T) {
			dims, result := fmt.Sprint(c.sum), fmt.Sprintf("%dxf32", []int{c.columns, c.rows, 0}[c.sum])
			if c.sum == 2 {
				dims, result = "0, 1", "f32"
			}
			text := fmt.Sprintf(`func.func @main(%%x: tensor<%[1]dx%[2]dxf32>) -> tensor<%[4]s> {
				%%0 = stablehlo.constant dense<0.0> : tensor<f32>
				%%1 = stablehlo.reduce(%%x init: %%0) applies stablehlo.add across dimensions = [%[3]s] : (tensor<%[1]dx%[2]dxf32>, tensor<f32>) -> tensor<%[4]s>
				return %%1 : tensor<%[4]s>
			}`, c.rows, c.columns, dims, result)
			l, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			p, err := kit.Compile(t.Context(), l, kit.Options{Eval: eval.New(), Fuse: fuse.Options{Parts: ptx.Parts}})
			require.NoError(t, err)
			require.Len(t, p.Steps, c.steps)
			for n := range p.Steps {
				st := p.Steps[n].Launch()
				s, err := ptx.Options{}.Plan(p.Kernels[st.Kernel])
				require.NoError(t, err)
				launch, err := s.Launch(st.Sizes)
				require.NoError(t, err)
				require.Equal(t, c.blocks[n], launch.Grid[0]*launch.Grid[1]*launch.Grid[2], "%v", s)
			}
		})
	}
}

// What parts give does not depend on how many blocks run them.
func TestPartsBits(t *testing.T) {
	k := kerneltest.Kernel(t, "sum0")
	before := kerneltest.NewMemory(k, []int64{203, 70}, kerneltest.Dense, 0x5A)
	ordinary(before)
	var first *kerneltest.Memory
	for _, blocks := range []int{1, 2, 1 << 20} {
		run, err := runner(t, k, blocks)
		require.NoError(t, err)
		got, err := before.Run(run)
		require.NoError(t, err)
		if first == nil {
			first = got
		}
		require.NoError(t, kerneltest.Same(first, got, kerneltest.Tolerance{}))
	}
	want, err := before.Run(evaluate)
	require.NoError(t, err)
	require.NoError(t, kerneltest.Same(want, first, kerneltest.Tolerance{Relative: 1e-5, Absolute: 1e-5}))
}
