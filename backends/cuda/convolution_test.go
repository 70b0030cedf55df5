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

// conv is a convolution of images that lie in some way, with results of f32.
type conv struct {
	elements types.DType
	x, w, y  []int
	dims     string // dim_numbers
	window   string
	groups   int
}

func (c *conv) text() string {
	x, w, y := mlirOf(c.elements, c.x...), mlirOf(c.elements, c.w...), mlirOf(types.F32, c.y...)
	return fmt.Sprintf(`func.func public @main(%%x: %[1]s, %%w: %[2]s) -> %[3]s {
  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = %[4]s, window = {%[5]s} {batch_group_count = 1 : i64, feature_group_count = %[6]d : i64} : (%[1]s, %[2]s) -> %[3]s
  %%z = stablehlo.constant dense<0.0> : %[3]s
  %%1 = stablehlo.maximum %%0, %%z : %[3]s
  return %%1 : %[3]s
}`, x, w, y, c.dims, c.window, max(c.groups, 1))
}

// Convolutions are what the evaluator computes, to the bit where sums are exact: of
// images of one to three dimensions, whichever way they lie. One whose features lie
// behind each other is one launch, with what is around the image and what follows.
func TestConvolutions(t *testing.T) {
	trials.Sequential(t)
	const images, rows = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "[b, 0, f]x[0, i, o]->[b, 0, f]"
	for _, c := range trials.First([]struct {
		name string
		conv
		launches int
	}{
		{"padded", conv{types.BF16, []int{2, 6, 5, 64}, []int{3, 3, 64, 24}, []int{2, 6, 5, 24}, images, "pad = [[1, 1], [1, 1]]", 1}, 1},
		{"f16 in steps", conv{types.F16, []int{2, 7, 5, 64}, []int{3, 3, 64, 24}, []int{2, 4, 3, 24}, images, "stride = [2, 2], pad = [[1, 1], [1, 1]]", 1}, 1},
		{"f32", conv{types.F32, []int{2, 6, 5, 32}, []int{3, 2, 32, 24}, []int{2, 4, 4, 24}, images, "", 1}, 1},
		{"few features", conv{types.BF16, []int{2, 9, 9, 3}, []int{3, 3, 3, 24}, []int{2, 9, 9, 24}, images, "pad = [[1, 1], [1, 1]]", 1}, 2},
		{"dilated rows", conv{types.BF16, []int{2, 12, 64}, []int{3, 64, 24}, []int{2, 12, 24}, rows, "pad = [[2, 2]], rhs_dilate = [2]", 1}, 1},
		{"three dimensions", conv{types.BF16, []int{2, 3, 4, 3, 64}, []int{2, 2, 2, 64, 24}, []int{2, 3, 4, 3, 24}, "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]", "pad = [[1, 0], [0, 1], [1, 0]]", 1}, 1},
		{"features first", conv{types.BF16, []int{2, 64, 5, 6}, []int{24, 64, 3, 3}, []int{2, 24, 5, 6}, "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "pad = [[1, 1], [1, 1]]", 1}, 0},
		{"groups", conv{types.BF16, []int{2, 6, 5, 48}, []int{3, 3, 16, 24}, []int{2, 6, 5, 24}, images, "pad = [[1, 1], [1, 1]]", 3}, 3},
		{"transposed", conv{types.BF16, []int{2, 4, 3, 64}, []int{3, 3, 64, 24}, []int{2, 7, 5, 24}, images, "pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]", 1}, 2},
	}) {
		t.Run(c.name, func(t *testing.T) {
			b, _ := backend(t, cudafake.Options{Seed: 3})
			e := compile(t, b, c.text(), backends.Options{})
			r := rand.New(rand.NewPCG(5, 6))
			args := []soa.View{integers(r, c.elements, c.x...), integers(r, c.elements, c.w...)}
			call := &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), call))
			require.Equal(t, numbersOf(t, results(t, c.text(), args...)[0]), numbersOf(t, call.Results[0]))
			for i := range e.steps {
				require.NoError(t, e.steps[i].lacks)
			}
			if c.launches > 0 {
				require.Len(t, e.steps, c.launches)
			}
		})
	}
}

