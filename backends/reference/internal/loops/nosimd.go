//go:build !goexperiment.simd || !amd64

package loops

import "ltc/mlir"

// Without simd/archsimd, which is there with GOEXPERIMENT=simd, no loop is on
// vectors.

func hasVectors() bool { return false }

func vectorBinary(mlir.Code) func(o, a, b []float32) int { return nil }

func vectorRows(c0, c1, b0, b1, b2, b3 []float32, f [8]float32) int { return 0 }
