package lazy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/sched"
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

// Share is [Borrow] of memory that in-place ops write: when a step has written the tensor,
// data has its elements as soon as the step has ended, without a copy. The caller may write
// data between steps, and later steps read what is there. Until a step that uses the tensor
// has ended, nobody else may read or write data, which is its for that long: wait with
// [Trace.Wait], or read the tensor. Of a step that fails, data keeps what it had, unless the
// error wraps [backends.ErrWritten]. The tensor keeps data for as long as the program
// refers to it. Views of the tensor share data, too, and so does what [Tensor.Value]
// returns; [Tensor.Clone] and [Trace.Read] copy.
//
// Other traces and functions may read the tensor, too. A step that writes it runs when the steps
// and calls begun before that read it have ended, and those begun later wait for it. They read what
// is there then, also where they were recorded before: a step begins with its MarkStep. The handle
// itself belongs to the goroutine of its trace.
//
// In a function of [Func] there is no Share, and control flow does not write the tensor.
func Share[T soa.Element](tr *Trace, data []T, dims ...int) *Tensor {
	return host(tr, "share", data, dims, false).share("share")
}

// ShareView is [Share] of the memory that a view shows, in any layout in which no two
// elements are in one place.
func ShareView(tr *Trace, v soa.View) *Tensor {
	const op = "share_view"
	switch {
	case v.IsZero():
	case v.ReadOnly():
		return refused(tr, op, "the memory is read only: FromView reads it")
	case v.Remote() != nil:
		return refused(tr, op, fmt.Sprintf("the memory is that of %v, and must be the host's", v.Remote()))
	case v.Check() == nil && v.Repeats():
		return refused(tr, op, fmt.Sprintf("some elements of %v are one in memory and cannot be written: FromView reads them", v))
	}
	return fromView(tr, op, v).share(op)
}