// The listing says which rows tiles have.
func TestListingOfConvolutions(t *testing.T) {
	trials.Sequential(t)
	c := conv{types.BF16, []int{32, 56, 56, 64}, []int{3, 3, 64, 64}, []int{32, 56, 56, 64}, "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "pad = [[1, 1], [1, 1]]", 1}
	got, err := Listing(t.Context(), backends.NewModule(c.text()), backends.Options{})
	require.NoError(t, err)
	require.Contains(t, got, "matmul bf16 100352×64×576, maximum, tensor of 128x1 threads, x i3 by 4, across i2, along j2 of bf16, tiles 128x128, 64x64, 16x128, 128x16, rows of i0 i1 i2,")
	require.NotContains(t, strings.SplitN(got, ".version", 2)[0], "step 1")
}

// alone is the text of a convolution with nothing behind it, of results of the type of
// its elements.
func (c *conv) alone() string {
	x, w, y := mlirOf(c.elements, c.x...), mlirOf(c.elements, c.w...), mlirOf(c.elements, c.y...)
	return fmt.Sprintf(`func.func public @main(%%x: %[1]s, %%w: %[2]s) -> %[3]s {
  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = %[4]s, window = {%[5]s} {batch_group_count = 1 : i64, feature_group_count = %[6]d : i64} : (%[1]s, %[2]s) -> %[3]s
  return %%0 : %[3]s
}`, x, w, y, c.dims, c.window, max(c.groups, 1))
}

func (c *conv) args() []soa.View {
	r := rand.New(rand.NewPCG(5, 6))
	return []soa.View{integers(r, c.elements, c.x...), integers(r, c.elements, c.w...)}
}

const (
	imageDims  = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
	torchDims  = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"
	lineDims   = "[b, 0, f]x[0, i, o]->[b, 0, f]"
	volumeDims = "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]"
)

// Convolutions are what the evaluator computes, whichever way the text has images and
// kernels, and with whatever zeros around the images.
func TestConvolutionForms(t *testing.T) {
	trials.Sequential(t)
	for _, c := range trials.First([]struct {
		name string
		conv
	}{
		{"padded", conv{types.BF16, []int{2, 6, 5, 64}, []int{3, 3, 64, 24}, []int{2, 6, 5, 24}, imageDims, "pad = [[1, 1], [1, 1]]", 1}},
		{"features first", conv{types.BF16, []int{2, 16, 5, 6}, []int{24, 16, 3, 3}, []int{2, 24, 5, 6}, torchDims, "pad = [[1, 1], [1, 1]]", 1}},
		{"not padded", conv{types.F32, []int{2, 7, 6, 8}, []int{3, 2, 8, 12}, []int{2, 5, 5, 12}, imageDims, "", 1}},
		{"in steps", conv{types.F16, []int{2, 7, 5, 64}, []int{3, 3, 64, 24}, []int{2, 4, 3, 24}, imageDims, "stride = [2, 2], pad = [[1, 1], [1, 1]]", 1}},
		{"in steps, not padded", conv{types.F32, []int{3, 9, 8, 8}, []int{3, 2, 8, 12}, []int{3, 4, 3, 12}, imageDims, "stride = [2, 3]", 1}},
		{"dilated", conv{types.F32, []int{2, 9, 9, 8}, []int{3, 3, 8, 12}, []int{2, 9, 5, 12}, imageDims, "pad = [[2, 2], [0, 0]], rhs_dilate = [2, 2]", 1}},
		{"kernels of a result behind each other", conv{types.BF16, []int{2, 6, 5, 16}, []int{24, 3, 3, 16}, []int{2, 6, 5, 24}, "[b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f]", "pad = [[1, 1], [1, 1]]", 1}},
		{"patches", conv{types.F32, []int{2, 12, 8, 3}, []int{4, 4, 3, 16}, []int{2, 3, 2, 16}, imageDims, "stride = [4, 4]", 1}},
		{"one image", conv{types.F32, []int{1, 6, 6, 8}, []int{3, 3, 8, 12}, []int{1, 6, 6, 12}, imageDims, "pad = [[1, 1], [1, 1]]", 1}},
		{"one image, not padded", conv{types.F32, []int{1, 6, 7, 8}, []int{3, 3, 8, 12}, []int{1, 4, 5, 12}, imageDims, "", 1}},
		{"groups", conv{types.BF16, []int{2, 6, 5, 24}, []int{3, 3, 8, 24}, []int{2, 6, 5, 24}, imageDims, "pad = [[1, 1], [1, 1]]", 3}},
		{"a group for each feature", conv{types.F32, []int{2, 6, 5, 8}, []int{3, 3, 1, 16}, []int{2, 6, 5, 16}, imageDims, "pad = [[1, 1], [1, 1]]", 8}},
		{"one feature", conv{types.F32, []int{2, 6, 7, 1}, []int{3, 3, 1, 16}, []int{2, 4, 5, 16}, imageDims, "", 1}},
		{"rows", conv{types.BF16, []int{2, 12, 64}, []int{3, 64, 24}, []int{2, 12, 24}, lineDims, "pad = [[2, 2]], rhs_dilate = [2]", 1}},
		{"windows of one dimension", conv{types.F32, []int{2, 6, 5, 8}, []int{3, 1, 8, 12}, []int{2, 6, 5, 12}, imageDims, "pad = [[1, 1], [0, 0]]", 1}},
		{"volumes", conv{types.F32, []int{2, 3, 4, 4, 8}, []int{3, 3, 2, 8, 12}, []int{2, 3, 4, 3, 12}, volumeDims, "pad = [[1, 1], [1, 1], [0, 0]]", 1}},
		{"other padding behind", conv{types.BF16, []int{2, 6, 6, 64}, []int{3, 3, 64, 24}, []int{2, 3, 3, 24}, imageDims, "stride = [2, 2], pad = [[0, 1], [0, 1]]", 1}},
		{"other padding behind, written out", conv{types.F32, []int{2, 6, 6, 8}, []int{3, 3, 8, 12}, []int{2, 3, 3, 12}, imageDims, "stride = [2, 2], pad = [[0, 1], [0, 1]]", 1}},
		{"f64", conv{types.F64, []int{2, 6, 5, 8}, []int{3, 3, 8, 12}, []int{2, 4, 3, 12}, imageDims, "", 1}},
		{"windows of one place", conv{types.F32, []int{2, 6, 6, 16}, []int{1, 1, 16, 12}, []int{2, 3, 3, 12}, imageDims, "stride = [2, 2]", 1}},
	}) {
		t.Run(c.name, func(t *testing.T) {
			b, _ := backend(t, cudafake.Options{Seed: 3})
			e := compile(t, b, c.alone(), backends.Options{})
			args := c.args()
			want := numbersOf(t, results(t, c.alone(), args...)[0])
			call := &backends.Call{Args: args}
			for range 2 { // one by one, then as a graph
				require.NoError(t, e.Execute(t.Context(), call))
				require.Equal(t, want, numbersOf(t, call.Results[0]))
			}
			for i := range e.steps {
				require.NoError(t, e.steps[i].lacks)
			}
		})
	}
}

// Convolutions of random shapes are what the evaluator computes.
func TestRandomConvolutions(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{Seed: 8})
	for seed := range uint64(trials.Of(40)) {
		r := rand.New(rand.NewPCG(seed, 21))
		v := randomConv(r)
		e := compile(t, b, v.alone(), backends.Options{})
		args := []soa.View{integers(r, v.elements, v.x...), integers(r, v.elements, v.w...)}
		call := &backends.Call{Args: args}
		require.NoError(t, e.Execute(t.Context(), call))
		require.Equal(t, numbersOf(t, results(t, v.alone(), args...)[0]), numbersOf(t, call.Results[0]), "seed %d: %v", seed, v)
	}
}

