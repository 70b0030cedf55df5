package lazy

import (
	"slices"
	"unsafe"

	"ltc/ir"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/programs"
)

// Reuse turns reuse of traces on or off; it is on in a new trace, unless the
// environment variable LTC_REUSE_IR is 0. A step that records what an earlier
// one did, from the same lines, gets the nodes of then, and its program without
// a search. What programs compute does not depend on it. A step in the midst of
// which tensors are read starts anew. It returns the setting before.
func (tr *Trace) Reuse(on bool) (before bool) {
	tr = tr.some()
	before, tr.reuse = tr.reuse, on
	tr.b.Reuse(on)
	return before
}

// memo is what is known of steps that follow one path to its end: the program
// for these results, and the nodes whose values are its arguments.
type memo struct {
	results, alias []*ir.Node
	params         []*ir.Node
	args           []int // of each result, the argument it takes the memory of
	program        *programs.Program
}

// recall fills f and the assignments from an equal step before; it returns
// false when there is none.
func (r *run) recall(tr *Trace, f *flight) bool {
	p := tr.b.Path()
	if p == nil {
		return false
	}
	m, _ := p.Note.(*memo)
	if m == nil || !slices.Equal(m.results, r.results) || !slices.Equal(m.alias, r.alias) {
		return false
	}
	if checking && !r.confirms(tr, m) {
		panic("lazy: a step that follows an earlier one is another program")
	}
	for _, n := range m.params {
		// Donated memory, or an error, makes it another program.
		if v, ok := n.Value.(*value); !ok || v.donor.Load() != nil || v.gone.Load() != nil {
			return false
		}
	}
	for _, n := range m.params {
		f.argument(tr, n, n.Value.(*value))
	}
	r.donors = r.donors[:0]
	tr.dev.count(metrics.CachedCompile, &tr.counters)
	tr.dev.captured(m.program.Graph)
	tr.dev.programs.Used(m.program)
	r.take(f, m.program, m.args)
	return true
}

// confirms compares the step with the program of the path that it has followed.
func (r *run) confirms(tr *Trace, m *memo) bool {
	tr.b.Capture(&r.graph, nil, r.results, r.alias)
	return ir.Equal(m.program.Graph, &r.graph) && slices.Equal(r.graph.Params, m.params)
}

// remember notes the program of a step that has followed an earlier one.
func (r *run) remember(tr *Trace, p *programs.Program) {
	if path := tr.b.Path(); path != nil && len(r.donors) == 0 {
		path.Note = &memo{
			results: slices.Clone(r.results), alias: slices.Clone(r.alias),
			params: slices.Clone(r.graph.Params), args: slices.Clone(r.graph.Alias), program: p,
		}
	}
}

// Handles of steps that follow an earlier one come many to an allocation, as the
// nodes under them are there anyway. Handles that are about to get a value come
// only few together, and so do the values: one that a program keeps keeps the
// others alive.
const (
	handleSlab = (16<<10 - 8) / int(unsafe.Sizeof(Tensor{})) // with the allocator's word one of its sizes; the next is 18 KiB
	rootSlab   = 8
	smallRoot  = 4 << 10 // bytes; others come alone
)

// handle returns a zero Tensor for node n.
func (tr *Trace) handle(n *ir.Node) *Tensor {
	switch {
	case !tr.b.Following() || n.Root && n.Type.Bytes() > smallRoot:
		return &Tensor{}
	case n.Root:
		return tr.roots.next(rootSlab)
	}
	return tr.handles.next(handleSlab)
}

// pending is the value of the root t that f is to make.
func (tr *Trace) pending(t *Tensor, f *flight) *value {
	if !t.node.Root || t.node.Type.Bytes() > smallRoot {
		return pending(f, "", t.node.Type)
	}
	v := tr.values.next(rootSlab)
	v.view.Type = t.node.Type
	v.from.Store(f)
	return v
}

// slab is memory to use, from at on. Taking from it changes a number and no pointer,
// which the collector would want to know of.
type slab[T any] struct {
	all []T
	at  int
}

// next takes one from a slab, a new one of n if it is empty.
func (s *slab[T]) next(n int) *T {
	if s.at == len(s.all) {
		s.all, s.at = make([]T, n), 0
	}
	x := &s.all[s.at]
	s.at++
	return x
}
