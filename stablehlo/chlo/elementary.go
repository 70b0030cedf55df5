package chlo

import (
	"math"

	"ltc/mlir"
)

func bits(x val) int {
	if x.elem() == mlir.Type(mlir.F64) {
		return 64
	}
	return 32
}

// cosh is (e^x + e^-x) / 2, with the halves in the exponents as the dialect
// documents it, so that e^x/2 does not overflow where e^x does.
func cosh(x val) val {
	grow, shrink := halfExponentials(x)
	return grow.add(shrink)
}

// sinh is (e^x - e^-x) / 2; below 1, where the two cancel, (m + m/(m+1)) / 2
// with m = e^x - 1.
func sinh(x val) val {
	grow, shrink := halfExponentials(x)
	m := x.expm1()
	near := m.add(m.div(m.addNum(1))).mulNum(0.5)
	return x.abs().lt(1).pick(near, grow.sub(shrink))
}

// halfExponentials are e^x / 2 and e^-x / 2. Those of f32 are e^(x-log 2) and e^(-x-log 2),
// as the dialect documents: its tests demand that rounding. For f64 the rounding of
// x-log 2 costs hundreds of units in the last place: these are squares of e^(±x/2).
func halfExponentials(x val) (grow, shrink val) {
	if bits(x) == 64 {
		root := x.mulNum(0.5).exp()
		inverse := x.mulNum(-0.5).exp()
		return root.mulNum(0.5).mul(root), inverse.mulNum(0.5).mul(inverse)
	}
	half := x.num(-math.Ln2)
	return x.add(half).exp(), half.sub(x).exp()
}

// horner evaluates the polynomial of the given coefficients, that of the
// highest power first.
func horner(x val, coefficients []float64) val {
	p := x.num(coefficients[0])
	for _, c := range coefficients[1:] {
		p = p.mul(x).addNum(c)
	}
	return p
}
