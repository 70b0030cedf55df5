package fft_test

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	_ "ltc/backends/reference/eval"
	"ltc/fft"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
)

func trace(t *testing.T, backend string) *lazy.Trace {
	dev, err := lazy.Open(backend, lazy.CheckIndices(false))
	require.NoError(t, err)
	t.Cleanup(func() { dev.Close() })
	return lazy.NewTrace(dev)
}

var transforms = map[string]func(*lazy.Tensor, fft.Options) *lazy.Tensor{
	"fft": fft.FFT, "ifft": fft.IFFT, "rfft": fft.RFFT, "irfft": fft.IRFFT, "hfft": fft.HFFT, "ihfft": fft.IHFFT,
	"fft2": fft.FFT2, "ifft2": fft.IFFT2, "rfft2": fft.RFFT2, "irfft2": fft.IRFFT2, "hfft2": fft.HFFT2, "ihfft2": fft.IHFFT2,
	"fftn": fft.FFTN, "ifftn": fft.IFFTN, "rfftn": fft.RFFTN, "irfftn": fft.IRFFTN, "hfftn": fft.HFFTN, "ihfftn": fft.IHFFTN,
}

// fill returns input k, which testdata/golden.py makes by the same formula.
func fill(tr *lazy.Trace, kind string, dims []int, k int) *lazy.Tensor {
	n := types.Shape(dims).Elements()
	re, im := make([]float64, n), make([]float64, n)
	for i := range n {
		re[i] = float64((i*7+3*k+5)%23-11) / 4
		im[i] = float64((i*5+2*k+3)%19-9) / 4
	}
	x := lazy.From(tr, re, dims...)
	if kind == "c" {
		return lazy.Complex(x, lazy.From(tr, im, dims...))
	}
	return x
}

func integers(t *testing.T, list string) (all []int) {
	if list == "-" {
		return nil
	}
	for _, w := range strings.Split(list, ",") {
		n, err := strconv.Atoi(w)
		require.NoError(t, err)
		all = append(all, n)
	}
	return all
}

func requireNear(t *testing.T, list string, got *lazy.Tensor, tolerance float64, name string) {
	t.Helper()
	require.NoError(t, got.Err(), name)
	if got.DType().IsComplex() {
		got = got.ViewAsReal()
	}
	gs, err := lazy.ToSlice[float64](got.Convert(lazy.F64))
	require.NoError(t, err)
	want := strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' })
	require.Len(t, gs, len(want), name)
	for i, w := range want {
		x, err := strconv.ParseFloat(w, 64)
		require.NoError(t, err)
		if math.Abs(gs[i]-x) > tolerance*(1+math.Abs(x)) {
			t.Fatalf("%s: number %d is %v, and PyTorch gives %v", name, i, gs[i], x)
		}
	}
}

// Results and gradients are PyTorch's.
func TestPyTorch(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		t.Run(backend, func(t *testing.T) {
			f, err := os.Open("testdata/torch.txt")
			require.NoError(t, err)
			defer f.Close()
			tr := trace(t, backend)
			tr.ImplicitSyncs(lazy.AllowSyncs)
			var name string
			var x, y *lazy.Tensor
			cases := 0
			for s := bufio.NewScanner(f); s.Scan(); {
				line := s.Text()
				switch {
				case strings.HasPrefix(line, "#"):
				case strings.HasPrefix(line, "  ["):
					shape, list, _ := strings.Cut(line[3:], "]")
					require.Equal(t, "["+shape+"]", y.Shape().String(), name)
					requireNear(t, list, y, 1e-10, name)
				case strings.HasPrefix(line, "  d "):
					kind := "r"
					if y.DType().IsComplex() {
						kind = "c"
					}
					g := lazy.VJP(y, fill(tr, kind, y.Shape(), 1), x)[0]
					requireNear(t, line[4:], g, 1e-10, name+": gradient")
					require.NoError(t, tr.MarkStep())
				default:
					name = line
					w := strings.Fields(line)
					require.Len(t, w, 6, line)
					o := fft.Options{Lengths: integers(t, w[3][2:]), Axes: integers(t, w[4][5:]),
						Norm: map[string]fft.Norm{"backward": fft.Backward, "ortho": fft.Ortho, "forward": fft.Forward}[w[5][5:]]}
					x = fill(tr, w[1], integers(t, w[2]), 0)
					y = transforms[w[0]](x, o)
					require.NoError(t, y.Err(), line)
					cases++
				}
			}
			require.Equal(t, 147, cases)
		})
	}
}

