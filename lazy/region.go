package lazy

import (
	"slices"
	"strings"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// A closure of control flow records into the trace that its call belongs to. Meanwhile the
// trace has a builder and an epoch of its own, those of a region. What the closure takes
// from outside is of another epoch: it becomes a parameter of the region, and an operand of
// the node that has the region.

// region is what a closure records.
type region struct {
	op   string        // of the call: while
	what string        // the closure: the body
	site callsite.Site // of the call
	loop *loop         // whose iteration it is; nil for a branch
	// closed says that nothing can come from outside: it records a gradient, whose operands
	// are all there is.
	closed bool

	b     *ir.Builder // its own
	epoch uint32
	// what the trace has outside
	outer      *ir.Builder
	outerEpoch uint32
	scopes     int

	formal   []*ir.Node            // parameters that the closure is given
	captured map[*ir.Node]*ir.Node // by node outside: the parameter that it is
	outside  map[*ir.Node]*ir.Node // by parameter: the node outside that it is
	results  []*ir.Node
	read     *OpError // of the first read of a value, which a caller may have dropped
}

// inRegion is the bit of epochs that regions have.
const inRegion = 1 << 31

// newRegion returns a region that is not open yet.
func (tr *Trace) newRegion(op, what string, site callsite.Site) *region {
	tr.epochs++
	return &region{op: op, what: what, site: site, b: ir.NewBuilder(shapeinfer.Infer), epoch: tr.epochs | inRegion,
		captured: map[*ir.Node]*ir.Node{}, outside: map[*ir.Node]*ir.Node{}}
}

// open has the trace record in r until shut.
func (tr *Trace) open(r *region) {
	r.outer, r.outerEpoch, r.scopes = tr.b, tr.epoch, len(tr.scopes)
	tr.regions = append(tr.regions, r)
	tr.b, tr.epoch = r.b, r.epoch
}

func (tr *Trace) shut(r *region) {
	tr.regions = tr.regions[:len(tr.regions)-1]
	tr.b, tr.epoch, tr.scopes = r.outer, r.outerEpoch, tr.scopes[:r.scopes]
}

// region returns the innermost open region; nil if there is none, or no trace.
func (tr *Trace) region() *region {
	if tr == nil {
		return nil
	}
	if n := len(tr.regions); n > 0 {
		return tr.regions[n-1]
	}
	return nil
}

// atDepth has f record with only the outermost k of the open regions open.
func (tr *Trace) atDepth(k int, f func()) {
	if k == len(tr.regions) {
		f()
		return
	}
	regions, b, epoch := tr.regions, tr.b, tr.epoch
	defer func() { tr.regions, tr.b, tr.epoch = regions, b, epoch }()
	tr.regions, tr.b, tr.epoch = slices.Clip(regions[:k]), regions[k].outer, regions[k].outerEpoch
	f()
}

// capture is operand in a region for what was not recorded in it: the parameter that has
// the value of t outside. A view that the region made, or of what it made, is recorded anew on
// its base. Other views are taken from outside like any tensor: gradients by them need their nodes.
func (tr *Trace) capture(t *Tensor) (p *ir.Node) {
	r := tr.region()
	if t.isView() && (t.alias.region == r.epoch || t.alias.root.epoch == r.epoch) {
		return tr.derive(t)
	}
	if r.closed {
		return nil
	}
	var n *ir.Node
	tr.atDepth(len(tr.regions)-1, func() { n = tr.operand(t) })
	if n == nil {
		return nil
	}
	return r.parameter(n)
}

// parameter returns the parameter of r that is n outside.
func (r *region) parameter(n *ir.Node) *ir.Node {
	if p := r.captured[n]; p != nil {
		return p
	}
	loc := r.b.SetLoc(n.Loc)
	p := r.unnamed(n.Type, n.Tracked())
	r.b.SetLoc(loc)
	r.captured[n], r.outside[p] = p, n
	return p
}

// unnamed adds a parameter without a name. A tracked one has gradients.
func (r *region) unnamed(t types.Type, tracked bool) *ir.Node {
	if tracked {
		return r.b.Variable(t, "", nil)
	}
	return r.b.Parameter(t, "", nil)
}

// formalParameter returns a tensor for a further parameter that the closure is given. The
// region is open. It has gradients if like has.
func (r *region) formalParameter(tr *Trace, t types.Type, like *Tensor) *Tensor {
	r.b.SetLoc(r.site)
	n := r.unnamed(t, like != nil && (like.storage().v != nil || like.node != nil && like.node.Tracked()))
	r.formal = append(r.formal, n)
	return tr.wrap(n)
}

// graphs returns the graphs of regions of one node: their parameters are those that each was
// given, then what any of them takes from outside, which is the second result.
func graphs(regions ...*region) (body *ir.Composite, captured []*ir.Node) {
	known := map[*ir.Node]bool{}
	all := make([]*ir.Graph, len(regions))
	for i, r := range regions {
		all[i] = &ir.Graph{Name: strings.ReplaceAll(strings.TrimPrefix(r.what, "the "), " ", "_")}
		r.b.Capture(all[i], r.formal, r.results, nil)
		for _, p := range all[i].Params[len(r.formal):] {
			if n := r.outside[p]; !known[n] {
				known[n] = true
				captured = append(captured, n)
			}
		}
	}
	for i, r := range regions {
		params := slices.Clone(r.formal)
		for _, n := range captured {
			params = append(params, r.parameter(n))
		}
		r.b.Capture(all[i], params, r.results, nil)
	}
	return &ir.Composite{Graph: all[0], More: all[1:]}, captured
}

// recordRegion opens r, has f record the region's results, and shuts it. What keeps the closure
// from having results is the error, which the call returns: a panic is one unless the device
// is strict.
func (tr *Trace) recordRegion(r *region, f func() []*Tensor) (ys []*Tensor, err *OpError) {
	tr.open(r)
	returned := false
	defer func() {
		if tr.region() != r { // a hook of nodes has panicked within
			i := slices.Index(tr.regions, r)
			tr.regions = tr.regions[:i+1]
		}
		tr.shut(r)
		if returned || tr.dev.strict {
			return
		}
		if e := recover(); e != nil {
			err = opError(r.site, r.op, ErrUsage, nil, "%s panicked at %v: %v", r.what, callsite.Caller(), e) // below the deferred call is what panicked
		}
	}()
	if !tr.enter() {
		err = tr.crowded(r.op)
		returned = true
		return nil, err
	}
	tr.leave()
	ys = f()
	if r.read != nil {
		returned = true
		return ys, r.read
	}
	r.results = make([]*ir.Node, len(ys))
	for i, y := range ys {
		if err = tr.resultError(r, i, y); err != nil {
			break
		}
		r.results[i] = tr.operand(y)
	}
	returned = true
	return ys, err
}

// resultError returns why y, result i of a closure, is none; nil if it is one.
func (tr *Trace) resultError(r *region, i int, y *Tensor) *OpError {
	switch {
	case y == nil || y.dev == nil && y.err == nil:
		return opError(r.site, r.op, ErrUsage, nil, "result %d of %s is nil", i, r.what)
	case tr.operand(y) == nil:
		return tr.refusal(r.op, y)
	}
	return nil
}

// withinRegion returns the error of a call that a closure of control flow must not make;
// nil outside of one.
func (tr *Trace) withinRegion(op string, xs ...*Tensor) *OpError {
	r := tr.region()
	if r == nil {
		return nil
	}
	return opError(tr.site(), op, ErrUsage, xs,
		"it is called in %s of the %s at %v, which records what is run later: return the tensor from it, and call this afterwards", r.what, r.op, r.site)
}

// gone reports whether t was recorded in a region that is over.
func (tr *Trace) gone(t *Tensor) bool {
	return t.epoch&inRegion != 0 && !slices.ContainsFunc(tr.regions, func(r *region) bool { return r.epoch == t.epoch })
}

// madeAt returns the line that made t.
func (t *Tensor) madeAt() callsite.Site {
	switch {
	case t.v != nil:
		return t.v.made
	case t.isView():
		return t.alias.loc
	case t.node != nil:
		return t.node.Loc
	}
	return t.loc
}

// notWritableHere returns why t, whose storage is s, cannot be written in a closure; nil when
// it can.
func (tr *Trace) notWritableHere(op string, site callsite.Site, s *Tensor, operands []*Tensor) *OpError {
	r := tr.region()
	switch {
	case r == nil || s.err != nil || s.epoch == tr.epoch && s.v == nil && s.val == nil:
		return nil
	case s.v != nil:
		return opError(site, op, ErrUsage, operands,
			"variable %q is assigned in %s of the %s at %v, which may run any number of times: return the new value from it, and assign that afterwards", s.v.name, r.what, r.op, r.site)
	}
	return opError(site, op, ErrUsage, operands,
		"%s of the %s at %v cannot write %s made at %v, which it has not recorded: write a Clone, and return that", r.what, r.op, r.site, s.kind(), s.madeAt())
}

// sameResults returns why the results of two closures cannot stand for each other, as n
// results each; nil if they can.
func sameResults(a, b *region, x, y []*Tensor) *OpError {
	if len(x) != len(y) {
		return opError(a.site, a.op, ErrType, nil, "%s has %s, and %s %s", a.what, diag.Count(len(x), "result"), b.what, diag.Count(len(y), "result"))
	}
	for i := range x {
		if !x[i].Type().Equal(y[i].Type()) {
			return opError(a.site, a.op, ErrType, nil, "result %d is %v in %s, of %v, and %v in %s, of %v",
				i, x[i].Type(), a.what, x[i].madeAt(), y[i].Type(), b.what, y[i].madeAt())
		}
	}
	return nil
}

// whyNotInRegion is whyNot for what closures of control flow have recorded, or would take
// from outside.
func (tr *Trace) whyNotInRegion(op string, i int, xs []*Tensor) *OpError {
	x := xs[i].storage()
	r := tr.region()
	switch {
	case x.tr == tr && tr.gone(x):
		return opError(tr.site(), op, ErrStale, xs,
			"%s was made at %v in a closure of control flow that has returned: return the tensor from the closure, and use the result", nounOf(i, xs), xs[i].madeAt())
	case r != nil && r.closed:
		return opError(tr.site(), op, ErrUsage, xs, "a gradient within control flow is made of the operands alone, and %s, made at %v, is none", nounOf(i, xs), xs[i].madeAt())
	}
	return nil
}
