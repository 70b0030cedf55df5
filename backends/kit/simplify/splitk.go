package simplify

import (
	"slices"

	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// splitK cuts the sum of a product of one row and a matrix [k, n] into pieces (split-K): a batch of
// products, whose results are added in their order. Threads can then read whole rows, one behind the
// other. With columns of its own each thread reads a part of every row, and what its processor
// prefetches is another thread's.
//
// The number of pieces depends on sizes alone: the bits of the result are the same for any number of
// threads. Comes after all other passes, which would change the reduction. Ops of a region are left
// to the pass over the region.
func splitK(s *state) bool {
	if s.SplitK == 0 {
		return false
	}
	return s.rewrite(func(r *opRow) rules { return r.splitK })
}

const (
	mostPieces = 8
	// leastDepth is the least elements of k of a piece. The sums of pieces have at most 1/128 as
	// many elements as the matrix.
	leastDepth = 128
	// leastPiece is the least bytes of a piece of the matrix.
	leastPiece = 96 << 10
	// Bytes of a row of the matrix. Parts of longer rows are long enough, and few columns are summed
	// by kernels of their own.
	leastRow, mostOfRow = 512, 64 << 10
)

// splitRow: one row by a matrix in memory whose first dimension is contracted.
func splitRow(e *editor, op *mlir.Op) *mlir.Value {
	if len(e.ops) == 0 || &e.ops[0] != &e.body.Ops[0] || op.Attrs.Get("algorithm") != nil {
		return nil
	}
	s := dotSides(op)
	row, matrix := &s[0], &s[1]
	if len(row.free) > 0 {
		row, matrix = matrix, row
	}
	if len(row.free) > 0 || len(row.batch) > 0 || !slices.Equal(matrix.contract, []int64{0}) || !isStored(matrix.v) {
		return nil
	}
	pieces := e.piecesOf(tensorOf(matrix.v))
	if pieces < 2 {
		return nil
	}
	for i := range s {
		shape := s[i].shape()
		s[i] = operand{v: e.reshape(s[i].v, slices.Concat([]int64{pieces, shape[0] / pieces}, shape[1:])), batch: []int64{0}, contract: []int64{1}}
		for d := range shape[1:] {
			s[i].free = append(s[i].free, int64(d+2))
		}
	}
	t := resultType(op)
	sums := mlir.Tensor(t.Elem, slices.Concat([]int64{pieces}, t.Shape)...)
	if mlir.ElementBytes(t.Elem) < mlir.ElementBytes(mlir.F32) {
		sums.Elem = mlir.F32
	}
	d := stablehlo.DotDims{LHSBatch: s[0].batch, RHSBatch: s[1].batch, LHSContract: s[0].contract, RHSContract: s[1].contract}
	return e.converted(e.sum(e.dot(op, d, s[0].v, s[1].v, sums), []int64{0}), t)
}

// piecesOf returns in how many pieces of its rows one row is multiplied by a matrix.
func (e *editor) piecesOf(matrix *mlir.TensorType) int64 {
	if _, float := matrix.Elem.(mlir.FloatType); !float || !dims.Static(matrix.Shape) || matrix.Elements() == 0 {
		return 1
	}
	k, bytes := matrix.Shape[0], matrix.Elements()*int64(mlir.ElementBytes(matrix.Elem))
	if bytes < e.SplitK || bytes/k < leastRow || bytes/k > mostOfRow {
		return 1
	}
	pieces := int64(mostPieces)
	for pieces > 1 && (k%pieces != 0 || k/pieces < leastDepth || bytes/pieces < leastPiece) {
		pieces /= 2
	}
	return pieces
}

// isStored reports whether memory holds a value as it is, or as narrower numbers.
func isStored(v *mlir.Value) bool {
	for v.Def != nil && plain(v.Def) && (v.Def.Code == stablehlo.Convert || v.Def.Code == stablehlo.Reshape) {
		v = v.Def.Operands[0]
	}
	return v.Def == nil || v.Def.Code == stablehlo.Constant
}
