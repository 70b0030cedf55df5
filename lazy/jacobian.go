package lazy

import (
	"slices"

	"ltc/ir/dims"
)

// VJP records the gradients of the sum of ct·y with respect to each tensor of wrt: the product
// of ct with a Jacobian. ct has the type of y. It is PyTorch's backward with a gradient given.
// The rest is as for [Grad], which is VJP of a scalar for 1.
func VJP(y, ct *Tensor, wrt ...*Tensor) []*Tensor {
	bad := firstBad("vjp", y, ct)
	if bad == nil {
		var grads []*Tensor
		if grads, bad = gradients("vjp", y, ct, wrt); bad == nil {
			return grads
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