// share makes t, which has just borrowed memory, one that in-place ops write.
func (t *Tensor) share(op string) *Tensor {
	if t.err == nil && t.tr.function {
		return t.tr.fail(opError(t.tr.site(), op, ErrUsage, []*Tensor{t}, "it is called in a function that is being traced, which does not write the memory: read it with Borrow or FromView, and return the tensor"))
	}
	if t.err == nil {
		view := t.val.view
		t.val.inPlace, t.val.sum = &shared{view: view}, nil
	}
	return t
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

// CopyOption changes what [Tensor.To] does.
type CopyOption func(*copying)

// As makes the copy of another dtype, by the rules of [Tensor.Convert]. The
// conversion is a program of the device that the copy is on.
func As(dtype types.DType) CopyOption { return func(c *copying) { c.dtype = dtype } }

// Async makes To return at once. Who reads the copy waits for it, as a program
// that uses it does; should it fail, they get the error. [Device.Wait] of the
// device that the copy is on waits for it, too.
func Async() CopyOption { return func(c *copying) { c.async = true } }

// WithContext gives To a context for as long as it computes the tensor, waits for it,
// or compiles a conversion; with [Async], until the copy is there. When it is done
// before, its cause is the copy's error.
func WithContext(ctx context.Context) CopyOption {
	return func(c *copying) { c.ctx = cmp.Or(ctx, context.Background()) }
}

// copying is a copy on its way.
type copying struct {
	ctx   context.Context
	dtype types.DType // of the copy
	async bool

	site callsite.Site
	of   *Device // the tensor's
	dev  *Device // to
	from *value  // pinned
}

// To returns t itself if it is on the device p and has the dtype asked for, as PyTorch
// does, and else a copy of t there. The copy is a value like host data: any trace of the
// device may use it. With a trace for p the copy is recorded as made there, and only what is in
// the trace is returned itself. A copy does not change with t: of a variable it is one of
// the latest version. A computed tensor of a step that was not marked is computed first,
// an implicit sync like that of Value. Give it to MarkStep before, and copy with [Async]:
// then nothing waits but the program that uses the copy.
func (t *Tensor) To(p Place, options ...CopyOption) *Tensor {
	const op = "to"
	if b := firstBad(op, t); b != nil {
		return b
	}
	if nowhere(p) {
		return refused(p, op, "")
	}
	c := &copying{ctx: context.Background(), dtype: t.DType(), site: callsite.Caller(), of: t.dev, dev: p.device()}
	for _, o := range options {
		o(c)
	}
	typ := types.Type{DType: c.dtype, Shape: t.OpenShape()}
	if !c.dtype.Valid() {
		return c.dev.poisoned(p.trace(), opError(c.site, op, ErrType, []*Tensor{t}, "there is no dtype %v", c.dtype))
	}
	if c.dev == t.dev && c.dtype == t.DType() && (p.trace() == nil || p.trace() == t.tr) {
		return t
	}
	if c.dev.sched.Closed() {
		return c.dev.poisoned(p.trace(), closedError(c.site, op, c.dev, t))
	}
	read := t.data
	if c.async {
		read = t.pinned
	}
	from, err := read(c.ctx, SyncCopy)
	if err != nil {
		return c.dev.poisoned(p.trace(), c.opError(op, t, err))
	}
	c.from = from
	if c.async && !from.scalar { // which Set may change meanwhile
		return holding(p, c.start(typ, t.Name()))
	}
	defer from.unpin()
	if err := from.wait(c.ctx, nil); err != nil {
		return c.dev.poisoned(p.trace(), c.opError(op, t, err))
	}
	view, err := c.run(from, typ)
	if err != nil {
		return c.dev.poisoned(p.trace(), c.opError(op, t, err))
	}
	return holding(p, &value{name: t.Name(), view: view})
}

// start runs c on a goroutine. The value returned is pending until then.
func (c *copying) start(typ types.Type, name string) *value {
	q, end := c.dev.sched.Begin()
	f := c.dev.newFlight(q)
	f.ctx = c.ctx
	f.Mark(c.site)
	if m := c.from.memory(); m != nil {
		f.use(m, false)
	}
	v := pending(f, name, typ)
	go func() {
		var view soa.View
		err := sched.ErrExited // unless run returns
		defer func() {
			c.from.unpin()
			if err != nil {
				err = fmt.Errorf("the copy to device %s started at %v: %w", c.dev, c.site, err)
			}
			v.publish(&view, err)
			f.endShared()
			f.Land()
			end()
		}()
		failed := f.awaitShared()
		from := c.from
		if failed == nil {
			from, failed = f.await(from)
		}
		if failed == nil {
			view, failed = c.run(from, typ)
		}
		err = failed
	}()
	return v
}

// run copies from, which is there.
func (c *copying) run(from *value, typ types.Type) (soa.View, error) {
	if c.ctx.Err() != nil {
		return soa.View{}, context.Cause(c.ctx)
	}
	if err := cmp.Or(c.of.reach(c.ctx, from), from.intact()); err != nil {
		return soa.View{}, err
	}
	src := from.view
	if src.Type.DType == typ.DType {
		dst, err := c.dev.memory.Resident(typ)
		if err != nil {
			return soa.View{}, err
		}
		return dst, soa.Copy(dst, src)
	}
	if src.Remote() != nil && c.of != c.dev { // which programs of the device do not reach
		near, err := c.dev.memory.Resident(src.Type)
		if err == nil {
			err = soa.Copy(near, src)
		}
		if err != nil {
			return soa.View{}, err
		}
		src = near
	}
	converted, err := c.dev.converter(typ.DType).call(c.ctx, []*Tensor{{dev: c.dev, val: &value{view: src}}})
	if err != nil {
		return soa.View{}, err
	}
	return converted[0].val.view, nil
}

// converter returns the device's program that converts to dtype.
func (d *Device) converter(dtype types.DType) *Function {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.converters[dtype]
	if f == nil {
		f = Func(d, func(_ *Trace, x *Tensor) *Tensor { return x.Convert(dtype) })
		if d.converters == nil {
			d.converters = map[types.DType]*Function{}
		}
		d.converters[dtype] = f
	}
	return f
}

// opError returns err, that of a tensor or of its copy, as one of an op.
func (c *copying) opError(op string, t *Tensor, err error) *OpError {
	if e, ok := errors.AsType[*OpError](err); ok {
		return e
	}
	return opError(c.site, op, err, []*Tensor{t}, "copy from device %s to %s: %v", t.dev, c.dev, err)
}

// useDeviceCopies gives the run copies, in the device's memory, of host data that an earlier run
// has read, too: weights of a model, or data of all steps. A run that is the first to read
// a value copies it in pieces beside its kernels, and most values are read by one run only.
func (f *flight) useDeviceCopies() {
	for i, v := range f.args {
		if v.scalar || v.borrowed || v.view.Remote() != nil || slices.Contains(f.program.Graph.Alias, i) {
			continue
		}
		if there := v.onDevice.Of(&v.view, f.dev.backend, &f.dev.copies); there != nil {
			f.call.Args[i] = *there
		}
	}
}

// deviceMemory is the memory of a device. Copies of host data are freed when it is full.
type deviceMemory struct{ *Device }

// Make returns memory of the device.
func (d deviceMemory) Make(t types.Type) (soa.View, error) {
	v, err := d.backend.Make(t)
	if d.copies.GiveUp(err) {
		return d.backend.Make(t)
	}
	return v, err
}

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
