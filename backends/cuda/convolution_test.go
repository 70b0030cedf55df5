package cuda

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/cudafake"
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
