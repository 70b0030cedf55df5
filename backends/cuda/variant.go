package cuda

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/backends/kit"
	"ltc/internal/turn"
	"ltc/soa"
)

// mostVariants is how many layouts of its views an executable has kernels for. Calls
// with views of further ones have the device copy these, as a line of the log says.
const mostVariants = 16

// variants are what an executable is for views of the device's memory that are not
// dense, one for each combination of layouts that calls have come with: their kernels
// take strides as arguments, and find columns by a table. Looking for one takes no
// lock.
type variants[E any] struct {
	dense  E
	code   *code                                                   // of dense
	create func(ctx context.Context, lays []kit.Layout) (E, error) // makes one
	args   []int                                                   // that may have a layout
	outs   []int                                                   // results likewise, if they are written where they belong at once
	list   atomic.Pointer[[]laid[E]]
	adding turn.Lock // of who adds one
	full   sync.Once // says that there are too many
}

// laid is a program for layouts of arguments, then of results.
type laid[E any] struct {
	lays []kit.Layout
	e    E // the dense one, where there are no kernels for the layouts
	// failed is how often the driver has failed to make some, of those that are tried again.
	failed int
}

// mostTries is how often the driver is asked for kernels for one layout: what it refuses
// now, as for want of memory, it may take later, and what it never takes costs each try as
// long as a compile.
const mostTries = 3

// newVariants returns where variants of an executable are kept; nil if there can be
// none. What is bound is dense.
func newVariants[E any](dense E, x *code, bound []soa.View, create func(context.Context, []kit.Layout) (E, error)) *variants[E] {
	v, p := &variants[E]{dense: dense, code: x, create: create, adding: turn.New()}, x.program
	for i, id := range p.Args[:len(p.Args)-len(p.SizeArgs)] {
		if p.Values[id].Last >= 0 && p.TakesView(id, -1) && (bound == nil || bound[i].IsZero()) {
			v.args = append(v.args, i)
		}
	}
	for j, id := range p.Results {
		a := p.Signature.Results[j].Alias
		if x.direct(j) && p.TakesView(id, -1) && (a < 0 || x.inPlace[j] && (bound == nil || bound[a].IsZero())) {
			v.outs = append(v.outs, j)
		}
	}
	if len(v.args)+len(v.outs) == 0 {
		return nil
	}
	v.list.Store(new([]laid[E]))
	return v
}

// lies reports whether a view is to be read or written where it lies by kernels of a
// variant.
func (v *variants[E]) lies(id kit.ValueID, w *soa.View) bool {
	return w != nil && !w.IsZero() && w.Remote() != nil && !w.IsDense() && v.code.program.TakesView(id, tableOf(w))
}

// tableOf returns the axis of a view's table; -1 if it has none.
func tableOf(v *soa.View) int {
	if v.Table == nil {
		return -1
	}
	return v.TableAxis
}

// arg returns the view of an argument.
func (v *variants[E]) arg(c *backends.Call, i int) (kit.ValueID, *soa.View) {
	return v.code.program.Args[i], &c.Args[i]
}

// out returns the view that a result is written to at once; nil if it cannot be. One
// that takes over an argument's memory is written there, and nowhere else, since views
// that are not dense may overlap.
func (v *variants[E]) out(c *backends.Call, j int) (kit.ValueID, *soa.View) {
	id, w := v.code.program.Results[j], &c.Results[j]
	if a := v.code.program.Signature.Results[j].Alias; a >= 0 {
		switch {
		case w.IsZero():
			w = &c.Args[a]
		case !identical(w, &c.Args[a]):
			w = nil
		}
	}
	return id, w
}

// identical reports whether two views of one type show the same memory.
func identical(v, w *soa.View) bool {
	return v.Base() == w.Base() && slices.Equal(v.Table, w.Table) && tableOf(v) == tableOf(w) &&
		(slices.Equal(v.Strides, w.Strides) || v.IsDense() && w.IsDense())
}

// some reports whether a view of a call has a layout.
func (v *variants[E]) some(c *backends.Call) bool {
	for _, i := range v.args {
		if v.lies(v.arg(c, i)) {
			return true
		}
	}
	for _, j := range v.outs {
		if v.lies(v.out(c, j)) {
			return true
		}
	}
	return false
}

// fits reports whether l is the layout of a view; nil is that of one that has none.
func (v *variants[E]) fits(l kit.Layout, id kit.ValueID, w *soa.View) bool {
	if l == nil || !v.lies(id, w) {
		return l == nil && !v.lies(id, w)
	}
	return l.Fits(w.Strides, tableOf(w))
}

// find returns what there is for a call, and where in the list it is; -1 if nothing is.
func (v *variants[E]) find(c *backends.Call) (x laid[E], at int) {
	n := len(v.code.program.Args)
next:
	for at, x := range *v.list.Load() {
		for _, i := range v.args {
			if id, w := v.arg(c, i); !v.fits(x.lays[i], id, w) {
				continue next
			}
		}
		for _, j := range v.outs {
			if id, w := v.out(c, j); !v.fits(x.lays[n+j], id, w) {
				continue next
			}
		}
		return x, at
	}
	return x, -1
}

// settled reports whether what find returned is there, and not to be tried again.
func (x *laid[E]) settled(at int) bool { return at >= 0 && (x.failed == 0 || x.failed == mostTries) }

