package lazy

import (
	"math/cmplx"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// Complex returns the complex numbers with the real parts re and the imaginary parts im: c64 of
// f32, c128 of f64. Both may be columns in memory of their own: they are read where they lie.
// A slice of complex64 or complex128 is a tensor by [From] and [Borrow].
func Complex(re, im *Tensor) *Tensor { return record2(ir.OpComplex, re, im) }

// FullComplex is [Full] for a complex number.
func FullComplex(tr *Trace, dtype types.DType, z complex128, sizes ...int) *Tensor {
	const op = "full_complex"
	switch {
	case nowhere(tr) || !dtype.IsComplex():
		return refused(tr, op, "dtype must be c64 or c128, is "+dtype.String())
	case dims.FromName(real(z)) || dims.FromName(imag(z)):
		return refused(tr, op, "a part is computed from the name of a size that is open, which is no number: compute with Size(i)")
	}
	part := func(x float64) *Tensor { return tr.number(dtype.Part(), ir.LiteralBits(dtype, x)) }
	return Complex(part(real(z)), part(imag(z))).BroadcastTo(sizes...).Clone()
}

// A FourierKind is what [Tensor.FourierTransform] computes.
type FourierKind string

// The kinds. The forward transforms are not scaled, and the inverse ones divide by the number of
// elements.
const (
	Fourier            FourierKind = "FFT"   // of complex numbers
	InverseFourier     FourierKind = "IFFT"  // of complex numbers
	RealFourier        FourierKind = "RFFT"  // of real numbers, without the later half of the last axis
	InverseRealFourier FourierKind = "IRFFT" // the inverse of RealFourier, which gives real numbers
)

// FourierTransform returns the discrete Fourier transform of the last one to three axes of x, whose
// lengths are given: those of the real or complex signal. For [InverseRealFourier] the last axis of x
// has half the last length plus 1 elements. Package fft has the functions of PyTorch's torch.fft.
func (x *Tensor) FourierTransform(kind FourierKind, lengths ...int) *Tensor {
	return record1(ir.OpFFT, x, ir.Attr{Str: string(kind)}, ir.Attr{Ints: lengths})
}

// conjugate is the conjugate of complex numbers, and x itself of others.
func (x *Tensor) conjugate() *Tensor {
	if x == nil || !x.DType().IsComplex() {
		return x
	}
	return Complex(x.Real(), x.Imag().Neg())
}

func computeConj(x *Tensor) *Tensor { return x.conjugate() }

// computeAngle keeps 0 out of the gradient of atan2.
func computeAngle(x *Tensor) *Tensor {
	if !x.DType().IsComplex() {
		zero := x.like(0)
		angle := x.Less(zero).Where(x.like(cmplx.Phase(-1)), zero)
		return x.Equal(x).Where(angle, x).Stop()
	}
	re, im := x.Real(), x.Imag()
	zero := re.Equal(re.like(0)).And(im.Equal(im.like(0)))
	at := zero.Where(im.like(0), im).Atan2(zero.Where(re.like(1), re))
	return zero.Where(im.Atan2(re.CopySign(re.like(1).CopySign(re))).Stop(), at)
}

func computePolar(abs, angle *Tensor) *Tensor {
	return Complex(abs.Mul(angle.Cos()), abs.Mul(angle.Sin()))
}

func computeViewAsReal(x *Tensor) *Tensor { return Stack(-1, x.Real(), x.Imag()) }

func checkViewAsComplex(x *Tensor) *breach {
	if r := x.Rank(); r == 0 || x.OpenDim(-1) != 2 {
		return breaks(viewAsComplexParts, "x is %v, and its last dimension must be 2", x.Type())
	}
	return nil
}

func computeViewAsComplex(x *Tensor) *Tensor { return Complex(x.Select(-1, 0), x.Select(-1, 1)) }

func computeIsReal(x *Tensor) *Tensor {
	if x.DType().IsComplex() {
		im := x.Imag()
		return im.Equal(im.like(0))
	}
	return x.Equal(x).Or(x.NotEqual(x))
}
