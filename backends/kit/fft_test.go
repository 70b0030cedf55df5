package kit_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/internal/samples"
	"ltc/internal/test/kittest"
	"ltc/internal/test/programs"
	"ltc/ir/types"
	"ltc/soa"
	"ltc/stablehlo"
)

// transforms are shapes of signals and along how many of the last dimensions these are
// transformed.
func transforms() (all []struct {
	shape []int
	dims  int
}) {
	add := func(dims int, shape ...int) {
		all = append(all, struct {
			shape []int
			dims  int
		}{shape, dims})
	}
	for n := range 32 {
		add(1, 2, n+1)
	}
	for _, n := range []int{64, 100, 101, 120, 243, 256, 1000, 1006, 1009} {
		add(1, n)
	}
	add(1, 4096)
	add(1, 1<<15)
	add(1, 11003)
	add(2, 1, 1)
	add(2, 2, 3, 10, 12)
	add(2, 3, 34, 5)
	add(3, 2, 6, 5, 18)
	add(3, 7, 11, 17)
	return all
}

// Fourier transforms of all kinds and lengths are kernels, which are within some last places of
// the largest element of what the evaluator computes in f64.
func TestFourierTransforms(t *testing.T) {
	for _, c := range transforms() {
		for _, kind := range []string{"FFT", "IFFT", "RFFT", "IRFFT"} {
			for _, d := range []types.DType{types.F32, types.F64} {
				if d == types.F64 && c.shape[0] == 11003 {
					continue // the evaluator's own sums of so many products are less exact
				}
				t.Run(fmt.Sprint(kind, "/", d, "/", c.shape, "/", c.dims), func(t *testing.T) {
					text := programs.Fourier(kind, d.String(), c.shape, c.dims)
					p := kittest.Compile(t, text)
					for _, h := range p.HostSteps() {
						require.NotEqual(t, stablehlo.FFT, h.Op)
					}
					sameTransform(t, text, p.Signature, func(args []soa.View) []soa.View { return kittest.Evaluate(t, p, args) })
				})
			}
		}
	}
}

// The locals of each kernel of a transform take no more memory than the target says. Besides those
// of passes there are the signals of real transforms and of convolutions.
func TestFourierLocals(t *testing.T) {
	const most = 40 << 10
	for kind, lengths := range map[string][]int{"FFT": {1009, 1200, 2048, 4096}, "RFFT": {2048, 3600, 4096}, "IRFFT": {2018, 4096}} {
		for _, n := range lengths {
			for _, d := range []types.DType{types.F32, types.F64} {
				text := programs.Fourier(kind, d.String(), []int{3, n}, 1)
				for _, k := range kittest.CompileFor(t, text, fuse.Options{LocalBytes: most}).Kernels {
					bytes, ok := kernel.LocalBytes(k, nil)
					require.True(t, ok)
					require.LessOrEqual(t, bytes, int64(most), "%s %d of %v: %v", kind, n, d, k)
				}
			}
		}
	}
}

// sameTransform compares what a program gives of random arguments with the evaluator.
func sameTransform(t *testing.T, text string, s *backends.Signature, run func(args []soa.View) []soa.View) {
	t.Helper()
	exe, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	c := &backends.Call{}
	for i, a := range s.Args {
		v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", i))
		require.NoError(t, err)
		c.Args = append(c.Args, v)
	}
	got := run(c.Args)
	require.NoError(t, exe.Execute(t.Context(), c))
	largest, worst, last := 0.0, 0.0, 0x1p-23
	for i, want := range c.Results {
		if want.Type.DType == types.F64 {
			last = 0x1p-52
		}
		computed := numbers(got[i])
		for k, w := range numbers(want) {
			largest = max(largest, math.Abs(w))
			if diff := math.Abs(computed[k] - w); !(diff <= worst) {
				worst = diff
			}
		}
	}
	require.LessOrEqual(t, worst/largest/last, 12.0)
}

// numbers returns the elements of a dense view of floats.
func numbers(v soa.View) []float64 {
	if v.Type.DType == types.F64 {
		return soa.Slice[float64](v)
	}
	var all []float64
	for _, x := range soa.Slice[float32](v) {
		all = append(all, float64(x))
	}
	return all
}
