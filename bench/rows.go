package main

import (
	"math"

	"ltc/lazy"
)

// The programs over rows and columns of a matrix.

func softmaxRows(rows, cols int) *program {
	x := random(1, rows, cols).times(4)
	return &program{
		operands: []operand{x},
		fn:       func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].Softmax(1) },
		bytes:    moved(rows*cols, x),
		want: func(in [][]float32, i int) (float64, float64) {
			row := in[0][i/cols*cols:][:cols]
			sum := 0.0
			for _, v := range row {
				sum += math.Exp(float64(v))
			}
			y := math.Exp(float64(row[i%cols])) / sum
			return y, 16 * y // the exponent is off by half an ulp of up to 8
		},
	}
}

const layerNormEps = 1e-5

func layerNormRows(rows, cols int) *program {
	x, gamma, beta := random(1, rows, cols), random(2, cols), random(3, cols)
	return &program{
		operands: []operand{x, gamma, beta},
		fn: func(x ...*lazy.Tensor) *lazy.Tensor {
			return x[0].LayerNorm(x[1], x[2], layerNormEps)
		},
		bytes: moved(rows*cols, x, gamma, beta),
		want: func(in [][]float32, i int) (float64, float64) {
			row, k := in[0][i/cols*cols:][:cols], i%cols
			mean, variance := 0.0, 0.0
			for _, v := range row {
				mean += float64(v) / float64(cols)
			}
			for _, v := range row {
				variance += (float64(v) - mean) * (float64(v) - mean) / float64(cols)
			}
			y := (float64(row[k]) - mean) / math.Sqrt(variance+layerNormEps) * float64(in[1][k])
			return y + float64(in[2][k]), 4 * (math.Abs(y) + math.Abs(float64(in[2][k])))
		},
	}
}

// sumColumns, sumRows and sumAll add up a matrix over axis 0, over axis 1 and
// over both.

func sumColumns(rows, cols int) *program {
	return summing(rows, cols, cols, func(i int) (start, step, n int) { return i, cols, rows }, 0)
}

func sumRows(rows, cols int) *program {
	return summing(rows, cols, rows, func(i int) (start, step, n int) { return i * cols, 1, cols }, 1)
}

func sumAll(rows, cols int) *program {
	return summing(rows, cols, 1, func(int) (start, step, n int) { return 0, 1, rows * cols })
}

// summing adds up a matrix over axes; terms says which elements of it make
// element i of the results.
func summing(rows, cols, results int, terms func(i int) (start, step, n int), axes ...int) *program {
	x := random(1, rows, cols)
	return &program{
		operands: []operand{x},
		fn:       func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].Sum(axes...) },
		bytes:    moved(0, x),
		want: func(in [][]float32, i int) (float64, float64) {
			start, step, n := terms(i)
			sum, size := 0.0, 0.0
			for k := range n {
				v := float64(in[0][start+k*step])
				sum, size = sum+v, size+math.Abs(v)
			}
			return sum, size * math.Sqrt(float64(n)) / 16
		},
	}
}

func transposed(rows, cols int) *program {
	x := random(1, rows, cols)
	return &program{
		operands: []operand{x},
		fn: func(x ...*lazy.Tensor) *lazy.Tensor {
			return x[0].Transpose(1, 0).Clone()
		},
		bytes: moved(rows*cols, x),
		want:  func(in [][]float32, i int) (float64, float64) { return float64(in[0][i%rows*cols+i/rows]), 0 },
	}
}

// copied is an operand in memory of its own.
func copied(rows, cols int) *program {
	x := random(1, rows, cols)
	return &program{
		operands: []operand{x},
		fn:       func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].Clone() },
		bytes:    moved(rows*cols, x),
		want:     func(in [][]float32, i int) (float64, float64) { return float64(in[0][i]), 0 },
	}
}

// cumulated has the sums of each row up to its elements.
func cumulated(rows, cols int) *program {
	x := random(1, rows, 1, cols)
	return &program{
		operands: []operand{x},
		fn: func(x ...*lazy.Tensor) *lazy.Tensor {
			return x[0].SumPool([]int{cols}, lazy.PoolOptions{Strides: []int{1}, Padding: [][2]int{{cols - 1, 0}}})
		},
		bytes: moved(rows*cols, x),
		want: func(in [][]float32, i int) (sum, size float64) {
			for _, v := range in[0][i/cols*cols : i+1] {
				sum, size = sum+float64(v), size+math.Abs(float64(v))
			}
			return sum, size
		},
	}
}
