package lazy

import (
	"fmt"
	"slices"

	"ltc/autodiff"
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
	found, err := autodiff.Reverse(tr.b, root, given, nodes, tr.vjp)
	if err != nil {
		return nil, tr.poisoned(opError(site, op, ErrType, []*Tensor{y}, "%v", err))
	}
	grads = make([]*Tensor, len(wrt))
	for i, g := range found {
		if g != nil {
			grads[i] = tr.wrap(g).conjugate()
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
		if s.now == s.param && s.v.typ.DType.Continuous() && !s.v.frozen.Load() {
			wrt = append(wrt, &Tensor{dev: s.v.dev, v: s.v})
		}
	}
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
			w.v.setGrad(grads[i].Keep())
		}
	}
	return nil
}

// Grad returns the gradient of the variable t that [Tensor.Backward] has recorded; nil if there is none. It
// is a tensor of the step of Backward, and has a value once that is marked.
func (t *Tensor) Grad() *Tensor {
	if t == nil || t.v == nil {
		return nil
	}
	t.v.mu.Lock()
	defer t.v.mu.Unlock()
	g := t.v.grad
	for g != nil && g.lost() {
		g = g.before
	}
	t.v.grad = g
	if g == nil {
		return nil
	}
	return g.t
}

// gradient is that of a variable, and the one before its step, which counts if the step fails.
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

// ZeroGrad forgets the gradient of the variable t: the next [Tensor.Backward] begins anew.
func (t *Tensor) ZeroGrad() {
	if t != nil && t.v != nil {
		t.v.setGrad(nil)
	}
}

// setGrad replaces the variable's gradient; nil forgets it.
func (v *variable) setGrad(t *Tensor) {
	v.mu.Lock()
	old := v.grad
	switch {
	case t == nil:
		v.grad = nil
	case old == nil:
		v.grad = &gradient{t: t}
	case old.t.val == nil: // of this step, too
		v.grad = &gradient{t, old.before}
	case old.t.val.ready():
		v.grad = &gradient{t, &gradient{t: old.t}}
	default:
		v.grad = &gradient{t, old}
	}
	v.mu.Unlock()
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
	t.v.frozen.Store(!on)
	return t
}

// RequiresGrad reports whether [Tensor.Backward] gives the variable t a gradient.
func (t *Tensor) RequiresGrad() bool {
	return t.IsVariable() && t.v.typ.DType.Continuous() && !t.v.frozen.Load()
}

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
