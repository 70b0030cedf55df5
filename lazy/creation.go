package lazy

import (
	"fmt"
	"hash/maphash"
	"math"
	"time"

	"ltc/internal/callsite"
	"ltc/internal/env"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/metrics"
	"ltc/soa"
)

// dtypeOf returns the dtype whose elements are of Go type T; Invalid if none.
func dtypeOf[T soa.Element]() types.DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return types.Bool
	case uint8:
		return types.U8
	case uint16:
		return types.U16
	case uint32:
		return types.U32
	case uint64:
		return types.U64
	case int8:
		return types.I8
	case int16:
		return types.I16
	case int32:
		return types.I32
	case int64:
		return types.I64
	case float32:
		return types.F32
	case float64:
		return types.F64
	case complex64:
		return types.C64
	case complex128:
		return types.C128
	case types.Float16:
		return types.F16
	case types.BFloat16:
		return types.BF16
	case types.Float8E4M3FN:
		return types.F8E4M3FN
	case types.Float8E5M2:
		return types.F8E5M2
	}
	return types.Invalid
}

// From copies host data into a tensor with the given dimensions, whose product
// must be len(data); without dimensions the tensor is a vector. For a number that
// changes from step to step see [Trace.Scalar]. The dtype is that of T.
func From[T soa.Element](p Place, data []T, dims ...int) *Tensor {
	return host(p, "from", data, dims, true)
}

// Borrow is From without the copy: the tensor shares data, which must not be
// written until every step that reads it has ended. It is never donated.
func Borrow[T soa.Element](p Place, data []T, dims ...int) *Tensor {
	return host(p, "borrow", data, dims, false)
}

func host[T soa.Element](p Place, op string, data []T, dims []int, copied bool) *Tensor {
	if len(dims) == 0 {
		dims = []int{len(data)}
	}
	t := types.Of(dtypeOf[T](), append([]int(nil), dims...)...)
	if t.DType == types.Invalid || nowhere(p) {
		return refused(p, op, fmt.Sprintf("elements of %T have no dtype", *new(T)))
	}
	view, err := soa.Borrow(data, t)
	if err != nil {
		return refused(p, op, err.Error())
	}
	if copied {
		dense, err := p.device().memory.Make(t)
		if err != nil {
			return p.device().poisoned(p.trace(), memoryError(callsite.Caller(), op, err))
		}
		start := time.Now()
		copy(soa.Slice[T](dense), data)
		p.device().metrics.Since(metrics.DataToHandle, start)
		view = dense
	}
	x := newValue(p, view, "")
	if !copied {
		x.val.borrow()
	}
	return x
}

// checking is whether the environment variable LTC_CHECK is 1. Then every program is
// checked before it is compiled. Borrowed data must not have changed between the op that
// borrowed it and the run that reads it, and runs that fail must have written nothing.
var checking = env.Checks.On()

var checkSeed = maphash.MakeSeed()

// checksum hashes the elements that a view shows.
func checksum(v soa.View) (uint64, error) {
	dense := soa.New(v.Type.Bytes())
	if err := soa.Copy(dense.View(v.Type), v); err != nil {
		return 0, err
	}
	return maphash.Bytes(checkSeed, dense.Bytes()), nil
}

// borrow remembers what borrowed data is.
func (v *value) borrow() {
	v.borrowed = true
	if checking {
		if sum, err := checksum(v.view); err == nil {
			v.sum = &sum
		}
	}
}

// intact reports whether borrowed data is still what it was.
func (v *value) intact() error {
	if v.sum == nil {
		return nil
	}
	now, err := checksum(v.view)
	if err != nil {
		return fmt.Errorf("%w: borrowed data %v: %w", ErrUsage, v.view.Type, err)
	}
	if now != *v.sum {
		return fmt.Errorf("%w: borrowed data %v was written before the step that reads it had run; use From, which copies", ErrUsage, v.view.Type)
	}
	return nil
}

// FromView shares the elements that a view shows, in any layout, as Borrow does
// for a slice; not the view's own lists of sizes, strides and addresses.
func FromView(p Place, v soa.View) *Tensor { return fromView(p, "from_view", v) }

func fromView(p Place, op string, v soa.View) *Tensor {
	if v.IsZero() || nowhere(p) {
		return refused(p, op, "the view is the zero View")
	}
	if err := v.Check(); err != nil {
		return refused(p, op, err.Error())
	}
	x := newValue(p, v.Clone(), "") // the caller may use its lists again
	x.val.borrow()
	return x
}

// newValue returns a tensor of data that outlives its step.
func newValue(p Place, view soa.View, name string) *Tensor {
	p.device().metrics.Add(metrics.DeviceData, 1)
	if tr := p.trace(); tr != nil {
		tr.account.Counts[metrics.DeviceData].Add(1)
	}
	p.device().metrics.Add(metrics.CreateTensor, 1)
	return holding(p, &value{name: name, view: view})
}

