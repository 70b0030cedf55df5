package approx

// Polynomials of erf of f32 that need no table, interpolated at Chebyshev's points.
var (
	// ErfNear32: erf x = x + x·(…x²), |x| < 1.
	ErfNear32 = []float64{0x1.06eba7f7972aep-3, -0x1.81273ea2b3778p-2, 0x1.ce2d184de7383p-4, -0x1.b7fb37fbd0488p-6, 0x1.54163514e307bp-8, -0x1.a46b3ff3170a4p-11, 0x1.4a9dab0dc28f6p-14}
	// ErfFar32: log (1 - erf x) = …(x-5/2), 0.97 ≤ x ≤ 4.
	ErfFar32 = []float64{-0x1.f3a2dc8b122aap+2, -0x1.569251fd14961p+2, -0x1.e346070b9ef32p-1, -0x1.63cfdde4b4a33p-7, 0x1.1bcaedaac84a7p-9, -0x1.b88ce37272c00p-12, 0x1.44984b59563e0p-14, -0x1.be9e5c5fa5457p-17, 0x1.b19af88162caap-20}
)
