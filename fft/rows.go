package fft

import "ltc/lazy"

// The functions of rows: what the row checks and computes, by the kind and the number of axes,
// 0 for any.

func checkFFT(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, forward, 1, lengths, axes, norm)
}

func computeFFT(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, forward, 1, lengths, axes, norm)
}

func checkIFFT(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, inverse, 1, lengths, axes, norm)
}

func computeIFFT(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, inverse, 1, lengths, axes, norm)
}

func checkRFFT(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, realForward, 1, lengths, axes, norm)
}

func computeRFFT(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, realForward, 1, lengths, axes, norm)
}

func checkIRFFT(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, realInverse, 1, lengths, axes, norm)
}

func computeIRFFT(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, realInverse, 1, lengths, axes, norm)
}

func checkHFFT(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, hermitian, 1, lengths, axes, norm)
}

func computeHFFT(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, hermitian, 1, lengths, axes, norm)
}

func checkIHFFT(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, hermitianInverse, 1, lengths, axes, norm)
}

func computeIHFFT(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, hermitianInverse, 1, lengths, axes, norm)
}

func checkFFT2(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, forward, 2, lengths, axes, norm)
}

func computeFFT2(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, forward, 2, lengths, axes, norm)
}

func checkIFFT2(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, inverse, 2, lengths, axes, norm)
}

func computeIFFT2(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, inverse, 2, lengths, axes, norm)
}

func checkRFFT2(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, realForward, 2, lengths, axes, norm)
}

func computeRFFT2(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, realForward, 2, lengths, axes, norm)
}

func checkIRFFT2(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, realInverse, 2, lengths, axes, norm)
}

func computeIRFFT2(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, realInverse, 2, lengths, axes, norm)
}

func checkHFFT2(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, hermitian, 2, lengths, axes, norm)
}

func computeHFFT2(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, hermitian, 2, lengths, axes, norm)
}

func checkIHFFT2(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, hermitianInverse, 2, lengths, axes, norm)
}

func computeIHFFT2(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, hermitianInverse, 2, lengths, axes, norm)
}

func checkFFTN(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, forward, 0, lengths, axes, norm)
}

func computeFFTN(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, forward, 0, lengths, axes, norm)
}

func checkIFFTN(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, inverse, 0, lengths, axes, norm)
}

func computeIFFTN(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, inverse, 0, lengths, axes, norm)
}

func checkRFFTN(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, realForward, 0, lengths, axes, norm)
}

func computeRFFTN(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, realForward, 0, lengths, axes, norm)
}

func checkIRFFTN(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, realInverse, 0, lengths, axes, norm)
}

func computeIRFFTN(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, realInverse, 0, lengths, axes, norm)
}

func checkHFFTN(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, hermitian, 0, lengths, axes, norm)
}

func computeHFFTN(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, hermitian, 0, lengths, axes, norm)
}

func checkIHFFTN(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
	return check(x, hermitianInverse, 0, lengths, axes, norm)
}

func computeIHFFTN(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
	return transform(x, hermitianInverse, 0, lengths, axes, norm)
}
