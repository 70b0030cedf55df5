package ops

import "strings"

// fftRows are the composites of package fft. The order is that of docs/reference/ops within a
// family; nothing else depends on it.
var fftRows = []Op{
	fourierRow("FFT", "the discrete Fourier transform of x along an axis", NumberOrComplex),
	fourierRow("IFFT", "the inverse of FFT", NumberOrComplex),
	fourierRow("RFFT", "the first half of FFT of real x: n/2+1 elements, of which the others are the conjugates", Number),
	fourierRow("IRFFT", "the inverse of RFFT, which is real: for n/2+1 elements of x it has n", NumberOrComplex),
	fourierRow("HFFT", "FFT of a signal of which x is the first half, and the conjugates of x the other: it is real", NumberOrComplex),
	fourierRow("IHFFT", "the inverse of HFFT, for real x: the first half of the signal", Number),
	fourierRow("FFT2", "FFT along two axes", NumberOrComplex),
	fourierRow("IFFT2", "IFFT along two axes", NumberOrComplex),
	fourierRow("RFFT2", "RFFT along the last of two axes, and FFT along the other", Number),
	fourierRow("IRFFT2", "the inverse of RFFT2, which is real", NumberOrComplex),
	fourierRow("HFFT2", "FFT along the first of two axes, and HFFT along the last", NumberOrComplex),
	fourierRow("IHFFT2", "the inverse of HFFT2", Number),
	fourierRow("FFTN", "FFT along several axes", NumberOrComplex),
	fourierRow("IFFTN", "IFFT along several axes", NumberOrComplex),
	fourierRow("RFFTN", "RFFT along the last of several axes, and FFT along the others", Number),
	fourierRow("IRFFTN", "the inverse of RFFTN, which is real", NumberOrComplex),
	fourierRow("HFFTN", "HFFT along the last of several axes, and FFT along the others", NumberOrComplex),
	fourierRow("IHFFTN", "the inverse of HFFTN", Number),
	{Name: "FFTShift", Text: "fftshift", Family: ComplexNumbers, Doc: "returns x with the frequency 0 moved from the first place to the middle along each axis, all when none is given.",
		Operands: one(Any), Attrs: []Attr{{"axes", Axes}}, Where: axesOfX, Traits: Inline},
	{Name: "IFFTShift", Text: "ifftshift", Family: ComplexNumbers, Doc: "returns x with the frequency 0 moved from the middle to the first place along each axis, all when none is given: the inverse of FFTShift.",
		Operands: one(Any), Attrs: []Attr{{"axes", Axes}}, Where: axesOfX, Traits: Inline},
	{Name: "STFT", Text: "stft", Family: ComplexNumbers, Doc: "returns the short-time Fourier transform of the last axis of x: that of frames of n elements, which begin at every hop-th. The frequencies are in the axis before the last, and the frames in the last one.",
		Operands: framed(FloatOrComplex, FloatOrComplex), Attrs: []Attr{{"n", Int}, {"hop", Int}, {"width", Int}, {"center", Flag}, {"padding", Int}, {"normalized", Flag}, {"twoSided", Flag}},
		Where:  append(framesFit[:len(framesFit):len(framesFit)], Demand{"padding", "padding is Reflect, Zeros, Replicate or Circular"}, Demand{"sizes", "the last axis of x has a size that is a number, and elements for a frame and for the padding"}),
		Traits: Inline | Internal},
	{Name: "ISTFT", Text: "istft", Family: ComplexNumbers, Doc: "returns the signal whose STFT is x, or the one whose transform is closest to x by least squares.",
		Operands: framed(Complex, Float), Attrs: []Attr{{"n", Int}, {"hop", Int}, {"width", Int}, {"center", Flag}, {"normalized", Flag}, {"twoSided", Flag}, {"whole", Flag}, {"unchecked", Flag}, {"length", Int}},
		Where: append(framesFit[1:len(framesFit):len(framesFit)], Demand{"sizes", "the axis before the last has the frequencies of such frames, and the number of frames is no open size"}, Demand{"length", "the signal has elements"},
			Demand{"covered", "without a window each element of the signal is in a frame"}),
		Traits: Inline | Internal},
}

// framed are the operands of transforms of frames.
func framed(x, window Constraint) []Operand {
	return []Operand{{Name: "x", Is: x}, {Name: "window", Is: window, Optional: true}}
}

// framesFit are the demands of transforms of frames.
var framesFit = []Demand{{"dtype", "x is no f16 or bf16"}, {"frames", "n, hop and width are positive, and width is at most n"},
	{"window", "window has one axis of width elements"}}

// fourierRow is the row of a transform, whose function has the attributes as options.
func fourierRow(name, what string, x Constraint) Op {
	return Op{Name: name, Text: strings.ToLower(name), Family: ComplexNumbers, Doc: "returns " + what + ".",
		Operands: one(x), Attrs: []Attr{{"lengths", Ints}, {"axes", Ints}, {"norm", Int}},
		Where: []Demand{{"dtype", "x is no f16 or bf16"}, {"axes", "axes are distinct ones of x, and one of them if the function transforms one axis"},
			{"lengths", "lengths has an entry for each of the axes, a positive number or -1"}, {"sizes", "each axis has elements, and no open size"}, {"norm", "norm is Backward, Ortho or Forward"}},
		Traits: Inline | Internal}
}
