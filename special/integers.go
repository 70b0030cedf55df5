package special

import "ltc/lazy"

// computeGCD is Euclid's algorithm, for all elements at once: as many iterations as one of them needs.
func computeGCD(x, y *lazy.Tensor) *lazy.Tensor {
	x, y = magnitude(x), magnitude(y)
	all := x.Add(y).OpenShape()
	return lazy.While(func(_ *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor {
		return s[0].NotEqualScalar(0).Any()
	}, func(_ *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
		goes := s[0].NotEqualScalar(0)
		rest := s[1].Rem(goes.WhereScalar(s[0], 1))
		return []*lazy.Tensor{goes.WhereScalar(rest, 0), goes.Where(s[0], s[1])}
	}, x.BroadcastTo(all...), y.BroadcastTo(all...))[1]
}

// computeLCM is |x/gcd·y|, where PyTorch computes products of 8 and 16 bits as integers of C: they are cut after |·|.
func computeLCM(x, y *lazy.Tensor) *lazy.Tensor {
	x, y = magnitude(x), magnitude(y)
	divisor := GCD(x, y)
	product := x.TruncDivide(divisor.EqualScalar(0).ScalarWhere(1, divisor)).Mul(y)
	if x.DType().Size() < 4 {
		return product
	}
	return magnitude(product)
}

// magnitude is |x|; that of the least integer of a signed dtype is itself.
func magnitude(x *lazy.Tensor) *lazy.Tensor {
	if x.DType().IsSigned() {
		return x.Abs()
	}
	return x
}
