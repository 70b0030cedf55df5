package exec

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/internal/ctxmutex"
	"ltc/soa"
)

// MostVariants is the limit of layout combinations that a program has code for. A layout is the
// strides of an argument or result. Calls with further combinations copy their views, and the
// first of these calls logs a warning.
const MostVariants = 16

// MostTries is the limit of compiles for one combination of layouts. A compile is repeated only
// after an error that may be temporary, such as a lack of memory.
const MostTries = 3

// Views holds the layouts of a call's views, first the layouts of arguments and then those of
// results.
type Views struct {
	Layouts []plan.Layout // nil for a view that is dense or will be copied
	Strides [][]int       // in elements; nil where Layouts is nil
}

// VariantOptions says how the variants of a program are made.
type VariantOptions[E any] struct {
	// Make compiles the code for a combination of layouts.
	Make func(ctx context.Context, v *Views) (E, error)
	// Passes reports whether an error of Make may be temporary, such as a lack of memory. A later
	// call then compiles again.
	Passes func(err error) bool
	// Remote says that kernels access only the device's memory. If Remote is false, kernels
	// access only the host's memory. Views of other memory are copied. Vary of an [Executable]
	// takes it from [NewResults].
	Remote bool
	// Grown counts the bytes of all variants. Vary of an [Executable] makes the counter.
	Grown *atomic.Int64
	// Bytes returns the bytes of one variant.
	Bytes func(e E) int
}

// Variants is the code of one program for views that are not dense: one variant for each
// combination of layouts that calls have had. Finding a variant takes no lock. A nil *Variants
// has no variant, and only its method Count may be called.
type Variants[E any] struct {
	dense   E // copies views that are not dense
	options VariantOptions[E]
	rules   *Results
	program *plan.Program
	args    []int // arguments that may have a layout
	results []int // results that may have a layout: those that kernels write in place
	list    atomic.Pointer[[]variant[E]]
	adding  ctxmutex.Mutex // held while a variant is compiled
	full    sync.Once      // logs that there are too many
}

// variant is the code for one combination of layouts.
type variant[E any] struct {
	layouts []plan.Layout
	e       E   // the dense code if there is no other
	failed  int // failed compiles; MostTries if the error does not pass
}

// settled reports whether a variant needs no further compile.
func (x *variant[E]) settled() bool { return x.failed == 0 || x.failed == MostTries }

// NewVariants returns the variants of a program, with none compiled yet. NewVariants returns nil
// if the program's code reads and writes no view through strides, so that every view that is not
// dense is copied. Bound is as in [Plan]: bound arguments are dense.
func NewVariants[E any](dense E, rules *Results, bound []soa.View, o VariantOptions[E]) *Variants[E] {
	p := rules.program
	v := &Variants[E]{dense: dense, options: o, rules: rules, program: p, adding: ctxmutex.New()}
	for i, id := range p.Args[:len(p.Args)-len(p.SizeArgs)] {
		if p.Values[id].Last >= 0 && p.TakesView(id, -1) && (bound == nil || bound[i].IsZero()) {
			v.args = append(v.args, i)
		}
	}
	for j, id := range p.Results {
		a := p.Signature.Results[j].Alias
		if rules.Direct(j) && p.TakesView(id, -1) && (a < 0 || rules.inPlace[j] && (bound == nil || bound[a].IsZero())) {
			v.results = append(v.results, j)
		}
	}
	if len(v.args)+len(v.results) == 0 {
		return nil
	}
	v.list.Store(new([]variant[E]))
	return v
}

// Count returns the number of layout combinations with code, and the number of combinations
// whose compile failed.
func (v *Variants[E]) Count() (made, failed int) {
	if v == nil {
		return 0, 0
	}
	for _, x := range *v.list.Load() {
		if x.failed > 0 {
			failed++
		} else {
			made++
		}
	}
	return made, failed
}

// Of returns the code for a call, and compiles the code if needed. If all views are dense or
// have to be copied, Of returns the dense code. Direct is the result of [Code.Direct]. The only
// error is the cause of ctx.
func (v *Variants[E]) Of(ctx context.Context, c *backends.Call, direct bool) (E, error) {
	if !v.some(c, direct) {
		return v.dense, nil
	}
	if x := v.find(c, direct); x != nil && x.settled() {
		return x.e, nil
	}
	if err := v.adding.Lock(ctx); err != nil {
		return v.dense, err
	}
	defer v.adding.Unlock()
	old := v.find(c, direct)
	if old != nil && old.settled() { // another goroutine was faster
		return old.e, nil
	}
	list := *v.list.Load()
	if old == nil && len(list) >= MostVariants {
		v.full.Do(func() {
			v.log().Warn("too many view layouts: views of further layouts are copied", "limit", MostVariants)
		})
		return v.dense, nil
	}
	views := v.views(c, direct)
	x := variant[E]{layouts: views.Layouts}
	if old != nil {
		x.failed = old.failed
	}
	if err := v.make(ctx, &x, views); err != nil {
		return v.dense, err
	}
	list = slices.DeleteFunc(slices.Clone(list), func(y variant[E]) bool { return old != nil && slices.EqualFunc(x.layouts, y.layouts, slices.Equal) })
	list = append(list, x)
	v.list.Store(&list)
	return x.e, nil
}

