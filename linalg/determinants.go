package linalg

import (
	"ltc/internal/functions"
	"ltc/lazy"
)

func checkDet(x *lazy.Tensor) (demand, reason string) { return checkSquare(x, detSquare, detClosed) }

func computeDet(x *lazy.Tensor) *lazy.Tensor {
	return functions.Wide(func(t ...*lazy.Tensor) *lazy.Tensor {
		lu, pivots, order := recordLUFactor(t[0])
		return recordDetFactored(t[0], lu.Stop(), pivots, order)
	}, x)
}

func checkSlogDetFactored(x, _, _, _ *lazy.Tensor) (demand, reason string) {
	return checkSquare(x, slogDetFactoredSquare, slogDetFactoredClosed)
}

// SlogDet returns the sign of the determinant of each matrix of the last two axes, and the logarithm of
// its absolute value: 0 and -Inf of a singular matrix. The sign of a complex determinant is the number of
// modulus 1 with its angle. That of a real one has no gradient.
func SlogDet(x *lazy.Tensor) (sign, logabs *lazy.Tensor) {
	ys := lazy.RecordAs("linalg.slogdet", func() []*lazy.Tensor { return functions.WideAll(slogDet, x) }, x)
	return ys[0], ys[1]
}

func slogDet(t ...*lazy.Tensor) []*lazy.Tensor {
	lu, pivots, order := recordLUFactor(t[0])
	return functions.All(recordSlogDetFactored(t[0], lu.Stop(), pivots, order))
}

func checkLogDet(x *lazy.Tensor) (demand, reason string) {
	return checkSquare(x, logDetSquare, logDetClosed)
}

func computeLogDet(x *lazy.Tensor) *lazy.Tensor {
	sign, logabs := SlogDet(x)
	if isComplex(x) {
		return lazy.Complex(logabs, sign.Angle())
	}
	return sign.LessScalar(0).ScalarWhere(nan, logabs)
}

// swaps is -1 for an odd number of rows that were swapped, and 1 for an even one.
func swaps(like, pivots *lazy.Tensor) *lazy.Tensor {
	moved := pivots.Convert(lazy.I32).NotEqual(count(like.Trace(), 0, pivots.OpenDim(-1)).AddScalar(1))
	return moved.Convert(like.DType().Part()).MulScalar(-2).AddScalar(1).Prod(-1)
}

func computeDetFactored(_, lu, pivots, _ *lazy.Tensor) *lazy.Tensor {
	return functions.WideAll(func(t ...*lazy.Tensor) []*lazy.Tensor {
		return []*lazy.Tensor{t[0].Diagonal(0, -2, -1).Prod(-1).Mul(swaps(t[0], t[1]))}
	}, lu, pivots)[0]
}

// gradDetFactored is det x · x⁻ᵀ of the conjugates. A zero on the diagonal of U counts as a tiny number: the product is the
// adjugate of a matrix next to x.
func gradDetFactored(x, lu, pivots, order, y, ct *lazy.Tensor) []*lazy.Tensor {
	d := lu.Diagonal(0, -2, -1)
	if d.OpenDim(-1) == 0 {
		return []*lazy.Tensor{x.MulScalar(0), nil, nil, nil}
	}
	most := d.Abs().MaxKeep(-1)
	tiny := most.EqualScalar(0).ScalarWhere(1, most).MulScalar(epsilon(x))
	lu = lu.Add(d.EqualScalar(0).Where(tiny.BroadcastTo(d.OpenShape()...), number(d, 0)).DiagEmbed(0, -2, -1))
	near := recordDetFactored(x, lu, pivots, order)
	det := y.Add(near.Sub(y).Stop()) // differentiated as y
	w := ct.Conj().Mul(det).Unsqueeze(-1).Unsqueeze(-1).Mul(eye(x, d.OpenDim(-1), d.OpenDim(-1)))
	return []*lazy.Tensor{recordSolveFactored(x, lu, order, w, true).Conj(), nil, nil, nil}
}

func computeSlogDetFactored(_, lu, pivots, _ *lazy.Tensor) (sign, logabs *lazy.Tensor) {
	ys := functions.WideAll(func(t ...*lazy.Tensor) []*lazy.Tensor {
		d := t[0].Diagonal(0, -2, -1)
		return []*lazy.Tensor{d.Sign().Prod(-1).Mul(swaps(t[0], t[1])), d.Abs().Log().Sum(-1)}
	}, lu, pivots)
	return ys[0], ys[1]
}

// gradSlogDetFactored is x⁻ᵀ. The sign of a complex determinant turns by the imaginary part of the trace of
// x⁻¹·dx.
func gradSlogDetFactored(x, lu, _, order *lazy.Tensor, y, ct []*lazy.Tensor) []*lazy.Tensor {
	n := x.OpenDim(-1)
	w := ct[1]
	if isComplex(x) {
		w = lazy.Complex(w, y[0].Mul(ct[0].Conj()).Imag())
	}
	w = w.Unsqueeze(-1).Unsqueeze(-1).Mul(eye(x, n, n))
	return []*lazy.Tensor{recordSolveFactored(x, lu, order, w, true).Conj(), nil, nil, nil}
}
