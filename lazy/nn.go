package lazy

import (
	"slices"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// keepSum and keepMax reduce one axis and leave it with dimension 1.
func keepSum(x *Tensor, axis int) *Tensor { return x.Sum(axis).Unsqueeze(axis) }
func keepMax(x *Tensor, axis int) *Tensor { return x.Max(axis).Unsqueeze(axis) }

func computeSoftmax(x *Tensor, axis int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		e := x.Sub(keepMax(x, axis)).Exp()
		return e.Div(keepSum(e, axis))
	})
}

// gradSoftmax is y (ct - Σ ct y).
func gradSoftmax(_, y, ct *Tensor, axis int) []*Tensor {
	return []*Tensor{y.Mul(ct.Sub(keepSum(ct.Mul(y), axis)))}
}

func computeLogSoftmax(x *Tensor, axis int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		shifted := x.Sub(keepMax(x, axis))
		return shifted.Sub(keepSum(shifted.Exp(), axis).Log())
	})
}

// gradLogSoftmax is ct - exp(y) Σ ct.
func gradLogSoftmax(_, y, ct *Tensor, axis int) []*Tensor {
	return []*Tensor{ct.Sub(y.Exp().Mul(keepSum(ct, axis)))}
}

func computeGELU(x *Tensor) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		const invSqrt2 = 0.70710678118654752440
		return x.MulScalar(0.5).Mul(x.MulScalar(invSqrt2).Erf().AddScalar(1))
	})
}

func checkLayerNorm(x, gamma, beta *Tensor, _ float64) *breach {
	if x.Rank() == 0 {
		return breaks(layerNormRank, "x must have an axis")
	}
	n := x.OpenDim(-1)
	if gamma.Rank() == 1 && gamma.OpenDim(0) == n && beta.Rank() == 1 && beta.OpenDim(0) == n {
		return nil
	}
	return breaks(layerNormRow, "gamma and beta must be %v, like a row of x", types.Of(x.DType(), n))
}

func computeLayerNorm(x, gamma, beta *Tensor, epsilon float64) *Tensor {
	d := x.DType()
	return wide(x, func(x *Tensor) *Tensor {
		centred := x.Sub(x.Mean(-1).Unsqueeze(-1))
		variance := centred.Mul(centred).Mean(-1).Unsqueeze(-1)
		if x.DType() != d {
			gamma, beta = gamma.Convert(x.DType()), beta.Convert(x.DType())
		}
		return centred.Mul(variance.AddScalar(epsilon).Rsqrt()).Mul(gamma).Add(beta)
	})
}

// computeMean divides sums in f32 where x has 16 bits: they need not fit.
func computeMean(x *Tensor, axes []int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		sum, count := x.Sum(axes...), 1
		if n := sum.Type().Elements(); n != 0 {
			count = dims.Div(x.Type().Elements(), n)
		}
		return sum.Div(sum.sized(count))
	})
}

// The error function by the rational approximations of FreeBSD's
// /usr/src/lib/msun/src/s_erf.c (Sun Microsystems, 1993), which has their
// derivation; errors are below one unit in the last place in f64. The pieces
// are chosen by select, so every piece is computed within its own bounds.

var (
	// erf(x) = x + x P(x²)/Q(x²) for |x| < 0.84375
	erfSmallP = []float64{1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02, -5.77027029648944159157e-03, -2.37630166566501626084e-05}
	erfSmallQ = []float64{1, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03, 1.32494738004321644526e-04, -3.96022827877536812320e-06}
	// erf(x) = erx + P(s)/Q(s), s = |x| - 1, for |x| < 1.25
	erfMiddleP = []float64{-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01, 3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02, -2.16637559486879084300e-03}
	erfMiddleQ = []float64{1, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02, 1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02}
	// 1 - erf(x) = exp(-x² - 0.5625 + R(1/x²)/S(1/x²))/x for |x| < 1/0.35
	erfLargeR = []float64{-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01, -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02, -8.12874355063065934246e+01, -9.81432934416914548592e+00}
	erfLargeS = []float64{1, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02, 6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02, 6.57024977031928170135e+00, -6.04244152148580987438e-02}
	// and for |x| < 6
	erfHugeR = []float64{-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01, -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03, -4.83519191608651397019e+02}
	erfHugeS = []float64{1, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03, 3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02, -2.24409524465858183362e+01}
)

const erx = 8.45062911510467529297e-01 // erf(1) to 24 bits

func computeErf(x *Tensor) *Tensor { return wide(x, errorFunction) }

// gradErf is 2/√π exp(-x²).
func gradErf(x, _, ct *Tensor) []*Tensor {
	const twoOverSqrtPi = 1.12837916709551257390
	return []*Tensor{ct.Mul(x.Mul(x).Neg().Exp().MulScalar(twoOverSqrtPi))}
}

