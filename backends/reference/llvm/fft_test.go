package llvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/samples"
	"ltc/internal/test/kittest"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// Fourier transforms are compiled, and within some last places of the largest element of what
// the evaluator computes in f64. Rows are shorter and longer than vectors, and not multiples of
// them.
func TestFourierTransforms(t *testing.T) {
	trials.Sequential(t)
	for _, c := range trials.First([]struct {
		kind  string
		t     types.DType
		shape []int
		dims  int
	}{
		{"FFT", types.F32, []int{3, 1}, 1},
		{"FFT", types.F32, []int{33, 4}, 1},
		{"IFFT", types.F32, []int{35, 7}, 1},
		{"RFFT", types.F32, []int{35, 16}, 1},
		{"IRFFT", types.F32, []int{35, 10}, 1},
		{"FFT", types.F64, []int{19, 60}, 1},
		{"IFFT", types.F32, []int{18, 64}, 1},
		{"FFT", types.F32, []int{5, 256}, 1},
		{"RFFT", types.F32, []int{5, 200}, 1},
		{"IRFFT", types.F32, []int{5, 256}, 1},
		{"RFFT", types.F64, []int{4, 105}, 1},
		{"IRFFT", types.F32, []int{4, 105}, 1},
		{"IFFT", types.F64, []int{3, 1000}, 1},
		{"FFT", types.F32, []int{3, 1009}, 1},
		{"IRFFT", types.F64, []int{3, 1006}, 1},
		{"FFT", types.F32, []int{2, 4096}, 1},
		{"RFFT", types.F32, []int{2, 1 << 15}, 1},
		{"FFT", types.F32, []int{30011}, 1},
		{"IFFT", types.F32, []int{3, 40, 48}, 2},
		{"RFFT", types.F32, []int{3, 34, 48}, 2},
		{"IRFFT", types.F32, []int{3, 6, 10, 18}, 3},
		{"FFT", types.F32, []int{3, 17, 5}, 2},
	}) {
		t.Run(fmt.Sprint(c.kind, "/", c.t, "/", c.shape, "/", c.dims), func(t *testing.T) {
			text := programs.Fourier(c.kind, c.t.String(), c.shape, c.dims)
			got, want := transformed(t, "cpu", text), transformed(t, "eval", text)
			last := map[types.DType]float64{types.F32: 0x1p-23, types.F64: 0x1p-52}[c.t]
			largest, worst := 0.0, 0.0
			for i := range want {
				computed := floats(got[i])
				for k, w := range floats(want[i]) {
					largest = max(largest, math.Abs(w))
					if diff := math.Abs(computed[k] - w); !(diff <= worst) {
						worst = diff
					}
				}
			}
			require.LessOrEqual(t, worst/largest/last, 12.0)
		})
	}
}

// transformed returns what a text computes of random arguments.
func transformed(t *testing.T, on, text string) []soa.View {
	t.Helper()
	b, err := backends.Open(on)
	require.NoError(t, err)
	e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: 2})
	require.NoError(t, err, text)
	call := &backends.Call{}
	for i, a := range e.Signature().Args {
		v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", i))
		require.NoError(t, err)
		call.Args = append(call.Args, v)
	}
	require.NoError(t, e.Execute(t.Context(), call))
	return call.Results
}

// floats returns the elements of a dense view of floats.
func floats(v soa.View) []float64 {
	if v.Type.DType == types.F64 {
		return soa.Slice[float64](v)
	}
	var all []float64
	for _, x := range soa.Slice[float32](v) {
		all = append(all, float64(x))
	}
	return all
}

// Kernels of transforms do on all levels what the evaluator of kernels does, in dense memory and
// in memory with gaps, for any number of parts.
func TestFourierKernels(t *testing.T) {
	trials.Sequential(t)
	var kernels []*kernel.Kernel
	var sizes [][]int64
	for _, c := range []struct {
		kind string
		n    int
	}{{"FFT", 4}, {"FFT", 64}, {"RFFT", 60}, {"IRFFT", 60}, {"IFFT", 17}, {"IRFFT", 512}} {
		p := kittest.Compile(t, programs.Fourier(c.kind, "f32", []int{19, c.n}, 1))
		for i := range p.Steps {
			l := p.Steps[i].Launch()
			kernels, sizes = append(kernels, p.Kernels[l.Kernel]), append(sizes, l.Sizes)
		}
	}
	for _, c := range compilers(t) {
		codes := compile(t, c, kernels...)
		for i, k := range kernels {
			before := kerneltest.NewMemory(k, sizes[i], kerneltest.Dense, 0)
			before.Fill(rand.New(rand.NewPCG(uint64(i), 12)))
			want, err := before.Run(evaluate)
			require.NoError(t, err)
			for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread} {
				for parts := 1; parts <= 3; parts += 2 {
					got, err := before.Like(layout, 0xFF).Run(in(codes[i], parts))
					require.NoError(t, err)
					require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{Relative: 1e-4, Absolute: 1e-2}), "%v %v\n%s", c.machine.Level, k, schedule(codes[i]))
				}
			}
		}
	}
}
