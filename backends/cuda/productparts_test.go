package cuda

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// Products of few tiles run in parts of K, which the next kernel adds before the ops that
// follow. Results are the evaluator's, of numbers whose sums are exact, and the listing
// says how many parts there are.
func TestProductParts(t *testing.T) {
	trials.Sequential(t)
	for _, c := range []struct {
		name string
		matmul
		parts int
	}{
		{"f32", matmul{types.F32, types.F32, plainDims, []int{12, 640}, []int{640, 24}, []int{12, 24}, ""}, 10},
		{"bias and residual", matmul{types.F32, types.F32, plainDims, []int{12, 640}, []int{640, 24}, []int{12, 24}, withBiasResidual}, 10},
		{"bias and a maximum", matmul{types.F32, types.F32, plainDims, []int{12, 640}, []int{640, 24}, []int{12, 24}, withBiasReLU}, 10},
		{"both transposed", matmul{types.F32, types.F32, "contracting_dims = [0] x [1]", []int{640, 12}, []int{24, 640}, []int{12, 24}, ""}, 10},
		{"few columns", matmul{types.F32, types.F32, plainDims, []int{72, 640}, []int{640, 8}, []int{72, 8}, ""}, 10},
		{"batches", matmul{types.F32, types.F32, "batching_dims = [0] x [0], contracting_dims = [2] x [1]", []int{2, 12, 640}, []int{2, 640, 24}, []int{2, 12, 24}, ""}, 10},
		{"bf16", matmul{types.BF16, types.F32, plainDims, []int{12, 2048}, []int{2048, 24}, []int{12, 24}, ""}, 16},
		{"f16 in and out", matmul{types.F16, types.F16, plainDims, []int{12, 2048}, []int{2048, 24}, []int{12, 24}, withBiasTail}, 16},
		{"f64", matmul{types.F64, types.F64, plainDims, []int{20, 160}, []int{160, 24}, []int{20, 24}, ""}, 10},
		{"i32", matmul{types.I32, types.I32, plainDims, []int{20, 160}, []int{160, 24}, []int{20, 24}, ""}, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			listing, err := Listing(t.Context(), backends.NewModule(c.text()), backends.Options{})
			require.NoError(t, err)
			require.Contains(t, listing, fmt.Sprintf("K in %d parts", c.parts))
			args := c.args()
			want := numbersOf(t, results(t, c.text(), args...)[0])
			for _, major := range []int{8, 9} {
				b, _ := backend(t, cudafake.Options{Seed: 3, Major: major})
				e := compile(t, b, c.text(), backends.Options{})
				require.Equal(t, c.parts, e.steps[0].Parts)
				call := &backends.Call{Args: args}
				require.NoError(t, e.Execute(t.Context(), call))
				require.Equal(t, want, numbersOf(t, call.Results[0]))
			}
		})
	}
}

// The parts of a large product are one of the library's, of so many matrices; several
// products that are large together are left whole, as their parts would be none of its.
func TestProductPartsOfLibrary(t *testing.T) {
	trials.Sequential(t)
	for _, c := range []struct {
		matmul
		parts string
	}{
		{matmul{types.BF16, types.F32, plainDims, []int{128, 65536}, []int{65536, 128}, []int{128, 128}, ""}, "K in 16 parts"},
		{matmul{types.BF16, types.F32, "batching_dims = [0] x [0], contracting_dims = [2] x [1]", []int{2, 128, 65536}, []int{2, 65536, 128}, []int{2, 128, 128}, ""}, ""},
	} {
		listing, err := Listing(t.Context(), backends.NewModule(c.text()), backends.Options{})
		require.NoError(t, err)
		require.Equal(t, c.parts != "", strings.Contains(listing, "K in "), listing)
		require.Contains(t, listing, c.parts)
		require.Contains(t, listing, "cuBLASLt")
		require.Contains(t, listing, "cp.async", "parts are copied as the whole is")
	}
}

// Sums that are rounded have the same bits in each run and on each device: parts are cut
// by sizes alone, and added in their order.
func TestProductPartsBits(t *testing.T) {
	trials.Sequential(t)
	m := matmul{types.F32, types.F32, plainDims, []int{12, 640}, []int{640, 24}, []int{12, 24}, withBiasTail}
	r := rand.New(rand.NewPCG(5, 6))
	args := m.args()
	for _, a := range args {
		for i := range soa.Slice[float32](a) {
			soa.Slice[float32](a)[i] = float32(r.NormFloat64())
		}
	}
	want := numbersOf(t, results(t, m.text(), args...)[0])
	var first []float64
	for seed, o := range []cudafake.Options{{Major: 8, Processors: 16}, {Major: 9, Processors: 132}, {Major: 9, Processors: 132}} {
		o.Seed = uint64(seed)
		b, _ := backend(t, o)
		e := compile(t, b, m.text(), backends.Options{})
		require.Positive(t, e.steps[0].Parts)
		call := &backends.Call{Args: args}
		for range 2 {
			require.NoError(t, e.Execute(t.Context(), call))
			got := numbersOf(t, call.Results[0])
			if first == nil {
				first = got
			}
			require.Equal(t, first, got)
		}
	}
	require.InDeltaSlice(t, want, first, 1e-3)
}
