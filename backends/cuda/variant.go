package cuda

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/soa"
)

// mostVariants is how many layouts of its views an executable has kernels for. Calls
// with views of further ones copy these, as a line of the log says.
const mostVariants = 16

// variants are what an executable is for views of the device's memory that are not
// dense, one for each combination of layouts that calls have come with: their kernels
// take strides as arguments. Looking for one takes no lock.
type variants struct {
	args []int // that may have a layout
	outs []int // results likewise, if they are written where they belong at once
	list atomic.Pointer[[]laid]
	mu   sync.Mutex // of who adds one
	full sync.Once  // says that there are too many
}

// laid is a program for layouts of arguments, then of results.
type laid struct {
	lays []kit.Layout
	e    *executable // what copies, where there are no kernels for the layouts
}

// newVariants returns where variants of an executable are kept; nil if there can be
// none. What is bound is dense.
func newVariants(p *kit.Program, fallible int, bound []soa.View) *variants {
	v := &variants{}
	for i, id := range p.Args {
		if p.Values[id].Last >= 0 && p.Signature.Args[i].Alias < 0 && p.TakesView(id, -1) && (bound == nil || bound[i].IsZero()) {
			v.args = append(v.args, i)
		}
	}
	for j, id := range p.Results {
		if p.Values[id].First > fallible && p.Signature.Results[j].Alias < 0 && p.TakesView(id, -1) {
			v.outs = append(v.outs, j)
		}
	}
	if len(v.args)+len(v.outs) == 0 {
		return nil
	}
	v.list.Store(new([]laid))
	return v
}

// lies reports whether a view is to be read or written where it lies by kernels of a
// variant.
func lies(v *soa.View) bool {
	return !v.IsZero() && v.Remote() != nil && v.Table == nil && !v.IsDense()
}

// forViews returns what runs a call: e itself, where all views are dense or copied.
func (e *executable) forViews(c *backends.Call) *executable {
	v := e.variants
	if v == nil || !slices.ContainsFunc(v.args, func(i int) bool { return lies(&c.Args[i]) }) &&
		!slices.ContainsFunc(v.outs, func(j int) bool { return lies(&c.Results[j]) }) {
		return e
	}
	if x := v.find(c, len(e.program.Args)); x != nil {
		return x
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if x := v.find(c, len(e.program.Args)); x != nil { // another was quicker
		return x
	}
	list := *v.list.Load()
	if len(list) >= mostVariants {
		v.full.Do(func() {
			slog.Warn("runs copy views of the device's memory that lie in further ways: a program has kernels for so many", "ways", mostVariants)
		})
		return e
	}
	lays := make([]kit.Layout, len(e.program.Args)+len(e.program.Results))
	for _, i := range v.args {
		if a := &c.Args[i]; lies(a) {
			lays[i] = kit.Lies(a.Strides, -1)
		}
	}
	for _, j := range v.outs {
		if r := &c.Results[j]; lies(r) {
			lays[len(e.program.Args)+j] = kit.Lies(r.Strides, -1)
		}
	}
	x, err := e.variant(lays)
	if err != nil {
		x = e
		if e.on.dev.Err() == nil {
			slog.Warn("runs copy views of the device's memory that lie so: there are no kernels for them", "layouts", lays, "reason", err)
		}
	}
	list = append(slices.Clone(list), laid{lays, x})
	v.list.Store(&list)
	return x
}

// find returns what there is for a call; nil if there is nothing.
func (v *variants) find(c *backends.Call, args int) *executable {
	fits := func(l kit.Layout, w *soa.View) bool {
		if !lies(w) {
			return l == nil
		}
		return l.Fits(w.Strides, -1)
	}
	for _, x := range *v.list.Load() {
		if !slices.ContainsFunc(v.args, func(i int) bool { return !fits(x.lays[i], &c.Args[i]) }) &&
			!slices.ContainsFunc(v.outs, func(j int) bool { return !fits(x.lays[args+j], &c.Results[j]) }) {
			return x.e
		}
	}
	return nil
}

// variant makes e for layouts of arguments, then of results: kernels that there are
// not yet are a module of their own.
func (e *executable) variant(lays []kit.Layout) (*executable, error) {
	n := len(e.program.Args)
	prog, err := e.program.Variant(lays[:n], lays[n:])
	if err != nil {
		return nil, err
	}
	c := &compilation{ctx: context.Background(), o: e.of.o, target: e.of.target, entries: map[string]*entry{}}
	for text, of := range e.of.entries {
		own := *of
		own.variants = maps.Clone(of.variants)
		c.entries[text] = &own
	}
	if c.main, err = c.add(prog); err != nil {
		return nil, err
	}
	for i := range c.main.steps {
		s := &c.main.steps[i]
		for _, o := range s.Operands {
			if s.lacks != nil && prog.Values[o.Value].Layout != nil {
				return nil, fmt.Errorf("step %d is run by the host: %w", i, s.lacks)
			}
		}
	}
	c.main.sized, c.main.constant = 0, e.constant // which are there
	if _, err := c.load(e.on.dev); err != nil {
		return nil, err
	}
	c.main.on.base, c.main.on.launches = e.on, e.on.launches
	return &executable{code: c.main, bound: e.bound, copied: e.copied, times: e.times}, nil
}

// placeView notes where a value is that has a layout, and how it lies.
func (r *runner) placeView(id kit.ValueID, v *soa.View) {
	if r.lies == nil {
		r.lies = make([][]int, len(r.mem))
	}
	if !slices.Equal(r.lies[id], v.Strides) {
		r.lies[id] = append(r.lies[id][:0], v.Strides...)
		r.moved = true
	}
}