// randomConv returns a convolution of images of two dimensions.
func randomConv(r *rand.Rand) conv {
	groups := 1 + r.IntN(3)/2*(1+r.IntN(2))
	features := []int{1, 2, 3, 4, 8, 64}[r.IntN(6)]
	images, outputs := 1+r.IntN(3), groups*(1+r.IntN(6))
	c := conv{[]types.DType{types.F32, types.F16, types.BF16}[r.IntN(3)], nil, nil, nil, imageDims, "", groups}
	var in, window, out [2]int
	pads, strides, dilations := [2][2]int{}, [2]int{}, [2]int{}
	for d := range 2 {
		window[d], strides[d], dilations[d] = 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(2)
		pads[d] = [2]int{r.IntN(2), r.IntN(2)}
		if r.IntN(2) == 0 {
			pads[d][1] = pads[d][0]
		}
		reach := (window[d]-1)*dilations[d] + 1
		in[d] = reach + r.IntN(6)
		out[d] = (in[d]+pads[d][0]+pads[d][1]-reach)/strides[d] + 1
	}
	c.window = fmt.Sprintf("stride = [%d, %d], pad = [[%d, %d], [%d, %d]], rhs_dilate = [%d, %d]",
		strides[0], strides[1], pads[0][0], pads[0][1], pads[1][0], pads[1][1], dilations[0], dilations[1])
	c.x, c.w, c.y = []int{images, in[0], in[1], features * groups}, []int{window[0], window[1], features, outputs}, []int{images, out[0], out[1], outputs}
	if r.IntN(3) == 0 {
		c.dims = torchDims
		c.x, c.w, c.y = []int{images, features * groups, in[0], in[1]}, []int{outputs, features, window[0], window[1]}, []int{images, outputs, out[0], out[1]}
	}
	return c
}

// Where the number of images is left open, one program computes each size that comes.
func TestConvolutionsOfAnySize(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{Seed: 5})
	text := `func.func public @main(%x: tensor<?x6x5x64xbf16>, %w: tensor<3x3x64x24xbf16>) -> tensor<?x6x5x24xbf16> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x6x5x64xbf16>, tensor<3x3x64x24xbf16>) -> tensor<?x6x5x24xbf16>
  return %0 : tensor<?x6x5x24xbf16>
}`
	e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	for _, n := range []int{3, 1, 3} {
		r := rand.New(rand.NewPCG(uint64(n), 3))
		args := []soa.View{integers(r, types.BF16, n, 6, 5, 64), integers(r, types.BF16, 3, 3, 64, 24)}
		call := &backends.Call{Args: args}
		require.NoError(t, e.Execute(t.Context(), call))
		require.Equal(t, numbersOf(t, results(t, strings.ReplaceAll(text, "?", fmt.Sprint(n)), args...)[0]), numbersOf(t, call.Results[0]))
	}
}
