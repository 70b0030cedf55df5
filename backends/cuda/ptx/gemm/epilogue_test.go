package gemm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx/gemm"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
)

// halved is matrices with a result of bf16, whose neighbours lie along its columns or
// along its rows.
func halved(t testing.TB, across bool) *kernel.Kernel {
	t.Helper()
	text := strings.NewReplacer(
		"out y: f32[n3, n0, n1]", "out y: bf16[n3, n0, n1]",
		"store y[b, i, j], %11", "%12 = convert %11 : bf16\n    store y[b, i, j], %12",
	).Replace(matrices(t, "bf16", "K", "rows").String())
	if across {
		text = strings.NewReplacer("y: bf16[n3, n0, n1] strides [*, *, 1]", "y: bf16[n3, n0, n1] strides [*, 1, *]",
			"x3: f32[n3, n0, n1] strides [*, *, 1]", "x3: f32[n3, n0, n1] strides [*, 1, *]").Replace(text)
	}
	k, err := kernel.Parse(text)
	require.NoError(t, err)
	require.NoError(t, kernel.Verify(k))
	return k
}

// A lane rounds eight neighbours of bf16 by pairs and stores them at once. It loads the
// operands that are added to them by vectors. Where memory is not aligned or there are
// fewer, the lane goes through them one by one, with the same bits.
func TestEpilogueStoresEightNeighbours(t *testing.T) {
	for _, o := range []gemm.Options{{}, {Hopper: true}} {
		for _, across := range []bool{false, true} {
			k := halved(t, across)
			module, s := plannedFor(t, k, o)
			require.Equal(t, 8, s.Lanes.N)
			for _, entry := range strings.Split(module, ".visible .entry ")[1:] {
				require.Equal(t, 1, strings.Count(entry, "st.global.v4.u32"))
				require.Equal(t, 1, strings.Count(entry, "st.global.u16"))
			}
			for _, c := range []struct {
				rows, columns, depth, batch int64
			}{{24, 40, 16, 1}, {23, 37, 8, 1}, {8, 20, 24, 2}} {
				for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread} {
					variants := []int{0, 1}
					if o.Hopper {
						variants = []int{0, 4}
					}
					for _, v := range variants {
						t.Run(fmt.Sprintf("%+v across %v %+v %v %d", o, across, c, layout, v), func(t *testing.T) {
							before := kerneltest.NewMemory(k, []int64{c.rows, c.columns, c.depth, c.batch}, layout, 0x5A)
							whole(before)
							want, err := before.Run(evaluate)
							require.NoError(t, err)
							got, err := before.Run(tensored(module, of(v, 1)))
							require.NoError(t, err)
							require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}))
						})
					}
				}
			}
		}
	}
}

// Two blocks share a multiprocessor's memory on each GPU that there is; where none of the
// large tiles leaves room for that, a block has eight warps.
func TestTwoBlocksShareAMultiprocessor(t *testing.T) {
	for _, memory := range []int{100 << 10, 164 << 10, 228 << 10} {
		for _, c := range []struct {
			elements string
			options  gemm.Options
		}{{"bf16", gemm.Options{}}, {"f32", gemm.Options{TF32: true}}, {"f32", gemm.Options{}}} {
			c.options.Shared = memory
			_, s := plannedFor(t, matrices(t, c.elements, "K", "rows"), c.options)
			for _, size := range [][2]int64{{8192, 8192}, {256, 256}, {16, 4096}, {4096, 16}} {
				l := s.Launch([]int64{size[0], size[1], 512, 1})
				if 2*(l.Shared+1<<10) > memory {
					require.Equal(t, 100<<10, memory, "%+v %v", c, size)
					require.Zero(t, l.Variant)
					require.Equal(t, 256, l.Block[0])
				}
				require.LessOrEqual(t, l.Shared, mostShared)
			}
		}
	}
}

// The tiles for GPUs with less memory compute what the evaluator does.
func TestTilesOfLessMemoryComputeTheSame(t *testing.T) {
	for _, memory := range []int{100 << 10, 164 << 10} {
		for _, c := range []struct {
			elements string
			options  gemm.Options
		}{{"bf16", gemm.Options{}}, {"f32", gemm.Options{TF32: true}}, {"f32", gemm.Options{}}} {
			c.options.Shared = memory
			k := matrices(t, c.elements, "K", "rows")
			module, s := plannedFor(t, k, c.options)
			for v := range s.Variants() {
				t.Run(fmt.Sprintf("%d %s %+v %d", memory, c.elements, c.options, v), func(t *testing.T) {
					product(t, k, tensored(module, of(v, 1)), kerneltest.Dense, 72, 72, 200, 1)
				})
			}
			image := convolution{c.elements, 2, []int{5, 6}, []int{2, 2}, 64, 20, 1, 1, 1}
			window, sizes := image.kernel(t)
			module, s = plannedFor(t, window, c.options)
			v := gemm.Plain(s)
			before := kerneltest.NewMemory(window, sizes, kerneltest.Dense, 0x5A)
			whole(before)
			want, err := before.Run(evaluate)
			require.NoError(t, err)
			got, err := before.Run(tensored(module, of(v, 1)))
			require.NoError(t, err)
			require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}))
		}
	}
}
