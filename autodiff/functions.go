package autodiff

import (
	"fmt"
	"math"

	"ltc/ir"
)

// The comments give the derivative; y is the node's own value.

// 1 + y²
func gradTan(t *tape, n, ct *ir.Node) {
	t.add(0, t.mul(ct, t.op(ir.OpAdd, t.mul(n, n), t.scalar(n, 1))))
}

// 1/√((1-x)(1+x)): 1-x² has few digits near 1
func gradAsin(t *tape, n, ct *ir.Node) { t.add(0, t.mul(ct, t.op(ir.OpRsqrt, t.unitLess(n.In[0])))) }

// -1/√((1-x)(1+x))
func gradAcos(t *tape, n, ct *ir.Node) {
	t.add(0, t.op(ir.OpNeg, t.mul(ct, t.op(ir.OpRsqrt, t.unitLess(n.In[0])))))
}

// 1/((1-x)(1+x))
func gradAtanh(t *tape, n, ct *ir.Node) { t.add(0, t.op(ir.OpDiv, ct, t.unitLess(n.In[0]))) }

// 1/√((x-1)(x+1))
func gradAcosh(t *tape, n, ct *ir.Node) {
	t.add(0, t.mul(ct, t.op(ir.OpRsqrt, t.op(ir.OpNeg, t.unitLess(n.In[0])))))
}

// unitLess is (1-x)(1+x).
func (t *tape) unitLess(x *ir.Node) *ir.Node {
	one := t.scalar(x, 1)
	return t.mul(t.op(ir.OpSub, one, x), t.op(ir.OpAdd, one, x))
}

// 1/(1+x²)
func gradAtan(t *tape, n, ct *ir.Node) { t.add(0, t.op(ir.OpDiv, ct, t.unitMore(n.In[0]))) }

// 1/√(1+x²)
func gradAsinh(t *tape, n, ct *ir.Node) { t.add(0, t.mul(ct, t.op(ir.OpRsqrt, t.unitMore(n.In[0])))) }

// unitMore is 1+x².
func (t *tape) unitMore(x *ir.Node) *ir.Node { return t.op(ir.OpAdd, t.mul(x, x), t.scalar(x, 1)) }

// b/(a²+b²) and -a/(a²+b²), 0 where a and b are
func gradAtan2(t *tape, n, ct *ir.Node) {
	a, b := n.In[0], n.In[1]
	squares := t.op(ir.OpAdd, t.mul(a, a), t.mul(b, b))
	none := t.compare("EQ", squares, t.scalar(n, 0))
	slope := t.op(ir.OpDiv, ct, t.op(ir.OpWhere, none, t.scalar(n, 1), squares))
	t.add(0, t.mul(slope, b))
	if t.wants(1) {
		t.add(1, t.op(ir.OpNeg, t.mul(slope, a)))
	}
}

// 1/(3y²)
func gradCbrt(t *tape, n, ct *ir.Node) { t.add(0, t.op(ir.OpDiv, ct, t.scale(t.mul(n, n), 3))) }

// -2/√π exp(-x²)
func gradErfc(t *tape, n, ct *ir.Node) {
	x := n.In[0]
	t.add(0, t.scale(t.mul(ct, t.op(ir.OpExp, t.op(ir.OpNeg, t.mul(x, x)))), -2/math.Sqrt(math.Pi)))
}

// √π/2 exp(y²)
func gradErfInv(t *tape, n, ct *ir.Node) {
	t.add(0, t.scale(t.mul(ct, t.op(ir.OpExp, t.mul(n, n))), math.Sqrt(math.Pi)/2))
}

func gradLgamma(t *tape, n, ct *ir.Node) { t.add(0, t.mul(ct, t.op(ir.OpDigamma, n.In[0]))) }

// ψ⁽¹⁾(x), and below 1/2 π²/sin²(πx) - ψ⁽¹⁾(1-x): the series of Polygamma loses digits below -5.
func gradDigamma(t *tape, n, ct *ir.Node) {
	x, half := n.In[0], t.scalar(n, 0.5)
	below := t.compare("LT", x, half)
	trigamma := t.op(ir.OpPolygamma, t.scalar(n, 1), t.op(ir.OpWhere, below, t.op(ir.OpSub, t.scalar(n, 1), x), x))
	// Sines of whole turns stay out of the gradient of what is not chosen.
	turns := t.op(ir.OpWhere, below, t.op(ir.OpSub, x, t.op(ir.OpRound, x)), half)
	sine := t.op(ir.OpSin, t.scale(turns, math.Pi))
	reflected := t.op(ir.OpSub, t.op(ir.OpDiv, t.scalar(n, math.Pi*math.Pi), t.mul(sine, sine)), trigamma)
	t.add(0, t.mul(ct, t.op(ir.OpWhere, below, reflected, trigamma)))
}

// ψ⁽ᵃ⁺¹⁾(b): the order a is a natural number.
func gradPolygamma(t *tape, n, ct *ir.Node) {
	if t.wants(0) {
		panic(failure{fmt.Errorf("polygamma at %v has no gradient with respect to x, its order: give it x.Stop() if x is a constant", n.Loc)})
	}
	if t.wants(1) {
		order := t.op(ir.OpAdd, n.In[0], t.scalar(n, 1))
		t.add(1, t.mul(ct, t.op(ir.OpPolygamma, order, n.In[1])))
	}
}

// -a ζ(a+1, b); that for a has no closed form.
func gradZeta(t *tape, n, ct *ir.Node) {
	if t.wants(0) {
		panic(failure{fmt.Errorf("zeta at %v has no gradient with respect to x, its exponent: give it x.Stop() if x is a constant", n.Loc)})
	}
	if t.wants(1) {
		a := n.In[0]
		next := t.op(ir.OpZeta, t.op(ir.OpAdd, a, t.scalar(n, 1)), n.In[1])
		t.add(1, t.op(ir.OpNeg, t.mul(ct, t.mul(a, next))))
	}
}

// 1: the result keeps its distance from a.
func gradNextAfter(t *tape, _, ct *ir.Node) { t.add(0, ct) }
