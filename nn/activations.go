package nn

import (
	"fmt"

	"ltc/lazy"
)

func computeSiLU(x *lazy.Tensor) *lazy.Tensor { return x.Mul(x.Sigmoid()) }

func computeELU(x *lazy.Tensor, alpha float64) *lazy.Tensor {
	// Expm1 of a positive number may be infinite, and 0 times the gradient of that is NaN.
	below := x.LessEqualScalar(0)
	return below.Where(below.WhereScalar(x, 0).Expm1().MulScalar(alpha), x)
}

func computeGLU(x *lazy.Tensor, axis int) *lazy.Tensor {
	half := x.Dim(axis) / 2
	return x.Narrow(axis, 0, half).Mul(x.Narrow(axis, half, half).Sigmoid())
}

func checkGLU(x *lazy.Tensor, axis int) (demand, reason string) {
	if n := x.Dim(axis); n%2 != 0 {
		return gluEven, fmt.Sprintf("the dimension of axis %d of %v is %d, must be even", axis, x.Type(), n)
	}
	return "", ""
}
