package ops

// specialRows are the composites of package special. The order is that of
// docs/reference/ops within a family; nothing else depends on it.
var specialRows = []Op{
	{Name: "I0", Text: "i0", Family: SpecialFunctions, Doc: "returns the modified Bessel function of the first kind and order 0 elementwise.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "I0e", Text: "i0e", Family: SpecialFunctions, Doc: "returns exp(-|x|) I0(x) elementwise, which does not overflow.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "I1", Text: "i1", Family: SpecialFunctions, Doc: "returns the modified Bessel function of the first kind and order 1 elementwise.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "I1e", Text: "i1e", Family: SpecialFunctions, Doc: "returns exp(-|x|) I1(x) elementwise, which does not overflow.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "J0", Text: "j0", Family: SpecialFunctions, Doc: "returns the Bessel function of the first kind and order 0 elementwise; NaN at infinities.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "J1", Text: "j1", Family: SpecialFunctions, Doc: "returns the Bessel function of the first kind and order 1 elementwise; NaN at infinities.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "Y0", Text: "y0", Family: SpecialFunctions, Doc: "returns the Bessel function of the second kind and order 0 elementwise; -infinity at 0, NaN below and at infinity.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "Y1", Text: "y1", Family: SpecialFunctions, Doc: "returns the Bessel function of the second kind and order 1 elementwise; -infinity at 0, NaN below and at infinity.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "K0", Text: "k0", Family: SpecialFunctions, Doc: "returns the modified Bessel function of the second kind and order 0 elementwise; infinite at 0, NaN below.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "K0e", Text: "k0e", Family: SpecialFunctions, Doc: "returns exp(x) K0(x) elementwise, which does not underflow.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "K1", Text: "k1", Family: SpecialFunctions, Doc: "returns the modified Bessel function of the second kind and order 1 elementwise; infinite at 0, NaN below.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "K1e", Text: "k1e", Family: SpecialFunctions, Doc: "returns exp(x) K1(x) elementwise, which does not underflow.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "AiryAi", Family: SpecialFunctions, Doc: "returns the Airy function Ai elementwise; NaN at infinities.", Operands: one(Float), Traits: Floating},

	{Name: "Ndtr", Family: Exponentials, Doc: "returns the share of the standard normal distribution below x, elementwise.", Operands: one(Float), Traits: Inline | Floating},
	{Name: "Ndtri", Family: Exponentials, Doc: "returns the number below which the share x of the standard normal distribution lies, elementwise: the quantile. It is infinite for 0 and 1, NaN beyond.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "LogNdtr", Family: Exponentials, Doc: "returns the logarithm of Ndtr elementwise, exact where that is small.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "Erfcx", Family: Exponentials, Doc: "returns exp(x²) Erfc(x) elementwise, exact where Erfc is 0.", Operands: one(Float), Traits: OwnGradient | Floating},

	{Name: "Polygamma", Family: Exponentials, Doc: "returns the derivative of order n of Digamma elementwise; infinite at 0 and negative integers for a positive n, with the sign of the values right of it. For n = 1 negative integers have a large number, as in PyTorch: πx is rounded.", Operands: one(Float), Attrs: []Attr{{"n", Int}},
		Where: []Demand{{"order", "n is not negative"}}, Traits: OwnGradient | Floating},
	{Name: "Zeta", Family: Exponentials, Doc: "returns the Hurwitz zeta function elementwise, the sum of (q+k)^-x over k = 0, 1, …; NaN for x < 1, infinite for x = 1 and at q = 0, -1, …. For another q below 0 it is NaN unless x is an integer. A gradient for x is an error.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "q", Like: "x"}}, Where: shapesBroadcast, Traits: Inline | Promotes | Floating},
	{Name: "MvLgamma", Text: "mvlgamma", Family: Exponentials, Doc: "returns the logarithm of the multivariate gamma function of dimension p elementwise.", Operands: one(Float), Attrs: []Attr{{"p", Int}},
		Where: []Demand{{"dimension", "p is positive"}}, Traits: Inline | Floating},

	{Name: "GammaInc", Text: "gammainc", Family: Exponentials, Doc: "returns the regularized lower incomplete gamma function of order a at x, elementwise: the share of the gamma distribution of shape a below x. NaN where a or x is negative, or both are 0 or infinite. A gradient for a is an error.",
		Operands: []Operand{{Name: "a", Is: Float, Constant: true}, {Name: "x", Like: "a"}}, Where: shapesBroadcast, Traits: OwnGradient | Promotes | Floating | Loops},
	{Name: "GammaIncC", Text: "gammaincc", Family: Exponentials, Doc: "returns the regularized upper incomplete gamma function of order a at x, elementwise: 1 - GammaInc(a, x), exact where that is small. NaN where a or x is negative, or both are 0 or infinite. A gradient for a is an error.",
		Operands: []Operand{{Name: "a", Is: Float, Constant: true}, {Name: "x", Like: "a"}}, Where: shapesBroadcast, Traits: OwnGradient | Promotes | Floating | Loops},

	{Name: "Entr", Family: Exponentials, Doc: "returns -x·log(x) elementwise, 0 at 0 and -infinity below.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "Xlog1py", Family: Exponentials, Doc: "returns x·log(1+y) elementwise, 0 where x is 0, unless y is NaN.", Operands: []Operand{{Name: "x", Is: Float}, {Name: "y", Like: "x"}}, Where: shapesBroadcast, Traits: Inline | Promotes | Floating},
	{Name: "Sinc", Family: Exponentials, Doc: "returns sin(πx)/(πx) elementwise, 1 at 0 and exactly 0 at other integers.", Operands: one(Float), Traits: OwnGradient | Floating},
	{Name: "Expit", Family: Exponentials, Doc: "returns 1/(1+exp(-x)) elementwise: it is the method Sigmoid.", Operands: one(Float), Traits: Inline | Floating},
	{Name: "Logit", Family: Exponentials, Doc: "returns log(x/(1-x)) elementwise, the inverse of Expit. x is clamped to eps and 1-eps before, unless eps is negative; then it is NaN outside of 0 and 1.",
		Operands: one(Float), Attrs: []Attr{{"eps", Real}}, Where: []Demand{{"eps", "eps is finite"}}, Traits: Inline | Floating},

	{Name: "GCD", Text: "gcd", Family: Arithmetic, Doc: "returns the greatest common divisor of |x| and |y|, elementwise: 0 where both are 0, and |x| where y is 0.",
		Operands: []Operand{{Name: "x", Is: Integer}, {Name: "y", Like: "x"}}, Where: shapesBroadcast, Traits: Inline | Promotes | Loops},
	{Name: "LCM", Text: "lcm", Family: Arithmetic, Doc: "returns the least common multiple of |x| and |y|, elementwise: 0 where one is 0. A multiple that does not fit the dtype wraps.",
		Operands: []Operand{{Name: "x", Is: Integer}, {Name: "y", Like: "x"}}, Where: shapesBroadcast, Traits: Inline | Promotes | Loops},

	polynomials("ChebyshevT", "the Chebyshev polynomials of the first kind, of the degrees n in x, elementwise"+ofChebyshevs),
	polynomials("ChebyshevU", "the Chebyshev polynomials of the second kind, of the degrees n in x, elementwise"+ofChebyshevs),
	polynomials("ChebyshevV", "the Chebyshev polynomials of the third kind, of the degrees n in x, elementwise"+ofChebyshevs),
	polynomials("ChebyshevW", "the Chebyshev polynomials of the fourth kind, of the degrees n in x, elementwise"+ofChebyshevs),
	polynomials("ShiftedChebyshevT", "ChebyshevT(2x-1, n) elementwise."),
	polynomials("ShiftedChebyshevU", "ChebyshevU(2x-1, n) elementwise."),
	polynomials("ShiftedChebyshevV", "ChebyshevV(2x-1, n) elementwise."),
	polynomials("ShiftedChebyshevW", "ChebyshevW(2x-1, n) elementwise."),
	polynomials("HermiteH", "the physicists' Hermite polynomials, of the degrees n in x, elementwise"+ofOthers),
	polynomials("HermiteHe", "the probabilists' Hermite polynomials, of the degrees n in x, elementwise"+ofOthers),
	polynomials("LaguerreL", "the Laguerre polynomials, of the degrees n in x, elementwise"+ofLaguerres),
	polynomials("LegendreP", "the Legendre polynomials, of the degrees n in x, elementwise"+ofLegendres),
}

var shapesBroadcast = []Demand{{"shapes", "the shapes broadcast"}}

// How polynomials treat their degrees.
const (
	ofDegrees    = "; 0 where n is negative, NaN or at least 2^63. n is truncated. The time grows with the largest degree up to 2^20. There is no gradient. "
	ofChebyshevs = ofDegrees + "Degrees above 2^20 use cosines for x from -1 to 1, and give NaN outside."
	ofOthers     = ofDegrees + "Degrees above 2^20 give NaN."
	ofLaguerres  = ofDegrees + "Degrees above 2^20 give NaN, except at x = 0."
	ofLegendres  = ofDegrees + "Degrees above 2^20 give NaN, except at x = -1 and x = 1."
)

// polynomials is the row of a family of orthogonal polynomials, which a loop computes by their recurrence.
func polynomials(name, doc string) Op {
	return Op{Name: name, Family: SpecialFunctions, Doc: "returns " + doc,
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "n", Like: "x"}}, Where: shapesBroadcast, Traits: Inline | Promotes | Floating | Loops}
}
