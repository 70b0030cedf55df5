package lazy

import (
	"fmt"
	"slices"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/region"
)

// If records both functions and returns the results of then where the scalar pred holds,
// and those of els elsewhere. When the step runs, only one of the two is computed.
//
// The functions are called once, now. Each returns at least one tensor, and both as many, of
// the same types. They may use any tensor of tr, variables and values. They may not assign
// variables or write what they have not recorded: see docs/controlflow.md. Gradients go
// through both. The tensors returned are poisoned when something is wrong.
func If(pred *Tensor, then, els func(tr *Trace) []*Tensor) []*Tensor {
	const op = "if"
	tr, bad := controlTrace(op, pred)
	if bad != nil {
		return failed(bad, 1)
	}
	site := tr.site()
	if pred.DType() != Bool || pred.Rank() != 0 {
		return failed(tr.poisoned(opError(site, op, ErrType, []*Tensor{pred}, "pred must be a bool scalar; compare, and reduce with Max or Min")), 1)
	}
	return tr.branches(op, site, pred, []string{"the first function", "the second function"}, []func(*Trace) []*Tensor{then, els})
}

// Case records all branches and returns the results of the one that the integer scalar index
// chooses: of the last when there is none at index, as below 0. Otherwise it is like [If].
func Case(index *Tensor, branches ...func(tr *Trace) []*Tensor) []*Tensor {
	const op = "case"
	tr, bad := controlTrace(op, index)
	if bad != nil {
		return failed(bad, 1)
	}
	site := tr.site()
	if !index.DType().IsInteger() || index.Rank() != 0 {
		return failed(tr.poisoned(opError(site, op, ErrType, []*Tensor{index}, "index must be an integer scalar")), 1)
	}
	if len(branches) == 0 {
		return failed(tr.poisoned(opError(site, op, ErrUsage, []*Tensor{index}, "there are no branches: give it one or more")), 1)
	}
	names := make([]string, len(branches))
	for i := range names {
		names[i] = fmt.Sprintf("branch %d", i)
	}
	return tr.branches(op, site, narrowIndex(index, len(branches)), names, branches)
}

// narrowIndex returns index as i32: numbers that are none of n branches stay none.
func narrowIndex(index *Tensor, n int) *Tensor {
	if index.DType() == I32 {
		return index
	}
	known := index.Less(index.like(float64(min(n, 127))))
	if index.DType().IsSigned() {
		known = known.And(index.GreaterEqual(index.like(0)))
	}
	if n > 127 { // such an index is exact in i64
		wide := index.Convert(I64)
		known = wide.Less(wide.like(float64(n))).And(wide.GreaterEqual(wide.like(0)))
	}
	return known.WhereScalar(index.Convert(I32), float64(n-1))
}

// branches records the functions as the bodies of a Case.
func (tr *Trace) branches(op string, site callsite.Site, index *Tensor, names []string, fs []func(*Trace) []*Tensor) []*Tensor {
	closures, ys := make([]*closure, len(fs)), make([][]*Tensor, len(fs))
	for i, f := range fs {
		c := tr.newClosure(op, names[i], site)
		var err *OpError
		if f == nil {
			err = opError(site, op, ErrUsage, nil, "%s is nil", c.What)
		} else {
			ys[i], err = tr.recordClosure(c, func() []*Tensor { return f(tr) })
		}
		switch {
		case err != nil:
		case len(ys[i]) == 0:
			err = opError(site, op, ErrUsage, nil, "%s returns no tensor, must return one or more", c.What)
		case i > 0:
			err = sameResults(closures[0], c, ys[0], ys[i])
		}
		if err != nil {
			return failed(tr.poisoned(err), max(len(ys[0]), len(ys[i])))
		}
		closures[i] = c
	}
	return tr.control(ir.OpCase, op, site, []*Tensor{index}, nil, len(ys[0]), closures...)
}

// control records a node of control flow: on the operands given, and what the closures take from
// outside.
func (tr *Trace) control(code ir.Op, op string, site callsite.Site, given []*Tensor, attrs []ir.Attr, results int, closures ...*closure) []*Tensor {
	ys := make([]*Tensor, results)
	if !tr.enter() {
		putAll(ys, tr.poisoned(tr.crowded(op, given...)))
		return ys
	}
	defer tr.leave()
	regions := make([]*region.Region, len(closures))
	for i, c := range closures {
		regions[i] = c.Region
	}
	body, captured := region.Graphs(regions...)
	if code == ir.OpComposite {
		body.Name = ir.Checkpoint
		if c := closures[0]; c.custom > 0 {
			body.Name, body.Params = ir.CustomGrad, []ir.Param{{Name: "number", Int: c.custom}}
		}
	}
	in := make([]*ir.Node, len(given), len(given)+len(captured))
	for i, x := range given {
		if in[i] = tr.operand(x); in[i] == nil {
			putAll(ys, tr.refuse(op, given...))
			return ys
		}
	}
	in = append(in, captured...)
	defer tr.at(site)()
	tr.b.SetLoc(site)
	tr.tally.Alone(int(code))
	n, err := tr.b.Node(code, in, attrs, body)
	tr.results(ys, n, err)
	return ys
}

