package linalg

import (
	"math"

	"ltc/lazy"
)

// sweeps bounds the sweeps of Jacobi's method, which converges in some ten.
const sweeps = 32

// orthogonalRows rotates the rows of x[batch, n, m], each with each other in a sweep, until their first w
// elements are orthogonal: Demmel and Veselić (1992), "Jacobi's method is more accurate than QR". All pairs of a
// round are rotated at once.
func orthogonalRows(x *lazy.Tensor, w int) *lazy.Tensor {
	n := x.OpenDim(1)
	if n < 2 {
		return x
	}
	most := epsilon(x) * math.Sqrt(float64(n))
	round := func(_ *lazy.Trace, k *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor {
		x, c, s, far := state[0], state[1], state[2], state[3]
		x = c.Unsqueeze(2).Mul(x).Sub(s.Unsqueeze(2).Mul(x.IndexSelect(partners(k, n), 1)))
		last := k.EqualScalar(float64(n - 1))
		c, s, angle := angles(x, w, last.ScalarWhere(0, k.AddScalar(1)))
		return []*lazy.Tensor{x, c, s, far.Maximum(angle)}
	}
	sweep := func(_ *lazy.Trace, state []*lazy.Tensor) []*lazy.Tensor {
		next := lazy.For(n, round, state[0], state[1], state[2], number(state[1], 0))
		return append(next, state[4].AddScalar(1))
	}
	again := func(_ *lazy.Trace, state []*lazy.Tensor) *lazy.Tensor {
		return state[3].GreaterScalar(most).And(state[4].LessScalar(sweeps))
	}
	c, s, _ := angles(x, w, zero(x.Trace()))
	return lazy.While(again, sweep, x, c, s, number(c, 1), zero(x.Trace()))[0]
}

// partners returns for each of n rows its partner in round k, from 0 to n-1: the numbers of both add up to
// k modulo n. A row that is its own partner rests. Each pair meets once in n rounds.
func partners(k *lazy.Tensor, n int) *lazy.Tensor {
	d := k.Sub(count(k.Trace(), 0, n))
	return d.LessScalar(0).Where(d.AddScalar(float64(n)), d)
}

// angles returns the cosines c[batch, n] and sines s of rotations of round k: row i, less s by its partner,
// becomes orthogonal to it. Angles are at most π/4. It returns the largest cosine between a row and its partner,
// too.
func angles(x *lazy.Tensor, w int, k *lazy.Tensor) (c, s, most *lazy.Tensor) {
	n := x.OpenDim(1)
	x = x.Narrow(2, 0, w)
	i, other := count(x.Trace(), 0, n), partners(k, n)
	squares, p := squaresOf(x).Sum(2), x.Mul(x.IndexSelect(other, 1).Conj()).Sum(2)
	var phase *lazy.Tensor // of complex rows: turned by it, the partner has a real p
	if isComplex(p) {
		phase, p = p.Sign(), p.Abs()
	}
	others := squares.IndexSelect(other, 1)
	lengths := squares.Sqrt().Mul(others.Sqrt())
	// A NaN, which is not greater than 0 either, must not end the sweeps of the other matrices.
	none := lengths.GreaterScalar(0).And(p.Abs().GreaterScalar(0)).LogicalNot().Or(i.Equal(other))
	most = none.ScalarWhere(0, p.Abs().Div(none.ScalarWhere(1, lengths))).Max(0, 1)
	tau := others.Sub(squares).Div(none.ScalarWhere(1, p).MulScalar(2))
	t := tau.Abs().Add(tau.Square().AddScalar(1).Sqrt()).Reciprocal()
	// Partners have opposite angles, equal squares as well.
	negative := tau.LessScalar(0).Or(tau.EqualScalar(0).And(i.Greater(other)))
	t = none.ScalarWhere(0, negative.Where(t.Neg(), t))
	c = t.Square().AddScalar(1).Rsqrt()
	if s = t.Mul(c); phase != nil {
		s = s.Mul(phase)
	}
	return c, s, most
}