func (v *Variants[E]) log() *slog.Logger {
	o := backends.Options{Logger: v.program.Logger}
	return o.Log()
}

// make compiles the code of a variant, or counts a failed compile. The only error is the
// cause of ctx.
func (v *Variants[E]) make(ctx context.Context, x *variant[E], views *Views) error {
	e, err := v.options.Make(ctx, views)
	if err == nil {
		x.e, x.failed = e, 0
		v.options.Grown.Add(int64(v.options.Bytes(e)))
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	x.e = v.dense
	if x.failed++; !v.options.Passes(err) {
		x.failed = MostTries
	}
	v.log().Warn("views are copied: no code can be made for their layouts", "layouts", x.layouts, "tries", x.failed, "of", MostTries, "reason", err)
	return nil
}

// some reports whether any view of a call has a layout.
func (v *Variants[E]) some(c *backends.Call, direct bool) bool {
	for _, i := range v.args {
		if v.hasLayout(v.program.Args[i], &c.Args[i]) {
			return true
		}
	}
	if direct {
		for _, j := range v.results {
			if v.hasLayout(v.program.Results[j], v.result(c, j)) {
				return true
			}
		}
	}
	return false
}

// hasLayout reports whether kernels of a variant access a view in place, by its layout. Other
// views are dense, or are copied.
func (v *Variants[E]) hasLayout(id plan.ValueID, w *soa.View) bool {
	return w != nil && !w.IsZero() && !w.IsDense() && (w.Remote() != nil) == v.options.Remote && v.program.TakesView(id, TableOf(w))
}

// result returns the view that kernels write a result to in place; nil if there is none. A
// result that takes over an argument's memory is written in place there only: another view
// may overlap the argument.
func (v *Variants[E]) result(c *backends.Call, j int) *soa.View {
	w := &c.Results[j]
	if a := v.program.Signature.Results[j].Alias; a >= 0 {
		switch {
		case w.IsZero():
			return &c.Args[a]
		case !identical(w, &c.Args[a]):
			return nil
		}
	}
	return w
}

// find returns the variant for a call; nil if none was compiled yet.
func (v *Variants[E]) find(c *backends.Call, direct bool) *variant[E] {
	list := *v.list.Load()
	for at := range list {
		if v.fits(list[at].layouts, c, direct) {
			return &list[at]
		}
	}
	return nil
}

// fits reports whether the views of a call have these layouts.
func (v *Variants[E]) fits(layouts []plan.Layout, c *backends.Call, direct bool) bool {
	for _, i := range v.args {
		if !v.same(layouts[i], v.program.Args[i], &c.Args[i]) {
			return false
		}
	}
	for _, j := range v.results {
		l := layouts[len(v.program.Args)+j]
		if !direct && l != nil || direct && !v.same(l, v.program.Results[j], v.result(c, j)) {
			return false
		}
	}
	return true
}

// same reports whether l is the layout of a view; l is nil for a view without one.
func (v *Variants[E]) same(l plan.Layout, id plan.ValueID, w *soa.View) bool {
	if !v.hasLayout(id, w) {
		return l == nil
	}
	return l != nil && l.Fits(w.Strides, TableOf(w))
}

// views returns the layouts of the views of a call.
func (v *Variants[E]) views(c *backends.Call, direct bool) *Views {
	n := len(v.program.Args) + len(v.program.Results)
	all := &Views{Layouts: make([]plan.Layout, n), Strides: make([][]int, n)}
	add := func(at int, id plan.ValueID, w *soa.View) {
		if v.hasLayout(id, w) {
			all.Layouts[at], all.Strides[at] = plan.LayoutOf(w.Strides, TableOf(w)), slices.Clone(w.Strides) // the caller may change these
		}
	}
	for _, i := range v.args {
		add(i, v.program.Args[i], &c.Args[i])
	}
	if direct {
		for _, j := range v.results {
			add(len(v.program.Args)+j, v.program.Results[j], v.result(c, j))
		}
	}
	return all
}