// forViews returns what runs a call: the dense one, where all views are dense or
// copied. v may be nil. The error is the cause of ctx.
func (v *variants[E]) forViews(ctx context.Context, dense E, c *backends.Call) (E, error) {
	if v == nil || !v.some(c) {
		return dense, nil
	}
	if x, at := v.find(c); x.settled(at) {
		return x.e, nil
	}
	if err := v.adding.Take(ctx); err != nil {
		return dense, err
	}
	defer v.adding.Give()
	x, at := v.find(c)
	if x.settled(at) { // another was quicker
		return x.e, nil
	}
	list := slices.Clone(*v.list.Load())
	if at < 0 {
		if len(list) >= mostVariants {
			v.full.Do(func() {
				slog.Warn("the device copies views that lie in further ways: a program has kernels for so many", "ways", mostVariants)
			})
			return dense, nil
		}
		x.lays, at = v.layouts(c), len(list)
		list = append(list, x)
	}
	if err := v.make(ctx, &x, dense); err != nil {
		return dense, err
	}
	list[at] = x
	v.list.Store(&list)
	return x.e, nil
}

// layouts returns how the views of a call lie.
func (v *variants[E]) layouts(c *backends.Call) []kit.Layout {
	n := len(v.code.program.Args)
	lays := make([]kit.Layout, n+len(v.code.program.Results))
	for _, i := range v.args {
		if id, w := v.arg(c, i); v.lies(id, w) {
			lays[i] = kit.Lies(w.Strides, tableOf(w))
		}
	}
	for _, j := range v.outs {
		if id, w := v.out(c, j); v.lies(id, w) {
			lays[n+j] = kit.Lies(w.Strides, tableOf(w))
		}
	}
	return lays
}

// make makes the program for layouts, or says why there is none. The error is the cause
// of ctx.
func (v *variants[E]) make(ctx context.Context, x *laid[E], dense E) (err error) {
	if x.e, err = v.create(ctx, x.lays); err == nil {
		x.failed = 0
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	x.e = dense
	var refused *driver.Error
	switch {
	case v.code.on.dev.Err() != nil:
		return nil
	case errors.As(err, &refused) || errors.Is(err, driver.OutOfMemory):
		x.failed++
	default:
		x.failed = mostTries
	}
	slog.Warn("the device copies views that lie so: there are no kernels for them", "layouts", x.lays, "tries", x.failed, "of", mostTries, "reason", err)
	return nil
}

// variant makes e for layouts of arguments, then of results.
func (e *executable) variant(ctx context.Context, lays []kit.Layout) (*executable, error) {
	n := len(e.program.Args)
	prog, err := e.program.Variant(lays[:n], lays[n:])
	if err != nil {
		return nil, err
	}
	x, err := e.code.variant(ctx, prog)
	if err == nil {
		err = x.takesViews()
	}
	if err != nil {
		return nil, err
	}
	e.grown.Add(x.size())
	return &executable{code: x, bound: e.bound, copied: e.copied, grown: e.grown, times: e.times}, nil
}

// variant makes x for a variant of its program: kernels that there are not yet are a
// module of their own.
func (x *code) variant(ctx context.Context, prog *kit.Program) (*code, error) {
	of := x.of
	c := &compilation{ctx: ctx, o: of.o, target: of.target, entries: map[string]*entry{}, opens: of.opens, mu: of.mu}
	of.mu.Lock()
	for text, e := range of.entries {
		own := *e
		own.variants = maps.Clone(e.variants)
		c.entries[text] = &own
	}
	var err error
	c.main, err = c.add(prog)
	of.mu.Unlock()
	if err != nil {
		return nil, err
	}
	c.main.inPlace = x.inPlace
	c.main.sized, c.main.constant = 0, x.constant // which are there
	if _, err := c.load(ctx, x.on.dev); err != nil {
		return nil, err
	}
	c.main.on.base, c.main.on.launches = x.on, x.on.launches
	return c.main, nil
}

// errTakesDense is the error of a program that works on views where they lie and
// cannot do so for the sizes that it has.
var errTakesDense = errors.New("a step takes dense operands only")

// takesViews reports what keeps a program from working on its views where they lie.
func (x *code) takesViews() error {
	p := x.program
	for i := range x.steps {
		s := &x.steps[i]
		for _, o := range s.Operands {
			if s.lacks != nil && p.Values[o.Value].Layout != nil {
				return fmt.Errorf("%w: step %d is run by the host: %w", errTakesDense, i, s.lacks)
			}
		}
	}
	for j, id := range p.Results {
		if p.Values[id].Layout != nil && !x.direct(j) {
			return fmt.Errorf("%w: what follows result %d may fail", errTakesDense, j)
		}
	}
	return nil
}

// placeView notes where a value is that has a layout, and how it lies. The table of
// columns is the runner's of a number.
func (r *runner) placeView(id kit.ValueID, v *soa.View, number int) error {
	if r.lies == nil {
		r.lies = make([][]int, len(r.mem))
	}
	if !slices.Equal(r.lies[id], v.Strides) {
		r.lies[id] = append(r.lies[id][:0], v.Strides...)
		r.moved = true
	}
	r.mem[id] = first(v)
	if v.Table == nil {
		return nil
	}
	at, err := r.table(number, v)
	r.mem[r.e.program.Values[id].Table] = at
	return err
}
