package linalg

import (
	"fmt"
	"math"
	"slices"

	"ltc/internal/functions"
	"ltc/ir/types"
	"ltc/lazy"
)

// epsilon is the distance of 1 to the next number of the dtype in which x is computed.
func epsilon(x *lazy.Tensor) float64 {
	switch x.DType().Part() {
	case types.F64:
		return 0x1p-52
	case types.F16:
		return 0x1p-10
	case types.BF16:
		return 0x1p-7
	}
	return 0x1p-23
}

// batchOf returns the dimensions of x before its last so many.
func batchOf(x *lazy.Tensor, last int) []int { return slices.Clone(x.OpenShape()[:x.Rank()-last]) }

// stack returns x with its batch as one axis.
func stack(x *lazy.Tensor, last int) *lazy.Tensor {
	n := 1
	for _, d := range batchOf(x, last) {
		n = lazy.SizeMul(n, d)
	}
	return x.Reshape(append([]int{n}, x.OpenShape()[x.Rank()-last:]...)...)
}

// unstack gives y, whose first axis is a batch, the axes of one. A poisoned tensor is returned as it is.
func unstack(y *lazy.Tensor, batch []int) *lazy.Tensor {
	if y.Err() != nil {
		return y
	}
	return y.Reshape(append(slices.Clone(batch), y.OpenShape()[1:]...)...)
}

// rowsAndColumns returns the last two dimensions.
func rowsAndColumns(x *lazy.Tensor) (m, n int) { return x.OpenDim(-2), x.OpenDim(-1) }

// transposed is the transpose of each matrix.
func transposed(x *lazy.Tensor) *lazy.Tensor { return x.SwapAxes(-2, -1) }

// adjoint is the transpose of each matrix, of complex numbers the conjugate of it.
func adjoint(x *lazy.Tensor) *lazy.Tensor { return transposed(x.Conj()) }

// isComplex reports whether x has complex numbers.
func isComplex(x *lazy.Tensor) bool { return x.DType().IsComplex() }

// real returns the real parts of complex numbers, and others as they are.
func real(x *lazy.Tensor) *lazy.Tensor {
	if isComplex(x) {
		return x.Real()
	}
	return x
}

// squaresOf returns the squares of x, of complex numbers those of the moduli.
func squaresOf(x *lazy.Tensor) *lazy.Tensor {
	if isComplex(x) {
		return x.Real().Square().Add(x.Imag().Square())
	}
	return x.Square()
}

// count counts along an axis of a shape.
func count(tr *lazy.Trace, axis int, dims ...int) *lazy.Tensor {
	return lazy.Iota(tr, lazy.I32, axis, dims...)
}

// number is a scalar of the dtype of x.
func number(x *lazy.Tensor, v float64) *lazy.Tensor { return lazy.Const(x.Trace(), x.DType(), v) }

// eye is a matrix with ones on its diagonal, for each matrix of the batch of x.
func eye(x *lazy.Tensor, rows, columns int) *lazy.Tensor {
	return lazy.Eye(x.Trace(), x.DType(), rows, columns).BroadcastTo(append(batchOf(x, 2), rows, columns)...)
}

// zero is the i32 0.
func zero(tr *lazy.Trace) *lazy.Tensor { return lazy.Const(tr, lazy.I32, 0) }

// columnAt returns column k of x[batch, m, n], with its axis.
func columnAt(x, k *lazy.Tensor) *lazy.Tensor {
	return x.IndexSelect(k.Reshape(1), 2)
}

// rowAt returns row k of x[batch, m, n], with its axis.
func rowAt(x, k *lazy.Tensor) *lazy.Tensor {
	return x.IndexSelect(k.Reshape(1), 1)
}

// rowsInOrder returns the rows of x[…, m, n] that order[…, m] names.
func rowsInOrder(x, order *lazy.Tensor) *lazy.Tensor {
	return x.GatherAlong(order.Unsqueeze(-1).BroadcastTo(append(batchOf(order, 0), x.OpenDim(-1))...), x.Rank()-2)
}

// skew is x - xᴴ.
func skew(x *lazy.Tensor) *lazy.Tensor { return x.Sub(adjoint(x)) }

// together returns x and y with the same batch.
func together(x, y *lazy.Tensor) (*lazy.Tensor, *lazy.Tensor) {
	batch, _ := functions.Batches(2, x, y)
	with := func(t *lazy.Tensor) *lazy.Tensor {
		m, n := rowsAndColumns(t)
		return t.BroadcastTo(append(slices.Clone(batch), m, n)...)
	}
	return with(x), with(y)
}

// checkMatrix demands matrices of sizes that are numbers.
func checkMatrix(x *lazy.Tensor, matrix, closed string) (demand, reason string) {
	if x.Rank() < 2 {
		return matrix, fmt.Sprintf("x has rank %d, must be at least 2", x.Rank())
	}
	if m, n := rowsAndColumns(x); closed != "" && (m < 0 || n < 0) {
		return closed, "a matrix of an open size cannot be decomposed; give its sizes as numbers"
	}
	return "", ""
}

// checkSquare demands matrices with as many rows as columns.
func checkSquare(x *lazy.Tensor, square, closed string) (demand, reason string) {
	if demand, reason = checkMatrix(x, square, closed); demand != "" {
		return demand, reason
	}
	if m, n := rowsAndColumns(x); m != n {
		return square, fmt.Sprintf("the last two dimensions of x differ: %d and %d", m, n)
	}
	return "", ""
}

// checkSides demands right sides with as many rows as x, or columns if right.
func checkSides(x, b *lazy.Tensor, right bool, inner, batch string) (demand, reason string) {
	if b.Rank() < 2 {
		return inner, fmt.Sprintf("b has rank %d, must be at least 2", b.Rank())
	}
	have, axis := "rows", -2
	if right {
		have, axis = "columns", -1
	}
	if p, q := x.OpenDim(-2), b.OpenDim(axis); p != q {
		return inner, fmt.Sprintf("b has %d %s, must have %d", q, have, p)
	}
	if _, ok := functions.Batches(2, x, b); !ok {
		return batch, fmt.Sprintf("batch dimensions %v and %v do not broadcast", batchOf(x, 2), batchOf(b, 2))
	}
	return "", ""
}

// The kinds of norms of matrices, the attribute of MatrixNormOf. A negative one takes the smallest in
// place of the largest.
const (
	kindFrobenius = 0
	kindColumns   = 1 // p = 1
	kindSpectral  = 2 // p = 2
	kindRows      = 3 // p = +Inf
	kindNuclear   = 4
	kindNone      = 5 // of another p
)

// kindOf returns the kind of norm that MatrixNorm has for p.
func kindOf(p float64) int {
	switch {
	case math.Abs(p) == 1 || math.Abs(p) == 2:
		return int(p)
	case math.IsInf(p, 0):
		return int(math.Copysign(kindRows, p))
	}
	return kindNone
}