// holding returns a handle on a value of p's device.
func holding(p Place, v *value) *Tensor {
	v.pins.Add(1) // the caller's memory, or the handle's
	t := &Tensor{dev: p.device(), val: v}
	if tr := p.trace(); tr != nil {
		t.tr, t.loc = tr, tr.site()
	}
	if d := p.device(); d.live != nil {
		d.born(v, "value", callsite.Caller())
	}
	return t
}

// Full records a tensor all of whose elements are x, a number as in [Tensor.MulScalar]: see
// [Const].
func Full(tr *Trace, dtype types.DType, x float64, dims ...int) *Tensor {
	return filled(tr, "full", dtype, x, dims)
}

// filled is Full for the user's call op.
func filled(tr *Trace, op string, dtype types.DType, x float64, dims []int) *Tensor {
	if bad := misfit(tr, op, dtype, x); bad != nil {
		return bad
	}
	record := func() *Tensor { return tr.number(dtype, ir.LiteralBits(dtype, x)).BroadcastTo(dims...).Clone() }
	return tr.makes(op, record)
}

// FullComplex is [Full] for a complex number.
func FullComplex(tr *Trace, dtype types.DType, z complex128, sizes ...int) *Tensor {
	const op = "full_complex"
	switch {
	case nowhere(tr) || !dtype.IsComplex():
		return refusedFor(tr, op, "dtype", "dtype must be c64 or c128, is "+dtype.String())
	case dims.FromName(real(z)) || dims.FromName(imag(z)):
		return refusedFor(tr, op, "number", "a part is computed from the name of a size that is open, which is no number: compute with Size(i)")
	}
	part := func(x float64) *Tensor { return tr.number(dtype.Part(), ir.LiteralBits(dtype, x)) }
	return tr.makes(op, func() *Tensor { return Complex(part(real(z)), part(imag(z))).BroadcastTo(sizes...).Clone() })
}

// Zeros records a tensor of zeros.
func Zeros(tr *Trace, dtype types.DType, dims ...int) *Tensor {
	return filled(tr, "zeros", dtype, 0, dims)
}

// Ones records a tensor of ones.
func Ones(tr *Trace, dtype types.DType, dims ...int) *Tensor {
	return filled(tr, "ones", dtype, 1, dims)
}

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
// computed in f64 and converted. Integers are computed as such, from start and step without
// their fractions; there are as many as with them.
func ARange(tr *Trace, dtype types.DType, start, end, step float64) *Tensor {
	n := math.Ceil((end - start) / step)
	if math.IsNaN(n) || math.IsInf(n, 0) || n < 0 || n > math.MaxInt32 {
		return refusedFor(tr, "arange", "numbers", fmt.Sprintf("there are no numbers from %v to %v, each %v apart", start, end, step))
	}
	return tr.makes("arange", func() *Tensor {
		if dtype.IsInteger() {
			x := Iota(tr, types.I64, 0, int(n))
			for _, v := range []float64{step, start} {
				if err := element(types.I64, math.Trunc(v)); err != nil {
					return refusedFor(tr, "arange", "numbers", err.Error())
				}
			}
			return x.Mul(x.like(math.Trunc(step))).Add(x.like(math.Trunc(start))).Convert(dtype)
		}
		return counted64(tr, int(n)).MulScalar(step).AddScalar(start).Convert(dtype)
	})
}

// makes returns what record does for the user's call op, as [called] without operands.
func (tr *Trace) makes(op string, record func() *Tensor) *Tensor {
	if nowhere(tr) {
		return refused(tr, op, "")
	}
	return tr.recorded(op, record).ofCall(op)
}

// counted64 counts in f64.
func counted64(tr *Trace, n int) *Tensor { return Iota(tr, types.F64, 0, n) }

// LinSpace records n numbers from start to end, both included, equally far apart. For integers
// the fractions of start and end are cut off first, and then those of the numbers.
func LinSpace(tr *Trace, dtype types.DType, start, end float64, n int) *Tensor {
	const op = "linspace"
	return tr.makes(op, func() *Tensor { return spacedNumbers(tr, op, dtype, start, end, n).Convert(dtype) })
}

// LogSpace records the powers of the base by n numbers from start to end: see [LinSpace].
func LogSpace(tr *Trace, dtype types.DType, start, end float64, n int, base float64) *Tensor {
	const op = "logspace"
	return tr.makes(op, func() *Tensor {
		x := spacedNumbers(tr, op, dtype, start, end, n)
		if x.err != nil {
			return x
		}
		return x.like(base).Pow(x).Convert(dtype)
	})
}

// spacedNumbers counts from both ends, so that both are exact.
func spacedNumbers(tr *Trace, op string, dtype types.DType, start, end float64, n int) *Tensor {
	if n < 0 {
		return refusedFor(tr, op, "number", fmt.Sprintf("the number of elements is %d", n))
	}
	if dtype.IsInteger() {
		start, end = math.Trunc(start), math.Trunc(end)
	}
	step := (end - start) / float64(max(n-1, 1))
	i := counted64(tr, n)
	up, down := i.MulScalar(step).AddScalar(start), i.MulScalar(-1).AddScalar(float64(n-1)).MulScalar(-step).AddScalar(end)
	return i.LessScalar(float64(n)/2).Where(up, down)
}

