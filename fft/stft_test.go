package fft_test

import (
	"bufio"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/fft"
	"ltc/ir/types"
	"ltc/lazy"
)

// stftCase is a line of testdata/stft.txt.
type stftCase struct {
	inverse   bool
	kind      string
	dims      []int
	n         int
	window    string
	o         fft.STFTOptions
	windowLen int
}

func stftCaseOf(t *testing.T, line string) stftCase {
	w := strings.Fields(line)
	require.Len(t, w, 13, line)
	at := func(i int) int {
		n, err := strconv.Atoi(w[i])
		require.NoError(t, err)
		return n
	}
	c := stftCase{inverse: w[0] == "istft", kind: w[1], dims: integers(t, w[2]), n: at(3), window: w[6], o: fft.STFTOptions{
		Hop: at(4), Width: at(5), Uncentered: at(7) == 0, Padding: fft.Padding(at(8)), Normalized: at(9) == 1, TwoSided: at(10) == 1,
		Length: at(11), Complex: at(12) == 1}}
	if c.windowLen = c.o.Width; c.windowLen == 0 {
		c.windowLen = c.n
	}
	return c
}

var windows = map[string]func(tr *lazy.Trace, dtype types.DType, n int, periodic bool) *lazy.Tensor{
	"hann": lazy.HannWindow, "hamming": lazy.HammingWindow, "blackman": lazy.BlackmanWindow,
}

// Results and gradients are PyTorch's, those of windows, too.
func TestSTFTIsPyTorchs(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		f, err := os.Open("testdata/stft.txt")
		require.NoError(t, err)
		defer f.Close()
		tr := trace(t, backend)
		tr.ImplicitSyncs(lazy.AllowSyncs)
		var name string
		var x, y *lazy.Tensor
		var c stftCase
		cases := 0
		gradient := func(of *lazy.Tensor, list, what string) {
			kind := "r"
			if y.DType().IsComplex() {
				kind = "c"
			}
			requireNear(t, list, lazy.VJP(y, fill(tr, kind, y.Shape(), 1), of)[0], 1e-10, name+what)
		}
		for s := bufio.NewScanner(f); s.Scan(); {
			line := s.Text()
			switch {
			case strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "  ["):
				shape, list, _ := strings.Cut(line[3:], "]")
				require.Equal(t, "["+shape+"]", y.Shape().String(), name)
				requireNear(t, list, y, 1e-10, name)
			case strings.HasPrefix(line, "  d "):
				gradient(x, line[4:], ": gradient")
			case strings.HasPrefix(line, "  w "):
				gradient(c.o.Window, line[4:], ": gradient of the window")
			default:
				name, c = line, stftCaseOf(t, line)
				x = fill(tr, c.kind, c.dims, 0)
				if make := windows[c.window]; make != nil {
					c.o.Window = make(tr, lazy.F64, c.windowLen, true)
				}
				if c.inverse {
					y = fft.ISTFT(x, c.n, c.o)
				} else {
					y = fft.STFT(x, c.n, c.o)
				}
				require.NoError(t, y.Err(), line)
				cases++
			}
		}
		require.Equal(t, 19, cases)
	}
}

// The dtypes of a signal and of its window promote, as those of PyTorch do, and no batch has no transforms.
func TestWindowOfAnotherDType(t *testing.T) {
	tr := trace(t, "cpu")
	for _, c := range []struct {
		x, window types.DType
		want      types.Type
	}{
		{lazy.F32, lazy.F64, types.Of(lazy.C128, 2, 5, 11)},
		{lazy.F32, lazy.BF16, types.Of(lazy.C64, 2, 5, 11)},
		{lazy.F32, lazy.C64, types.Of(lazy.C64, 2, 8, 11)},
		{lazy.F32, lazy.C128, types.Of(lazy.C128, 2, 8, 11)},
		{lazy.C64, lazy.F64, types.Of(lazy.C128, 2, 8, 11)},
	} {
		x := fill(tr, "r", []int{2, 20}, 0)
		window := lazy.HammingWindow(tr, lazy.F64, 8, true).Convert(lazy.BF16)
		y := fft.STFT(x.Convert(c.x), 8, fft.STFTOptions{Window: window.Convert(c.window)})
		same := fft.STFT(x, 8, fft.STFTOptions{Window: window.Convert(lazy.F64)})
		require.Equal(t, c.want, y.Type())
		far := y.Narrow(1, 0, 5).Sub(same).Abs().Max()
		back := fft.ISTFT(same.Convert(lazy.C64), 8, fft.STFTOptions{Window: window}).Sub(x).Abs().Max()
		none := fft.STFT(x.Narrow(0, 0, 0), 8, fft.STFTOptions{})
		require.NoError(t, tr.MarkStep(far, back, none))
		require.Less(t, far.Float(), 1e-6)
		require.Less(t, back.Float(), 1e-6)
		require.Equal(t, types.Of(lazy.C128, 0, 5, 11), none.Type())
	}
	wide := fft.ISTFT(lazy.Ones(tr, lazy.C64, 5, 6), 8, fft.STFTOptions{Window: lazy.HammingWindow(tr, lazy.F64, 8, true)})
	require.Equal(t, types.Of(lazy.F64, 10), wide.Type())
}

// ISTFT undoes STFT, of f32 as well.
func TestISTFTUndoesSTFT(t *testing.T) {
	tr := trace(t, "cpu")
	x := fill(tr, "r", []int{2, 64}, 0).Convert(lazy.F32)
	o := fft.STFTOptions{Window: lazy.HannWindow(tr, lazy.F32, 16, true), Length: 64}
	y := fft.ISTFT(fft.STFT(x, 16, o), 16, o)
	far := y.Sub(x).Abs().Max()
	require.NoError(t, tr.MarkStep(far))
	require.Equal(t, lazy.F32, y.DType())
	require.Less(t, far.Float(), 1e-5)
}

