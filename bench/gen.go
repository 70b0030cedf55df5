package main

import (
	"math"

	"ltc/lazy"
)

// gen returns the data that all peers use: numbers of [-1, 1) in row-major
// order, a hash of the flat index by Knuth's multiplier 2654435761.
func gen(seed int, dims ...int) []float32 {
	n := 1
	for _, d := range dims {
		n *= d
	}
	v := make([]float32, n)
	for i := range v {
		h := (uint64(i) + 1 + uint64(seed)*7919) * 2654435761 & math.MaxUint32
		v[i] = float32(float64(h)/(1<<32)*2 - 1)
	}
	return v
}

// scaled divides v by s in place, in float32, and returns it.
func scaled(v []float32, s float32) []float32 {
	for i := range v {
		v[i] /= s
	}
	return v
}

// mixData returns the operands x and y of the recording workloads, 8 by 8.
func mixData(tr *lazy.Trace) (x, y *lazy.Tensor) {
	a, b := gen(1, 8, 8), gen(2, 8, 8)
	for i := range a {
		a[i], b[i] = abs(a[i]), abs(b[i])*0.2
	}
	return lazy.From(tr, a, 8, 8), lazy.From(tr, b, 8, 8)
}

// mixNumbers returns the same in float64.
func mixNumbers() (x, y []float64) {
	a, b := gen(1, 8, 8), gen(2, 8, 8)
	for i := range a {
		x, y = append(x, float64(abs(a[i]))), append(y, float64(abs(b[i])*0.2))
	}
	return x, y
}

func abs(x float32) float32 { return float32(math.Abs(float64(x))) }
