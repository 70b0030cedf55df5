package border

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends"
	"ltc/internal/spare"
	"ltc/ir/types"
	"ltc/soa"
)

// given is what a call was before the backend had it.
type given struct {
	args, results []place
	spans         []span // of a pooled one: memory for shared
}

// few is of how many arguments and results a call is noted on the stack.
const few = 4

// place is where a view is, and the slices that describe it. Two that are equal are of the
// same view, unless what the slices hold was changed in place.
type place struct {
	first          unsafe.Pointer // of a table: its first column
	shape, strides *int
	dtype          types.DType
}

// span is memory of an argument or a result.
type span struct {
	lo, hi uintptr
	index  int
	result bool
	fresh  bool // the backend chose it
}

const keptCalls = 8

var taken = spare.New(keptCalls, func() *given { return new(given) })

func placeOf(v *soa.View) place {
	p := place{first: v.Base(), shape: unsafe.SliceData(v.Type.Shape), strides: unsafe.SliceData(v.Strides), dtype: v.Type.DType}
	if len(v.Table) > 0 {
		p.first = v.Table[0]
	}
	return p
}

// notes appends where views are.
func notes(to []place, views []soa.View) []place {
	for i := range views {
		to = append(to, placeOf(&views[i]))
	}
	return to
}

// brought reports whether the call has memory for result j.
func (g *given) brought(j int) bool { return j < len(g.results) && g.results[j] != place{} }

// accept holds what the call is now to the contract.
func (g *given) accept(x *Executable, c *backends.Call) error {
	refuse := func(format string, args ...any) error { return x.backend.refuse(execute, format, args...) }
	if len(c.Results) != len(x.sig.Results) {
		return refuse("it gave %d results of %d", len(c.Results), len(x.sig.Results))
	}
	if len(c.Args) != len(g.args) {
		return refuse("it left %d arguments of %d", len(c.Args), len(g.args))
	}
	for i := range c.Args {
		if placeOf(&c.Args[i]) != g.args[i] {
			return refuse("it changed argument %d", i)
		}
	}
	fresh := 0
	for j := range c.Results {
		v, r := &c.Results[j], &x.sig.Results[j]
		if g.brought(j) {
			switch was, is := g.results[j], placeOf(v); {
			case is == was && slices.Equal(v.Type.Shape, r.Type.Shape):
				continue // the caller's own view
			case is.first != was.first:
				return refuse("result %d is not in the memory that the call has for it", j)
			}
			if err := backends.Fits(*v, r.Type); err != nil {
				return refuse("result %d: %v", j, err)
			}
			continue
		}
		if err := fitsDense(v, r.Type); err != nil {
			return refuse("result %d: %v", j, err)
		}
		if g.donated(c, j, r) {
			continue
		}
		if v.ReadOnly() {
			return refuse("result %d: %v", j, soa.ErrReadOnly)
		}
		fresh++
	}
	if fresh == 0 {
		return nil
	}
	a, b, ok := g.shared(x, c)
	switch {
	case !ok:
		return nil
	case a.result && b.result:
		return refuse("results %d and %d are in one memory", min(a.index, b.index), max(a.index, b.index))
	case b.result:
		a, b = b, a
	}
	return refuse("result %d is in the memory of argument %d, which is not donated to it", a.index, b.index)
}

// restore takes back what a refused run wrote into shapes of the caller's, which are those
// of its variables and programs.
func (g *given) restore(x *Executable, c *backends.Call) {
	back := func(v *soa.View, was place, want types.Shape) {
		if is := v.Type.Shape; unsafe.SliceData(is) == was.shape && len(is) == len(want) && !slices.Contains(want, backends.AnySize) {
			copy(is, want)
		}
	}
	for i := range min(len(c.Args), len(g.args), len(x.sig.Args)) {
		back(&c.Args[i], g.args[i], x.sig.Args[i].Type.Shape)
	}
	for j := range min(len(c.Results), len(g.results), len(x.sig.Results)) {
		back(&c.Results[j], g.results[j], x.sig.Results[j].Type.Shape)
	}
}

// donated reports whether result j is the argument that is donated to it.
func (g *given) donated(c *backends.Call, j int, r *backends.Result) bool {
	return r.Alias >= 0 && c.Results[j].Base() == c.Args[r.Alias].Base() && c.Args[r.Alias].Table == nil && c.Args[r.Alias].IsDense()
}

// shared returns memory that the backend chose for a result and that another result or an
// argument has, too.
func (g *given) shared(x *Executable, c *backends.Call) (a, b span, found bool) {
	kept := taken.Get() // g may be on the stack, and its spans would be allocated
	defer taken.Put(kept)
	s := kept.spans[:0]
	for i := range c.Args {
		for lo, hi := range c.Args[i].Spans {
			s = append(s, span{lo: lo, hi: hi, index: i})
		}
	}
	for j := range c.Results {
		brought := g.brought(j)
		if !brought && g.donated(c, j, &x.sig.Results[j]) {
			continue // the argument is there already
		}
		for lo, hi := range c.Results[j].Spans {
			s = append(s, span{lo: lo, hi: hi, index: j, result: true, fresh: !brought})
		}
	}
	kept.spans = s
	slices.SortFunc(s, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	var last, lastFresh span // those that reach furthest so far
	for _, m := range s {
		with := &lastFresh
		if m.fresh {
			with = &last
		}
		if m.lo < with.hi && m.view(c).Remote() == with.view(c).Remote() {
			return *with, m, true
		}
		if m.hi > last.hi {
			last = m
		}
		if m.fresh && m.hi > lastFresh.hi {
			lastFresh = m
		}
	}
	return a, b, false
}

func (s *span) view(c *backends.Call) *soa.View {
	if s.result {
		return &c.Results[s.index]
	}
	return &c.Args[s.index]
}

// MayHaveWritten reports whether a run that was refused may have written arg, donated to a
// result. It has not if no result shares memory with arg, and the result has other dense
// memory: the call's, as own says, or the backend's.
func MayHaveWritten(c *backends.Call, result int, own bool, arg *soa.View) bool {
	for j := range c.Results {
		if meet(&c.Results[j], arg) {
			return true
		}
	}
	return !own && (result >= len(c.Results) || fitsDense(&c.Results[result], arg.Type) != nil)
}

// meet reports whether v, which the backend gave, shares memory with w.
func meet(v, w *soa.View) bool {
	if v.Base() != nil && v.Base() == w.Base() {
		return true
	}
	if v.IsZero() || v.Check() != nil || v.Remote() != w.Remote() {
		return false
	}
	for lo, hi := range v.Spans {
		for from, to := range w.Spans {
			if lo < to && from < hi {
				return true
			}
		}
	}
	return false
}

// fitsDense reports why a view that the backend gave is no dense one of type want.
func fitsDense(v *soa.View, want types.Type) error {
	if err := backends.Fits(*v, want); err != nil {
		return err
	}
	if !v.IsDense() {
		return fmt.Errorf("it is %v, and must be dense", *v)
	}
	return nil
}
