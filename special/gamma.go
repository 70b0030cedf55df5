package special

import (
	"fmt"
	"math"

	"ltc/internal/functions"
	"ltc/lazy"
)

func checkPolygamma(_ *lazy.Tensor, n int) (demand, reason string) {
	if n < 0 {
		return polygammaOrder, fmt.Sprintf("n is %d, must not be negative", n)
	}
	return "", ""
}

// computePolygamma of a negative number x is by that of 1-x:
//
//	ψ⁽ⁿ⁾(x) = (-1)ⁿ ψ⁽ⁿ⁾(1-x) - π dⁿ/dxⁿ cot πx
func computePolygamma(x *lazy.Tensor, n int) *lazy.Tensor {
	own := functions.InF32(x)[0]
	return functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		x := in[0]
		if n == 0 {
			return x.Digamma()
		}
		negative, poles, sign := x.LessScalar(0), atPoles(x), float64(1-2*(n%2))
		y := number(x, float64(n)).Polygamma(negative.Where(x.RSubScalar(1), x))

		turn := negative.And(poles.Not()).WhereScalar(x.Sub(x.Round()), 0.25).MulScalar(math.Pi)
		mirror := y.MulScalar(sign).Sub(polynomial(turn.Tan().Reciprocal(), cotangent(n)).MulScalar(math.Pi))
		mirror = poles.ScalarWhere(math.Inf(int(-sign)), mirror)
		if n == 1 {
			// PyTorch does not look for poles: π²/sin² is finite where πx is rounded to the dtype of x.
			sine := own.MulScalar(math.Pi).Convert(x.DType()).Sin()
			mirror = negative.And(poles).Where(sine.RDivScalar(math.Pi).Square().Sub(y), mirror)
		}
		return poles.Or(negative).Where(mirror, y)
	}, x)
}

// gradPolygamma is the derivative of the next order, at poles too.
func gradPolygamma(x, _, ct *lazy.Tensor, n int) []*lazy.Tensor {
	return []*lazy.Tensor{ct.Mul(Polygamma(x, n+1))}
}

// cotangent has the coefficients of the n-th derivative of cot πx as a polynomial in c = cot πx,
// whose derivative is -π(1+c²).
func cotangent(n int) []float64 {
	p := []float64{0, 1}
	for range n {
		next := make([]float64, len(p)+1)
		for k := 1; k < len(p); k++ {
			next[k-1] -= math.Pi * float64(k) * p[k]
			next[k+1] -= math.Pi * float64(k) * p[k]
		}
		p = next
	}
	return p
}

// computeZeta of a q below 0 is by positive numbers, of the integers x for which it is real. With f, the
// distance from q down to an integer, the terms from q up to f-1 are those of 1-f less those of 1-q:
//
//	ζ(x, q) = ζ(x, f) + (-1)ˣ (ζ(x, 1-f) - ζ(x, 1-q))
func computeZeta(x, q *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		x, q := in[0], in[1]
		poles, negative := atPoles(q), q.LessScalar(0)
		inside := negative.And(poles.Not())
		y := x.Zeta(inside.Where(q.Sub(q.Floor()), poles.ScalarWhere(1, q)))
		below := x.Zeta(inside.WhereScalar(q.Ceil().Sub(q), 1)).Sub(x.Zeta(inside.WhereScalar(q.RSubScalar(1), 1)))
		even := x.RemScalar(2).EqualScalar(0)
		y = inside.Where(y.Add(even.Where(below, below.Neg())), y)
		y = negative.And(x.NotEqual(x.Floor())).ScalarWhere(math.NaN(), y)
		y = poles.Or(x.EqualScalar(1)).ScalarWhere(math.Inf(1), y)
		valid := x.GreaterEqualScalar(1).And(q.Equal(q))
		return valid.WhereScalar(y, math.NaN())
	}, x, q)
}

// atPoles returns whether x is 0 or a negative integer.
func atPoles(x *lazy.Tensor) *lazy.Tensor { return x.LessEqualScalar(0).And(x.Equal(x.Floor())) }

func checkMvLgamma(_ *lazy.Tensor, p int) (demand, reason string) {
	if p < 1 {
		return mvLgammaDimension, fmt.Sprintf("p is %d, must be positive", p)
	}
	return "", ""
}

// computeMvLgamma is p(p-1)/4 log π + Σ log Γ(x - i/2), i < p.
func computeMvLgamma(x *lazy.Tensor, p int) *lazy.Tensor {
	return functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor {
		y := x[0].Lgamma()
		for i := 1; i < p; i++ {
			y = y.Add(x[0].SubScalar(float64(i) / 2).Lgamma())
		}
		return y.AddScalar(float64(p*(p-1)) / 4 * math.Log(math.Pi))
	}, x)
}