// controlTrace returns the trace that a call of control flow belongs to, or the poisoned
// result of one without.
func controlTrace(op string, xs ...*Tensor) (tr *Trace, bad *Tensor) {
	if bad = firstBad(op, xs...); bad != nil {
		return nil, bad
	}
	if tr = traceOf(xs...); tr == nil {
		if len(xs) == 0 {
			return nil, &Tensor{err: opError(callsite.Caller(), op, ErrUsage, nil, "it is given no tensor, and belongs to no trace: give it one or more tensors of the trace")}
		}
		return nil, noTrace(op, xs...)
	}
	return tr, nil
}

// failed returns the results of a call that is not allowed: as many as are known of, and at
// least one.
func failed(bad *Tensor, n int) []*Tensor {
	ys := make([]*Tensor, max(n, 1))
	putAll(ys, bad)
	return ys
}

// A closure of control flow records into the trace that its call belongs to. Meanwhile the
// trace has a builder and an epoch of its own, those of a region. What the closure takes
// from outside is of another epoch: it becomes a parameter of the region, and an operand of
// the node that has the region.

// closure is a closure of control flow, and the region that it records.
type closure struct {
	*region.Region
	op   string // of the call: while
	loop *loop  // whose iteration it is; nil for a branch
	// custom is the number of a function of [CustomGrad]; 0 of others
	custom int
	// closed says that nothing can come from outside: it records a gradient, whose operands
	// are all there is.
	closed bool

	epoch uint32 // its own
	// what the trace has outside
	outer      *ir.Builder
	outerEpoch uint32
	scopes     int
	casts      int // of Autocast
	noGrads    int // of NoGrad

	read *OpError // of the first read of a value, which a caller may have dropped
}

// inClosure is the bit of epochs that closures have.
const inClosure = 1 << 31

// newClosure returns a closure that is not open yet.
func (tr *Trace) newClosure(op, what string, site callsite.Site) *closure {
	tr.epochs++
	return &closure{Region: region.New(what, site), op: op, epoch: tr.epochs | inClosure}
}

// open has the trace record in c until shut.
func (tr *Trace) open(c *closure) {
	if around := tr.closure(); around != nil {
		c.Outer = around.Region
	}
	c.outer, c.outerEpoch, c.scopes = tr.b, tr.epoch, len(tr.scopes)
	c.casts, c.noGrads = len(tr.casts), len(tr.noGrad)
	tr.closures = append(tr.closures, c)
	tr.b, tr.epoch = c.B, c.epoch
}

func (tr *Trace) shut(c *closure) {
	tr.closures = tr.closures[:len(tr.closures)-1]
	tr.b, tr.epoch, tr.scopes = c.outer, c.outerEpoch, tr.scopes[:c.scopes]
	tr.endCasts(c.casts)
	tr.endNoGrads(c.noGrads)
}

// closure returns the innermost open closure; nil if there is none, or no trace.
func (tr *Trace) closure() *closure {
	if tr == nil {
		return nil
	}
	if n := len(tr.closures); n > 0 {
		return tr.closures[n-1]
	}
	return nil
}

// atDepth has f record with only the outermost k of the open closures open.
func (tr *Trace) atDepth(k int, f func()) {
	if k == len(tr.closures) {
		f()
		return
	}
	closures, b, epoch := tr.closures, tr.b, tr.epoch
	defer func() { tr.closures, tr.b, tr.epoch = closures, b, epoch }()
	tr.closures, tr.b, tr.epoch = slices.Clip(closures[:k]), closures[k].outer, closures[k].outerEpoch
	f()
}

// capture is operand in a region for what was not recorded in it: the parameter that has
// the value of t outside. A view that the region made, or of what it made, is recorded anew on
// its base. Other views are taken from outside like any tensor: gradients by them need their nodes.
func (tr *Trace) capture(t *Tensor) (p *ir.Node) {
	c := tr.closure()
	if t.isView() && (t.alias.closure == c.epoch || t.alias.root.epoch == c.epoch) {
		return tr.derive(t)
	}
	if c.closed {
		return nil
	}
	var n *ir.Node
	tr.atDepth(len(tr.closures)-1, func() { n = tr.operand(t) })
	if n == nil {
		return nil
	}
	return c.Parameter(n)
}

