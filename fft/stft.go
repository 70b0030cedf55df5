package fft

import (
	"context"
	"fmt"
	"slices"

	"ltc/ir/dims"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// STFTOptions are those of [STFT] and [ISTFT]. The zero value is what PyTorch does by default.
type STFTOptions struct {
	// Hop is how many elements a frame begins behind the one before. 0: a quarter of a frame's, which has four at
	// least.
	Hop int
	// Width is how many elements of a frame the window has, in the middle between zeros. 0: as many as Window
	// has, or else all.
	Width int
	// Window has a factor for each of Width elements. nil: ones. [lazy.HannWindow] and others make windows, as
	// periodic ones. Its dtype and that of the signal promote as operands of a product do. That of STFT can be
	// complex: then the transform is two-sided.
	Window *lazy.Tensor
	// Uncentered frames begin at their place. Others have it in the middle: the signal is padded by half a
	// frame at both ends.
	Uncentered bool
	// Padding says what centered frames have beyond the ends of the signal.
	Padding Padding
	// Normalized transforms are divided by the square root of a frame's elements.
	Normalized bool
	// TwoSided transforms of real signals have all elements, and not the first half alone. Those of complex
	// signals always have.
	TwoSided bool

	// Length is that of the signal which ISTFT returns. 0: what the frames have, without the padding.
	Length int
	// Complex has ISTFT return a complex signal, of two-sided transforms.
	Complex bool
	// Unchecked has ISTFT not look whether the windows cover the signal, on the host and in the midst of the
	// run. Without it, and with a Window, who runs an exported program imports this package.
	Unchecked bool
}

// Padding says what a signal has beyond its ends.
type Padding int

// The kinds of padding.
const (
	Reflect   Padding = iota // the elements mirrored at the end
	Zeros                    // zeros
	Replicate                // the element at the end
	Circular                 // the elements of the other end
)

// STFT returns the short-time Fourier transform of the last axis of x: that of frames of n elements, which begin at
// every Hop-th. The result has the frequencies in the axis before the last, and the frames in the last one.
//
// x is f32, f64, c64 or c128, of the shape […, size]. The result is complex, of the shape […, frequencies, frames].
// It has n/2+1 frequencies, or all n if it is two-sided, as transforms of complex frames are. The number of frames is
// 1 + (size + 2·pad - n)/Hop. The pad is n/2 if frames are centered, and else 0.
func STFT(x *lazy.Tensor, n int, o STFTOptions) *lazy.Tensor {
	hop, width := o.frame(n)
	return recordSTFT(x, o.Window, n, hop, width, !o.Uncentered, int(o.Padding), o.Normalized, o.TwoSided)
}

// ISTFT returns the signal whose [STFT] with the same n and options is x, or the one whose transform is closest to x
// by least squares. The squares of the windows must not add up to 0 at any of its elements: that is an error of the
// call without a Window, and of the step with one.
//
// x is c64 or c128, of the shape […, frequencies, frames]. The result has the dtype of its parts, or that of x if
// Complex is set, and the shape […, Length]. Without a Length it has the size n + Hop·(frames-1), less n/2 at
// either end if frames are centered.
func ISTFT(x *lazy.Tensor, n int, o STFTOptions) *lazy.Tensor {
	hop, width := o.frame(n)
	return recordISTFT(x, o.Window, n, hop, width, !o.Uncentered, o.Normalized, o.TwoSided || o.Complex, o.Complex, o.Unchecked, o.Length)
}

// frame returns the hop and the width that are meant.
func (o *STFTOptions) frame(n int) (hop, width int) {
	hop, width = o.Hop, o.Width
	if hop == 0 {
		hop = n / 4
	}
	if width == 0 {
		if width = n; o.Window != nil && o.Window.Rank() == 1 {
			width = o.Window.Dim(0)
		}
	}
	return hop, width
}

// checkFrames checks what both transforms have in common, for demands by their names.
func checkFrames(x, window *lazy.Tensor, n, hop, width int) (demand, reason string) {
	switch d := x.DType(); {
	case d == types.F16 || d == types.BF16:
		return stftDType, fmt.Sprintf("x is %v; convert it to f32 with Convert", d)
	case n > 0 && hop == 0:
		return stftFrames, fmt.Sprintf("n is %d, of which a quarter is no hop; give one as Hop", n)
	case n < 1 || hop < 1 || width < 1 || width > n:
		return stftFrames, fmt.Sprintf("n is %d, hop %d and width %d: they must be positive, and width at most n", n, hop, width)
	case window != nil && !window.OpenShape().Equal(types.Shape{width}):
		return stftWindow, fmt.Sprintf("window has the shape %v, must have %v", window.OpenShape(), types.Shape{width})
	}
	return "", ""
}

func checkSTFT(x, window *lazy.Tensor, n, hop, width int, center bool, mode int, _, _ bool) (demand, reason string) {
	if x.Rank() == 0 {
		return stftSizes, "x is a scalar"
	}
	if demand, reason = checkFrames(x, window, n, hop, width); demand != "" {
		return demand, reason
	}
	size, pad := x.OpenDim(-1), 0
	if center {
		pad = n / 2
	}
	switch {
	case mode < int(Reflect) || mode > int(Circular):
		return stftPadding, fmt.Sprintf("padding is %d", mode)
	case dims.IsExpr(size):
		return stftSizes, fmt.Sprintf("the last axis has the open size %s", dims.String(size))
	case center && (mode == int(Reflect) && pad >= size || mode == int(Circular) && pad > size || mode == int(Replicate) && size == 0):
		return stftSizes, fmt.Sprintf("a padding of %d at both ends is too long for a signal of the size %d", pad, size)
	case size < n-2*pad:
		return stftSizes, fmt.Sprintf("a frame of the size %d is longer than the signal with its padding, %d", n, size+2*pad)
	}
	return "", ""
}

func computeSTFT(x, window *lazy.Tensor, n, hop, width int, center bool, mode int, normalized, twoSided bool) *lazy.Tensor {
	if center {
		x = padded(x, n/2, Padding(mode))
	}
	frames := x.Unfold(-1, n, hop)
	if w := factors(x, window, n, width); w != nil {
		frames = frames.Mul(w)
	}
	k := forward
	if !twoSided && !frames.DType().IsComplex() {
		k = realForward
	}
	norm := Backward
	if normalized {
		norm = Ortho
	}
	y := alongLast(operand(frames, k), k, []int{n})
	return scaled(y, k, []int{n}, norm).SwapAxes(-1, -2)
}

// padded puts so many elements at both ends of the last axis.
func padded(x *lazy.Tensor, n int, mode Padding) *lazy.Tensor {
	last := x.Rank() - 1
	size := x.OpenDim(last)
	var before, after *lazy.Tensor
	switch {
	case n == 0:
		return x
	case mode == Reflect:
		before, after = x.Narrow(last, 1, n).Reverse(last), x.Narrow(last, size-n-1, n).Reverse(last)
	case mode == Circular:
		before, after = x.Narrow(last, size-n, n), x.Narrow(last, 0, n)
	case mode == Replicate:
		shape := slices.Clone([]int(x.OpenShape()))
		shape[last] = n
		before, after = x.Narrow(last, 0, 1).BroadcastTo(shape...), x.Narrow(last, size-1, 1).BroadcastTo(shape...)
	default:
		return aside(x, n, n)
	}
	return lazy.Concatenate(last, before, x, after)
}

// aside puts zeros at the ends of the last axis.
func aside(x *lazy.Tensor, before, after int) *lazy.Tensor {
	low, high := make([]int, x.Rank()), make([]int, x.Rank())
	low[x.Rank()-1], high[x.Rank()-1] = before, after
	return x.Pad(lazy.Const(x.Trace(), x.DType(), 0), low, high, make([]int, x.Rank()))
}

// factors returns those of the elements of a frame, of the parts' dtype; nil if all are 1.
func factors(x, window *lazy.Tensor, n, width int) *lazy.Tensor {
	if window == nil {
		if width == n {
			return nil
		}
		window = lazy.Ones(x.Trace(), x.DType().Part(), width)
	}
	if before := (n - width) / 2; width < n {
		window = aside(window, before, n-width-before)
	}
	return window
}

func checkISTFT(x, window *lazy.Tensor, n, hop, width int, center bool, _, twoSided, whole, _ bool, length int) (demand, reason string) {
	if x.Rank() < 2 {
		return istftSizes, fmt.Sprintf("x is %v, without axes of frequencies and frames", x.Type())
	}
	if demand, reason = checkFrames(x, window, n, hop, width); demand != "" {
		return demand, reason // the names are those of STFT
	}
	rows, count := x.OpenDim(-2), x.OpenDim(-1)
	want := n/2 + 1
	if twoSided {
		want = n
	}
	start, end := bounds(n, hop, count, center, length)
	switch {
	case dims.IsExpr(count):
		return istftSizes, fmt.Sprintf("the number of frames is the open size %s", dims.String(count))
	case rows != want:
		return istftSizes, fmt.Sprintf("x is %v, with other frequencies than the %d of such frames", x.Type(), want)
	case length < 0:
		return istftLength, fmt.Sprintf("length is %d, must not be negative; 0 is what the frames have", length)
	case length > dims.Largest:
		return istftLength, fmt.Sprintf("length is %d, must be at most %d", length, dims.Largest)
	case count == 0 || end <= start:
		return istftLength, fmt.Sprintf("the frames come to the size %d, and the signal begins at %d of it", n+hop*(count-1), start)
	case window == nil:
		if at := uncovered(n, hop, count, width, start, end); at >= 0 {
			return istftCovered, fmt.Sprintf("no frame has element %d of the signal: each begins %d after the one before, and has a window of %d", at-start, hop, width)
		}
	}
	return "", ""
}

// bounds are those of the signal in what the frames have, and end the smaller one of what is asked for and there is.
func bounds(n, hop, count int, center bool, length int) (start, end int) {
	all := n + hop*(count-1)
	if center {
		start = n / 2
	}
	if end = all - start; length > 0 {
		end = start + min(length, all-start)
	}
	return start, end
}

// uncovered returns the first element from start to end that no window of ones has; -1 if there is none.
func uncovered(n, hop, count, width, start, end int) int {
	before := (n - width) / 2
	for at := start; at < end; at++ {
		first := max(0, (at-before-width)/hop+1) // the first frame that ends behind it
		if at < before || at-before < width {
			first = 0
		}
		if first >= count || first*hop+before > at {
			return at
		}
	}
	return -1
}

func computeISTFT(x, window *lazy.Tensor, n, hop, width int, center, normalized, _, whole, unchecked bool, length int) *lazy.Tensor {
	tr, count := x.Trace(), x.OpenDim(-1)
	k := inverse
	if !whole {
		k, x = realInverse, x.Narrow(-2, 0, n/2+1) // the others are taken for the conjugates of these
	}
	norm := Backward
	if normalized {
		norm = Ortho
	}
	frames := scaled(alongLast(operand(x.SwapAxes(-1, -2), k), k, []int{n}), k, []int{n}, norm)
	w := factors(x, window, n, width)
	if w == nil {
		w = lazy.Ones(tr, x.DType().Part(), n)
	} else {
		frames = frames.Mul(w)
		if part := frames.DType().Part(); w.DType() != part {
			w = w.Convert(part)
		}
	}
	all := n + hop*(count-1)
	start, end := bounds(n, hop, count, center, length)
	place := lazy.Iota(tr, types.I64, 0, count, 1).MulScalar(float64(hop)).Add(lazy.Iota(tr, types.I64, 1, 1, n)).Reshape(count * n)
	overlapped := func(frames *lazy.Tensor) *lazy.Tensor {
		shape := slices.Clone([]int(frames.OpenShape()[:frames.Rank()-2]))
		last := len(shape)
		frames = frames.Reshape(append(slices.Clone(shape), count*n)...)
		return lazy.Zeros(tr, frames.DType(), append(shape, all)...).IndexAdd(place, frames, last).Narrow(last, start, end-start)
	}
	weights := overlapped(w.Square().Unsqueeze(0).BroadcastTo(count, n))
	if window != nil && !unchecked {
		zero := covered.Call(nil, weights.Min().Stop().Convert(types.F64))
		weights = weights.Add(zero.Convert(weights.DType()))
	}
	y := overlapped(frames).Div(weights)
	if length > end-start {
		y = aside(y, 0, length-(end-start))
	}
	return y
}

// least is the sum of the squares of windows that PyTorch takes for 0.
const least = 1e-11

// covered is 0 for the least sum of the squares of windows, and an error if that is 0.
var covered = lazy.Host(lazy.HostOp{
	Name: "fft.istft", Doc: "returns 0, or an error if x, the least sum of the squares of the windows of ISTFT, is 0",
	Operands: []ops.Operand{{Name: "x", Is: ops.Float}},
	Types:    func(in []types.Type) ([]types.Type, error) { return in, nil },
	Run: func(_ context.Context, in, out []soa.View) error {
		if v := soa.Slice[float64](in[0])[0]; v <= least {
			return fmt.Errorf("the squares of Window add up to %v at an element of the signal, which no frame tells; take a smaller Hop, another Window or a smaller Length", v)
		}
		soa.Slice[float64](out[0])[0] = 0
		return nil
	},
})
