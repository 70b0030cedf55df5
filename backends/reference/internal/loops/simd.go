package loops

import "ltc/mlir"

// float32Binary is floatBinary for f32: on vectors of the CPU where this build
// has them, with the same bits.
func float32Binary(op mlir.Code) func(o, a, b []float32) {
	plain, vectors := floatBinary[float32](op), vectorBinary(op)
	if vectors == nil {
		return plain
	}
	return func(o, a, b []float32) {
		n := vectors(o, a, b)
		plain(o[n:], a[n:len(o)], b[n:len(o)])
	}
}

// float32Rows is axpy4x2 for f32, likewise.
func float32Rows() rowsFunc[float32] {
	if !hasVectors() {
		return axpy4x2[float32]
	}
	return func(c0, c1, b0, b1, b2, b3 []float32, f [8]float32) {
		n := vectorRows(c0, c1, b0, b1, b2, b3, f)
		axpy4x2(c0[n:], c1[n:], b0[n:], b1[n:], b2[n:], b3[n:], f)
	}
}
