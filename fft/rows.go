package fft

import "ltc/lazy"

// checker and computer are the forms that Define takes.
type (
	checker  = func(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string)
	computer = func(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor
)

// The functions of rows: what the row checks and computes, by the kind and the number of axes,
// 0 for any.
var (
	checkFFT, computeFFT       = of(forward, 1)
	checkIFFT, computeIFFT     = of(inverse, 1)
	checkRFFT, computeRFFT     = of(realForward, 1)
	checkIRFFT, computeIRFFT   = of(realInverse, 1)
	checkHFFT, computeHFFT     = of(hermitian, 1)
	checkIHFFT, computeIHFFT   = of(hermitianInverse, 1)
	checkFFT2, computeFFT2     = of(forward, 2)
	checkIFFT2, computeIFFT2   = of(inverse, 2)
	checkRFFT2, computeRFFT2   = of(realForward, 2)
	checkIRFFT2, computeIRFFT2 = of(realInverse, 2)
	checkHFFT2, computeHFFT2   = of(hermitian, 2)
	checkIHFFT2, computeIHFFT2 = of(hermitianInverse, 2)
	checkFFTN, computeFFTN     = of(forward, 0)
	checkIFFTN, computeIFFTN   = of(inverse, 0)
	checkRFFTN, computeRFFTN   = of(realForward, 0)
	checkIRFFTN, computeIRFFTN = of(realInverse, 0)
	checkHFFTN, computeHFFTN   = of(hermitian, 0)
	checkIHFFTN, computeIHFFTN = of(hermitianInverse, 0)
)

// of returns the functions of a row: those of a kind of transform along so many axes.
func of(k kind, count int) (checker, computer) {
	return func(x *lazy.Tensor, lengths, axes []int, norm int) (demand, reason string) {
			return check(x, k, count, lengths, axes, norm)
		}, func(x *lazy.Tensor, lengths, axes []int, norm int) *lazy.Tensor {
			return transform(x, k, count, lengths, axes, norm)
		}
}
