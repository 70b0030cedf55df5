package fft

import (
	"fmt"
	"math"
	"slices"

	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/shapeinfer"
)

// kind is what a function computes along its last axis; along the others it is forward or inverse.
type kind int

const (
	forward          kind = iota
	inverse               // of forward
	realForward           // of a real signal
	realInverse           // of realForward
	hermitian             // forward of a signal with conjugate halves
	hermitianInverse      // of hermitian
)

// realResult reports whether the result is a real signal, realOperand whether x is.
func (k kind) realResult() bool  { return k == realInverse || k == hermitian }
func (k kind) realOperand() bool { return k == realForward || k == hermitianInverse }

// check returns the demand that a call breaks, and the reason. The demands of all rows have the names
// of those of FFT.
func check(x *lazy.Tensor, k kind, count int, lengths, axes []int, norm int) (demand, reason string) {
	if t := x.DType(); t == types.F16 || t == types.BF16 {
		return fftDType, fmt.Sprintf("x is %v; convert it to f32 with Convert", t)
	}
	at, why := axesOf(x, count, lengths, axes)
	if why != "" {
		return fftAxes, why
	}
	if len(lengths) > 0 && len(lengths) != len(at) {
		return fftLengths, fmt.Sprintf("lengths are %v for %d of the axes", lengths, len(at))
	}
	for i, a := range at {
		if len(lengths) > 0 && lengths[i] < 1 && lengths[i] != -1 {
			return fftLengths, fmt.Sprintf("length %d is %v, must be a positive number, or -1 for that of x", i, lengths[i])
		}
		switch n := x.OpenDim(a); {
		case dims.IsExpr(n):
			return fftSizes, fmt.Sprintf("axis %d is the open size %s", a, dims.String(n))
		case n == 0:
			return fftSizes, fmt.Sprintf("axis %d has no elements", a)
		case n == 1 && k.realResult() && i == len(at)-1 && (len(lengths) == 0 || lengths[i] == -1):
			return fftSizes, fmt.Sprintf("axis %d has one element, of which the result would have none; give its length", a)
		}
	}
	if norm < int(Backward) || norm > int(Forward) {
		return fftNorm, fmt.Sprintf("norm is %d, must be Backward, Ortho or Forward", norm)
	}
	return "", ""
}

// axesOf returns the axes that a function of so many transforms, counted from the front; of any
// number for 0. A function of two takes other numbers of axes that are given, as in PyTorch.
func axesOf(x *lazy.Tensor, count int, lengths, axes []int) (at []int, reason string) {
	rank := x.Rank()
	if len(axes) == 0 {
		n := count
		switch {
		case n == 0 && len(lengths) > 0:
			n = len(lengths)
		case n == 0:
			n = rank
		}
		if n > rank || n == 0 {
			return nil, fmt.Sprintf("x is %v, and must have an axis for each that is transformed", x.Type())
		}
		for a := rank - n; a < rank; a++ {
			at = append(at, a)
		}
		return at, ""
	}
	if count == 1 && len(axes) != 1 {
		return nil, fmt.Sprintf("axes are %v, and the function transforms 1", axes)
	}
	for _, a := range axes {
		front := a
		if a < 0 {
			front += rank
		}
		if front < 0 || front >= rank {
			return nil, shapeinfer.NoAxis(a, x.OpenShape())
		}
		if slices.Contains(at, front) {
			return nil, fmt.Sprintf("axis %d is there twice", a)
		}
		at = append(at, front)
	}
	return at, ""
}

// mostAxes is how many axes one op transforms.
const mostAxes = 3

// transform moves the axes behind the others, transforms them there, and moves them back.
func transform(x *lazy.Tensor, k kind, count int, lengths, axes []int, norm int) *lazy.Tensor {
	at, _ := axesOf(x, count, lengths, axes)
	sizes := make([]int, len(at))
	for i, a := range at {
		if sizes[i] = x.OpenDim(a); k.realResult() && i == len(at)-1 {
			sizes[i] = 2 * (sizes[i] - 1)
		}
		if len(lengths) > 0 && lengths[i] != -1 {
			sizes[i] = lengths[i]
		}
	}
	x = operand(x, k)
	for i, a := range at {
		n := sizes[i]
		if k.realResult() && i == len(at)-1 {
			n = n/2 + 1
		}
		x = resized(x, a, n)
	}
	perm := behind(x.Rank(), at)
	moved := !slices.IsSorted(perm)
	if moved {
		x = x.Transpose(perm...)
	}
	x = scaled(alongLast(x, k, sizes), k, sizes, Norm(norm))
	if moved {
		x = x.Transpose(inverted(perm)...)
	}
	return x
}

