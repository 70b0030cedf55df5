package border

import (
	"cmp"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
)

// span is memory of an argument or a result.
type span struct {
	lo, hi uintptr
	index  int
	result bool
	fresh  bool // the backend chose it
}

// hasMemory reports whether the call has memory for result j.
func (g *snapshot) hasMemory(j int) bool { return j < len(g.results) && g.results[j].dtype.Valid() }

// accept holds what the call is now to the contract.
func (g *snapshot) accept(x *Executable, c *backends.Call, r *record) error {
	refuse := func(format string, args ...any) error { return x.backend.refuse(execute, format, args...) }
	if len(c.Results) != len(x.sig.Results) {
		return refuse("it gave %s of %d", diag.Count(len(c.Results), "result"), len(x.sig.Results))
	}
	if len(c.Args) != len(g.args) {
		return refuse("it left %s of %d", diag.Count(len(c.Args), "argument"), len(g.args))
	}
	for i := range c.Args {
		if !g.args[i].same(&c.Args[i], x.argType(i), r.layout(i)) {
			return refuse("it changed argument %d", i)
		}
	}
	fresh, made := 0, r.given()
	for j := range c.Results {
		v, want := &c.Results[j], &x.sig.Results[j]
		if g.hasMemory(j) {
			was, l := &g.results[j], r.layout(len(g.args)+j)
			switch {
			case was.same(v, &want.Type, l):
				continue
			case v.Start() != was.first:
				return refuse("result %d is not in the memory that the call has for it", j)
			}
			if err := backends.Fits(*v, want.Type); err != nil {
				return refuse("result %d: %v", j, err)
			}
			if !was.lies(v, &want.Type, l) {
				return refuse("result %d is %v, and must be laid out as the memory that the call has for it", j, *v)
			}
			continue
		}
		if g.over(v, want) || took(&made, v, &want.Type) {
			continue
		}
		if err := fitsDense(v, want.Type); err != nil {
			return refuse("result %d: %v", j, err)
		}
		if donated(c, j, want) {
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
	if a, b, found := r.shared(x, c, g); found {
		switch {
		case a.result && b.result:
			return refuse("results %d and %d are in one memory", min(a.index, b.index), max(a.index, b.index))
		case b.result:
			a, b = b, a
		}
		return refuse("result %d is in the memory of argument %d, which is not donated to it", a.index, b.index)
	}
	for j := range c.Results {
		v := &c.Results[j]
		if !g.hasMemory(j) && v.Remote() == nil && !donated(c, j, &x.sig.Results[j]) && !r.contains(v) {
			return refuse("result %d is not in memory that Call.Make gave for this run: what it holds would change in the next one", j)
		}
	}
	return nil
}

// over reports the common case of a result that an argument is donated to: v is plain and
// in the memory of that argument, which is plain, too. See [donated] for the others.
func (g *snapshot) over(v *soa.View, r *backends.Result) bool {
	if r.Alias < 0 || r.Alias >= len(g.args) {
		return false
	}
	a := &g.args[r.Alias]
	return a.plain && a.first == v.Base() && v.Plain(&r.Type)
}

// took reports the common case of a result that the backend chose memory for: v is plain, and
// fits the first span of made that begins where v does. It drops this span and those before
// it from made. So results for which it is true, asked one after the other, share no memory.
func took(made *[]span, v *soa.View, t *types.Type) bool {
	at := uintptr(v.Base())
	for i, m := range *made {
		if m.lo == at {
			*made = (*made)[i+1:]
			return v.Plain(t) && uintptr(t.Bytes()) <= m.hi-m.lo
		}
	}
	return false
}

// donated reports whether result j is the argument that is donated to it.
func donated(c *backends.Call, j int, r *backends.Result) bool {
	return r.Alias >= 0 && c.Results[j].Base() == c.Args[r.Alias].Base() && c.Args[r.Alias].Table == nil && c.Args[r.Alias].IsDense()
}

// shared returns memory that the backend chose for a result and that another result or an
// argument has, too.
func (r *record) shared(x *Executable, c *backends.Call, g *snapshot) (a, b span, found bool) {
	s := r.spans[:0]
	for i := range c.Args {
		for lo, hi := range c.Args[i].Spans {
			s = append(s, span{lo: lo, hi: hi, index: i})
		}
	}
	for j := range c.Results {
		callers := g.hasMemory(j)
		if !callers && donated(c, j, &x.sig.Results[j]) {
			continue // the argument is there already
		}
		for lo, hi := range c.Results[j].Spans {
			s = append(s, span{lo: lo, hi: hi, index: j, result: true, fresh: !callers})
		}
	}
	r.spans = s
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
