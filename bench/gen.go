package main

import (
	"math"

	"ltc/bench/measure"
	"ltc/lazy"
)

// scaled divides v by s in place, in float32, and returns it.
func scaled(v []float32, s float32) []float32 {
	for i := range v {
		v[i] /= s
	}
	return v
}

// mixData returns the operands x and y of the recording workloads, 8 by 8.
func mixData(tr *lazy.Trace) (x, y *lazy.Tensor) {
	a, b := measure.Gen(1, 8, 8), measure.Gen(2, 8, 8)
	for i := range a {
		a[i], b[i] = abs(a[i]), abs(b[i])*0.2
	}
	return lazy.From(tr, a, 8, 8), lazy.From(tr, b, 8, 8)
}

// mixNumbers returns the same in float64.
func mixNumbers() (x, y []float64) {
	a, b := measure.Gen(1, 8, 8), measure.Gen(2, 8, 8)
	for i := range a {
		x, y = append(x, float64(abs(a[i]))), append(y, float64(abs(b[i])*0.2))
	}
	return x, y
}

func abs(x float32) float32 { return float32(math.Abs(float64(x))) }