// operand returns x in the dtype that is transformed. Integers are f32, as in PyTorch.
func operand(x *lazy.Tensor, k kind) *lazy.Tensor {
	if d := x.DType(); !d.Continuous() {
		x = x.Convert(types.F32)
	}
	if !k.realOperand() && !x.DType().IsComplex() {
		x = x.Convert(x.DType().Complex())
	}
	return x
}

// resized cuts an axis to n elements, or pads it with zeros.
func resized(x *lazy.Tensor, axis, n int) *lazy.Tensor {
	have := x.OpenDim(axis)
	if have >= n {
		if have > n {
			x = x.Narrow(axis, 0, n)
		}
		return x
	}
	none, high := make([]int, x.Rank()), make([]int, x.Rank())
	high[axis] = n - have
	return x.Pad(lazy.Const(x.Trace(), x.DType(), 0), none, high, none)
}

// behind is the permutation that moves the axes behind the others.
func behind(rank int, axes []int) (perm []int) {
	for a := range rank {
		if !slices.Contains(axes, a) {
			perm = append(perm, a)
		}
	}
	return append(perm, axes...)
}

func inverted(perm []int) []int {
	back := make([]int, len(perm))
	for i, p := range perm {
		back[p] = i
	}
	return back
}

// alongLast transforms the last axes, without a norm: inverse transforms divide by the lengths.
// A hermitian transform is the inverse one of the conjugate, and the other way round.
func alongLast(x *lazy.Tensor, k kind, sizes []int) *lazy.Tensor {
	first := max(0, len(sizes)-mostAxes)
	others, last := sizes[:first], sizes[first:]
	switch k {
	case forward:
		return along(x.FourierTransform(lazy.Fourier, last...), lazy.Fourier, others, len(last))
	case inverse:
		return along(x.FourierTransform(lazy.InverseFourier, last...), lazy.InverseFourier, others, len(last))
	case realForward:
		return along(x.FourierTransform(lazy.RealFourier, last...), lazy.Fourier, others, len(last))
	case realInverse:
		return along(x, lazy.InverseFourier, others, len(last)).FourierTransform(lazy.InverseRealFourier, last...)
	case hermitian:
		return alongLast(x.Conj(), realInverse, sizes)
	}
	return alongLast(x, realForward, sizes).Conj()
}

// along transforms axes with so many behind them.
func along(x *lazy.Tensor, k lazy.FourierKind, sizes []int, behindThem int) *lazy.Tensor {
	if len(sizes) == 0 {
		return x
	}
	rank := x.Rank()
	var at []int
	for i := range sizes {
		at = append(at, rank-behindThem-len(sizes)+i)
	}
	perm := behind(rank, at)
	x = x.Transpose(perm...)
	first := max(0, len(sizes)-mostAxes)
	x = along(x.FourierTransform(k, sizes[first:]...), k, sizes[:first], len(sizes)-first)
	return x.Transpose(inverted(perm)...)
}

// scaled applies a norm to y, whose inverse transforms divide by the lengths already.
func scaled(y *lazy.Tensor, k kind, sizes []int, norm Norm) *lazy.Tensor {
	n := 1.0
	for _, d := range sizes {
		n *= float64(d)
	}
	divided := k == inverse || k == realInverse || k == hermitian // as the transform is computed
	if k == hermitian || k == hermitianInverse {
		norm = Forward - norm // the direction is the other one
	}
	by := 1.0
	switch {
	case norm == Ortho && divided:
		by = math.Sqrt(n)
	case norm == Ortho:
		by = 1 / math.Sqrt(n)
	case norm == Forward && divided:
		by = n
	case norm == Forward:
		by = 1 / n
	}
	switch {
	case by == 1:
		return y
	case y.DType().IsComplex(): // by parts: infinity times 0 is NaN
		return lazy.Complex(y.Real().MulScalar(by), y.Imag().MulScalar(by))
	}
	return y.MulScalar(by)
}
