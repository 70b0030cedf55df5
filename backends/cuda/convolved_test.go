package cuda

import (
	"fmt"
	"math/rand/v2"
	"strings"
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

// convolving opens a backend whose convolutions are cuDNN's, however small.
func convolving(t testing.TB, o cudafake.Options) (*Backend, *cudafake.Fake) {
	b, f := backend(t.(*testing.T), o)
	taking(t, b.dev, &b.dev.convolutions, f, func() error {
		l, err := f.Convolutions()
		b.dev.UseConvolutions(l)
		return err
	})
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
	trials.Sequential(t)
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
				if e.steps[i].taken {
					taken++
				}
			}
			require.Equal(t, c.taken, taken)
			args := c.args()
			call := &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), call))
			require.EqualValues(t, c.taken, e.Launches().Convolutions)
			require.NoError(t, e.Execute(t.Context(), call))
			if len(e.rows) == 0 {
				require.EqualValues(t, 2*c.taken, e.Launches().Convolutions)
			} else {
				require.EqualValues(t, c.taken, e.Launches().Convolutions, "the others are in graphs")
			}
			require.Equal(t, numbersOf(t, results(t, c.alone(), args...)[0]), numbersOf(t, call.Results[0]))
		})
	}
}

// small is a convolution whose kernels are copied first.
var small = conv{types.BF16, []int{2, 6, 5, 64}, []int{3, 3, 64, 24}, []int{2, 6, 5, 24}, imageDims, "pad = [[1, 1], [1, 1]]", 1}

