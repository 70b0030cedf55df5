package special

import (
	"ltc/internal/functions"
	"ltc/lazy"
)

// recurrence gives the polynomial of degree k+1 from those of degrees k and k-1. The polynomial of degree -1 is
// before, that of degree 0 is 1.
type recurrence struct {
	before func(x *lazy.Tensor) *lazy.Tensor
	next   func(x, k, y, before *lazy.Tensor) *lazy.Tensor
}

// of returns the polynomials of the degrees n, without their fractions, in x, or in 2x-1 if shifted is set; 0 where a
// degree is negative, infinite or NaN. It runs as many iterations as the largest other degree.
func (r recurrence) of(x, n *lazy.Tensor, shifted bool) *lazy.Tensor {
	return functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		x, n := in[0], in[1].Trunc()
		if shifted {
			x = x.MulScalar(2).SubScalar(1)
		}
		x, n = x.BroadcastTo(x.Add(n).OpenShape()...), n.IsFinite().WhereScalar(n, -1)
		most := n.Max().MaximumScalar(0).Convert(lazy.I64)
		y := lazy.For(most, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			k := i.Convert(x.DType())
			return []*lazy.Tensor{k.Less(n).Where(r.next(x, k, s[0], s[1]), s[0]), s[0]}
		}, filled(x, 1), r.before(x))[0]
		return n.LessScalar(0).ScalarWhere(0, y)
	}, x, n)
}

// filled is a tensor like x of one number.
func filled(x *lazy.Tensor, v float64) *lazy.Tensor {
	return lazy.Full(x.Trace(), x.DType(), v, x.OpenShape()...)
}

// chebyshevNext is the recurrence of all four kinds of Chebyshev polynomials.
func chebyshevNext(x, _, y, before *lazy.Tensor) *lazy.Tensor {
	return x.MulScalar(2).Mul(y).Sub(before)
}

func numberBefore(v float64) func(x *lazy.Tensor) *lazy.Tensor {
	return func(x *lazy.Tensor) *lazy.Tensor { return filled(x, v) }
}

// The recurrences are those of DLMF 18.9(i).
var (
	kindT = recurrence{func(x *lazy.Tensor) *lazy.Tensor { return x }, chebyshevNext}
	kindU = recurrence{numberBefore(0), chebyshevNext}
	kindV = recurrence{numberBefore(1), chebyshevNext}
	kindW = recurrence{numberBefore(-1), chebyshevNext}

	hermiteH = recurrence{numberBefore(0), func(x, k, y, before *lazy.Tensor) *lazy.Tensor {
		return x.Mul(y).Sub(k.Mul(before)).MulScalar(2)
	}}
	hermiteHe = recurrence{numberBefore(0), func(x, k, y, before *lazy.Tensor) *lazy.Tensor {
		return x.Mul(y).Sub(k.Mul(before))
	}}
	laguerre = recurrence{numberBefore(0), func(x, k, y, before *lazy.Tensor) *lazy.Tensor {
		return k.MulScalar(2).AddScalar(1).Sub(x).Mul(y).Sub(k.Mul(before)).Div(k.AddScalar(1))
	}}
	legendre = recurrence{numberBefore(0), func(x, k, y, before *lazy.Tensor) *lazy.Tensor {
		return k.MulScalar(2).AddScalar(1).Mul(x).Mul(y).Sub(k.Mul(before)).Div(k.AddScalar(1))
	}}
)

// checkShapes is the check of all functions whose two operands broadcast.
func checkShapes(x, y *lazy.Tensor) (demand, reason string) {
	if reason = functions.CheckBroadcast(x, y); reason == "" {
		return "", ""
	}
	return zetaShapes, reason // the demand of all of them has one name
}

// The checks and bodies of the rows.
var (
	checkGammaInc, checkGammaIncC, checkGCD, checkLCM, checkZeta, checkXlog1py = checkShapes, checkShapes, checkShapes, checkShapes, checkShapes, checkShapes

	checkChebyshevT, computeChebyshevT               = kindT.row(false)
	checkChebyshevU, computeChebyshevU               = kindU.row(false)
	checkChebyshevV, computeChebyshevV               = kindV.row(false)
	checkChebyshevW, computeChebyshevW               = kindW.row(false)
	checkShiftedChebyshevT, computeShiftedChebyshevT = kindT.row(true)
	checkShiftedChebyshevU, computeShiftedChebyshevU = kindU.row(true)
	checkShiftedChebyshevV, computeShiftedChebyshevV = kindV.row(true)
	checkShiftedChebyshevW, computeShiftedChebyshevW = kindW.row(true)
	checkHermiteH, computeHermiteH                   = hermiteH.row(false)
	checkHermiteHe, computeHermiteHe                 = hermiteHe.row(false)
	checkLaguerreL, computeLaguerreL                 = laguerre.row(false)
	checkLegendreP, computeLegendreP                 = legendre.row(false)
)

// row returns the check and the body of a row of polynomials: those in 2x-1 if shifted is set.
func (r recurrence) row(shifted bool) (check func(x, n *lazy.Tensor) (demand, reason string), compute func(x, n *lazy.Tensor) *lazy.Tensor) {
	return checkShapes, func(x, n *lazy.Tensor) *lazy.Tensor { return r.of(x, n, shifted) }
}
