package verify

import (
	"ltc/mlir"
	"ltc/stablehlo"
)

// limits is [stablehlo.Bounds] with an entry for each dimension in any case.
func limits(t *mlir.TensorType) []int64 {
	if b := stablehlo.Bounds(t); len(b) == len(t.Shape) {
		return b
	}
	return unknown(len(t.Shape))
}

// most is the largest size of dimension i; Dynamic if it is not known.
func most(t *mlir.TensorType, i int) int64 {
	if d := t.Shape[i]; d != mlir.Dynamic {
		return d
	}
	return limits(t)[i]
}

// bounded returns how many dimensions of t are dynamic, and how many of those
// have a bound.
func bounded(t *mlir.TensorType) (dynamic, withBound int) {
	b := stablehlo.Bounds(t)
	for i, d := range t.Shape {
		if d != mlir.Dynamic {
			continue
		}
		dynamic++
		if i < len(b) && b[i] != mlir.Dynamic {
			withBound++
		}
	}
	return dynamic, withBound
}
