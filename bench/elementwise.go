package main

import (
	"math"

	"ltc/bench/measure"
	"ltc/lazy"
)

// The elementwise programs, of n elements each.

func affineReLU(n int) *program {
	x := random(1, n)
	return &program{
		operands: []operand{x},
		fn: func(x ...*lazy.Tensor) *lazy.Tensor {
			return x[0].MulScalar(0.7).AddScalar(0.1).ReLU().Add(x[0])
		},
		bytes: moved(n, x),
		want: measure.Elementwise(func(x ...float64) (float64, float64) {
			y := max(0.7*x[0]+0.1, 0) + x[0]
			return y, 1
		}),
	}
}

func tanhChain(n int) *program {
	x := random(1, n).times(3)
	return &program{
		operands: []operand{x},
		fn: func(x ...*lazy.Tensor) *lazy.Tensor {
			return x[0].MulScalar(0.7).AddScalar(0.1).Tanh().MulScalar(1.3).Add(x[0].ReLU())
		},
		bytes: moved(n, x),
		want: measure.Elementwise(func(x ...float64) (float64, float64) {
			return math.Tanh(0.7*x[0]+0.1)*1.3 + max(x[0], 0), 1.3 + math.Abs(x[0])
		}),
	}
}

func geluOf(n int) *program {
	x := random(1, n).times(3)
	return &program{
		operands: []operand{x},
		fn:       func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].GELU() },
		bytes:    moved(n, x),
		want: measure.Elementwise(func(x ...float64) (float64, float64) {
			return gelu(x[0]), math.Abs(x[0])
		}),
	}
}

func expGELU(n int) *program {
	x := random(1, n).times(3)
	return &program{
		operands: []operand{x},
		fn: func(x ...*lazy.Tensor) *lazy.Tensor {
			return x[0].Neg().Mul(x[0]).Exp().Mul(x[0].GELU()).Add(x[0].MulScalar(0.5))
		},
		bytes: moved(n, x),
		want: measure.Elementwise(func(x ...float64) (float64, float64) {
			return math.Exp(-x[0]*x[0])*gelu(x[0]) + 0.5*x[0], 2 * math.Abs(x[0])
		}),
	}
}

func fma3(n int) *program {
	a, b, c := random(1, n), random(2, n), random(3, n)
	return &program{
		operands: []operand{a, b, c},
		fn:       func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].Mul(x[1]).Add(x[2]) },
		bytes:    moved(n, a, b, c),
		want: measure.Elementwise(func(x ...float64) (float64, float64) {
			return x[0]*x[1] + x[2], math.Abs(x[0]*x[1]) + math.Abs(x[2])
		}),
	}
}

// chain20 is ten times a multiplication and an addition.
func chain20(n int) *program {
	x, y := random(1, n), random(2, n)
	return &program{
		operands: []operand{x, y},
		fn: func(x ...*lazy.Tensor) *lazy.Tensor {
			z := x[0]
			for range 10 {
				z = z.Mul(x[1]).Add(x[1])
			}
			return z
		},
		bytes: moved(n, x, y),
		want: measure.Elementwise(func(x ...float64) (float64, float64) {
			z, size := x[0], math.Abs(x[0])
			for range 10 {
				z, size = z*x[1]+x[1], size*math.Abs(x[1])+math.Abs(x[1])
			}
			return z, 4 * size
		}),
	}
}

// gelu is x/2 (1 + erf(x/√2)).
func gelu(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }

// ew100 is 25 times {mul, add, relu, sub} of matrices: a graph of a hundred ops.
func ew100(rows, cols int) *program {
	x, y := random(1, rows, cols), random(2, rows, cols)
	return &program{
		operands: []operand{x, y},
		fn: func(x ...*lazy.Tensor) *lazy.Tensor {
			z := x[0]
			for range 25 {
				z = z.Mul(x[1]).Add(x[1]).ReLU().SubScalar(0.1)
			}
			return z
		},
		bytes: moved(rows*cols, x, y),
		want: measure.Elementwise(func(x ...float64) (float64, float64) {
			z, size := x[0], 1.0
			for range 25 {
				z = max(z*x[1]+x[1], 0) - 0.1
				size = size*math.Abs(x[1]) + 1
			}
			return z, size
		}),
	}
}
