package chlo

import (
	"math"

	"ltc/mlir"
)

// Functions of complex numbers from their parts. On a branch cut the sign of the part that
// is 0 is the side, as annex G of C has it.

// complexAsin, complexAcos, complexAsinh and complexAcosh all follow from
// w = asinAcosKernel(z), or for asinh of i·z.
func complexAsin(z val) val {
	w := asinAcosKernel(z)
	return z.real().atan2(w.real()).complex(signed(w.imag(), z.imag()))
}

func complexAcos(z val) val {
	w := asinAcosKernel(z)
	return w.real().atan2(z.real()).complex(signed(w.imag(), z.imag()).neg())
}

func complexAcosh(z val) val {
	w := asinAcosKernel(z)
	return w.imag().complex(signed(w.real().atan2(z.real()), z.imag()))
}

// complexAsinh is -i·asin(i·z).
func complexAsinh(z val) val {
	w := asinAcosKernel(z.imag().neg().complex(z.real()))
	return signed(w.imag(), z.real()).complex(z.imag().atan2(w.real()))
}

// signed is x, and -x where y has the sign of negative numbers. A zero has a sign; that of a
// NaN does not count, for machines make NaNs of either.
func signed(x, y val) val {
	minus := y.bitcast(mlir.IntegerType{Width: bits(y)}).lt(0).and(y.cmp("EQ", y))
	return minus.pick(x.neg(), x)
}

// asinAcosKernel is √(a² - x²) + i·log(a + √(a²-1)) where x and y are the sizes
// of z's parts and a = (|z+1| + |z-1|)/2, by T. E. Hull, T. F. Fairgrieve and
// P. T. P. Tang, "Implementing the complex arcsine and arccosine functions
// using exception handling" (ACM TOMS 23, 1997). Of its cases only those
// remain that one of the two parts needs for its digits.
func asinAcosKernel(z val) val {
	x, y := z.real().abs(), z.imag().abs()
	k := hull{x: x, y: y, xp: x.addNum(1), xm: x.subNum(1), large: math.Sqrt(largest(x)) / 8}
	k.r, k.s = hypot(k.xp, y), hypot(k.xm.abs(), y)
	k.a = k.r.add(k.s).mulNum(0.5)
	return k.real().complex(k.imag())
}

// hull is what the two parts of the kernel share.
type hull struct {
	x, y   val
	xp, xm val // x+1, x-1
	r, s   val // |z+1|, |z-1|
	a      val
	large  float64 // whose square, with some more, does not overflow
}

// real is √((a+x)(a-x)), with a-x from the differences r-(x+1) and s-(x-1),
// which are rewritten where they would cancel; for large arguments a² - x² is y². Where x
// is 0 the angle that it makes with x does not depend on y: it is 1 of a y that is NaN.
func (k hull) real() val {
	x, y := k.x, k.y
	half := k.a.add(x).mulNum(0.5)
	rp := k.r.add(k.xp)
	inside := half.mul(y.mul(y).div(rp).add(k.s.sub(k.xm))).sqrt()
	outside := y.mul(half.div(rp).add(half.div(k.s.add(k.xm))).sqrt())
	unknown := x.eq(0).and(y.cmp("NE", y))
	return unknown.pick(x.num(1), x.max(y).ge(k.large).pick(y, x.le(1).pick(inside, outside)))
}

// imag is log1p(a-1 + √((a-1)(a+1))). For a large part it is log 2 + log |z|,
// for a small y and x < 1 it is y/√(1-x²).
func (k hull) imag() val {
	x, y := k.x, k.y
	yLimit := x.lt(k.large*1e12).pick(x.num(k.large*1e-6), x.num(k.large*100))
	yLarge := y.cmp("GE", yLimit)
	top := yLarge.pick(y, x)
	isLarge := yLarge.or(x.ge(k.large))
	q := yLarge.and(y.cmp("NE", y.inf())).pick(x.div(y), x.num(0))
	large := top.log().addNum(math.Ln2).add(q.mul(q).log1p().mulNum(0.5))

	isSmall := y.lt(4 * math.Sqrt(smallest(x))).and(x.lt(1))
	less := isSmall.pick(k.xp.mul(k.xm).div(k.a.addNum(1)).neg(), k.aLessOne())
	root := less.mul(k.a.addNum(1)).sqrt()
	return isLarge.pick(large, isSmall.pick(y.div(root), less.add(root).log1p()))
}

// aLessOne is a-1 = (r-(x+1))/2 + (s-(1-x))/2, each difference with the square
// of y where it would cancel.
func (k hull) aLessOne() val {
	squareHalf := k.y.mul(k.y).mulNum(0.5)
	right := squareHalf.div(k.r.add(k.xp))
	beyond := right.add(k.s.add(k.xm).mulNum(0.5))
	within := right.add(squareHalf.div(k.s.sub(k.xm)))
	return k.x.ge(1).pick(beyond, k.a.le(1.5).pick(within, k.a.subNum(1)))
}