// formalParameter returns a tensor for a further parameter that the closure is given. The
// closure is open. It has gradients if like has.
func (c *closure) formalParameter(tr *Trace, t types.Type, like *Tensor) *Tensor {
	return tr.wrap(c.AddFormal(t, like != nil && (like.storage().v != nil || like.node != nil && like.node.Tracked())))
}

// recordClosure opens c, has f record its results, and shuts it. What keeps the closure
// from having results is the error, which the call returns: a panic is one unless the device
// is strict.
func (tr *Trace) recordClosure(c *closure, f func() []*Tensor) (ys []*Tensor, err *OpError) {
	tr.open(c)
	returned := false
	defer func() {
		if tr.closure() != c { // a hook of nodes has panicked within
			i := slices.Index(tr.closures, c)
			tr.closures = tr.closures[:i+1]
		}
		tr.shut(c)
		if returned || tr.dev.strict {
			return
		}
		if e := recover(); e != nil {
			err = opError(c.Site, c.op, ErrUsage, nil, "%s panicked at %v: %v", c.What, callsite.Caller(), e) // below the deferred call is what panicked
		}
	}()
	if !tr.enter() {
		err = tr.crowded(c.op)
		returned = true
		return nil, err
	}
	tr.leave()
	ys = f()
	if c.read != nil {
		returned = true
		return ys, c.read
	}
	results := make([]*ir.Node, len(ys))
	for i, y := range ys {
		if err = tr.resultError(c, i, y); err != nil {
			break
		}
		results[i] = tr.operand(y)
	}
	c.Return(results...)
	returned = true
	return ys, err
}

// resultError returns why y, result i of a closure, is none; nil if it is one.
func (tr *Trace) resultError(c *closure, i int, y *Tensor) *OpError {
	switch {
	case y == nil || y.dev == nil && y.err == nil:
		return opError(c.Site, c.op, ErrUsage, nil, "result %d of %s is nil", i, c.What)
	case tr.operand(y) == nil:
		return tr.refusal(c.op, y)
	}
	return nil
}

// withinClosure returns the error of a call that a closure of control flow must not make;
// nil outside of one.
func (tr *Trace) withinClosure(op string, xs ...*Tensor) *OpError {
	c := tr.closure()
	if c == nil {
		return nil
	}
	return opError(tr.site(), op, ErrUsage, xs,
		"it is called in %s of the %s at %v, which records what is run later: return the tensor from it, and call this afterwards", c.What, c.op, c.Site)
}

// gone reports whether t was recorded in a closure that is over.
func (tr *Trace) gone(t *Tensor) bool {
	return t.epoch&inClosure != 0 && !slices.ContainsFunc(tr.closures, func(c *closure) bool { return c.epoch == t.epoch })
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
	c := tr.closure()
	switch {
	case c == nil || s.err != nil || s.epoch == tr.epoch && s.v == nil && s.val == nil:
		return nil
	case s.v != nil:
		return opError(site, op, ErrUsage, operands,
			"variable %q is assigned in %s of the %s at %v, which may run any number of times: return the new value from it, and assign that afterwards", s.v.name, c.What, c.op, c.Site)
	}
	return opError(site, op, ErrUsage, operands,
		"%s of the %s at %v cannot write %s made at %v, which it has not recorded: write a Clone, and return that", c.What, c.op, c.Site, s.kind(), s.madeAt())
}

// sameResults returns why the results of two closures cannot stand for each other, as n
// results each; nil if they can.
func sameResults(a, b *closure, x, y []*Tensor) *OpError {
	if len(x) != len(y) {
		return opError(a.Site, a.op, ErrType, nil, "%s has %s, and %s %s", a.What, diag.Count(len(x), "result"), b.What, diag.Count(len(y), "result"))
	}
	for i := range x {
		if !x[i].Type().Equal(y[i].Type()) {
			return opError(a.Site, a.op, ErrType, nil, "result %d is %v in %s, of %v, and %v in %s, of %v",
				i, x[i].Type(), a.What, x[i].madeAt(), y[i].Type(), b.What, y[i].madeAt())
		}
	}
	return nil
}

// whyNotInClosure is whyNot for what closures of control flow have recorded, or would take
// from outside.
func (tr *Trace) whyNotInClosure(op string, i int, xs []*Tensor) *OpError {
	x := xs[i].storage()
	c := tr.closure()
	switch {
	case x.tr == tr && tr.gone(x):
		return opError(tr.site(), op, ErrStale, xs,
			"%s was made at %v in a closure of control flow that has returned: return the tensor from the closure, and use the result", nounOf(i, xs), xs[i].madeAt())
	case c != nil && c.closed:
		return opError(tr.site(), op, ErrUsage, xs, "a gradient within control flow is made of the operands alone, and %s, made at %v, is none", nounOf(i, xs), xs[i].madeAt())
	}
	return nil
}
