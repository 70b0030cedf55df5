package lazy

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"ltc/autodiff"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/lazy/internal/region"
)

// Grad records the gradients of the floating-point scalar y with respect to
// tensors of its step: variables, values, or anything y was computed from. The
// gradient with respect to what y does not depend on is zero. A variable counts
// as it is now in the trace: take gradients before assigning it.
//
// Tensors that the same op has made of the same operands are one, and have one
// gradient. Numbers of ops ([Const]) are such operands while they are constants.
//
// In a closure, as of [Vmap], gradients go through what the closure records. If y depends on a tensor
// of wrt also through what was computed from it outside, that is an error: compute it in the closure,
// or use its [Tensor.Stop].
//
// The gradient with respect to a complex tensor x + iy is PyTorch's: the derivative by x plus i times
// that by y. Its negative is the direction of steepest descent.
//
// When something is wrong, all tensors returned are poisoned.
func Grad(y *Tensor, wrt ...*Tensor) []*Tensor {
	return zerosForNil(y, GradOrNil(y, wrt...), wrt)
}

// zerosForNil puts zeros of the types of wrt in place of the gradients of y that are nil.
func zerosForNil(y *Tensor, grads, wrt []*Tensor) []*Tensor {
	for i, g := range grads {
		if g == nil {
			grads[i] = Zeros(y.tr, wrt[i].DType(), wrt[i].OpenShape()...)
		}
	}
	return grads
}

// GradOrNil is [Grad] that returns nil in place of the gradient with respect to what y does not
// depend on, as PyTorch's grad with allow_unused does.
func GradOrNil(y *Tensor, wrt ...*Tensor) []*Tensor {
	grads, err := gradients("grad", y, nil, wrt)
	if err != nil {
		return slices.Repeat([]*Tensor{err}, len(wrt))
	}
	return grads
}

// gradients records gradients of y: of a scalar if ct is nil, else of the sum of the products
// of the elements of y and ct. The gradient with respect to what y does not depend on is nil.
func gradients(op string, y, ct *Tensor, wrt []*Tensor) (grads []*Tensor, bad *Tensor) {
	if t := firstBad(op, y); t != nil {
		return nil, t
	}
	tr := y.tr
	if tr == nil {
		return nil, noTrace(op, y)
	}
	site := tr.site()
	if ct != nil {
		if !y.DType().Continuous() || !ct.Type().Equal(y.Type()) {
			return nil, tr.poisoned(opError(site, op, ErrType, []*Tensor{y, ct},
				"the tensor to differentiate must be floating-point or complex, and its gradient of the same type"))
		}
	} else if y.DType().IsComplex() {
		return nil, tr.poisoned(opError(site, op, ErrType, []*Tensor{y},
			"the tensor to differentiate must be a floating-point scalar, and is complex; take its Abs, Real or Imag and reduce it, or give its gradient to VJP"))
	} else if y.Rank() != 0 || !y.DType().IsFloat() {
		return nil, tr.poisoned(opError(site, op, ErrType, []*Tensor{y},
			"the tensor to differentiate must be a floating-point scalar; reduce it with Sum or Mean"))
	}
	root := tr.operand(y)
	if root == nil {
		return nil, tr.refuse(op, y)
	}
	nodes, bad := tr.differentiable(op, y, wrt)
	if bad != nil {
		return nil, bad
	}
	if op == "backward" && root.Op == ir.OpStop && !slices.Contains(nodes, root) {
		return nil, tr.poisoned(opError(site, op, ErrUsage, []*Tensor{y},
			"nothing that y depends on has a gradient: y was recorded in a scope of NoGrad, or by Stop, at %v; record it outside", root.Loc))
	}
	if root.Op == ir.OpParameter && !root.Tracked() && !isNumber(root) && !slices.Contains(nodes, root) {
		if c := tr.closure(); c != nil {
			return nil, tr.poisoned(opError(site, op, ErrUsage, []*Tensor{y},
				"the tensor comes from outside of %s of the %s at %v: take its gradient there", c.What, c.op, c.Site))
		}
		return nil, tr.poisoned(opError(site, op, ErrUsage, []*Tensor{y},
			"the tensor is a value, what it was computed from is gone; take its gradient in the step that computes it, before MarkStep"))
	}
	if c := tr.closure(); c != nil {
		if i, through := region.Around(c.Region, root, nodes); through != nil {
			return nil, tr.poisoned(opError(site, op, ErrUsage, []*Tensor{y, wrt[i]},
				"y depends on the tensor to differentiate by also through the %v at %v, which is outside of %s of the %s at %v, where gradients of it do not go: compute it there, or use its Stop as a constant",
				through.Op, through.Loc, c.What, c.op, c.Site))
		}
	}
	defer tr.at(site)()
	if ct == nil {
		if ct = Ones(tr, y.DType()); ct.err != nil {
			return nil, ct
		}
	}
	given := tr.operand(ct.conjugate())
	if given == nil {
		return nil, tr.refuse(op, y, ct)
	}
	found, err := autodiff.Reverse(tr.b, root, given, nodes, tr.vjp, tr.gradHook())
	if err != nil {
		return nil, tr.poisoned(opError(site, op, ErrType, []*Tensor{y}, "%v", err))
	}
	grads = make([]*Tensor, len(wrt))
	for i, g := range found {
		if g != nil {
			grads[i] = tr.wrap(tr.cut(g)).conjugate()
			continue
		}
		if err := tr.noneFor(op, y, wrt[i]); err != nil {
			return nil, tr.poisoned(err)
		}
	}
	return grads, nil
}

