package cuda

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/cudnn"
	"ltc/backends/cuda/driver"
	"ltc/internal/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// convolving opens a backend whose convolutions are cuDNN's, however small. On a GPU it
// is the machine's library, and a test is skipped where there is none.
func convolving(t testing.TB, o cudafake.Options) (*Backend, *cudafake.Fake) {
	b, f := backend(t.(*testing.T), o)
	least := b.dev.convolutions.least
	b.dev.convolutions.least = 1
	t.Cleanup(func() { b.dev.convolutions.least = least })
	if f != nil {
		l, err := f.Convolutions()
		require.NoError(t, err)
		b.dev.UseConvolutions(l)
	} else if b.dev.convolutions.on(b.dev) == nil {
		t.Skip("there is no cuDNN")
	}
	return b, f
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

// Convolutions run through the binding as the library has images and kernels, whichever
// way the text has them: they are what the evaluator computes.
func TestConvolved(t *testing.T) {
	for _, c := range trials.First([]struct {
		name string
		conv
		taken int // 0: a kernel's
	}{
		{"padded", conv{types.BF16, []int{2, 6, 5, 64}, []int{3, 3, 64, 24}, []int{2, 6, 5, 24}, imageDims, "pad = [[1, 1], [1, 1]]", 1}, 1},
		{"features first", conv{types.BF16, []int{2, 16, 5, 6}, []int{24, 16, 3, 3}, []int{2, 24, 5, 6}, torchDims, "pad = [[1, 1], [1, 1]]", 1}, 1},
		{"not padded", conv{types.F32, []int{2, 7, 6, 8}, []int{3, 2, 8, 12}, []int{2, 5, 5, 12}, imageDims, "", 1}, 1},
		{"in steps", conv{types.F16, []int{2, 7, 5, 64}, []int{3, 3, 64, 24}, []int{2, 4, 3, 24}, imageDims, "stride = [2, 2], pad = [[1, 1], [1, 1]]", 1}, 1},
		{"in steps, not padded", conv{types.F32, []int{3, 9, 8, 8}, []int{3, 2, 8, 12}, []int{3, 4, 3, 12}, imageDims, "stride = [2, 3]", 1}, 1},
		{"dilated", conv{types.F32, []int{2, 9, 9, 8}, []int{3, 3, 8, 12}, []int{2, 9, 5, 12}, imageDims, "pad = [[2, 2], [0, 0]], rhs_dilate = [2, 2]", 1}, 1},
		{"kernels as the library has them", conv{types.BF16, []int{2, 6, 5, 16}, []int{24, 3, 3, 16}, []int{2, 6, 5, 24}, "[b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f]", "pad = [[1, 1], [1, 1]]", 1}, 1},
		{"patches", conv{types.F32, []int{2, 12, 8, 3}, []int{4, 4, 3, 16}, []int{2, 3, 2, 16}, imageDims, "stride = [4, 4]", 1}, 1},
		{"one image", conv{types.F32, []int{1, 6, 6, 8}, []int{3, 3, 8, 12}, []int{1, 6, 6, 12}, imageDims, "pad = [[1, 1], [1, 1]]", 1}, 1},
		{"one image, not padded", conv{types.F32, []int{1, 6, 7, 8}, []int{3, 3, 8, 12}, []int{1, 4, 5, 12}, imageDims, "", 1}, 1},
		{"groups", conv{types.BF16, []int{2, 6, 5, 24}, []int{3, 3, 8, 24}, []int{2, 6, 5, 24}, imageDims, "pad = [[1, 1], [1, 1]]", 3}, 1},
		{"a group for each feature", conv{types.F32, []int{2, 6, 5, 8}, []int{3, 3, 1, 16}, []int{2, 6, 5, 16}, imageDims, "pad = [[1, 1], [1, 1]]", 8}, 1},
		{"one feature", conv{types.F32, []int{2, 6, 7, 1}, []int{3, 3, 1, 16}, []int{2, 4, 5, 16}, imageDims, "", 1}, 1},
		{"rows", conv{types.BF16, []int{2, 12, 64}, []int{3, 64, 24}, []int{2, 12, 24}, lineDims, "pad = [[2, 2]], rhs_dilate = [2]", 1}, 1},
		{"windows of one dimension", conv{types.F32, []int{2, 6, 5, 8}, []int{3, 1, 8, 12}, []int{2, 6, 5, 12}, imageDims, "pad = [[1, 1], [0, 0]]", 1}, 1},
		{"volumes", conv{types.F32, []int{2, 3, 4, 4, 8}, []int{3, 3, 2, 8, 12}, []int{2, 3, 4, 3, 12}, volumeDims, "pad = [[1, 1], [1, 1], [0, 0]]", 1}, 1},
		{"other padding behind", conv{types.BF16, []int{2, 6, 6, 64}, []int{3, 3, 64, 24}, []int{2, 3, 3, 24}, imageDims, "stride = [2, 2], pad = [[0, 1], [0, 1]]", 1}, 0},
		{"other padding behind, written out", conv{types.F32, []int{2, 6, 6, 8}, []int{3, 3, 8, 12}, []int{2, 3, 3, 12}, imageDims, "stride = [2, 2], pad = [[0, 1], [0, 1]]", 1}, 1},
		{"f64", conv{types.F64, []int{2, 6, 5, 8}, []int{3, 3, 8, 12}, []int{2, 4, 3, 12}, imageDims, "", 1}, 0},
		{"windows of one place", conv{types.F32, []int{2, 6, 6, 16}, []int{1, 1, 16, 12}, []int{2, 3, 3, 12}, imageDims, "stride = [2, 2]", 1}, 0},
	}) {
		t.Run(c.name, func(t *testing.T) {
			b, _ := convolving(t, cudafake.Options{Seed: 3})
			e := compile(t, b, c.alone(), backends.Options{})
			taken := 0
			for i := range e.steps {
				if e.steps[i].taken() {
					taken++
				}
			}
			require.Equal(t, c.taken, taken)
			args := c.args()
			call := &backends.Call{Args: args}
			for range 2 {
				require.NoError(t, e.Execute(t.Context(), call))
			}
			require.EqualValues(t, 2*c.taken, e.Launches().Convolutions)
			require.Equal(t, numbersOf(t, results(t, c.alone(), args...)[0]), numbersOf(t, call.Results[0]))
		})
	}
}

// small is a convolution whose kernels are copied first.
var small = conv{types.BF16, []int{2, 6, 5, 64}, []int{3, 3, 64, 24}, []int{2, 6, 5, 24}, imageDims, "pad = [[1, 1], [1, 1]]", 1}

// Where the library cannot be used, or says no, the backend's own kernels compute the
// same.
func TestConvolvedFallsBack(t *testing.T) {
	aboutFake(t)
	args := small.args()
	want := numbersOf(t, results(t, small.alone(), args...)[0])
	for _, c := range []struct {
		call   string
		status cudnn.Status
		taken  bool
		laid   int64 // copies of kernels
	}{
		{"cudnnCreate", cudnn.NotInitialized, false, 0},
		{"cudnnCreate", cudnn.LoadingFailed, false, 0},
		{"cudnnCreateConvolutionDescriptor", cudnn.AllocFailed, false, 0},
		{"cudnnGetConvolutionForwardAlgorithm_v7", cudnn.NotSupported, false, 0},
		{"cudnnGetConvolutionForwardAlgorithm_v7", cudnn.InternalError, false, 0},
		{"cudnnGetConvolutionForwardWorkspaceSize", cudnn.NotSupported + 2, false, 0},
		{"cudnnSetStream", cudnn.BadParam, true, 1},
		{"cudnnConvolutionForward", cudnn.NotSupported, true, 1},
		{"cudnnConvolutionForward", cudnn.ExecutionFailed, true, 1},
	} {
		t.Run(c.call+" "+c.status.Error(), func(t *testing.T) {
			b, f := convolving(t, cudafake.Options{Seed: 1})
			f.Fail(c.call, 0, driver.Code(c.status))
			e := compile(t, b, small.alone(), backends.Options{})
			require.Equal(t, c.taken, e.steps[0].taken())
			call := &backends.Call{Args: args}
			for range 2 { // the library is not asked again
				require.NoError(t, e.Execute(t.Context(), call))
				require.Equal(t, want, numbersOf(t, call.Results[0]))
			}
			require.Equal(t, Launches{Kernels: 2 + c.laid}, e.Launches())
		})
	}
	b, _ := convolving(t, cudafake.Options{Seed: 1})
	b.dev.convolutions.open = func() (opener[*cudnn.Handle], error) { return nil, cudnn.ErrVersion }
	e := compile(t, b, small.alone(), backends.Options{})
	call := &backends.Call{Args: args}
	require.NoError(t, e.Execute(t.Context(), call))
	require.Equal(t, want, numbersOf(t, call.Results[0]))
}
