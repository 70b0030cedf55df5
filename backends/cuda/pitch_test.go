package cuda

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// pitches is how many steps copy operands of products to rows that begin at multiples of
// 16 bytes.
func (x *code) pitches() (n int) {
	for i := range x.steps {
		if x.steps[i].Pitches {
			n++
		}
	}
	return n
}

// Products whose rows are no multiple of 16 bytes apart are copied by tensor maps on GPUs
// of sm_90a: rows are copied before, or made so. Results are the evaluator's.
func TestOddRowsReachTensorMaps(t *testing.T) {
	trials.Sequential(t)
	const rowsOfK = "contracting_dims = [1] x [1]"
	for _, c := range trials.First([]struct {
		name string
		matmul
		copies int
	}{
		{"K is odd", matmul{types.BF16, types.F32, plainDims, []int{72, 2051}, []int{2051, 136}, []int{72, 136}, withBiasResidual}, 1},
		{"K is odd in both", matmul{types.F16, types.F32, rowsOfK, []int{72, 2051}, []int{136, 2051}, []int{72, 136}, ""}, 2},
		{"columns are odd", matmul{types.BF16, types.F32, plainDims, []int{72, 2056}, []int{2056, 137}, []int{72, 137}, withBiasReLU}, 1},
		{"rows are odd", matmul{types.F16, types.F16, "contracting_dims = [0] x [0]", []int{2056, 73}, []int{2056, 136}, []int{73, 136}, ""}, 1},
		{"K is even", matmul{types.BF16, types.F32, plainDims, []int{72, 4098}, []int{4098, 136}, []int{72, 136}, ""}, 1},
		{"batches", matmul{types.BF16, types.F32, "batching_dims = [0] x [0], contracting_dims = [2] x [1]", []int{2, 72, 2051}, []int{2, 2051, 136}, []int{2, 72, 136}, ""}, 1},
	}) {
		t.Run(c.name, func(t *testing.T) { reachesMaps(t, c.text(), c.args(), c.copies) })
	}
	// What a kernel makes has such rows at once.
	const layers = `func.func @main(%x: tensor<72x64xbf16>, %w: tensor<64x2051xbf16>, %v: tensor<2051x136xbf16>) -> tensor<72x136xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<72x64xbf16>, tensor<64x2051xbf16>) -> tensor<72x2051xbf16>
  %z = stablehlo.constant dense<0.0> : tensor<72x2051xbf16>
  %1 = stablehlo.maximum %0, %z : tensor<72x2051xbf16>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<72x2051xbf16>, tensor<2051x136xbf16>) -> tensor<72x136xf32>
  return %2 : tensor<72x136xf32>
}`
	t.Run("a layer's", func(t *testing.T) {
		x := matmul{types.BF16, types.BF16, plainDims, []int{72, 64}, []int{64, 2051}, []int{72, 2051}, ""}
		v := matmul{types.BF16, types.F32, plainDims, []int{72, 2051}, []int{2051, 136}, []int{72, 136}, ""}
		reachesMaps(t, layers, []soa.View{x.args()[0], x.args()[1], v.args()[1]}, 0)
	})
}

// reachesMaps requires that the last step of a program is a product by tensor maps, for
// which so many steps copy operands, and that it computes what the evaluator does.
func reachesMaps(t *testing.T, text string, args []soa.View, copies int) {
	b, _ := backend(t, cudafake.Options{Seed: 5, Processors: 1})
	if p := b.dev.Properties(); p.Target() != "sm_90" {
		t.Skip("about sm_90a, not ", p.Target())
	}
	e := compile(t, b, text, backends.Options{})
	require.Equal(t, copies, e.pitches())
	call := &backends.Call{Args: args}
	require.NoError(t, e.Execute(t.Context(), call))
	require.Equal(t, numbersOf(t, results(t, text, args...)[0]), numbersOf(t, call.Results[0]))
	if b.dev.Properties().Multiprocessors > 1 {
		return // a GPU's, for which these are small products
	}
	last := len(e.steps) - 1
	require.NotNil(t, e.steps[last].byMaps)
	require.NotZero(t, e.take(b.dev.home).byMaps[last].maps[0].layout.Address)
}

