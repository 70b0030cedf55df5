package fft

import (
	"ltc/internal/functions"
	"ltc/ir/types"
	"ltc/lazy"
)

// FFTFreq returns the frequencies of the elements of [FFT] of n samples that are spacing apart. They
// are 0, 1, … and then the negative ones, -n/2 first for even n, each divided by n·spacing. The dtype
// is a floating-point one.
func FFTFreq(tr *lazy.Trace, dtype types.DType, n int, spacing float64) *lazy.Tensor {
	return functions.As("fft.fftfreq", func() *lazy.Tensor {
		place := lazy.Iota(tr, dtype, 0, n)
		place = place.LessScalar(float64((n+1)/2)).Where(place, place.SubScalar(float64(n)))
		return frequencies(place, n, spacing)
	})
}

// RFFTFreq returns the frequencies of the elements of [RFFT], as [FFTFreq] does: 0, 1, … n/2, each
// divided by n·spacing.
func RFFTFreq(tr *lazy.Trace, dtype types.DType, n int, spacing float64) *lazy.Tensor {
	return functions.As("fft.rfftfreq", func() *lazy.Tensor {
		if n < 0 {
			return lazy.Iota(tr, dtype, 0, n) // which is an error
		}
		return frequencies(lazy.Iota(tr, dtype, 0, n/2+1), n, spacing)
	})
}

func frequencies(place *lazy.Tensor, n int, spacing float64) *lazy.Tensor {
	if n == 0 {
		return place
	}
	return place.MulScalar(1 / (float64(n) * spacing))
}
