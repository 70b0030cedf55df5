package lazy

import (
	"ltc/ir"
	"ltc/ir/types"
)

// dropout has the operands x, uniform numbers u of the same shape and the scalar
// p; u and p are of f64 if x is, else of f32, in which the product is made.
var dropout = define(composite{
	name: "ltc.dropout",
	body: func(in []*Tensor, _ []ir.Param) *Tensor { return dropped(in[0], in[1], in[2]) },
	// It is linear in x. The numbers have no gradient, and p counts as a constant.
	vjp: func(x []*Tensor, _, ct *Tensor, _ []ir.Param) []*Tensor {
		return []*Tensor{dropped(ct, x[1], x[2]), nil, nil}
	},
})

// dropped records 0 where u < p, and x/(1-p) elsewhere.
func dropped(x, u, p *Tensor) *Tensor {
	rest := p.like(1).Sub(p)
	// Where p is 1 nothing is left to divide.
	scale := p.like(1).Div(rest.Greater(p.like(0)).Where(rest, p.like(1)))
	kept := x.Convert(u.DType()).Mul(scale)
	return u.GreaterEqual(p).Where(kept, kept.like(0)).Convert(x.DType())
}

// Dropout records x with each element replaced by 0 with probability p, in steps
// of 2^-24 (2^-53 for an x of f64), and the others divided by 1-p. Gradients go
// through the elements left. With p = 0 the result is x, with p = 1 all zeros;
// the stream goes on as for any p.
func (r *Random) Dropout(x *Tensor, p float64) *Tensor {
	const op = "dropout"
	if bad := firstBad(op, x); bad != nil {
		return bad
	}
	tr := traceOf(x)
	if tr == nil {
		return noTrace(op, x)
	}
	if bad := probability(tr, op, p); bad != nil {
		return bad
	}
	return r.dropout(tr, op, x, Full(tr, types.F64, p))
}

// DropoutOf is Dropout with the probability that the scalar p holds when the
// program runs, so that it may change without compiling anything. Below 0 is as
// 0, above 1 as 1, and NaN drops everything. p has no gradient.
func (r *Random) DropoutOf(x, p *Tensor) *Tensor {
	const op = "dropout"
	if bad := firstBad(op, x, p); bad != nil {
		return bad
	}
	tr, q := probabilities(op, p, traceOf(x, p))
	if q.err != nil {
		return q
	}
	if q.Rank() != 0 {
		return tr.poisoned(opError(tr.site(), op, ErrType, []*Tensor{x, p}, "p must be a scalar"))
	}
	return r.dropout(tr, op, x, q.Maximum(q.like(0)))
}

func (r *Random) dropout(tr *Trace, op string, x, p *Tensor) *Tensor {
	if bad := x.needFloat(op); bad != nil {
		return bad
	}
	x = tr.Read(x)
	if x.err != nil {
		return x
	}
	d := types.F32
	if x.DType() == types.F64 {
		d = types.F64
	}
	return dropout.call(nil, x, r.unit(tr, op, d, x.Shape()), p.Convert(d))
}
