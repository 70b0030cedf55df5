package chlo

import "math"

// The inverse trigonometric and hyperbolic functions of real numbers, in forms
// that lose nothing near 0, near ±1 and for large arguments.

// asin is 2·atan(x / (1 + √(1-x²))), with 1-x² as a product, which keeps its
// digits near ±1.
func asin(x val) val {
	half := x.atan2(oneMinusSquare(x).sqrt().addNum(1))
	return half.add(half)
}

// acos is the angle of the point (x, √(1-x²)).
func acos(x val) val { return oneMinusSquare(x).sqrt().atan2(x) }

func oneMinusSquare(x val) val {
	one := x.num(1)
	return one.sub(x).mul(one.add(x))
}

// acosh is log(x + √(x²-1)) = log1p(√(x-1)·(√(x+1) + √(x-1))); where x+1 could
// overflow, log 2 + log x. The square roots give NaN below 1.
func acosh(x val) val {
	r := x.subNum(1).sqrt()
	near := r.mul(x.addNum(1).sqrt().add(r)).log1p()
	return x.ge(largest(x)/2).pick(x.log().addNum(math.Ln2), near)
}

// asinh is, for x ≥ 0, log(x + √(x²+1)) = log1p(x + x² / (1 + √(1+x²))); where
// the square could overflow, log 2 + log x. It is an odd function.
func asinh(x val) val {
	ax := x.abs()
	square := ax.mul(ax)
	near := ax.add(square.div(square.addNum(1).sqrt().addNum(1))).log1p()
	far := ax.log().addNum(math.Ln2)
	return x.sign().mul(ax.ge(math.Sqrt(largest(x))).pick(far, near))
}

// atanh is (log1p x - log1p -x) / 2; the two have different signs, so that
// nothing cancels. The logarithms give NaN outside [-1, 1].
func atanh(x val) val { return x.log1p().sub(x.neg().log1p()).mulNum(0.5) }

// largest is the largest finite number of x's type, smallest the least normal.
func largest(x val) float64 {
	if bits(x) == 64 {
		return math.MaxFloat64
	}
	return math.MaxFloat32
}

func smallest(x val) float64 {
	if bits(x) == 64 {
		return 0x1p-1022
	}
	return 0x1p-126
}