// hypot is √(a²+b²) of two sizes, without overflow or underflow on the way.
func hypot(a, b val) val {
	long, short := a.max(b), a.min(b)
	ratio := short.div(long)
	square := ratio.mul(ratio)
	root := square.addNum(1).sqrt()
	// Where the root is rounded to 1, the first term of its series is added.
	tiny := root.eq(1).and(square.gt(0))
	y := tiny.pick(long.add(long.mul(square).mulNum(0.5)), long.mul(root))
	return long.cmp("EQ", short).pick(long.mulNum(math.Sqrt2), y)
}

// complexAtan is -i·atanh(i·z).
func complexAtan(z val) val {
	w := complexAtanh(z.imag().neg().complex(z.real()))
	return w.imag().complex(w.real().neg())
}

// complexAtanh is (log(1+z) - log(1-z))/2, whose parts for z = x + iy are
//
//	re = sign(x)·log1p(4|x| / ((1-|x|)² + y²)) / 4
//	im = atan2(2y, (1-|x|)(1+|x|) - y²) / 2
//
// Where a part is so large that adding 1 to its square does nothing, the
// quotient is |x|/(x²+y²), without the squares, and im is ±π/2. Beside the poles
// ±1, where the squares vanish, re is ±log(2/|y|)/2.
func complexAtanh(z val) val {
	x, y := z.real(), z.imag()
	ax, ay := x.abs(), y.abs()
	steps := map[int]float64{64: 1<<53 + 2, 32: 1<<24 + 2}[bits(x)] // 1/ε and a little more
	near := ax.lt(steps * steps).and(ay.lt(steps * steps))
	minus := x.num(1).sub(ax)
	square := y.mul(y)

	infinite := ax.cmp("EQ", x.inf()).or(ay.cmp("EQ", x.inf()))
	far := x.num(1).div(ax.div(y).add(y.div(ax))).div(y)
	far = ay.mulNum(steps).cmp("LT", ax).pick(x.num(1).div(ax), infinite.pick(x.num(0), far))
	quotient := near.pick(ax.div(minus.mul(minus).add(square)), far)
	size := quotient.mulNum(4).log1p().mulNum(0.25)
	size = minus.eq(0).and(ay.lt(0x1p-30)).pick(x.num(math.Ln2).sub(ay.log()).mulNum(0.5), size)
	re := x.eq(0).pick(x, signed(size, x)) // also of an imaginary part that is NaN

	angle := y.add(y).atan2(minus.mul(ax.addNum(1)).sub(square))
	im := near.pick(angle, signed(y.num(math.Pi), y)).mulNum(0.5)
	unknown := y.cmp("NE", y).or(x.cmp("NE", x).and(ay.cmp("NE", x.inf())))
	return re.complex(unknown.pick(y.nan(), im))
}

// complexSinh is sinh x·cos y + i·cosh x·sin y.
func complexSinh(z val) val {
	x, y := z.real(), z.imag()
	return infinite(sinh(x), y.cos(), x).complex(product(cosh(x), y.sin(), x))
}

// complexCosh is cosh x·cos y + i·sinh x·sin y.
func complexCosh(z val) val {
	x, y := z.real(), z.imag()
	return infinite(cosh(x), y.cos(), x).complex(product(sinh(x), y.sin(), x))
}

// product is a·b where a is sinh x or cosh x, and 0 where one of them is, though the other
// be infinite or NaN. Where a overflows the product may be finite: it is
// ±e^(|x|/2)·(b/2)·e^(|x|/2).
func product(a, b, x val) val {
	root := x.abs().mulNum(0.5).exp()
	beyond := root.mul(b.mulNum(0.5)).mul(root)
	y := x.abs().ge(math.Floor(math.Log(largest(x)))).pick(signed(beyond, a), a.mul(b))
	y = a.eq(0).and(b.cmp("NE", b)).pick(a, y)
	return b.eq(0).pick(signed(b, a), y)
}

// infinite is product for a real part: where b is NaN an infinite a stays infinite, as
// annex G of C has it for numbers of no known direction.
func infinite(a, b, x val) val {
	return a.abs().cmp("EQ", a.inf()).and(b.cmp("NE", b)).pick(a, product(a, b, x))
}

// complexSquare is (x-y)(x+y) + i·2xy; the real part is 0 where the sizes are
// equal, infinite ones excepted.
func complexSquare(z val) val {
	x, y := z.real(), z.imag()
	equal := x.abs().cmp("EQ", y.abs()).and(x.abs().cmp("NE", x.inf()))
	return equal.pick(x.num(0), x.sub(y).mul(x.add(y))).complex(x.mul(y).mulNum(2))
}
