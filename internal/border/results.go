package border

import (
	"cmp"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/internal/spare"
	"ltc/ir/types"
	"ltc/soa"
)

// given is what a call was before the backend had it.
type given struct {
	args, results []place
	spans         []span
}

// place is where a view is: memory, if it is dense, and the view's first address.
type place struct {
	base  uintptr
	dense bool
	view  bool // there is one
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
	p := place{view: !v.IsZero(), dense: v.Table == nil && len(v.Strides) == len(v.Type.Shape) && v.IsDense()}
	if p.base = uintptr(v.Base()); v.Table != nil && len(v.Table) > 0 {
		p.base = uintptr(v.Table[0])
	}
	return p
}

// take notes where the arguments and results of a call are.
func (g *given) take(c *backends.Call) {
	g.args, g.results = g.args[:0], g.results[:0]
	for i := range c.Args {
		g.args = append(g.args, placeOf(&c.Args[i]))
	}
	for j := range c.Results {
		g.results = append(g.results, placeOf(&c.Results[j]))
	}
}

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
		if j < len(g.results) && g.results[j].view {
			if placeOf(v) != g.results[j] {
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

// donated reports whether result j is the argument that is donated to it.
func (g *given) donated(c *backends.Call, j int, r *backends.Result) bool {
	return r.Alias >= 0 && g.args[r.Alias].dense && uintptr(c.Results[j].Base()) == g.args[r.Alias].base
}

// shared returns memory that the backend chose for a result and that another result or an
// argument has, too.
func (g *given) shared(x *Executable, c *backends.Call) (a, b span, found bool) {
	s := g.spans[:0]
	for i := range c.Args {
		for lo, hi := range c.Args[i].Spans {
			s = append(s, span{lo: lo, hi: hi, index: i})
		}
	}
	for j := range c.Results {
		brought := j < len(g.results) && g.results[j].view
		if !brought && g.donated(c, j, &x.sig.Results[j]) {
			continue // the argument is there already
		}
		for lo, hi := range c.Results[j].Spans {
			s = append(s, span{lo: lo, hi: hi, index: j, result: true, fresh: !brought})
		}
	}
	g.spans = s
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
