// Package special has the special functions of torch.special that lazy tensors have no methods
// for, and GCD and LCM. Its rows in the op table (ir/ops/special.go) say what each takes and returns; the
// functions here say how it is computed from the ops of package lazy.
//
// A result of f32, f16 or bf16 is computed in f64 and rounded once. It is within one unit in the
// last place of the exact one, but near a zero of the gamma functions, and of Zeta.
//
// A result of f64 is within 16 units, but near a zero. The gamma functions have the bounds of
// docs/math.md there, and Ndtr below 0 has half a unit more for each 1 of x².
//
// The incomplete gamma functions are within 40 units of f64, and eight more for each 1 of -log of the result. Where a is from
// 0.001 on and x at most 1, GammaIncC is within 1e-15, however small it is.
//
// The Bessel functions J and Y keep these bounds for large x. AiryAi keeps that of f64 down to -1e10, and that of f32 down
// to -1e15: further below, the phase loses digits.
//
// The package imports only ltc/lazy, ltc/ir/ops, ltc/ir/types and ltc/internal/functions.
package special

import "ltc/lazy"

// number returns v as a scalar of the dtype of x.
func number(x *lazy.Tensor, v float64) *lazy.Tensor { return lazy.Const(x.Trace(), x.DType(), v) }

// polynomial is that with coefficients c, the lowest power first.
func polynomial(x *lazy.Tensor, c []float64) *lazy.Tensor {
	y := number(x, c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		y = y.Mul(x).AddScalar(c[i])
	}
	return y
}
