package main

import (
	"math"
	"sync"
)

// want is the layer in float64, made once for all elements.
func (e encoder) want() func(in [][]float32, i int) (float64, float64) {
	var once sync.Once
	var y []float64
	return func(in [][]float32, i int) (float64, float64) {
		once.Do(func() { y = e.exactly(in) })
		return y[i], 100 // sums of width and hidden products, and what norms make of them
	}
}

// exactly computes the layer.
func (e encoder) exactly(in [][]float32) []float64 {
	x, p := numbers(in[0]), in[1:]
	next := func() (w, b []float64) { w, b, p = numbers(p[0]), numbers(p[1]), p[2:]; return w, b }
	linear := func(x []float64) []float64 { w, b := next(); return linearOf(x, w, b) }
	norm := func(x []float64) []float64 {
		gamma, beta := next()
		for r := 0; r < len(x); r += e.width {
			normed(x[r:r+e.width], gamma, beta)
		}
		return x
	}
	q, k, v := linear(x), linear(x), linear(x)
	x = norm(plus(linear(e.attended(q, k, v)), x))
	h := linear(x)
	for i := range h {
		h[i] = gelu(h[i])
	}
	return norm(plus(linear(h), x))
}

// attended is each head's mean of values, beside those of the others.
func (e encoder) attended(q, k, v []float64) []float64 {
	dim := e.width / e.heads
	out := make([]float64, len(q))
	weights := make([]float64, e.length)
	for row := range e.batch * e.length {
		first := row / e.length * e.length
		for at := 0; at < e.width; at += dim {
			sum := 0.0
			for j := range weights {
				score := 0.0
				for d := at; d < at+dim; d++ {
					score += q[row*e.width+d] * k[(first+j)*e.width+d]
				}
				weights[j] = math.Exp(score / math.Sqrt(float64(dim)))
				sum += weights[j]
			}
			for j, w := range weights {
				for d := at; d < at+dim; d++ {
					out[row*e.width+d] += w / sum * v[(first+j)*e.width+d]
				}
			}
		}
	}
	return out
}

// linearOf is x·w + b, row by row.
func linearOf(x, w, b []float64) []float64 {
	out := len(b)
	in := len(w) / out
	y := make([]float64, len(x)/in*out)
	for r := range len(x) / in {
		row := y[r*out : (r+1)*out]
		copy(row, b)
		for k, v := range x[r*in : (r+1)*in] {
			for j, u := range w[k*out : (k+1)*out] {
				row[j] += v * u
			}
		}
	}
	return y
}

// normed subtracts a row's mean, divides by its deviation, and scales and shifts it.
func normed(row, gamma, beta []float64) {
	mean, variance := 0.0, 0.0
	for _, v := range row {
		mean += v / float64(len(row))
	}
	for _, v := range row {
		variance += (v - mean) * (v - mean) / float64(len(row))
	}
	for i, v := range row {
		row[i] = (v-mean)/math.Sqrt(variance+encoderEps)*gamma[i] + beta[i]
	}
}

func plus(x, y []float64) []float64 {
	for i := range x {
		x[i] += y[i]
	}
	return x
}

func numbers(v []float32) []float64 {
	x := make([]float64, len(v))
	for i := range v {
		x[i] = float64(v[i])
	}
	return x
}