// differentiable returns the nodes of the tensors that y is to be differentiated
// by, or a poisoned tensor when there is no gradient with respect to one.
func (tr *Trace) differentiable(op string, y *Tensor, wrt []*Tensor) (nodes []*ir.Node, bad *Tensor) {
	nodes = make([]*ir.Node, len(wrt))
	for i, x := range wrt {
		if nodes[i] = tr.operand(x); nodes[i] == nil {
			return nil, tr.refuse(op, x)
		}
		if !x.DType().Continuous() {
			return nil, tr.poisoned(opError(tr.site(), op, ErrType, []*Tensor{y, x}, "there is no gradient with respect to a tensor of %v", x.DType()))
		}
		if v := x.storage().v; v != nil {
			if s := tr.state(v); s.now != s.param {
				return nil, tr.poisoned(opError(tr.site(), op, ErrUsage, []*Tensor{y, x},
					"variable %q was assigned at %v; take its gradient before", v.name, s.site))
			}
		}
	}
	return nodes, nil
}

// noneFor returns why there is no path from y to x though there may have been
// one; nil when y does not depend on x, so that the gradient is zero.
func (tr *Trace) noneFor(op string, y, x *Tensor) *OpError {
	if tr.forgotten {
		return opError(tr.site(), op, ErrUsage, []*Tensor{y},
			"more than %s were read in this step, and the gradient may go through one of them; call MarkStep now and then", diag.Count(maxRead, "tensor"))
	}
	if s := x.storage(); s.alias != nil && s.alias.wrote == tr.epoch {
		return opError(tr.site(), op, ErrUsage, []*Tensor{y, x},
			"the tensor to differentiate by was written at %v, and y does not depend on what it is now; take the gradient before, or write a Clone", s.alias.site)
	}
	return nil
}

// Backward records the gradients of y with respect to the variables that the step has read and not
// assigned, and adds them to what [Tensor.Grad] of each returns. Variables that y does not depend on keep
// what they have, and so do those that [Tensor.SetRequiresGrad] leaves out. If y is not a scalar, ct is the gradient of y, a tensor of its type.
//
// Gradients stay until [Tensor.ZeroGrad], also beyond MarkStep: they are results of each step until then,
// so that several batches can add to them. If a step fails, they are what they were before it.
//
// After an error no gradient has changed. In a closure of control flow Backward is an error: use [Grad] there. In
// a function of [Func] use the gradients and forget them before it returns. A variable's gradient belongs to one
// goroutine at a time.
func (y *Tensor) Backward(ct ...*Tensor) error {
	const op = "backward"
	if b := firstBad(op, y); b != nil {
		return b.err
	}
	if len(ct) > 1 {
		return y.misused(op, "it takes one gradient of y, or none if y is a scalar")
	}
	if b := firstBad(op, ct...); b != nil {
		return b.err
	}
	if y.tr == nil {
		return noTrace(op, y).err
	}
	if c := y.tr.closure(); c != nil {
		return opError(y.tr.site(), op, ErrUsage, []*Tensor{y}, "gradients cannot be added up in %s of the %s at %v: use Grad there, or call Backward outside", c.What, c.op, c.Site)
	}
	var wrt []*Tensor
	for _, s := range y.tr.order {
		if s.now == s.param && s.v.typ.DType.Continuous() && !s.v.frozen.On() {
			wrt = append(wrt, &Tensor{dev: s.v.dev, v: s.v})
		}
	}
	wrt = append(wrt, y.tr.retained...)
	var given *Tensor
	if len(ct) == 1 {
		given = ct[0]
	}
	grads, bad := gradients(op, y, given, wrt)
	if bad != nil {
		return bad.err
	}
	for i, w := range wrt {
		if old := w.Grad(); old != nil && grads[i] != nil {
			if grads[i] = old.Add(grads[i]); grads[i].err != nil {
				return grads[i].err
			}
		}
	}
	for i, w := range wrt {
		if grads[i] != nil {
			w.setGrad(grads[i].Keep())
		}
	}
	return nil
}