// errorFunction records the error function of an f32 or f64 tensor.
func errorFunction(x *Tensor) *Tensor {
	c := func(v float64) *Tensor { return x.like(v) }
	a := x.Abs()
	within := func(limit float64) *Tensor { return a.Less(c(limit)) }

	xs := within(0.84375).Where(x, c(0))
	z := xs.Mul(xs)
	small := xs.Add(xs.Mul(ratio(z, erfSmallP, erfSmallQ)))

	s := a.Minimum(c(1.25)).SubScalar(1)
	middle := ratio(s, erfMiddleP, erfMiddleQ).AddScalar(erx)

	b := a.Maximum(c(1.25)).Minimum(c(6))
	inv := c(1).Div(b.Mul(b))
	tail := ratio(inv, erfHugeR, erfHugeS)
	tail = within(1/0.35).Where(ratio(inv, erfLargeR, erfLargeS), tail)
	large := c(1).Sub(tail.Sub(b.Mul(b)).SubScalar(0.5625).Exp().Div(b))

	y := within(1.25).Where(middle, large)
	y = x.Less(c(0)).Where(y.Neg(), y)
	y = within(0.84375).Where(small, y)
	return x.NotEqual(x).Where(x, y) // NaN
}

// ratio records p(x)/q(x), polynomials with their lowest coefficient first.
func ratio(x *Tensor, p, q []float64) *Tensor { return polynomial(x, p).Div(polynomial(x, q)) }

func polynomial(x *Tensor, c []float64) *Tensor {
	y := x.like(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		y = y.Mul(x).AddScalar(c[i])
	}
	return y
}

func checkDropout(x, u, p *Tensor) *breach {
	if !u.OpenShape().Equal(x.OpenShape()) || p.Rank() != 0 {
		return breaks(dropoutU, "u must be of shape %v as x is, and p a scalar", x.OpenShape())
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
	d := drawnWith(x)
	return recordDropout(x, r.unit(tr, op, d, x.OpenShape()), p.Convert(d))
}

// classesOf returns the axis of the classes of logits: axis 1, or the only one.
func classesOf(x *Tensor) int { return min(x.Rank()-1, 1) }

func checkCrossEntropy(x, labels *Tensor) *breach {
	if x.Rank() == 0 {
		return breaks(crossEntropyRank, "x must have an axis, of classes")
	}
	c := classesOf(x)
	if rows := slices.Delete(slices.Clone(x.OpenShape()), c, c+1); !labels.OpenShape().Equal(rows) {
		return breaks(crossEntropyLabels, "labels must be integers of shape %v, one for each row of logits", rows)
	}
	return nil
}

func computeCrossEntropy(x, labels *Tensor) *Tensor {
	// Selected, not multiplied: a class that is not the label may be at -Inf.
	c := classesOf(x)
	logp := x.LogSoftmax(c)
	mask := recordLabelMask(labels, x.OpenDim(c)).moved(x.Rank()-1, c)
	picked := mask.Where(logp, logp.like(0))
	rows := dims.Div(x.Type().Elements(), dims.Max(x.OpenDim(c), 1))
	return wide(picked, func(picked *Tensor) *Tensor {
		sum := picked.Sum()
		return sum.Div(sum.sized(dims.Sub(0, rows)))
	})
}

func computeLabelMask(labels *Tensor, classes int) *Tensor {
	return oneHot("cross_entropy", labels, classes, types.Bool)
}

func checkOneHot(_ *Tensor, classes int, _ types.DType) *breach {
	if classes < 0 {
		return breaks(oneHotClasses, "there cannot be %s", diag.Count(classes, "class"))
	}
	return nil
}

func computeOneHot(x *Tensor, classes int, dtype types.DType) *Tensor {
	return oneHot("one_hot", x, classes, dtype)
}

// oneHot is OneHot for the user's call op.
func oneHot(op ir.Called, x *Tensor, classes int, dtype types.DType) *Tensor {
	// Compared in 64 bits, so that every class number fits.
	index := x.Convert(types.I64)
	if x.DType() == types.U64 {
		index = x
	}
	return index.Unsqueeze(-1).Equal(Iota(x.tr, index.DType(), 0, classes)).calledBy(op).Convert(dtype)
}

func checkTopK(x *Tensor, k, axis int) *breach {
	if d := x.OpenDim(axis); k < 0 || dims.Less(d, k) {
		return breaks(topKK, "k is %d, axis %d has %s", k, axis, countOf(d, "element"))
	}
	return nil
}

func computeTopK(x *Tensor, k, axis int) (values, indices *Tensor) {
	values, indices = x.Sort(axis, true)
	return values.Narrow(axis, 0, k), indices.Narrow(axis, 0, k)
}
