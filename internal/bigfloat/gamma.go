package bigfloat

import (
	"math/big"
	"sync"
)

// The functions here are those of the NIST Digital Library of Mathematical
// Functions (https://dlmf.nist.gov), chapters 5 and 10.

// bernoulli returns B(2k) for k = 0, 1, …: DLMF 24.5.3.
func bernoulli(k int) *big.Rat {
	bernoullis.Lock()
	defer bernoullis.Unlock()
	for n := int64(len(bernoullis.known)); n <= int64(2*k); n++ {
		sum := new(big.Rat)
		for j := int64(0); j < n; j++ {
			c := new(big.Rat).SetInt(new(big.Int).Binomial(n+1, j))
			sum.Add(sum, c.Mul(c, bernoullis.known[j]))
		}
		bernoullis.known = append(bernoullis.known, sum.Mul(sum, big.NewRat(-1, n+1)))
	}
	return bernoullis.known[2*k]
}

var bernoullis = struct {
	sync.Mutex
	known []*big.Rat // B(0), B(1), …
}{known: []*big.Rat{big.NewRat(1, 1)}}

// gammaPrec is the precision in which functions of the gamma family are computed at x.
// Cancellation near a zero may take twice the bits of x: x is then as near to the zero as
// its last bit says.
func gammaPrec(x *big.Float) uint { return 3*x.Prec() + uint(max(0, x.MantExp(nil))) + guard }

// raise returns z = x+n large enough for asymptotic series in p bits, and n.
func raise(x *big.Float, p uint) (z *big.Float, n int) {
	z = clone(p, x)
	for least := float(p, float64(p)/4+8); z.Cmp(least) < 0; n++ {
		z = add(z, one(p))
	}
	return z, n
}

// asymptotic adds up c(k)·B(2k)/z^(2k-start), k ≥ 1, until terms no longer count.
func asymptotic(z *big.Float, start int, c func(k int64) *big.Rat) *big.Float {
	p := z.Prec()
	inverse := quo(one(p), z)
	square, power := mul(inverse, inverse), one(p)
	for range 2 - start {
		power = mul(power, inverse)
	}
	sum := float(p, 0)
	for k := int64(1); ; k++ {
		b := new(big.Rat).Mul(bernoulli(int(k)), c(k))
		term := mul(new(big.Float).SetPrec(p).SetRat(b), power)
		sum = add(sum, term)
		if term.MantExp(nil) < -int(p) {
			return sum
		}
		power = mul(power, square)
	}
}

// fraction returns x less the nearest integer.
func fraction(x *big.Float) *big.Float {
	half := float(x.Prec(), 0.5)
	if x.Sign() < 0 {
		half.Neg(half)
	}
	n, _ := new(big.Float).SetPrec(x.Prec()+8).Add(x, half).Int(nil)
	return new(big.Float).SetPrec(x.Prec()).Sub(x, new(big.Float).SetInt(n))
}

// Lgamma is log |Γ(x)| of an x that is no pole: DLMF 5.11.1, 5.5.3.
func Lgamma(x *big.Float) *big.Float {
	p := gammaPrec(x)
	if x.Cmp(float(p, 0.5)) < 0 { // log π - log |sin πx| - log Γ(1-x)
		sine, _ := SinCos(mul(Pi(p), fraction(clone(p, x))))
		other := lgamma(sub(one(p), clone(p, x)))
		return rounded(sub(Log(quo(Pi(p), sine.Abs(sine))), other), x)
	}
	return rounded(lgamma(clone(p, x)), x)
}

func lgamma(x *big.Float) *big.Float {
	p := x.Prec()
	z, n := raise(x, p)
	product := one(p)
	for k := range n {
		product = mul(product, add(x, float(p, float64(k))))
	}
	// (z-1/2)·log z - z + log(2π)/2 + Σ B(2k)/(2k(2k-1)z^(2k-1))
	y := mul(sub(z, float(p, 0.5)), Log(z))
	y = add(sub(y, z), twice(Log(twice(Pi(p), 1)), -1))
	y = add(y, asymptotic(z, 1, func(k int64) *big.Rat { return big.NewRat(1, 2*k*(2*k-1)) }))
	return sub(y, Log(product))
}

// Digamma is the derivative of log Γ at an x that is no pole: DLMF 5.11.2, 5.5.4.
func Digamma(x *big.Float) *big.Float {
	p := gammaPrec(x)
	if x.Cmp(float(p, 0.5)) < 0 { // ψ(1-x) - π/tan πx
		sine, cosine := SinCos(mul(Pi(p), fraction(clone(p, x))))
		return rounded(sub(digamma(sub(one(p), clone(p, x))), quo(mul(Pi(p), cosine), sine)), x)
	}
	return rounded(digamma(clone(p, x)), x)
}

func digamma(x *big.Float) *big.Float {
	p := x.Prec()
	z, n := raise(x, p)
	// log z - 1/2z - Σ B(2k)/(2k·z^2k)
	y := sub(Log(z), quo(float(p, 0.5), z))
	y = sub(y, asymptotic(z, 0, func(k int64) *big.Rat { return big.NewRat(1, 2*k) }))
	for k := range n {
		y = sub(y, quo(one(p), add(x, float(p, float64(k)))))
	}
	return y
}

// BesselI1e is e^-|x| times the modified Bessel function of order one, of an x of
// a size below 1,000: DLMF 10.25.2.
func BesselI1e(x *big.Float) *big.Float {
	return odd(x, func(x *big.Float) *big.Float {
		p := prec(x)
		half := twice(clone(p, x), -1)
		square := mul(half, half)
		sum, term := clone(p, half), clone(p, half)
		for k := 1; ; k++ {
			term = quo(mul(term, square), float(p, float64(k)*float64(k+1)))
			sum = add(sum, term)
			if small(term, sum, p) {
				break
			}
		}
		return rounded(mul(sum, Exp(negative(clone(p, x)))), x)
	})
}
