package chlo

// zetaTerms is how many terms of the series are added before the rest is
// estimated.
const zetaTerms = 10

// zetaTail is B₂ⱼ/(2j)! for j = 1 … 12, as the reciprocals that the Cephes
// library (S. L. Moshier, zeta.c) lists.
var zetaTail = []float64{
	1 / 12.0, -1 / 720.0, 1 / 30240.0, -1 / 1209600.0, 1 / 47900160.0, -1 / 1.8924375803183791606e9,
	1 / 7.47242496e10, -1 / 2.950130727918164224e12, 1 / 1.1646782814350067249e14, -1 / 4.5979787224074726105e15,
	1 / 1.8152105401943546773e17, -1 / 7.1661652561756670113e18,
}

// zeta is Hurwitz' Σ (q+k)^-x, by the formula of Euler and Maclaurin
// (F. Johansson, "Rigorous high-precision computation of the Hurwitz zeta
// function and its derivatives", arXiv:1309.2877, formula 5): with a = q + N,
//
//	ζ(x,q) = Σ_{k<N} (q+k)^-x + a^-x · (a/(x-1) + 1/2 + Σⱼ B₂ⱼ/(2j)! · x(x+1)…(x+2j-2) / a^(2j-1))
//
// It is infinite at x = 1 and, for even x, at the poles q = 0, -1, …. It is NaN
// for x < 1, at the other poles, and for a negative q whose powers are complex.
func zeta(x, q val) val {
	exponent := x.neg()
	sum := q.pow(exponent)
	a := q
	for range zetaTerms - 1 {
		a = a.addNum(1)
		sum = sum.add(a.pow(exponent))
	}
	a = a.addNum(1)
	power := a.pow(exponent)
	last := len(zetaTail) - 1
	tail := x.num(zetaTail[last])
	for j := last; j > 0; j-- {
		ratio := x.addNum(float64(2*j - 1)).mul(x.addNum(float64(2 * j))).div(a.mul(a))
		tail = tail.mul(ratio).addNum(zetaTail[j-1])
	}
	tail = tail.mul(x.div(a)).addNum(0.5)
	rest := power.mul(a).div(x.subNum(1)).add(power.mul(tail))
	// Of a power that is 0 nothing is left, however large its factor.
	y := sum.add(power.eq(0).pick(x.num(0), rest))

	integer := x.cmp("EQ", x.floor())
	even := x.rem(x.num(2)).eq(0)
	negative := q.le(0)
	pole := negative.and(q.cmp("EQ", q.floor()))
	y = negative.pick(integer.pick(y, x.nan()), y)
	y = pole.pick(even.pick(x.inf(), x.nan()), y)
	y = x.lt(1).pick(x.nan(), y)
	y = x.eq(1).pick(x.inf(), y)
	return x.cmp("NE", x).or(q.cmp("NE", q)).pick(x.nan(), y)
}

// polygamma is the n-th derivative of the digamma function,
// (-1)^(n+1) · n! · ζ(n+1, x); NaN unless n is a natural number.
func polygamma(n, x val) val {
	next := n.addNum(1)
	size := lgamma(next).exp().mul(zeta(next, x))
	odd := n.rem(n.num(2)).eq(1)
	y := odd.pick(size, size.neg())
	y = n.eq(0).pick(digamma(x), y)
	natural := n.ge(0).and(n.cmp("EQ", n.floor()))
	return natural.pick(y, x.nan())
}
