package lazy

import "ltc/ir/types"

func checkDropout(x, u, p *Tensor) *breach {
	if !u.Shape().Equal(x.Shape()) || p.Rank() != 0 {
		return breaks(dropoutU, "u must be of shape %v as x is, and p a scalar", x.Shape())
	}
	return nil
}

// computeDropout takes u and p of f64 if x is, else of f32, in which the product is made.
func computeDropout(x, u, p *Tensor) *Tensor {
	rest := p.like(1).Sub(p)
	// Where p is 1 nothing is left to divide.
	scale := p.like(1).Div(rest.Greater(p.like(0)).Where(rest, p.like(1)))
	kept := x.Convert(u.DType()).Mul(scale)
	return u.GreaterEqual(p).Where(kept, kept.like(0)).Convert(x.DType())
}

// gradDropout: it is linear in x. The numbers have no gradient, and p counts as a constant.
func gradDropout(_, u, p, _, ct *Tensor) []*Tensor {
	return []*Tensor{computeDropout(ct, u, p), nil, nil}
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
	x = tr.Read(x)
	if _, bad := builtins[compositeDropout].guard(nil, x); bad != nil {
		return bad
	}
	d := types.F32
	if x.DType() == types.F64 {
		d = types.F64
	}
	return recordDropout(x, r.unit(tr, op, d, x.Shape()), p.Convert(d))
}
