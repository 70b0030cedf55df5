package special

import (
	"math"

	"ltc/internal/functions"
	"ltc/lazy"
)

// mostDegree is the largest degree for which the loop runs.
const mostDegree = 1 << 20

// recurrence gives the polynomial of degree k+1 from those of degrees k and k-1. The polynomial of degree -1 is
// before, that of degree 0 is 1. Degrees above mostDegree are beyond.
type recurrence struct {
	before func(x *lazy.Tensor) *lazy.Tensor
	next   func(x, k, y, before *lazy.Tensor) *lazy.Tensor
	beyond func(x, n *lazy.Tensor) *lazy.Tensor
}

// of returns the polynomials of the degrees n, without their fractions, in x, or in 2x-1 if shifted is set; 0 where a
// degree is negative, NaN or no i64, as in PyTorch. It runs as many iterations as the largest degree up to mostDegree.
func (r recurrence) of(x, n *lazy.Tensor, shifted bool) *lazy.Tensor {
	return functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		x, n := in[0], in[1].Trunc()
		if shifted {
			x = x.MulScalar(2).SubScalar(1)
		}
		x, n = x.BroadcastTo(x.Add(n).OpenShape()...), n.LessScalar(0x1p63).WhereScalar(n, -1)
		large := n.GreaterScalar(mostDegree)
		small := large.ScalarWhere(0, n)
		most := small.Max().MaximumScalar(0).Convert(lazy.I64)
		y := lazy.For(most, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			k := i.Convert(x.DType())
			return []*lazy.Tensor{k.Less(small).Where(r.next(x, k, s[0], s[1]), s[0]), s[0]}
		}, filled(x, 1), r.before(x))[0]
		return n.LessScalar(0).ScalarWhere(0, large.Where(r.beyond(x, n), y))
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

// alternating is 1 where the integer n is even, and -1 elsewhere.
func alternating(n *lazy.Tensor) *lazy.Tensor {
	return n.RemScalar(2).EqualScalar(0).WhereScalar(filled(n, 1), -1)
}

// overAngle is within(θ, n) of θ = acos x between -1 and 1, and at both ends the number there; NaN outside.
func overAngle(within, first, last func(angle, n *lazy.Tensor) *lazy.Tensor) func(x, n *lazy.Tensor) *lazy.Tensor {
	return func(x, n *lazy.Tensor) *lazy.Tensor {
		y := within(x.Acos(), n)
		y = x.EqualScalar(1).Where(last(x, n), y)
		return x.EqualScalar(-1).Where(first(x, n).Mul(alternating(n)), y)
	}
}

func constantOne(x, _ *lazy.Tensor) *lazy.Tensor   { return filled(x, 1) }
func nextDegree(_, n *lazy.Tensor) *lazy.Tensor    { return n.AddScalar(1) }
func twiceDegree(_, n *lazy.Tensor) *lazy.Tensor   { return n.MulScalar(2).AddScalar(1) }
func notANumber(x, _ *lazy.Tensor) *lazy.Tensor    { return filled(x, math.NaN()) }
func halfTurns(angle, n *lazy.Tensor) *lazy.Tensor { return n.AddScalar(0.5).Mul(angle) }

// The forms of a large degree are those of DLMF 18.5(i).
var (
	beyondT = overAngle(func(angle, n *lazy.Tensor) *lazy.Tensor { return n.Mul(angle).Cos() }, constantOne, constantOne)
	beyondU = overAngle(func(angle, n *lazy.Tensor) *lazy.Tensor { return n.AddScalar(1).Mul(angle).Sin().Div(angle.Sin()) }, nextDegree, nextDegree)
	beyondV = overAngle(func(angle, n *lazy.Tensor) *lazy.Tensor {
		return halfTurns(angle, n).Cos().Div(angle.MulScalar(0.5).Cos())
	}, twiceDegree, constantOne)
	beyondW = overAngle(func(angle, n *lazy.Tensor) *lazy.Tensor {
		return halfTurns(angle, n).Sin().Div(angle.MulScalar(0.5).Sin())
	}, constantOne, twiceDegree)
)

// The recurrences are those of DLMF 18.9(i).
var (
	kindT = recurrence{func(x *lazy.Tensor) *lazy.Tensor { return x }, chebyshevNext, beyondT}
	kindU = recurrence{numberBefore(0), chebyshevNext, beyondU}
	kindV = recurrence{numberBefore(1), chebyshevNext, beyondV}
	kindW = recurrence{numberBefore(-1), chebyshevNext, beyondW}

	hermiteH = recurrence{numberBefore(0), func(x, k, y, before *lazy.Tensor) *lazy.Tensor {
		return x.Mul(y).Sub(k.Mul(before)).MulScalar(2)
	}, notANumber}
	hermiteHe = recurrence{numberBefore(0), func(x, k, y, before *lazy.Tensor) *lazy.Tensor {
		return x.Mul(y).Sub(k.Mul(before))
	}, notANumber}
	laguerre = recurrence{numberBefore(0), func(x, k, y, before *lazy.Tensor) *lazy.Tensor {
		return k.MulScalar(2).AddScalar(1).Sub(x).Mul(y).Sub(k.Mul(before)).Div(k.AddScalar(1))
	}, func(x, _ *lazy.Tensor) *lazy.Tensor { return x.EqualScalar(0).ScalarWhere(1, filled(x, math.NaN())) }}
	legendre = recurrence{numberBefore(0), func(x, k, y, before *lazy.Tensor) *lazy.Tensor {
		return k.MulScalar(2).AddScalar(1).Mul(x).Mul(y).Sub(k.Mul(before)).Div(k.AddScalar(1))
	}, overAngle(notANumber, constantOne, constantOne)}
)

// shapesDemand is the name of the demand that all rows of two operands that broadcast share: ops.shapesBroadcast.
const shapesDemand = "shapes"

// checkShapes is the check of all functions whose two operands broadcast.
func checkShapes(x, y *lazy.Tensor) (demand, reason string) {
	if reason = functions.CheckBroadcast(x, y); reason == "" {
		return "", ""
	}
	return shapesDemand, reason
}

// The checks and bodies of the rows.
var (
	checkGammaInc  = checkShapes
	checkGammaIncC = checkShapes
	checkGCD       = checkShapes
	checkLCM       = checkShapes
	checkZeta      = checkShapes
	checkXlog1py   = checkShapes

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
