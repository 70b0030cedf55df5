package main

import (
	"math"

	"ltc/ir/types"
	"ltc/lazy"
)

// The programs that are matrix products, and a layer of a network.

// matMul is of square matrices, in f32, or in bf16 with a bf16 result.
func matMul(n int, d types.DType) *program {
	p := product([]int{n, n}, []int{n, n}, d)
	p.bytes = 0
	return p
}

func matVec(n int) *program {
	p := product([]int{n, n}, []int{n}, lazy.F32)
	p.bytes = moved(0, p.operands[0])
	return p
}

func bmm(batch, m, k, n int) *program {
	p := product([]int{batch, m, k}, []int{batch, k, n}, lazy.F32)
	p.bytes = 0
	return p
}

// product multiplies matrices, or batches of them, or a matrix with a vector.
func product(a, b []int, d types.DType) *program {
	batch, m, k, n := 1, a[len(a)-2], a[len(a)-1], 1
	if len(a) > 2 {
		batch = a[0]
	}
	if len(b) > 1 {
		n = b[len(b)-1]
	}
	x, y := random(1, a...).as(d), random(2, b...).as(d)
	return &program{
		operands: []operand{x, y},
		fn:       func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].MatMul(x[1]) },
		flops:    2 * float64(batch) * float64(m) * float64(k) * float64(n),
		want: func(in [][]float32, i int) (float64, float64) {
			row, col := i/n, i%n // rows of all matrices of a batch
			return dot(in[0][row*k:][:k], in[1][row/m*k*n+col:], n)
		},
	}
}

// dot is the product of a row and of a column whose elements are step apart,
// with the size of what it adds up.
func dot(row, col []float32, step int) (sum, size float64) {
	return dotStrided(row, 1, col, step, len(row))
}

// dotStrided is dot of n elements that are apart in both.
func dotStrided(a []float32, stepA int, b []float32, stepB, n int) (sum, size float64) {
	for j := range n {
		p := float64(a[j*stepA]) * float64(b[j*stepB])
		sum, size = sum+p, size+math.Abs(p)
	}
	return sum, size * math.Sqrt(float64(n)) / 8
}

// linearGELU is a layer with its bias: gelu(x·w + b).
func linearGELU(rows, in, out int) *program {
	x, w, b := random(1, rows, in), random(2, in, out), random(3, out)
	return &program{
		operands: []operand{x, w, b},
		fn: func(x ...*lazy.Tensor) *lazy.Tensor {
			return x[0].MatMul(x[1]).Add(x[2]).GELU()
		},
		flops: 2 * float64(rows) * float64(in) * float64(out),
		want: func(data [][]float32, i int) (float64, float64) {
			row, col := i/out, i%out
			sum, size := dot(data[0][row*in:][:in], data[1][col:], out)
			bias := float64(data[2][col])
			return gelu(sum + bias), 2 * (size + math.Abs(bias)) // gelu' is at most 1.13
		},
	}
}