// Windows that leave out an element are an error: of the call if they are ones, and else of the step.
func TestUncoveredSignal(t *testing.T) {
	tr := trace(t, "cpu")
	x := func() *lazy.Tensor { return lazy.Zeros(tr, lazy.C64, 5, 6) }
	require.ErrorContains(t, fft.ISTFT(x(), 8, fft.STFTOptions{Hop: 7, Width: 5}).Err(),
		"fft.istft(c64[5,6]): no frame has element 2 of the signal: each begins 7 after the one before, and has a window of 5 (fft.istft_c7)")
	o := fft.STFTOptions{Hop: 8, Window: lazy.HannWindow(tr, lazy.F32, 8, true)} // which begins with 0
	err := tr.MarkStep(fft.ISTFT(x(), 8, o))
	require.ErrorContains(t, err, "the squares of Window add up to 0 at an element of the signal")
	require.ErrorContains(t, err, "fft.istft: ")
	require.ErrorContains(t, err, "stft_test.go:")

	o.Unchecked, o.Window = true, lazy.HannWindow(tr, lazy.F32, 8, true)
	y := fft.ISTFT(x(), 8, o).Sum()
	require.NoError(t, tr.MarkStep(y))
	require.True(t, math.IsNaN(y.Float()))
}

// A call that breaks a rule is an error with the op, the types, the rule and the line.
func stftMistakes(t *testing.T, tr *lazy.Trace, labels map[string]bool) {
	x, z := lazy.Zeros(tr, lazy.F32, 20), lazy.Zeros(tr, lazy.C64, 5, 6)
	for want, y := range map[string]*lazy.Tensor{
		"fft.stft(f16[20]): x is f16; convert it to f32 with Convert (fft.stft_c3)":                                  fft.STFT(x.Convert(lazy.F16), 8, fft.STFTOptions{}),
		"fft.stft(f32[20]): n is 8, hop -1 and width 8: they must be positive, and width at most n (fft.stft_c4)":    fft.STFT(x, 8, fft.STFTOptions{Hop: -1}),
		"fft.stft(f32[20]): n is 3, of which a quarter is no hop; give one as Hop (fft.stft_c4)":                     fft.STFT(x, 3, fft.STFTOptions{}),
		"fft.stft(f32[20], f32[7]): window has the shape [7], must have [8] (fft.stft_c5)":                           fft.STFT(x, 8, fft.STFTOptions{Width: 8, Window: lazy.HannWindow(tr, lazy.F32, 7, true)}),
		"fft.stft(f32[20]): padding is 4 (fft.stft_c6)":                                                              fft.STFT(x, 8, fft.STFTOptions{Padding: 4}),
		"fft.stft(f32[]): x is a scalar (fft.stft_c7)":                                                               fft.STFT(x.Sum(), 8, fft.STFTOptions{}),
		"fft.stft(f32[20]): a padding of 20 at both ends is too long for a signal of the size 20 (fft.stft_c7)":      fft.STFT(x, 40, fft.STFTOptions{}),
		"fft.stft(f32[20]): a frame of the size 21 is longer than the signal with its padding, 20 (fft.stft_c7)":     fft.STFT(x, 21, fft.STFTOptions{Uncentered: true}),
		"fft.istft(f32[20]): x must be complex, is f32; convert it with Convert (fft.istft_c1)":                      fft.ISTFT(x, 8, fft.STFTOptions{}),
		"fft.istft(c64[5,6]): n is 8, hop 2 and width 9: they must be positive, and width at most n (fft.istft_c3)":  fft.ISTFT(z, 8, fft.STFTOptions{Width: 9}),
		"fft.istft(c64[5,6], f32[4]): window has the shape [4], must have [8] (fft.istft_c4)":                        fft.ISTFT(z, 8, fft.STFTOptions{Width: 8, Window: lazy.HannWindow(tr, lazy.F32, 4, true)}),
		"fft.istft(c64[5,6]): x is c64[5,6], with other frequencies than the 6 of such frames (fft.istft_c5)":        fft.ISTFT(z, 10, fft.STFTOptions{}),
		"fft.istft(c64[6]): x is c64[6], without axes of frequencies and frames (fft.istft_c5)":                      fft.ISTFT(z.Select(0, 0), 10, fft.STFTOptions{}),
		"fft.istft(c64[5,6]): length is -3, must not be negative; 0 is what the frames have (fft.istft_c6)":          fft.ISTFT(z, 8, fft.STFTOptions{Length: -3}),
		"fft.istft(c64[5,6]): length is 9223372036854775807, must be at most 72057594037927936 (fft.istft_c6)":       fft.ISTFT(z, 8, fft.STFTOptions{Length: math.MaxInt}),
		"fft.istft(c64[5,6], c64[8]): window must be floating point, is c64; convert it with Convert (fft.istft_c2)": fft.ISTFT(z, 8, fft.STFTOptions{Window: lazy.Ones(tr, lazy.C64, 8)}),
		"fft.istft(c64[5,1]): the frames come to the size 8, and the signal begins at 4 of it (fft.istft_c6)":        fft.ISTFT(z.Narrow(1, 0, 1), 8, fft.STFTOptions{}),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "stft_test.go:")
		var e *lazy.OpError
		require.True(t, errors.As(y.Err(), &e))
		labels[e.Label] = true
	}
	labels["fft.istft_c7"] = true // TestUncoveredSignal
}