// The listing says which steps lay out rows, and that the product is one of tensor maps; of
// rows that are there, or of a program for all sizes, none does.
func TestListingOfOddRows(t *testing.T) {
	list := func(m matmul) string {
		got, err := HopperListing(t.Context(), backends.NewModule(m.text()), backends.Options{})
		require.NoError(t, err)
		return got
	}
	const lays, maps = "lays out rows for a later product", "where tensor maps reach its operands"
	odd := list(matmul{types.BF16, types.BF16, plainDims, []int{2048, 768}, []int{768, 50257}, []int{2048, 50257}, ""})
	steps, code, _ := strings.Cut(odd, ".version")
	require.Equal(t, 1, strings.Count(steps, lays), steps)
	require.Equal(t, 1, strings.Count(steps, maps), steps)
	require.Contains(t, code, "cp.async.bulk.tensor")
	require.Contains(t, code, "wgmma.mma_async")
	there := list(matmul{types.BF16, types.BF16, plainDims, []int{2048, 768}, []int{768, 50304}, []int{2048, 50304}, ""})
	require.NotContains(t, there, lays)
	require.Contains(t, there, maps)

	const open = `func.func @main(%x: tensor<?x4097xbf16>, %w: tensor<4097x4096xbf16>) -> tensor<?x4096xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x4097xbf16>, tensor<4097x4096xbf16>) -> tensor<?x4096xf32>
  return %0 : tensor<?x4096xf32>
}`
	got, err := HopperListing(t.Context(), backends.NewModule(open), backends.Options{})
	require.NoError(t, err)
	require.NotContains(t, got, lays)
}

// Images of an odd number of features are given more, which are 0, so that rows of windows
// begin at multiples of 16 bytes; results are the evaluator's.
func TestConvolutionsOfOddFeatures(t *testing.T) {
	trials.Sequential(t)
	for _, c := range trials.First([]struct {
		name string
		conv
		copies, steps int
	}{
		{"colours", conv{types.BF16, []int{2, 16, 16, 3}, []int{11, 11, 3, 24}, []int{2, 16, 16, 24}, imageDims, "pad = [[5, 5], [5, 5]]", 1}, 1, 3},
		{"f16 in steps", conv{types.F16, []int{2, 17, 15, 11}, []int{7, 7, 11, 24}, []int{2, 6, 5, 24}, imageDims, "stride = [2, 2]", 1}, 2, 3},
		{"odd features of both", conv{types.BF16, []int{2, 8, 7, 33}, []int{3, 3, 33, 17}, []int{2, 8, 7, 17}, imageDims, "pad = [[1, 1], [1, 1]]", 1}, 1, 3},
		{"many", conv{types.F16, []int{2, 8, 7, 257}, []int{3, 3, 257, 24}, []int{2, 8, 7, 24}, imageDims, "pad = [[1, 1], [1, 1]]", 1}, 2, 3},
		{"features first", conv{types.BF16, []int{2, 3, 16, 16}, []int{24, 3, 7, 7}, []int{2, 24, 16, 16}, torchDims, "pad = [[3, 3], [3, 3]]", 1}, 1, 0},
	}) {
		t.Run(c.name, func(t *testing.T) {
			b, _ := backend(t, cudafake.Options{Seed: 3})
			e := compile(t, b, c.text(), backends.Options{})
			require.Equal(t, c.copies, e.pitches())
			if c.steps > 0 {
				require.Len(t, e.steps, c.steps)
				s := &e.steps[c.steps-1]
				strides := s.entry.kernel.StrideTable(nil, s.Strides)
				for p, all := range strides {
					if s.entry.kernel.Params[p].Out {
						continue
					}
					for _, n := range all {
						require.True(t, n == 1 || n%8 == 0, "%v of %v", strides, s.entry.kernel)
					}
				}
			}
			args := c.args()
			call := &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), call))
			require.Equal(t, numbersOf(t, results(t, c.text(), args...)[0]), numbersOf(t, call.Results[0]))
		})
	}
}

// Rows that a library reads are laid out, too.
func TestProductsOfOddRows(t *testing.T) {
	b, _ := multiplying(t, cudafake.Options{Seed: 7})
	c := matmul{types.BF16, types.F32, plainDims, []int{72, 2051}, []int{2051, 136}, []int{72, 136}, withBiasTail}
	e := compile(t, b, c.text(), backends.Options{})
	s := &e.steps[len(e.steps)-1]
	require.True(t, s.taken)
	require.EqualValues(t, 2056, s.product.problem.B.Stride)
	args := c.args()
	call := &backends.Call{Args: args}
	require.NoError(t, e.Execute(t.Context(), call))
	require.EqualValues(t, 1, e.Launches().Products)
	require.Equal(t, numbersOf(t, results(t, c.text(), args...)[0]), numbersOf(t, call.Results[0]))
}
