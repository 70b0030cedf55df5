package special

import (
	"math"

	"ltc/internal/functions"
	"ltc/ir/types"
	"ltc/lazy"
)

func computeNdtr(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].MulScalar(-math.Sqrt2 / 2).Erfc().MulScalar(0.5) }, x)
}

// computeNdtri is computed for p up to 1/2, and -x for 1-p.
func computeNdtri(p *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor {
		p := x[0]
		const corner = 0.13533528323661269189 // exp(-2)
		upper := p.GreaterScalar(1 - corner)
		low := upper.Where(p.RSubScalar(1), p)

		y := low.SubScalar(0.5)
		y2 := y.Square()
		middle := y.Add(y.Mul(y2).Mul(polynomial(y2, quantileP).Div(polynomial(y2, quantileQ)))).MulScalar(math.Sqrt(2 * math.Pi))

		inside := low.GreaterScalar(0).And(low.LessEqualScalar(corner))
		r := inside.WhereScalar(low, corner).Log().MulScalar(-2).Sqrt()
		z := r.Reciprocal()
		ratio := r.LessScalar(8).Where(
			polynomial(z, tailP).Div(polynomial(z, tailQ)),
			polynomial(z, endP).Div(polynomial(z, endQ)))
		tail := z.Mul(ratio).Sub(r.Sub(r.Log().Mul(z)))
		tail = upper.Where(tail.Neg(), tail)

		q := low.GreaterScalar(corner).Where(middle, tail)
		q = p.EqualScalar(0).ScalarWhere(math.Inf(-1), q)
		q = p.EqualScalar(1).ScalarWhere(math.Inf(1), q)
		within := p.GreaterEqualScalar(0).And(p.LessEqualScalar(1))
		return within.WhereScalar(q, math.NaN())
	}, p)
}

// gradNdtri is √(2π) exp(y²/2).
func gradNdtri(_, y, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{ct.Mul(y.Square().MulScalar(0.5).Exp()).MulScalar(math.Sqrt(2 * math.Pi))}
}

// scaledErfc is exp(x²) erfc(x). x² is h² + (x-h)(x+h), where h has so few digits that its
// square is exact. From 10 on it is the asymptotic series.
func scaledErfc(x *lazy.Tensor) *lazy.Tensor {
	low, high := x.MinimumScalar(10), x.MaximumScalar(10)
	h := low.Convert(types.F32).Convert(types.F64)
	power := h.Square().Exp().Mul(low.Sub(h).Mul(low.Add(h)).Exp())
	power = low.LessScalar(-27).ScalarWhere(math.Inf(1), power) // beyond the range
	near := power.Mul(low.Erfc())

	z := high.Square().RDivScalar(-0.5)
	series := number(z, 1)
	for k := 12; k > 0; k-- {
		series = series.Mul(z).MulScalar(float64(2*k - 1)).AddScalar(1)
	}
	far := series.Div(high.MulScalar(math.Sqrt(math.Pi)))
	return x.GreaterEqualScalar(10).Where(far, near)
}

func computeErfcx(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor { return scaledErfc(x[0]) }, x)
}

// gradErfcx is 2xy - 2/√π.
func gradErfcx(x, _, ct *lazy.Tensor) []*lazy.Tensor {
	slope := functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor {
		return x[0].Mul(Erfcx(x[0])).MulScalar(2).SubScalar(2 / math.Sqrt(math.Pi))
	}, x)
	return []*lazy.Tensor{ct.Mul(slope)}
}

func computeLogNdtr(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor {
		low, high := x[0].MinimumScalar(-1), x[0].MaximumScalar(-1)
		tail := scaledErfc(low.MulScalar(-math.Sqrt2 / 2)).MulScalar(0.5).Log().Sub(low.Square().MulScalar(0.5))
		body := high.MulScalar(math.Sqrt2 / 2).Erfc().MulScalar(-0.5).Log1p()
		return x[0].LessScalar(-1).Where(tail, body)
	}, x)
}

// gradLogNdtr is √(2/π) / erfcx(-x/√2).
func gradLogNdtr(x, _, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{ct.MulScalar(math.Sqrt(2 / math.Pi)).Div(Erfcx(x.MulScalar(-math.Sqrt2 / 2)))}
}