// Grad returns the gradient of t that [Tensor.Backward] has recorded; nil if there is none. It
// is a tensor of the step of Backward, and has a value once that is marked. t is a variable, or a tensor
// of [Tensor.RetainGrad].
func (t *Tensor) Grad() *Tensor {
	switch {
	case t == nil:
		return nil
	case t.v != nil:
		t.v.mu.Lock()
		defer t.v.mu.Unlock()
		return latest(&t.v.grad)
	case t.alias != nil:
		return latest(&t.alias.grad)
	}
	return nil
}

// latest drops gradients of steps that failed, and returns the latest other; nil if there is none.
func latest(at **gradient) *Tensor {
	for *at != nil && (*at).lost() {
		*at = (*at).before
	}
	if *at == nil {
		return nil
	}
	return (*at).t
}

// gradient is that of a tensor, and the one before its step, which counts if the step fails.
type gradient struct {
	t      *Tensor
	before *gradient
}

// lost reports whether the step of the gradient failed or was given up.
func (g *gradient) lost() bool {
	t := g.t
	if t.val == nil {
		return t.err != nil || t.epoch != t.tr.epoch
	}
	return t.val.failed() != nil
}

// ZeroGrad forgets the gradient of t: the next [Tensor.Backward] begins anew.
func (t *Tensor) ZeroGrad() {
	if t != nil && (t.v != nil || t.alias != nil) {
		t.setGrad(nil)
	}
}

// setGrad replaces the gradient of t; nil forgets it.
func (t *Tensor) setGrad(g *Tensor) {
	var at **gradient
	if v := t.v; v != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		at = &v.grad
	} else {
		at = &t.mem().grad
	}
	old := *at
	switch {
	case g == nil:
		*at = nil
	case old == nil:
		*at = &gradient{t: g}
	case old.t.val == nil: // of this step, too
		*at = &gradient{g, old.before}
	case old.t.val.ready():
		*at = &gradient{g, &gradient{t: old.t}}
	default:
		*at = &gradient{g, old}
	}
	if old != nil && old.t.val == nil {
		old.t.Release() // no result of the step any more
	}
}

// SetRequiresGrad says whether [Tensor.Backward] gives the variable t a gradient, as it does at first. It
// returns t. [Grad] does not look at it.
func (t *Tensor) SetRequiresGrad(on bool) *Tensor {
	if b := t.notVariable("set_requires_grad"); b != nil {
		return b
	}
	if on && !t.v.typ.DType.Continuous() {
		return t.misuse("set_requires_grad", fmt.Sprintf("there is no gradient with respect to a tensor of %v", t.v.typ.DType))
	}
	t.v.frozen.Set(!on)
	return t
}

// RequiresGrad reports whether [Tensor.Backward] gives the variable t a gradient.
func (t *Tensor) RequiresGrad() bool {
	return t.IsVariable() && t.v.typ.DType.Continuous() && !t.v.frozen.On()
}

// RetainGrad has [Tensor.Backward] give t, a tensor recorded in the current step, a gradient, as it gives
// variables one: [Tensor.Grad] returns it. It returns t.
func (t *Tensor) RetainGrad() *Tensor {
	const op = "retain_grad"
	if b := firstBad(op, t); b != nil {
		return b
	}
	switch {
	case t.v != nil:
		return t
	case t.tr == nil:
		return noTrace(op, t)
	case !t.DType().Continuous():
		return t.misuse(op, fmt.Sprintf("there is no gradient with respect to a tensor of %v", t.DType()))
	}
	if !t.tr.enter() {
		return t.tr.poisoned(t.tr.crowded(op, t))
	}
	defer t.tr.leave()
	if err := t.tr.withinClosure(op, t); err != nil {
		return t.tr.poisoned(err)
	}
	if t.tr.operand(t) == nil {
		return t.tr.refuse(op, t)
	}
	if !slices.Contains(t.tr.retained, t) {
		t.tr.retained = append(t.tr.retained, t)
	}
	return t
}

