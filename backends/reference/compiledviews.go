package reference

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
	"ltc/internal/turn"
	"ltc/soa"
)

// mostVariants is how many layouts of its views an executable has code for.
// Calls with views of further ones copy these, as a line of the log says.
const mostVariants = 16

// variants are the executables that one is for views that are not dense, one for
// each combination of layouts that calls have come with. Looking for one takes no
// lock.
type variants[E any] struct {
	dense E // the executable, which copies such views
	// create makes a variant.
	create  func(ctx context.Context, views *viewed) (E, error)
	program *kit.Program
	args    []int // that may have a layout
	outs    []int // results likewise, if they are written where they belong at once
	list    atomic.Pointer[[]*variant[E]]
	grown   atomic.Int64 // what these take, in bytes
	adding  turn.Lock    // of who adds one
	full    sync.Once    // says that there are too many
}

// variant is an executable for layouts of arguments, then of results.
type variant[E any] struct {
	lays []kit.Layout
	e    E // what copies, where there is no code for the layouts
	none bool
}

// count returns how many variants have code, and how many have none. v may be nil.
func (v *variants[E]) count() (made, failed int) {
	if v == nil {
		return 0, 0
	}
	for _, x := range *v.list.Load() {
		if x.none {
			failed++
		} else {
			made++
		}
	}
	return made, failed
}

// newVariants returns where variants of an executable are kept, of which create
// makes one; nil if there can be none. Arguments that are bound have no layout;
// bound may be nil.
func newVariants[E any](dense E, p *kit.Program, bound []soa.View, create func(context.Context, *viewed) (E, error)) *variants[E] {
	v := &variants[E]{dense: dense, create: create, program: p, adding: turn.New()}
	for i, id := range p.Args[:len(p.Args)-len(p.SizeArgs)] {
		if p.Values[id].Last >= 0 && p.TakesView(id, -1) && (bound == nil || bound[i].IsZero()) {
			v.args = append(v.args, i)
		}
	}
	for j, id := range p.Results {
		if p.TakesView(id, -1) && p.Values[id].First > p.LastFallible && p.Signature.Results[j].Alias < 0 {
			v.outs = append(v.outs, j)
		}
	}
	if len(v.args)+len(v.outs) == 0 {
		return nil
	}
	v.list.Store(new([]*variant[E]))
	return v
}

// forCall returns what runs a call: the executable itself, if all views are dense
// or are to be copied. direct says that results may be written where they belong.
func (v *variants[E]) forCall(ctx context.Context, c *backends.Call, direct bool) (E, error) {
	if !v.some(c, direct) {
		return v.dense, nil
	}
	for {
		list := *v.list.Load()
		for _, x := range list {
			if v.fits(x, c, direct) {
				return x.e, nil
			}
		}
		if len(list) >= mostVariants {
			v.full.Do(func() {
				slog.Warn("runs copy views that lie in further ways: a program has code for so many", "ways", mostVariants)
			})
			return v.dense, nil
		}
		if err := v.add(ctx, c, direct); err != nil {
			return v.dense, err
		}
	}
}

// some reports whether a view of a call has a layout.
func (v *variants[E]) some(c *backends.Call, direct bool) bool {
	for _, i := range v.args {
		if v.lies(v.program.Args[i], &c.Args[i]) {
			return true
		}
	}
	if direct {
		for _, j := range v.outs {
			if v.lies(v.program.Results[j], &c.Results[j]) {
				return true
			}
		}
	}
	return false
}

// lies reports whether a view has a layout with which a value is taken.
func (v *variants[E]) lies(id kit.ValueID, view *soa.View) bool {
	return !view.IsZero() && !view.IsDense() && v.program.TakesView(id, tableOf(view)) && regular(view)
}

// tableOf returns the axis of a view's table; -1 if it has none.
func tableOf(v *soa.View) int {
	if v.Table == nil {
		return -1
	}
	return v.TableAxis
}

// regular reports whether the columns of a table are whole elements apart.
func regular(v *soa.View) bool {
	size := uintptr(v.Type.DType.Size())
	for _, p := range v.Table {
		if (uintptr(p)-uintptr(v.Table[0]))%size != 0 {
			return false
		}
	}
	return true
}

// fits reports whether the views of a call have the layouts of a variant.
func (v *variants[E]) fits(x *variant[E], c *backends.Call, direct bool) bool {
	for _, i := range v.args {
		if !v.same(x.lays[i], v.program.Args[i], &c.Args[i]) {
			return false
		}
	}
	for _, j := range v.outs {
		l := x.lays[len(v.program.Args)+j]
		if !direct && l != nil || direct && !v.same(l, v.program.Results[j], &c.Results[j]) {
			return false
		}
	}
	return true
}

func (v *variants[E]) same(l kit.Layout, id kit.ValueID, view *soa.View) bool {
	if l == nil {
		return !v.lies(id, view)
	}
	return !view.IsZero() && !view.IsDense() && l.Fits(view.Strides, tableOf(view)) && regular(view)
}