// Results of f32 are as exact as those of f64, rounded; integers are transformed as f32.
func TestDTypes(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		tr.ImplicitSyncs(lazy.AllowSyncs)
		for x, want := range map[*lazy.Tensor]string{
			lazy.From(tr, []float32{1, 2, 4}):     "7,0 -2,1.7320508 -2,-1.7320508",
			lazy.From(tr, []int64{1, 2, 4}):       "7,0 -2,1.7320508 -2,-1.7320508",
			lazy.From(tr, []complex64{1, 2i, -4}): "-3,2 4.7320508,-4.4641016 1.2679492,2.4641016",
		} {
			y := fft.FFT(x, fft.Options{})
			require.Equal(t, lazy.C64, y.DType())
			requireNear(t, want, y, 1e-6, "fft")
		}
		require.Equal(t, lazy.C128, fft.FFT(lazy.From(tr, []complex128{1, 2}), fft.Options{}).DType())
		require.Equal(t, lazy.F64, fft.IRFFT(lazy.From(tr, []complex128{1, 2}), fft.Options{}).DType())
		require.Equal(t, lazy.F32, fft.HFFT(lazy.From(tr, []float32{1, 2}), fft.Options{}).DType())
	}
}

// A norm scales infinite elements without NaN.
func TestNormOfInfinity(t *testing.T) {
	tr := trace(t, "eval")
	tr.ImplicitSyncs(lazy.AllowSyncs)
	y := fft.FFT(lazy.From(tr, []complex128{complex(math.Inf(1), 0)}), fft.Options{Norm: fft.Ortho})
	z, err := lazy.ToSlice[complex128](y)
	require.NoError(t, err)
	require.Equal(t, []complex128{complex(math.Inf(1), 0)}, z)
}

// The frequencies and the shifts are those of torch.fft.
func TestFrequencies(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		tr.ImplicitSyncs(lazy.AllowSyncs)
		requireNear(t, "0 0.2 0.4 -0.4 -0.2", fft.FFTFreq(tr, lazy.F64, 5, 1), 1e-15, "fftfreq")
		requireNear(t, "0 0.5 -1 -0.5", fft.FFTFreq(tr, lazy.F64, 4, 0.5), 1e-15, "fftfreq")
		requireNear(t, "0 0.2 0.4", fft.RFFTFreq(tr, lazy.F64, 5, 1), 1e-15, "rfftfreq")
		requireNear(t, "0 0.5 1", fft.RFFTFreq(tr, lazy.F64, 4, 0.5), 1e-15, "rfftfreq")
		require.Equal(t, "[0]", fft.FFTFreq(tr, lazy.F64, 0, 1).Shape().String())
		require.ErrorContains(t, fft.FFTFreq(tr, lazy.F64, -1, 1).Err(), "dimension 0 is negative: -1")
		require.ErrorContains(t, fft.RFFTFreq(tr, lazy.F64, -1, 1).Err(), "dimension 0 is negative: -1")

		x := lazy.ARange(tr, lazy.F64, 0, 6, 1).Reshape(2, 3)
		requireNear(t, "5 3 4 2 0 1", fft.FFTShift(x), 0, "fftshift")
		requireNear(t, "2 0 1 5 3 4", fft.FFTShift(x, -1), 0, "fftshift")
		requireNear(t, "1 2 0 4 5 3", fft.IFFTShift(x, 1), 0, "ifftshift")
		requireNear(t, "0 1 2 3 4 5", fft.IFFTShift(fft.FFTShift(x)), 0, "ifftshift")
	}
}

// Axes that are not transformed may have open sizes, and shifts any.
func TestOpenSizes(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	defer dev.Close()
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		return fft.FFTShift(fft.IRFFT(fft.RFFT(x, fft.Options{Norm: fft.Ortho}).MulScalar(2), fft.Options{Norm: fft.Ortho}), 0)
	})
	_, err = f.Export([]lazy.Input{{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 64), 8)}})
	require.NoError(t, err)
	tr := trace(t, "cpu")
	x := lazy.Zeros(tr, lazy.F32, 2, 8)
	require.NoError(t, fft.FFT(x, fft.Options{}).Err())
}

