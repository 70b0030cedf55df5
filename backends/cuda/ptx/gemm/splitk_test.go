package gemm_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx/gemm"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
)

// The sums of products of few tiles are cut into parts where blocks for these take less
// than going along all of K in a few, as far as the estimate says.
func TestProductParts(t *testing.T) {
	for _, c := range []struct {
		name          string
		element, sum  string
		rows, columns int
		length        int
		o             gemm.Options
		parts         int
		blocks        [2]int // of the product, uncut and in parts
	}{
		{"MiniLM's second", "f32", "f32", 128, 384, 1536, gemm.Options{}, 8, [2]int{12, 96}},
		{"its projections", "f32", "f32", 128, 384, 384, gemm.Options{}, 6, [2]int{12, 72}},
		{"its first, of many tiles", "f32", "f32", 128, 1536, 384, gemm.Options{}, 1, [2]int{48, 48}},
		{"of batch 8", "f32", "f32", 1024, 384, 1536, gemm.Options{}, 1, [2]int{96, 96}},
		{"an MLP's first", "f32", "f32", 64, 512, 784, gemm.Options{}, 14, [2]int{8, 112}},
		{"an MLP's second", "f32", "f32", 64, 256, 512, gemm.Options{}, 16, [2]int{4, 64}},
		{"short", "f32", "f32", 64, 64, 64, gemm.Options{}, 1, [2]int{1, 1}},
		{"of a length without divisors", "f32", "f32", 64, 64, 1021, gemm.Options{}, 1, [2]int{1, 1}},
		{"whose parts were not aligned", "f32", "f32", 64, 64, 1022, gemm.Options{}, 1, [2]int{1, 1}},
		{"tensor cores are quick", "bf16", "f32", 128, 384, 384, gemm.Options{}, 1, [2]int{12, 12}},
		{"and wait for memory", "bf16", "f32", 128, 384, 1536, gemm.Options{}, 8, [2]int{12, 96}},
		{"f16 on H200", "f16", "f32", 128, 384, 1536, gemm.Options{Hopper: true, Processors: 132}, 8, [2]int{12, 96}},
		{"tf32", "f32", "f32", 128, 384, 1536, gemm.Options{TF32: true}, 8, [2]int{12, 96}},
		{"few rows", "f32", "f32", 16, 384, 1536, gemm.Options{}, 16, [2]int{3, 48}},
		{"f64", "f64", "f64", 64, 64, 512, gemm.Options{}, 16, [2]int{4, 64}},
		{"i32", "i32", "i32", 64, 64, 512, gemm.Options{}, 16, [2]int{4, 64}},
		{"large", "f32", "f32", 4096, 4096, 4096, gemm.Options{}, 1, [2]int{1024, 1024}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := fmt.Sprintf(`func.func @main(%%x: tensor<%[3]dx%[5]dx%[1]s>, %%w: tensor<%[5]dx%[4]dx%[1]s>) -> tensor<%[3]dx%[4]dx%[2]s> {
				%%0 = stablehlo.dot_general %%x, %%w, contracting_dims = [1] x [0] : (tensor<%[3]dx%[5]dx%[1]s>, tensor<%[5]dx%[4]dx%[1]s>) -> tensor<%[3]dx%[4]dx%[2]s>
				return %%0 : tensor<%[3]dx%[4]dx%[2]s>
			}`, c.element, c.sum, c.rows, c.columns, c.length)
			for n, o := range []fuse.Options{{}, {ProductParts: func(k *kernel.Kernel) int64 { return gemm.SplitK(k, c.o.TF32) }}} {
				p := compile(t, text, o)
				st := p.Steps[0].Launch()
				s := gemm.Plan(p.Kernels[st.Kernel], c.o)
				require.NotNil(t, s)
				launch := s.Launch(st.Sizes)
				require.Equal(t, c.blocks[n], launch.Grid[0]*launch.Grid[1]*launch.Grid[2], "%v", s)
				if n > 0 {
					require.Equal(t, c.parts, max(st.Parts, 1))
				}
			}
		})
	}
}
