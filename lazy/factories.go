package lazy

import (
	"fmt"
	"math"

	"ltc/ir"
	"ltc/ir/types"
)

// Full records a tensor all of whose elements are x, a number as in [Tensor.MulScalar]: see
// [Const].
func Full(tr *Trace, dtype types.DType, x float64, dims ...int) *Tensor {
	if bad := misfit(tr, "full", dtype, x); bad != nil {
		return bad
	}
	return tr.number(dtype, ir.LiteralBits(dtype, x)).BroadcastTo(dims...).Clone()
}

// Zeros records a tensor of zeros.
func Zeros(tr *Trace, dtype types.DType, dims ...int) *Tensor { return Full(tr, dtype, 0, dims...) }

// Ones records a tensor of ones.
func Ones(tr *Trace, dtype types.DType, dims ...int) *Tensor { return Full(tr, dtype, 1, dims...) }

// Iota records a tensor of the given shape that counts 0, 1, 2, … along axis.
func Iota(tr *Trace, dtype types.DType, axis int, dims ...int) *Tensor {
	if nowhere(tr) {
		return refused(tr, "iota", "")
	}
	if axis < 0 && axis >= -len(dims) {
		axis += len(dims)
	}
	return record0(tr, ir.OpIota, []ir.Attr{ir.IotaDType: {Int: int64(dtype)}, ir.IotaShape: {Ints: append([]int(nil), dims...)}, ir.IotaAxis: {Int: int64(axis)}}...)
}

// ARange records the numbers from start on, each step apart, up to and without end. They are
// computed in f64 and converted.
func ARange(tr *Trace, dtype types.DType, start, end, step float64) *Tensor {
	n := math.Ceil((end - start) / step)
	if math.IsNaN(n) || math.IsInf(n, 0) || n < 0 || n > math.MaxInt32 {
		return refused(tr, "arange", fmt.Sprintf("there are no numbers from %v to %v, each %v apart", start, end, step))
	}
	return counted64(tr, int(n)).MulScalar(step).AddScalar(start).Convert(dtype)
}

// counted64 counts in f64.
func counted64(tr *Trace, n int) *Tensor { return Iota(tr, types.F64, 0, n) }

// LinSpace records n numbers from start to end, both included, equally far apart.
func LinSpace(tr *Trace, dtype types.DType, start, end float64, n int) *Tensor {
	return spacedNumbers(tr, "linspace", start, end, n).Convert(dtype)
}

// LogSpace records the powers of the base by n numbers from start to end: see [LinSpace].
func LogSpace(tr *Trace, dtype types.DType, start, end float64, n int, base float64) *Tensor {
	x := spacedNumbers(tr, "logspace", start, end, n)
	if x.err != nil {
		return x
	}
	return x.like(base).Pow(x).Convert(dtype)
}

// spacedNumbers counts from both ends, so that both are exact.
func spacedNumbers(tr *Trace, op string, start, end float64, n int) *Tensor {
	if n < 0 {
		return refused(tr, op, fmt.Sprintf("the number of elements is %d", n))
	}
	step := (end - start) / float64(max(n-1, 1))
	i := counted64(tr, n)
	up, down := i.MulScalar(step).AddScalar(start), i.MulScalar(-1).AddScalar(float64(n-1)).MulScalar(-step).AddScalar(end)
	return i.LessScalar(float64(n)/2).Where(up, down)
}

// Eye records a matrix with ones on the main diagonal and zeros elsewhere.
func Eye(tr *Trace, dtype types.DType, rows, columns int) *Tensor {
	return Iota(tr, types.I64, 0, rows, 1).Equal(Iota(tr, types.I64, 1, 1, columns)).Convert(dtype)
}

// HannWindow, HammingWindow, BlackmanWindow and BartlettWindow record the windows of signal
// processing of these names, with n elements. One that is periodic goes on as if it had one
// more element, as spectra want it.
func HannWindow(tr *Trace, dtype types.DType, n int, periodic bool) *Tensor {
	return cosines(tr, dtype, n, periodic, 0.5, 0.5, 0)
}

// HammingWindow is one of several: see [HannWindow].
func HammingWindow(tr *Trace, dtype types.DType, n int, periodic bool) *Tensor {
	return cosines(tr, dtype, n, periodic, 0.54, 0.46, 0)
}

// BlackmanWindow is one of several: see [HannWindow].
func BlackmanWindow(tr *Trace, dtype types.DType, n int, periodic bool) *Tensor {
	return cosines(tr, dtype, n, periodic, 0.42, 0.5, 0.08)
}

// BartlettWindow is one of several: see [HannWindow].
func BartlettWindow(tr *Trace, dtype types.DType, n int, periodic bool) *Tensor {
	if n == 1 {
		return Ones(tr, dtype, 1)
	}
	x := counted64(tr, n).MulScalar(2 / period(n, periodic))
	return x.Minimum(x.MulScalar(-1).AddScalar(2)).Convert(dtype)
}

// period is after how many elements a window begins again.
func period(n int, periodic bool) float64 {
	if periodic {
		return float64(max(n, 1))
	}
	return float64(max(n-1, 1))
}

// cosines is a - b cos t + c cos 2t.
func cosines(tr *Trace, dtype types.DType, n int, periodic bool, a, b, c float64) *Tensor {
	if n == 1 {
		return Ones(tr, dtype, 1)
	}
	t := counted64(tr, n).MulScalar(2 * math.Pi / period(n, periodic))
	y := t.Cos().MulScalar(-b).AddScalar(a)
	if c != 0 {
		y = y.Add(t.MulScalar(2).Cos().MulScalar(c))
	}
	return y.Convert(dtype)
}
