package simplify

import (
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// What only moves elements is built by the functions here, which look through
// other such ops: of one reshape after another the first is not read.

func dimsAttr(name string, d []int64) mlir.Dict {
	return mlir.Dict{{Name: name, Value: mlir.I64Array(d)}}
}

// like is t with another shape.
func like(t *mlir.TensorType, shape []int64) *mlir.TensorType {
	if slices.Equal(t.Shape, shape) {
		return t
	}
	return mlir.Tensor(t.Elem, slices.Clone(shape)...)
}

// def returns the plain op of the given code that v is the result of; nil if
// it is none.
func def(v *mlir.Value, code mlir.Code) *mlir.Op {
	if v.Def == nil || v.Def.Code != code || !plain(v.Def) {
		return nil
	}
	return v.Def
}

// withoutUnits returns the dimensions of a shape that are not 1.
func withoutUnits(shape []int64) []int64 {
	out := make([]int64, 0, len(shape))
	for _, d := range shape {
		if d != 1 {
			out = append(out, d)
		}
	}
	return out
}

func hasUnits(shape []int64) bool { return slices.Contains(shape, 1) }

// reshape returns v with another shape of as many elements.
func (e *editor) reshape(v *mlir.Value, shape []int64) *mlir.Value {
	for op := def(v, stablehlo.Reshape); op != nil; op = def(v, stablehlo.Reshape) {
		v = op.Operands[0]
	}
	t := tensorOf(v)
	if slices.Equal(t.Shape, shape) {
		return v
	}
	if x := element(v); x != nil {
		return e.splat(like(t, shape), x)
	}
	if op := def(v, stablehlo.BroadcastInDim); op != nil {
		if src, to, ok := reshapedBroadcast(op, shape); ok {
			return e.broadcast(e.reshape(op.Operands[0], src), shape, to)
		}
	}
	return e.emit(stablehlo.Reshape, like(t, shape), nil, v)
}

// transpose returns v whose dimension i is v's perm[i].
func (e *editor) transpose(v *mlir.Value, perm []int64) *mlir.Value {
	t := tensorOf(v)
	shape := pick(t.Shape, perm)
	if op := def(v, stablehlo.Transpose); op != nil {
		return e.transpose(op.Operands[0], pick(stablehlo.AsTranspose(op).Permutation(), perm))
	}
	if inOrder(t.Shape, perm) {
		return e.reshape(v, shape)
	}
	if x := element(v); x != nil {
		return e.splat(like(t, shape), x)
	}
	if op := def(v, stablehlo.BroadcastInDim); op != nil {
		return e.broadcast(op.Operands[0], shape, pick(inverse(perm), stablehlo.AsBroadcastInDim(op).BroadcastDimensions()))
	}
	return e.emit(stablehlo.Transpose, like(t, shape), dimsAttr("permutation", perm), v)
}

// broadcast returns v repeated to a shape; dimension i of v goes to to[i]. What
// is repeated has no dimensions of 1.
func (e *editor) broadcast(v *mlir.Value, shape, to []int64) *mlir.Value {
	t := tensorOf(v)
	if x := element(v); x != nil {
		return e.splat(like(t, shape), x)
	}
	if op := def(v, stablehlo.BroadcastInDim); op != nil {
		return e.broadcast(op.Operands[0], shape, pick(to, stablehlo.AsBroadcastInDim(op).BroadcastDimensions()))
	}
	if op := def(v, stablehlo.Transpose); op != nil {
		return e.broadcast(op.Operands[0], shape, pick(to, inverse(stablehlo.AsTranspose(op).Permutation())))
	}
	if hasUnits(t.Shape) {
		var kept []int64
		for i, d := range t.Shape {
			if d != 1 {
				kept = append(kept, to[i])
			}
		}
		return e.broadcast(e.reshape(v, withoutUnits(t.Shape)), shape, kept)
	}
	if slices.Equal(withoutUnits(shape), t.Shape) && slices.IsSorted(to) {
		return e.reshape(v, shape)
	}
	return e.emit(stablehlo.BroadcastInDim, like(t, shape), dimsAttr("broadcast_dimensions", to), v)
}

// pick returns a[i] for all i of at.
func pick[T, I int | int64](a []T, at []I) []T {
	out := make([]T, len(at))
	for k, i := range at {
		out[k] = a[i]
	}
	return out
}

func inverse(perm []int64) []int64 {
	inv := make([]int64, len(perm))
	for i, d := range perm {
		inv[d] = int64(i)
	}
	return inv
}

// inOrder reports whether a permutation moves only dimensions of 1.
func inOrder(shape, perm []int64) bool {
	last := int64(-1)
	for _, d := range perm {
		if shape[d] == 1 {
			continue
		}
		if d < last {
			return false
		}
		last = d
	}
	return true
}

// group is a run of dimensions of one shape and the run of another that holds
// the same elements in a reshape between them.
type group struct{ from, to []int }

// groups cuts a reshape into the smallest groups. A dimension of 1 that stands
// between groups is one of its own, without a partner. nil for no elements.
func groups(from, to []int64) []group {
	if slices.Contains(from, 0) {
		return nil
	}
	all := []group{}
	i, j := 0, 0
	for i < len(from) || j < len(to) {
		switch {
		case i < len(from) && from[i] == 1:
			all = append(all, group{from: []int{i}})
			i++
			continue
		case j < len(to) && to[j] == 1:
			all = append(all, group{to: []int{j}})
			j++
			continue
		case i == len(from) || j == len(to):
			return nil // the shapes have not the same elements
		}
		g := group{from: []int{i}, to: []int{j}}
		a, b := from[i], to[j]
		for i, j = i+1, j+1; a != b; {
			switch {
			case a < b && i < len(from):
				a *= from[i]
				g.from = append(g.from, i)
				i++
			case b < a && j < len(to):
				b *= to[j]
				g.to = append(g.to, j)
				j++
			default:
				return nil
			}
		}
		all = append(all, g)
	}
	return all
}

// splits reports whether each dimension of from, but those of 1, is kept or cut
// in several in to: no two are merged.
func splits(from, to []int64) bool {
	gs := groups(from, to)
	for _, g := range gs {
		if n := len(withoutUnits(pick(from, g.from))); n > 1 {
			return false
		}
	}
	return gs != nil
}

// reshapedBroadcast says how a reshape of a broadcast is a broadcast: of its
// operand with shape src, whose dimensions go to `to`. ok is false where
// dimensions that are repeated are merged with others.
func reshapedBroadcast(op *mlir.Op, shape []int64) (src, to []int64, ok bool) {
	from := tensorOf(op.Results[0]).Shape
	x := tensorOf(op.Operands[0]).Shape
	if hasUnits(x) {
		return nil, nil, false // not yet in its normal form
	}
	at := make([]int, len(from)) // the operand's dimension, -1 if repeated
	for i := range at {
		at[i] = -1
	}
	for i, d := range stablehlo.AsBroadcastInDim(op).BroadcastDimensions() {
		at[d] = i
	}
	gs := groups(from, shape)
	if gs == nil {
		return nil, nil, false
	}
	cut := make([][]int64, len(x)) // by the operand's first dimension of a group: the dimensions of shape
	for _, g := range gs {
		var copied []int
		repeated := 0
		for _, d := range g.from {
			switch {
			case from[d] == 1:
			case at[d] < 0:
				repeated++
			default:
				copied = append(copied, at[d])
			}
		}
		if len(copied) == 0 {
			continue
		}
		for k := range copied {
			if repeated > 0 || copied[k] != copied[0]+k {
				return nil, nil, false
			}
		}
		for _, d := range g.to {
			if shape[d] != 1 {
				cut[copied[0]] = append(cut[copied[0]], int64(d))
			}
		}
	}
	src, to = []int64{}, []int64{}
	for _, c := range cut {
		to = append(to, c...)
		src = append(src, pick(shape, c)...)
	}
	return src, to, true
}
