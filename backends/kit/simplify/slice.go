package simplify

import (
	"slices"

	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// mostBetween is how many ops may lie between a slice and the product whose operands
// it narrows.
const mostBetween = 8

// sliced narrows the operands of a product or a convolution of which only one slice is
// used, instead of its result. The slice moves up through elementwise ops and
// transposes to get there; of what else these read, the same part is read.
//
// A product of which several slices are used stays whole: its factors are packed once.
//
// Not to the bit: see dots.
func sliced(s *state) bool {
	return s.rewrite(func(r *opRow) rules { return r.slice })
}

// sliceComputed computes a slice of what the operand is, where that narrows a product.
func sliceComputed(e *editor, op *mlir.Op) *mlir.Value {
	v, r := op.Operands[0], rangesOf(op).clone().tight()
	if slices.ContainsFunc(r.stride, func(n int64) bool { return n != 1 }) || resultType(op).Elements() == 0 || !e.narrows(v, r, 1, mostBetween) {
		return nil
	}
	x, at := v.Def, e.at
	e.at = x // the product's line stays its own
	defer func() { e.at = at }()
	switch x.Code {
	case stablehlo.DotGeneral:
		s := dotSides(x)
		parts := r.sides(s)
		for i := range s {
			s[i].v = e.slice(s[i].v, parts[i])
		}
		return e.product(x, s)
	case stablehlo.Convolution:
		return e.sliceConvolution(x, r)
	case stablehlo.Transpose:
		perm := stablehlo.AsTranspose(x).Permutation()
		return e.transpose(e.slice(x.Operands[0], r.pick(inverse(perm))), perm)
	default:
		operands := slices.Clone(x.Operands)
		for i, o := range operands {
			if len(tensorOf(o).Shape) > 0 {
				operands[i] = e.slice(o, r)
			}
		}
		return e.again(x, op.Results[0].Type, operands...)
	}
}

// narrows reports whether a slice of v, of which nothing else is used but by so many
// operands of one op, can be one of a product's operands.
func (e *editor) narrows(v *mlir.Value, r ranges, times, most int) bool {
	x := v.Def
	if x == nil || most == 0 || len(x.Results) != 1 || !plain(x) || e.uses()[v] != times {
		return false
	}
	switch {
	case x.Code == stablehlo.DotGeneral:
		s := dotSides(x)
		return !r.covers(tensorOf(v).Shape) && !byRows(s, r) && e.inBlock(x)
	case x.Code == stablehlo.Convolution:
		image, kernel, ok := sidesOfConvolution(x, r)
		return ok && !(image.covers(tensorOf(x.Operands[0]).Shape) && kernel.covers(tensorOf(x.Operands[1]).Shape)) && e.inBlock(x)
	case x.Code == stablehlo.Transpose:
		return e.narrows(x.Operands[0], r.pick(inverse(stablehlo.AsTranspose(x).Permutation())), 1, most-1)
	case elementwise(x):
		return slices.ContainsFunc(x.Operands, func(o *mlir.Value) bool {
			return len(tensorOf(o).Shape) > 0 && e.narrows(o, r, count(x.Operands, o), most-1)
		})
	}
	return false
}

// Targets run a product of up to mostColumns columns, of which fewer than fewColumns are read, row
// by row with what reads these. That is faster than to narrow it: blocks of a product are
// not full of fewer columns.
const (
	fewColumns  = 16
	mostColumns = 256
	longestRow  = 512
)

// byRows reports whether a product runs row by row with what reads a slice of it.
func byRows(s [2]operand, r ranges) bool {
	shape := s[1].shape()
	last := len(r.start) - 1
	return len(s[0].batch) == 0 && len(s[1].contract) == 1 && len(s[1].free) == 1 && dims.Typical(r.size(last)) < fewColumns &&
		shape[s[1].free[0]] != r.size(last) && dims.Typical(shape[s[1].free[0]]) <= mostColumns && dims.Typical(shape[s[1].contract[0]]) <= longestRow
}

// inBlock reports whether op is in the block at hand, before the op that is being
// rewritten: an op outside of a loop must not move into it.
func (e *editor) inBlock(op *mlir.Op) bool {
	before := e.out
	if before == nil {
		before = e.ops[:e.here]
	}
	for _, x := range slices.Backward(before) {
		if x == op {
			return true
		}
	}
	return false
}

// covers reports whether a slice is all of a shape.
func (r ranges) covers(shape []int64) bool {
	for d, n := range shape {
		if r.size(d) != n {
			return false
		}
	}
	return true
}

// pick returns the ranges of some dimensions.
func (r ranges) pick(at []int64) ranges {
	return ranges{pick(r.start, at), pick(r.limit, at), pick(r.stride, at)}
}

// set makes the range of dimension d that of dimension from of another slice.
func (r ranges) set(d int64, other ranges, from int64) {
	r.start[d], r.limit[d], r.stride[d] = other.start[from], other.limit[from], other.stride[from]
}

// sides returns what a slice of a product takes of both operands: its dimensions are
// [batch…, m…, n…].
func (r ranges) sides(s [2]operand) (parts [2]ranges) {
	next := int64(len(s[0].batch))
	for i := range s {
		parts[i] = full(s[i].shape())
		for b, d := range s[i].batch {
			parts[i].set(d, r, int64(b))
		}
		for _, d := range s[i].free {
			parts[i].set(d, r, next)
			next++
		}
	}
	return parts
}
