package gemm_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx/gemm"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
)

// Rows of f16 and bf16 are laid out at multiples of 16 bytes where that saves twice what
// the copies take, by sizes and types alone.
func TestPitch(t *testing.T) {
	const (
		plain   = "contracting_dims = [1] x [0]"
		rowsOfK = "contracting_dims = [1] x [1]"
		batched = "batching_dims = [0] x [0], contracting_dims = [2] x [1]"
	)
	for _, c := range []struct {
		name, element, dims, x, w, y string
		rows                         []int64 // nil: as they lie
	}{
		{"K is odd", "bf16", plain, "4096x4097", "4097x4096", "4096x4096", []int64{8, 0}},
		{"K is odd, and rows are of K", "f16", rowsOfK, "4096x4097", "4096x4097", "4096x4096", []int64{8, 8}},
		{"K is even", "bf16", plain, "4096x4098", "4098x4096", "4096x4096", []int64{8, 0}},
		{"a vocabulary", "bf16", plain, "2048x768", "768x50257", "2048x50257", []int64{0, 8}},
		{"a token's", "bf16", plain, "16x4096", "4096x50257", "16x50257", nil},
		{"a vector", "bf16", "contracting_dims = [0] x [0]", "4097", "4097x4097", "4097", nil},
		{"small", "bf16", plain, "256x257", "257x256", "256x256", nil},
		{"rows are there", "bf16", plain, "4096x4096", "4096x4096", "4096x4096", nil},
		{"batches", "bf16", batched, "64x512x513", "64x513x512", "64x512x512", []int64{8, 0}},
		{"two dimensions that lie as one", "bf16", "contracting_dims = [1, 2] x [0, 1]", "4096x72x57", "72x57x4096", "4096x4096", nil},
		{"f32", "f32", plain, "4096x4097", "4097x4096", "4096x4096", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, w, y := "tensor<"+c.x+"x"+c.element+">", "tensor<"+c.w+"x"+c.element+">", "tensor<"+c.y+"xf32>"
			pitched(t, fmt.Sprintf(`func.func @main(%%x: %[1]s, %%w: %[2]s) -> %[3]s {
				%%0 = stablehlo.dot_general %%x, %%w, %[4]s : (%[1]s, %[2]s) -> %[3]s
				return %%0 : %[3]s
			}`, x, w, y, c.dims), c.rows)
		})
	}
}

// So are features of images that are read through windows, and of their kernels.
func TestPitchOfConvolutions(t *testing.T) {
	for _, c := range []struct {
		name, element, x, w, y, window string
		rows                           []int64
	}{
		{"colours", "bf16", "32x224x224x3", "7x7x3x64", "32x112x112x64", "stride = [2, 2], pad = [[3, 3], [3, 3]]", []int64{8, 0}},
		{"odd features of both", "f16", "8x56x56x33", "3x3x33x65", "8x56x56x65", "pad = [[1, 1], [1, 1]]", []int64{8, 8}},
		{"without a border", "bf16", "8x56x56x33", "3x3x33x64", "8x54x54x64", "", []int64{8, 0}},
		{"many", "bf16", "8x56x56x257", "3x3x257x64", "8x56x56x64", "pad = [[1, 1], [1, 1]]", []int64{0, 0, 8}},
		{"an even number", "bf16", "8x56x56x34", "3x3x34x64", "8x56x56x64", "pad = [[1, 1], [1, 1]]", nil},
		{"features are there", "bf16", "8x56x56x64", "3x3x64x64", "8x56x56x64", "pad = [[1, 1], [1, 1]]", nil},
		{"small", "bf16", "1x9x9x3", "3x3x3x24", "1x9x9x24", "pad = [[1, 1], [1, 1]]", nil},
		{"f32", "f32", "32x224x224x3", "7x7x3x64", "32x112x112x64", "stride = [2, 2], pad = [[3, 3], [3, 3]]", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, w, y := "tensor<"+c.x+"x"+c.element+">", "tensor<"+c.w+"x"+c.element+">", "tensor<"+c.y+"xf32>"
			pitched(t, fmt.Sprintf(`func.func @main(%%x: %[1]s, %%w: %[2]s) -> %[3]s {
				%%0 = stablehlo.convolution(%%x, %%w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {%[4]s} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%[1]s, %[2]s) -> %[3]s
				return %%0 : %[3]s
			}`, x, w, y, c.window), c.rows)
		})
	}
}

// pitched requires that the only product of a program wants its operands in rows of
// multiples of some elements.
func pitched(t *testing.T, text string, want []int64) {
	asked := 0
	compile(t, text, fuse.Options{Borders: true, Pitch: func(k *kernel.Kernel, copied []bool) []int64 {
		asked++
		rows := gemm.Pitch(k, copied)
		if want == nil {
			require.Nil(t, rows)
			return nil
		}
		require.Equal(t, append(want, make([]int64, len(k.Params)-len(want))...), rows)
		return rows
	}})
	require.Equal(t, 1, asked)
}

// Windows of an odd number of features take several times the instructions of those of
// eight, which [gemm.Pitch] gives them.
func TestOddFeaturesTakeMoreInstructions(t *testing.T) {
	for _, o := range []gemm.Options{{}, {Hopper: true}} {
		took := func(features int) float64 {
			c := convolution{"bf16", 2, []int{12, 14}, []int{7, 7}, features, 64, 1, 1, 0}
			k, sizes := c.kernel(t)
			module, s := plannedFor(t, k, o)
			l := s.Launch(sizes)
			var steps int
			memory := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0x5A)
			whole(memory)
			_, err := memory.Run(counted(module, l, &steps))
			require.NoError(t, err)
			return float64(steps)
		}
		odd, even, aligned := took(3), took(4), took(8)
		t.Logf("%+v: three features take %.2f times the instructions of eight, four %.2f", o, odd/aligned, even/aligned)
		require.Greater(t, odd, 3*aligned)
		require.Less(t, even, 1.5*aligned, "these stay as they lie")
	}
}
