package fft

import "ltc/lazy"

// Options are those of a transform. The zero value is what PyTorch does by default.
type Options struct {
	// Lengths are of the signal along each axis: of x, which is cut or padded with zeros at the end, or
	// of the result where that is the real signal. -1 stands for the length that x has or, for a real
	// result, twice that of x without its last two. nil: -1 for each axis.
	Lengths []int
	// Axes are transformed, the last one of them by functions of real signals as such: one axis by functions
	// such as [FFT], any number by the others. nil: the last axis of x, the last two for the functions of two,
	// and for those of several the last ones that there are lengths for, or all.
	Axes []int
	Norm Norm
}

// Norm says how results are scaled, for n elements that are transformed.
type Norm int

// The norms.
const (
	Backward Norm = iota // divides by n in inverse transforms
	Ortho                // divides by √n in both directions
	Forward              // divides by n in transforms that are no inverse ones
)

// FFT returns the discrete Fourier transform of x along an axis: element k is the sum of
// x[j]·exp(-2πi·jk/n). Real x counts as complex.
func FFT(x *lazy.Tensor, o Options) *lazy.Tensor { return recordFFT(x, o.Lengths, o.Axes, int(o.Norm)) }

// IFFT returns the inverse of [FFT].
func IFFT(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordIFFT(x, o.Lengths, o.Axes, int(o.Norm))
}

// RFFT returns the first n/2+1 elements of [FFT] of a real signal. The others are the conjugates of
// these.
func RFFT(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordRFFT(x, o.Lengths, o.Axes, int(o.Norm))
}

// IRFFT returns the inverse of [RFFT], which is real. What x has beyond n/2+1 elements is left out, and
// so are the imaginary parts of its first element and, for even n, of the last.
func IRFFT(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordIRFFT(x, o.Lengths, o.Axes, int(o.Norm))
}

// HFFT returns [FFT] of a signal of which x is the first half: the other half are the conjugates.
// It is real, and has a length n as that of [IRFFT].
func HFFT(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordHFFT(x, o.Lengths, o.Axes, int(o.Norm))
}

// IHFFT returns the inverse of [HFFT]: the first n/2+1 elements of the signal whose transform is x,
// which is real.
func IHFFT(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordIHFFT(x, o.Lengths, o.Axes, int(o.Norm))
}

// FFT2 returns [FFT] along two axes.
func FFT2(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordFFT2(x, o.Lengths, o.Axes, int(o.Norm))
}

// IFFT2 returns [IFFT] along two axes.
func IFFT2(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordIFFT2(x, o.Lengths, o.Axes, int(o.Norm))
}

// RFFT2 returns [RFFT] along the last of two axes, and then [FFT] along the other.
func RFFT2(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordRFFT2(x, o.Lengths, o.Axes, int(o.Norm))
}

// IRFFT2 returns the inverse of [RFFT2], which is real.
func IRFFT2(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordIRFFT2(x, o.Lengths, o.Axes, int(o.Norm))
}

// HFFT2 returns [FFT] along the first of two axes, and [HFFT] along the last.
func HFFT2(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordHFFT2(x, o.Lengths, o.Axes, int(o.Norm))
}

// IHFFT2 returns the inverse of [HFFT2].
func IHFFT2(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordIHFFT2(x, o.Lengths, o.Axes, int(o.Norm))
}

// FFTN returns [FFT] along several axes.
func FFTN(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordFFTN(x, o.Lengths, o.Axes, int(o.Norm))
}

// IFFTN returns [IFFT] along several axes.
func IFFTN(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordIFFTN(x, o.Lengths, o.Axes, int(o.Norm))
}

// RFFTN returns [RFFT] along the last of several axes, and then [FFT] along the others.
func RFFTN(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordRFFTN(x, o.Lengths, o.Axes, int(o.Norm))
}

// IRFFTN returns the inverse of [RFFTN], which is real.
func IRFFTN(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordIRFFTN(x, o.Lengths, o.Axes, int(o.Norm))
}

// HFFTN returns [FFT] along all of several axes but the last, and [HFFT] along that.
func HFFTN(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordHFFTN(x, o.Lengths, o.Axes, int(o.Norm))
}

// IHFFTN returns the inverse of [HFFTN].
func IHFFTN(x *lazy.Tensor, o Options) *lazy.Tensor {
	return recordIHFFTN(x, o.Lengths, o.Axes, int(o.Norm))
}