// A call that breaks a rule is an error with the op, the types, the rule and the line.
func TestMistakes(t *testing.T) {
	tr := trace(t, "cpu")
	c, f := lazy.Zeros(tr, lazy.C64, 2, 4), lazy.Zeros(tr, lazy.F32, 2, 4)
	labels := map[string]bool{}
	expect := func(want string, y *lazy.Tensor) {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "fft_test.go:")
		var e *lazy.OpError
		require.True(t, errors.As(y.Err(), &e))
		labels[e.Label] = true
	}
	expect("fft.rfft(c64[2,4]): x must be a number, is c64; convert it with Convert (fft.rfft_c1)", fft.RFFT(c, fft.Options{}))
	expect("fft.fft(bool[2]): x must be a number or complex, is bool; convert it with Convert (fft.fft_c1)", fft.FFT(lazy.Zeros(tr, lazy.Bool, 2), fft.Options{}))
	expect("fft.fft(c64[2,4]): axis 2 is out of range: a tensor of shape [2,4] has axes 0 and 1 (fft.fft_c3)", fft.FFT(c, fft.Options{Axes: []int{2}}))
	expect("fft.fft(c64[2,4]): axes are [0 1], and the function transforms 1 (fft.fft_c3)", fft.FFT(c, fft.Options{Axes: []int{0, 1}}))
	expect("fft.fftn(c64[2,4]): axis -1 is there twice (fft.fftn_c3)", fft.FFTN(c, fft.Options{Axes: []int{1, -1}}))
	expect("fft.fft2(c64[4]): x is c64[4], and must have an axis for each that is transformed (fft.fft2_c3)", fft.FFT2(lazy.Zeros(tr, lazy.C64, 4), fft.Options{}))
	expect("fft.fft2(c64[2,4]): lengths are [3] for 2 of the axes (fft.fft2_c4)", fft.FFT2(c, fft.Options{Lengths: []int{3}}))
	expect("fft.irfft(c64[2,1]): axis 1 has one element, of which the result would have none; give its length (fft.irfft_c5)", fft.IRFFT(lazy.Zeros(tr, lazy.C64, 2, 1), fft.Options{}))
	expect("fft.fftshift(f32[2,4]): axis 2 is out of range: a tensor of shape [2,4] has axes 0 and 1 (fft.fftshift_c2)", fft.FFTShift(f, 2))
	expect("fft.ifftshift(f32[2,4]): axis 2 is out of range: a tensor of shape [2,4] has axes 0 and 1 (fft.ifftshift_c2)", fft.IFFTShift(f, 2))
	half, empty := lazy.Zeros(tr, lazy.F16, 2, 4), lazy.Zeros(tr, lazy.F32, 2, 0)
	for _, name := range strings.Fields("FFT IFFT RFFT IRFFT HFFT IHFFT FFT2 IFFT2 RFFT2 IRFFT2 HFFT2 IHFFT2 FFTN IFFTN RFFTN IRFFTN HFFTN IHFFTN") {
		op := strings.ToLower(name)
		f := transforms[op]
		at := func(k int) string { return fmt.Sprintf("(fft.%s_c%d)", op, k) }
		expect("x is f16; convert it to f32 with Convert "+at(2), f(half, fft.Options{}))
		expect("axis 7 is out of range: a tensor of shape [2,4] has axes 0 and 1 "+at(3), f(lazy.Zeros(tr, lazy.F32, 2, 4), fft.Options{Axes: []int{7, 0}[:1+strings.Count(op, "2")]}))
		lengths := []int{0, 4}[:1+strings.Count(op, "2")]
		expect("length 0 is 0, must be a positive number, or -1 for that of x "+at(4), f(lazy.Zeros(tr, lazy.F32, 2, 4), fft.Options{Lengths: lengths}))
		expect("axis 1 has no elements "+at(5), f(empty, fft.Options{}))
		expect("norm is 3, must be Backward, Ortho or Forward "+at(6), f(lazy.Zeros(tr, lazy.F32, 2, 4), fft.Options{Norm: 3}))
	}
	stftMistakes(t, tr, labels)
	for _, o := range ops.PackageRows("fft") {
		for i, d := range o.Where {
			label := fmt.Sprintf("%s_c%d", o.Mnemonic(), len(o.Operands)+i+1)
			require.True(t, labels[label], "no bad call breaks %s: %s", label, d.Text)
		}
	}
}
