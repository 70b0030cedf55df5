package lazy

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ltc/internal/callsite"
	"ltc/ir/types"
	"ltc/lazy/internal/sched"
	"ltc/soa"
)

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