// Where the library cannot be used, or says no, the backend's own kernels compute the
// same.
func TestConvolvedFallsBack(t *testing.T) {
	trials.Sequential(t)
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
			require.Equal(t, c.taken, e.steps[0].taken)
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

// Operands that lie at addresses that the library is not promised are a kernel's.
func TestConvolvedMoved(t *testing.T) {
	trials.Sequential(t)
	b, _ := convolving(t, cudafake.Options{Seed: 4})
	e := compile(t, b, small.alone(), backends.Options{})
	args := small.args()
	want := numbersOf(t, results(t, small.alone(), args...)[0])
	for i, off := range []int{0, 16, 8, 32} {
		for j, a := range small.args() {
			args[j] = moved(t, b, a, off)
		}
		call := &backends.Call{Args: args}
		require.NoError(t, e.Execute(t.Context(), call))
		require.Equal(t, want, numbersOf(t, call.Results[0]), "%d bytes off", off)
		require.Equal(t, []int64{1, 2, 2, 3}[i], e.Launches().Convolutions)
	}
}

// Factors of f32 are multiplied as they are, or as tf32 where that is allowed; those of
// 16 bits by tensor cores.
func TestConvolvedMath(t *testing.T) {
	trials.Sequential(t)
	b, _ := convolving(t, cudafake.Options{})
	for _, c := range []struct {
		elements types.DType
		tf32     bool
		want     cudnn.Math
	}{{types.F32, false, cudnn.FMA}, {types.F32, true, cudnn.Tensor}, {types.BF16, false, cudnn.Tensor}, {types.F16, true, cudnn.Tensor}} {
		v := conv{c.elements, []int{2, 6, 5, 64}, []int{3, 3, 64, 24}, []int{2, 4, 3, 24}, imageDims, "", 1}
		e := compile(t, b, v.alone(), backends.Options{TF32: c.tf32})
		require.Equal(t, c.want, e.steps[0].library.(*convolution).problem.Math)
	}
}

// What is not the library's: too small a convolution, and one with something behind it.
func TestNotConvolved(t *testing.T) {
	trials.Sequential(t)
	b, _ := convolving(t, cudafake.Options{})
	v := small
	v.elements = types.F32
	e := compile(t, b, v.text(), backends.Options{})
	for i := range e.steps {
		require.False(t, e.steps[i].taken, "a maximum")
	}
	v = conv{types.BF16, []int{600, 256, 256, 64}, []int{3, 3, 64, 64}, []int{600, 256, 256, 64}, imageDims, "pad = [[1, 1], [1, 1]]", 1}
	got, err := Listing(t.Context(), backends.NewModule(v.alone()), backends.Options{})
	require.NoError(t, err)
	require.NotContains(t, got, "cuDNN", "more elements than an int32 counts")
	v = conv{types.F32, []int{1, 3, 64}, []int{3, 64, 64}, []int{1, 3, 64}, lineDims, "pad = [[4294967296, 4294967296]], rhs_dilate = [4294967296]", 1}
	e = compile(t, b, v.alone(), backends.Options{})
	for i := range e.steps {
		require.Nil(t, e.steps[i].library, "places that an int32 does not count")
	}
	b.dev.convolutions.least = leastWork
	e = compile(t, b, small.alone(), backends.Options{})
	require.IsType(t, &convolution{}, e.steps[0].library)
	require.False(t, e.steps[0].taken)
	require.Zero(t, e.besides)
	require.EqualValues(t, 2*6*5*24*9*64, e.steps[0].library.(*convolution).work)
}

// Convolutions of random shapes are what the evaluator computes, whatever dimensions the
// kernel's axes are taken for.
func TestConvolvedRandom(t *testing.T) {
	trials.Sequential(t)
	b, _ := convolving(t, cudafake.Options{Seed: 8})
	taken := 0
	for seed := range uint64(trials.Of(40)) {
		r := rand.New(rand.NewPCG(seed, 21))
		v := randomConv(r)
		e := compile(t, b, v.alone(), backends.Options{})
		args := []soa.View{integers(r, v.elements, v.x...), integers(r, v.elements, v.w...)}
		call := &backends.Call{Args: args}
		require.NoError(t, e.Execute(t.Context(), call))
		require.Equal(t, numbersOf(t, results(t, v.alone(), args...)[0]), numbersOf(t, call.Results[0]), "seed %d: %v", seed, v)
		taken += int(e.Launches().Convolutions)
	}
	require.Greater(t, taken, trials.Of(40)/5) // others have one place, few products, or another padding behind
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

// Convolutions of the library are nodes of graphs, with the kernel that lays out kernels
// for it: from the second run on the step is one launch.
func TestConvolvedAreInGraphs(t *testing.T) {
	trials.Sequential(t)
	b, f := convolving(t, cudafake.Options{Seed: 2})
	v := conv{types.BF16, []int{2, 6, 5, 64}, []int{3, 3, 64, 64}, []int{2, 6, 5, 64}, imageDims, "pad = [[1, 1], [1, 1]]", 1}
	image, kernels := mlirOf(v.elements, v.x...), mlirOf(v.elements, v.w...)
	var text strings.Builder
	fmt.Fprintf(&text, "func.func public @main(%%v0: %s, %%w: %s) -> %s {\n", image, kernels, image)
	for i := range 9 {
		to := fmt.Sprintf("%%c%d", i)
		if i == 4 { // alone
			to = "%v5"
		}
		fmt.Fprintf(&text, "  %s = stablehlo.convolution(%%v%d, %%w) dim_numbers = %s, window = {%s} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%s, %s) -> %s\n", to, i, v.dims, v.window, image, kernels, image)
		if i != 4 {
			fmt.Fprintf(&text, "  %%v%d = stablehlo.sign %%c%d : %s\n", i+1, i, image)
		}
	}
	fmt.Fprintf(&text, "  return %%v9 : %s\n}", image)
	e := compile(t, b, text.String(), backends.Options{})
	require.Equal(t, []row{{0, 9}}, e.rows)
	args := v.args()
	want := results(t, text.String(), args...)[0]
	call := &backends.Call{}
	for _, a := range append(args, want) {
		there, err := b.Make(a.Type)
		require.NoError(t, err)
		require.NoError(t, soa.Copy(there, a))
		call.Args = append(call.Args, there)
	}
	call.Args, call.Results = call.Args[:2], call.Args[2:]
	for range 3 {
		require.NoError(t, e.Execute(t.Context(), call))
		got := soa.Make(want.Type)
		require.NoError(t, soa.Copy(got, call.Results[0]))
		require.Equal(t, numbersOf(t, want), numbersOf(t, got))
	}
	require.Equal(t, Launches{Kernels: 8 + 1, Graphs: 2, Convolutions: 1}, e.Launches())
	if f != nil {
		require.EqualValues(t, 2, f.Calls("cudnnConvolutionForward"), "queued once, and captured for the second run")
		require.EqualValues(t, 2, f.Calls("cuGraphLaunch"))
	}
}

// The listing says which convolutions cuDNN would compute, if they are large enough.
func TestListingOfConvolved(t *testing.T) {
	trials.Sequential(t)
	v := conv{types.BF16, []int{32, 56, 56, 64}, []int{3, 3, 64, 64}, []int{32, 56, 56, 64}, imageDims, "pad = [[1, 1], [1, 1]]", 1}
	const says = "; where cuDNN is found, that computes a convolution of 32 images bf16 56x56x64 to 56x56x64 by windows 3x3\n"
	got, err := Listing(t.Context(), backends.NewModule(v.alone()), backends.Options{})
	require.NoError(t, err)
	require.Contains(t, got, says)
	got, err = Listing(t.Context(), backends.NewModule(small.alone()), backends.Options{})
	require.NoError(t, err)
	require.NotContains(t, got, "cuDNN")
}

// Where the number of images is left open, the library computes each size that comes.
func TestConvolvedSizes(t *testing.T) {
	trials.Sequential(t)
	b, _ := convolving(t, cudafake.Options{Seed: 5})
	text := `func.func public @main(%x: tensor<?x6x5x64xbf16>, %w: tensor<3x3x64x24xbf16>) -> tensor<?x6x5x24xbf16> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x6x5x64xbf16>, tensor<3x3x64x24xbf16>) -> tensor<?x6x5x24xbf16>
  return %0 : tensor<?x6x5x24xbf16>
}`
	e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	for i, n := range []int{3, 1, 3} {
		r := rand.New(rand.NewPCG(uint64(n), 3))
		args := []soa.View{integers(r, types.BF16, n, 6, 5, 64), integers(r, types.BF16, 3, 3, 64, 24)}
		call := &backends.Call{Args: args}
		require.NoError(t, e.Execute(t.Context(), call))
		require.Equal(t, numbersOf(t, results(t, strings.ReplaceAll(text, "?", fmt.Sprint(n)), args...)[0]), numbersOf(t, call.Results[0]))
		require.EqualValues(t, i+1, e.(interface{ Launches() Launches }).Launches().Convolutions)
	}
}
