package lazy

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