// add adds a variant for a call, unless somebody else has.
func (v *variants[E]) add(ctx context.Context, c *backends.Call, direct bool) error {
	if err := v.adding.Take(ctx); err != nil {
		return err
	}
	defer v.adding.Give()
	list := *v.list.Load()
	for _, x := range list {
		if v.fits(x, c, direct) {
			return nil
		}
	}
	p := v.program
	views := &viewed{lays: make([]kit.Layout, len(p.Args)+len(p.Results)), lies: make([][]int, len(p.Args)+len(p.Results))}
	lay := func(at int, id kit.ValueID, view *soa.View) {
		if v.lies(id, view) {
			views.lays[at], views.lies[at] = kit.Lies(view.Strides, tableOf(view)), slices.Clone(view.Strides) // the caller may change these
		}
	}
	for _, i := range v.args {
		lay(i, p.Args[i], &c.Args[i])
	}
	if direct {
		for _, j := range v.outs {
			lay(len(p.Args)+j, p.Results[j], &c.Results[j])
		}
	}
	x, err := &variant[E]{lays: views.lays}, error(nil)
	if x.e, err = v.create(ctx, views); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		x.e, x.none = v.dense, true
		slog.Warn("runs copy views that lie so: no code can be made for them", "layouts", views.lays, "reason", err)
	}
	list = append(list[:len(list):len(list)], x)
	v.list.Store(&list)
	v.grown.Add(int64(residentBeside(x, v.dense)))
	return nil
}

// size is where the bytes that variants take are counted; nil if there can be none.
func (v *variants[E]) size() *atomic.Int64 {
	if v == nil {
		return nil
	}
	return &v.grown
}

// viewed are the layouts of a variant, of arguments and then of results, with the
// strides of the views at hand.
type viewed struct {
	lays []kit.Layout
	lies [][]int
}

// Variants is as [backends.Varying] has it.
func (e *compiled) Variants() (made, failed int) { return e.variants.count() }

// variant returns what e is for views with layouts.
func (e *compiled) variant(ctx context.Context, views *viewed) (*compiled, error) {
	n := len(e.program.Args)
	prog, err := e.program.Variant(views.lays[:n], views.lays[n:])
	if err != nil {
		return nil, err
	}
	x := &compiled{file: e.file, program: prog, bound: e.bound, keeper: e.keeper, threads: e.threads, own: e.own,
		copied: e.copied, times: e.times, compilers: e.compilers, lays: views.lays, views: views}
	if x.codes, err = codesOf(ctx, e.codes, prog.Kernels, e.compilers); err != nil {
		return nil, err
	}
	own := make([]kernel.Code, len(e.steps))
	for i := range own {
		own[i] = e.steps[i].bound
	}
	codes := boundCodes(prog, x.codes, e.bound, e.keeper, unmoved(prog, own), nil)
	for i := range prog.Steps {
		x.add(compiledStep{Step: &prog.Steps[i], bound: codes[i]})
	}
	if err := x.fit(ctx); err != nil {
		return nil, err
	}
	x.ready()
	return x, nil
}

// strides appends the run-time strides of a step for which its code is prepared:
// those of the views at hand. Where they are 0 or 1 by chance they are others, so
// that nothing depends on it. v is nil where there are no such views.
func (v *viewed) strides(to []int64, p *kit.Program, s *kit.Step) []int64 {
	to = append(to, s.Strides...)
	for _, m := range s.Moving {
		x := &to[m.At]
		if *x += kit.Along(m.By, v.of(p, s.Operands[m.Operand].Value)); *x == 0 || *x == 1 {
			*x = 2
		}
	}
	return to
}

// of returns the strides of a value.
func (v *viewed) of(p *kit.Program, id kit.ValueID) []int {
	val := &p.Values[id]
	if val.Kind == kit.Result {
		return v.lies[len(p.Args)+val.Index]
	}
	return v.lies[val.Index]
}

// laid reports whether argument i, or the result that follows all arguments and
// i-len(arguments) results, has a layout.
func (e *compiled) laid(i int) bool { return e.lays != nil && e.lays[i] != nil }

// placeView points a value at a view of the caller's.
func (e *compiled) placeView(l *launcher, id kit.ValueID, v soa.View) {
	l.lies[id] = v.Strides
	if v.Table == nil {
		l.mem[id] = v.Base()
		return
	}
	if len(v.Table) == 0 {
		return
	}
	first, size := v.Table[0], int64(v.Type.DType.Size())
	l.mem[id] = first
	entries := l.tables[e.program.Values[id].Table]
	for i, p := range v.Table {
		entries[i] = (int64(uintptr(p)) - int64(uintptr(first))) / size
	}
}

// move adds to the pointers of a step what depends on how views lie, and returns
// its strides.
func (l *launcher) move(s *compiledStep, pointers []unsafe.Pointer) []int64 {
	for j := range s.Operands {
		if o := &s.Operands[j]; len(o.By) > 0 && !s.void[j] {
			pointers[j] = unsafe.Add(pointers[j], int(kit.Along(o.By, l.lies[o.Value]))*s.sizes[j])
		}
	}
	if len(s.Moving) == 0 {
		return s.Strides
	}
	strides := l.strides[s.strides : s.strides+len(s.Strides)]
	copy(strides, s.Strides)
	for _, m := range s.Moving {
		strides[m.At] += kit.Along(m.By, l.lies[s.Operands[m.Operand].Value])
	}
	return strides
}