// Eye records a matrix with ones on the main diagonal and zeros elsewhere.
func Eye(tr *Trace, dtype types.DType, rows, columns int) *Tensor {
	return tr.makes("eye", func() *Tensor {
		return Iota(tr, types.I64, 0, rows, 1).Equal(Iota(tr, types.I64, 1, 1, columns)).Convert(dtype)
	})
}

// HannWindow, HammingWindow, BlackmanWindow and BartlettWindow record the windows of signal
// processing of these names, with n elements. One that is periodic goes on as if it had one
// more element, as spectra want it. The dtype is floating point.
func HannWindow(tr *Trace, dtype types.DType, n int, periodic bool) *Tensor {
	return cosines(tr, "hann_window", dtype, n, periodic, 0.5, 0.5, 0)
}

// HammingWindow is one of several: see [HannWindow].
func HammingWindow(tr *Trace, dtype types.DType, n int, periodic bool) *Tensor {
	return cosines(tr, "hamming_window", dtype, n, periodic, 0.54, 0.46, 0)
}

// BlackmanWindow is one of several: see [HannWindow].
func BlackmanWindow(tr *Trace, dtype types.DType, n int, periodic bool) *Tensor {
	return cosines(tr, "blackman_window", dtype, n, periodic, 0.42, 0.5, 0.08)
}

// BartlettWindow is one of several: see [HannWindow].
func BartlettWindow(tr *Trace, dtype types.DType, n int, periodic bool) *Tensor {
	return windowOf(tr, "bartlett_window", dtype, n, func() *Tensor {
		x := counted64(tr, n).MulScalar(2 / period(n, periodic))
		return x.Minimum(x.MulScalar(-1).AddScalar(2))
	})
}

// KaiserWindow records the window of Kaiser with n elements: I0(beta·√(1-t²)) / I0(beta), for t from -1 at one end to
// 1 at the other. I0 is the modified Bessel function. PyTorch's default of beta is 12. One that is periodic goes on
// as if it had one more element. The dtype is floating point, and a negative n is an error.
func KaiserWindow(tr *Trace, dtype types.DType, n int, periodic bool, beta float64) *Tensor {
	return windowOf(tr, "kaiser_window", dtype, n, func() *Tensor {
		all := make([]float64, n)
		for i := range all {
			t := 2*float64(i)/period(n, periodic) - 1
			z := math.Abs(beta) * math.Sqrt(max(0, (1-t)*(1+t)))
			all[i] = math.Exp(z-math.Abs(beta)) * scaledI0(z) / scaledI0(math.Abs(beta))
		}
		return From(tr, all)
	})
}

// scaledI0 is exp(-x)·I0(x) of an x that is not negative: by the power series, NIST Digital Library of Mathematical
// Functions 10.25.2, or from 40 on by the asymptotic one, 10.40.1.
func scaledI0(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*0x1p-54; k++ {
		if x < 40 {
			term *= (x / 2 / k) * (x / 2 / k)
		} else {
			term *= (2*k - 1) * (2*k - 1) / (8 * k * x)
		}
		sum += term
	}
	if x < 40 {
		return sum * math.Exp(-x)
	}
	return sum / math.Sqrt(2*math.Pi*x)
}

// period is after how many elements a window begins again.
func period(n int, periodic bool) float64 {
	if periodic {
		return float64(max(n, 1))
	}
	return float64(max(n-1, 1))
}

// windowOf records a window of n elements, which record computes for an n other than 1. They are from 0 to 1, which
// integers do not have.
func windowOf(tr *Trace, op string, dtype types.DType, n int, record func() *Tensor) *Tensor {
	switch {
	case n < 0:
		return refusedFor(tr, op, "number", fmt.Sprintf("the number of elements is %d, must not be negative", n))
	case !dtype.IsFloat():
		return refusedFor(tr, op, "dtype", "the dtype must be floating point, is "+dtype.String()+": convert the window afterwards")
	case n == 1:
		return Ones(tr, dtype, 1)
	}
	return tr.makes(op, func() *Tensor { return record().Convert(dtype) })
}

// cosines is a - b cos t + c cos 2t.
func cosines(tr *Trace, op string, dtype types.DType, n int, periodic bool, a, b, c float64) *Tensor {
	return windowOf(tr, op, dtype, n, func() *Tensor {
		t := counted64(tr, n).MulScalar(2 * math.Pi / period(n, periodic))
		y := t.Cos().MulScalar(-b).AddScalar(a)
		if c != 0 {
			y = y.Add(t.MulScalar(2).Cos().MulScalar(c))
		}
		return y
	})
}