// gradHook is a function of [Tensor.OnGrad].
type gradHook struct {
	at callsite.Site
	f  func(g *Tensor) *Tensor
}

// OnGrad registers a gradient hook, PyTorch's register_hook: f is called with each gradient with respect to t that is
// taken, before it goes on to what t was computed from. f records ops on it, and returns the gradient to go on
// with, of its type; nil leaves it as it is. Functions are called in the order of OnGrad, until remove is called.
//
// Those of a variable are called in all steps from now on, in any trace, and those of another tensor in
// its step. Tensors that the same op has made of the same operands are one, and have the same functions.
// A mistake is the error of the next MarkStep. A value that belongs to no trace has no next step: there the
// mistake is a warning in the log, or a panic of a device that is [Strict]. Bring it in by Trace.Read. In a closure of
// control flow OnGrad is one: use [CustomGrad] there.
func (t *Tensor) OnGrad(f func(g *Tensor) *Tensor) (remove func()) {
	const op = "on_grad"
	if b := firstBad(op, t); b != nil {
		if tr := traceOf(t); tr != nil {
			tr.fail(b.err)
		}
		return func() {}
	}
	h := &gradHook{t.callSite(), f}
	if v := t.v; v != nil {
		if f == nil {
			t.v.lose(opError(h.at, op, ErrUsage, []*Tensor{t}, "the function is nil"))
			return func() {}
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		v.hooks = append(slices.Clip(v.hooks), h)
		return func() {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.hooks = slices.DeleteFunc(slices.Clone(v.hooks), func(x *gradHook) bool { return x == h })
		}
	}
	tr := t.tr
	if tr == nil {
		b := noTrace(op, t)
		t.dev.log(slog.LevelWarn, "a gradient hook is lost", slog.Any("err", b.err))
		return func() {}
	}
	if !tr.enter() {
		tr.crowded(op, t)
		return func() {}
	}
	defer tr.leave()
	err := tr.withinClosure(op, t)
	var n *ir.Node
	switch {
	case err != nil:
	case f == nil:
		err = opError(h.at, op, ErrUsage, []*Tensor{t}, "the function is nil")
	case !t.DType().Continuous():
		err = opError(h.at, op, ErrType, []*Tensor{t}, "there is no gradient with respect to a tensor of %v", t.DType())
	default:
		if n = tr.operand(t); n == nil {
			err = tr.refusal(op, t)
		}
	}
	if err != nil {
		tr.fail(err)
		return func() {}
	}
	if tr.gradHooks == nil {
		tr.gradHooks = map[*ir.Node][]*gradHook{}
	}
	tr.gradHooks[n] = append(tr.gradHooks[n], h)
	hooks := tr.gradHooks // of this step
	return func() {
		hooks[n] = slices.DeleteFunc(hooks[n], func(x *gradHook) bool { return x == h })
	}
}

// gradHook returns the functions of OnGrad as autodiff calls them; nil if there are none.
func (tr *Trace) gradHook() autodiff.Hook {
	hooks, cloned := tr.gradHooks, false
	for _, s := range tr.order {
		s.v.mu.Lock()
		of := s.v.hooks
		s.v.mu.Unlock()
		if len(of) == 0 {
			continue
		}
		if !cloned {
			if hooks = maps.Clone(hooks); hooks == nil {
				hooks = map[*ir.Node][]*gradHook{}
			}
			cloned = true
		}
		n := s.param
		if tr.closure() != nil && s.now == n {
			n = tr.operand(&Tensor{dev: s.v.dev, v: s.v}) // the closure's parameter
		}
		hooks[n] = append(slices.Clip(hooks[n]), of...)
	}
	if len(hooks) == 0 {
		return nil
	}
	return func(n, g *ir.Node) (*ir.Node, error) {
		for _, h := range slices.Clone(hooks[n]) {
			var y *Tensor
			err := tr.gradientFunction("function of the OnGrad", h.at, func() {
				defer tr.at(n.Loc)()
				y = h.f(tr.wrap(g).conjugate())
			})
			if err != nil {
				return nil, err
			}
			if y == nil {
				continue
			}
			if err := tr.isResult(y); err != nil {
				return nil, fmt.Errorf("function of the OnGrad at %v: %w", h.at, err)
			}
			if !y.Type().Equal(g.Type) {
				return nil, fmt.Errorf("function of the OnGrad at %v: the gradient is %v, and what it returns %v: return the gradient to go on with", h.at, g.Type, y.Type())
			}
			g = tr.operand(y.conjugate())
		}
		return g, nil
	}
}

// maxGradFunctions is how deep gradient functions nest: each takes a gradient that calls the next.
const maxGradFunctions = 8

// gradientFunction calls f, a function of OnGrad or the backward of a CustomGrad, what at that line. Its panic is the error
// unless the device is strict.
func (tr *Trace) gradientFunction(what string, at callsite.Site, f func()) (err error) {
	if len(tr.gradFns) == maxGradFunctions {
		return fmt.Errorf("%s at %v: gradient functions nest deeper than %d: it takes a gradient through itself; take it of what does not depend on y, or of its Stop", what, at, maxGradFunctions)
	}
	tr.gradFns = append(tr.gradFns, at)
	fns, casts, noGrads, closures := len(tr.gradFns)-1, len(tr.casts), len(tr.noGrad), len(tr.closures)
	returned := false
	defer func() {
		for len(tr.closures) > closures { // f has panicked in one
			tr.shut(tr.closure())
		}
		tr.gradFns = tr.gradFns[:fns]
		tr.endCasts(casts)
		tr.endNoGrads(noGrads)
		if returned || tr.dev.strict {
			return
		}
		if e := recover(); e != nil {
			err = fmt.Errorf("%s at %v: it panicked at %v: %v", what, at, callsite.Caller(), e)
		}
	}()
	f()
	returned = true
	return nil
}

// withinGradient returns the error of a call that ends a step in a gradient function, or is made in a closure of
// control flow; nil elsewhere.
func (tr *Trace) withinGradient(op string, xs ...*Tensor) *OpError {
	if n := len(tr.gradFns); n > 0 {
		return opError(tr.site(), op, ErrUsage, xs, "a step cannot end within a gradient function, as that of %v is: do this after the gradient is taken", tr.gradFns[n-1])
	}
	return tr.withinClosure(op, xs...)
}

// NoGrad opens a scope in the trace: what is recorded until the function that it returns is called is a
// value without gradients, as if it were followed by [Tensor.Stop]. Scopes nest. They go on
// beyond MarkStep, and end with the scope or the body of control flow around them. A body cannot end a scope
// that was opened outside of it. Use it for an evaluation, and for
// updates of variables that are no part of a model:
//
//	defer tr.NoGrad()()
//
// Gradients through what was recorded outside can be taken in it. A view of a variable that is in no trace is
// not recorded: take it of Trace.Read. The scope belongs to the trace alone: other traces, on
// other goroutines, record as before.
func (tr *Trace) NoGrad() (end func()) {
	tr = tr.some()
	s := &typeScope{op: "no_grad", begun: tr.site(), in: tr.closure()}
	tr.noGrad = append(tr.noGrad, s)
	return func() { s.end(tr, tr.noGrad, tr.endNoGrads) }
}

// Detach returns a view of all of t at which gradients end. What is written to one of them the other sees;
// [Tensor.Stop] is the same as a tensor of its own.
func (t *Tensor) Detach() *Tensor {
	const op = "detach"
	if b := firstBad(op, t); b != nil {
		return b
	}
	a, tr := t.shown(), t.tr
	a.stop = true
	if tr == nil {
		a.loc = callsite.Caller()
		return newView(nil, t, a, nil)
	}
	if !tr.enter() {
		return tr.poisoned(tr.crowded(op, t))
	}
	defer tr.leave()
	n := tr.operand(t)
	if n == nil {
		return tr.refuse(op, t)
	}
	a.loc, a.from = tr.site(), n
	tr.b.SetLoc(a.loc)
	if tr.fromData(n.Type, n.Type) { // which has no layout before the run
		return tr.wrap(tr.stopped(n))
	}
	return newView(tr, t, a, tr.stopped(n))
}

// CustomGrad returns forward(xs), whose gradients are what backward makes of theirs: PyTorch's
// autograd.Function. backward gets the operands x, the results y and the gradients ct of these: zeros where
// nothing depends on a result, and nil for one that has no gradient. It returns the gradients of x, each of the
// type of its operand; nil for one without.
//
// forward is called once, now, and backward whenever a gradient is taken in this step. Both may use other tensors
// of the step as constants, but backward only outside of closures of control flow. forward may not assign variables
// or write what it has not recorded. What backward needs besides x and y are further results of forward.
//
// [Define] makes an op of a name, which needs no function a call.
func CustomGrad(xs []*Tensor, forward func(x []*Tensor) []*Tensor, backward func(x, y, ct []*Tensor) []*Tensor) []*Tensor {
	const op = "custom_grad"
	tr, bad := controlTrace(op, xs...)
	if bad != nil {
		return failed(bad, 1)
	}
	site := tr.site()
	c := tr.newClosure(op, "the forward function", site)
	var ys []*Tensor
	var err *OpError
	switch {
	case forward == nil || backward == nil:
		err = opError(site, op, ErrUsage, xs, "forward or backward is nil")
	case tr.defines:
		err = opError(site, op, ErrUsage, xs, "it is called in the definition of a composite: give Define the gradient")
	default:
		ys, err = tr.recordClosure(c, func() []*Tensor {
			x := make([]*Tensor, len(xs))
			for i := range xs {
				x[i] = c.formalParameter(tr, xs[i].Type(), xs[i])
			}
			return forward(x)
		})
		if err == nil && len(ys) == 0 {
			err = opError(site, op, ErrUsage, xs, "%s returns no tensor, must return one or more", c.What)
		}
	}
	if err != nil {
		return failed(tr.poisoned(err), len(ys))
	}
	c.custom = len(tr.customs) + 1
	tr.customs = append(tr.customs, customGrad{tr, site, len(xs), backward})
	return tr.control(ir.OpComposite, op, site, xs, nil, len(ys), c)
}

// customGrad is a call of [CustomGrad].
type customGrad struct {
	tr       *Trace
	at       callsite.Site
	operands int
	backward func(x, y, ct []*Tensor) []*Tensor
}

// gradient gives the operands and what forward took from outside their gradients.
func (c customGrad) gradient(x, y, ct []*Tensor, _ []setting) []*Tensor {
	var found []*Tensor
	if err := c.tr.gradientFunction("backward of the CustomGrad", c.at, func() { found = c.backward(x[:c.operands], y, ct) }); err != nil {
		bad := &Tensor{err: opError(c.at, "custom_grad", ErrUsage, nil, "%v", err)}
		return slices.Repeat([]*Tensor{bad}, len(x))
	}
	if len(found) != c.operands {
		return found
	}
	return append(slices.Clip(found), make([]*Tensor, len(x)-c.operands)...)
}

// gradientOf returns the composite with a gradient of its own that a name stands for; nil if there is none.
func (tr *Trace) gradientOf(body *ir.Composite) (*composite, error) {
	c := compositeOf(body.Name)
	if c != customGrads {
		return c, nil
	}
	i := body.Params[0].Int
	if i < 1 || i > len(tr.customs) {
		return nil, fmt.Errorf("internal error: custom_grad %d has no functions in its trace, which has %d", i, len(tr.customs))
	}
	custom := tr.customs[i-1]
	return &composite{name: c.name, op: c.op, vjp: custom.gradient}, nil
}

// customGrads stands for calls of CustomGrad.
var customGrads = &composite{name: ir.CustomGrad, op: "custom_grad", vjp: customGrad{}.gradient}

// Checkpoint returns f(x), and has gradients compute the values within f again, instead of keeping
// them from f to then: less memory for more time. Deep models keep the results of their blocks
// alone if each block is a checkpoint. Results and gradients are those of f(x), bit by bit where the
// backend fuses both alike.
//
// f is called once, now. It may use any tensor of the step, variables and values, and draw random
// numbers, which are the same ones when they are computed again. It may not assign variables or
// write what it has not recorded. The tensor returned is poisoned when something is wrong.
func Checkpoint(x *Tensor, f func(x *Tensor) *Tensor) *Tensor {
	var all func([]*Tensor) []*Tensor
	if f != nil {
		all = func(xs []*Tensor) []*Tensor { return []*Tensor{f(xs[0])} }
	}
	return CheckpointAll([]*Tensor{x}, all)[0]
}

// CheckpointAll is [Checkpoint] for functions of several tensors, or with several results, at
// least one of each.
func CheckpointAll(xs []*Tensor, f func(xs []*Tensor) []*Tensor) []*Tensor {
	const op = "checkpoint"
	tr, bad := controlTrace(op, xs...)
	if bad != nil {
		return failed(bad, 1)
	}
	site := tr.site()
	c := tr.newClosure(op, "the function", site)
	var ys []*Tensor
	var err *OpError
	if f == nil {
		err = opError(site, op, ErrUsage, xs, "%s is nil", c.What)
	} else if ys, err = tr.recordClosure(c, func() []*Tensor { return f(xs) }); err == nil && len(ys) == 0 {
		err = opError(site, op, ErrUsage, xs, "%s returns no tensor, must return one or more", c.What)
	}
	if err != nil {
		return failed(tr.poisoned(err), len(ys))
	}
	return tr.control(ir.OpComposite, op, site, nil, nil, len(ys), c)
}

// VJP records the gradients of the sum of ct·y with respect to each tensor of wrt: the product
// of ct with a Jacobian. ct has the type of y. It is PyTorch's backward with a gradient given.
// The rest is as for [Grad], which is VJP of a scalar for 1.
func VJP(y, ct *Tensor, wrt ...*Tensor) []*Tensor {
	bad := firstBad("vjp", y, ct)
	if bad == nil {
		var grads []*Tensor
		if grads, bad = gradients("vjp", y, ct, wrt); bad == nil {
			return zerosForNil(y, grads, wrt)
		}
	}
	return slices.Repeat([]*Tensor{bad}, len(wrt))
}

// JVP returns f(x) and the product of its Jacobian with the tangent, which has the type of x:
// the derivative of f at x in that direction. It is taken by reverse mode, twice, and costs
// some two gradients.
func JVP(f func(x *Tensor) *Tensor, x, tangent *Tensor) (y, dy *Tensor) {
	y = f(x)
	tr := traceOf(x, tangent, y)
	if bad := firstBad("jvp", y, x, tangent); bad != nil {
		return bad, bad
	}
	if tr == nil {
		bad := noTrace("jvp", x, tangent)
		return bad, bad
	}
	if !tangent.Type().Equal(x.Type()) || !x.DType().IsFloat() || !y.DType().IsFloat() {
		bad := tr.poisoned(opError(tr.site(), "jvp", ErrType, []*Tensor{x, tangent}, "x and f(x) must be floating-point, and the tangent of the type of x"))
		return bad, bad
	}
	// The gradient is linear in ct, which any value does for: the derivative with respect to ct is
	// the Jacobian.
	ct := y.MulScalar(0).Stop()
	return y, Grad(VJP(y, ct, x)[0].Mul(tangent).Sum(), ct)[0]
}

// Jacobian returns the derivative of each element of f(x) with respect to each of x. Its shape is
// that of f(x) followed by that of x. f is called in a closure, of all rows at once: see [Vmap]
// for what it may do.
func Jacobian(f func(x *Tensor) *Tensor, x *Tensor) *Tensor {
	y := f(x)
	if bad := firstBad("jacobian", y, x); bad != nil {
		return bad
	}
	tr := traceOf(x, y)
	if tr == nil {
		return noTrace("jacobian", x)
	}
	if dims.HasExpr(y.OpenShape()...) || !y.DType().IsFloat() || !x.DType().IsFloat() {
		return tr.poisoned(opError(tr.site(), "jacobian", ErrType, []*Tensor{x, y}, "x and f(x) must be floating-point, and the sizes of f(x) numbers"))
	}
	n := y.OpenShape().Elements()
	units := Eye(tr, y.DType(), n, n).Reshape(slices.Concat([]int{n}, y.OpenShape())...)
	rows := Vmap(func(_ *Trace, ct []*Tensor) []*Tensor { return VJP(f(x), ct[0], x) }, []*Tensor{units}, VmapOptions{})[0]
	return rows.Reshape(slices.Concat(y.OpenShape(), x.OpenShape())...)
}

// Hessian returns the second derivatives of the scalar f(x): the Jacobian of its gradient, of the
// shape of x twice.
func Hessian(f func(x *Tensor) *Tensor, x *Tensor) *Tensor {
	return Jacobian(func(x *Tensor) *Tensor { return Grad(f(x), x)[0] }, x)
}
