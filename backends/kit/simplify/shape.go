package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// plain reports whether all operands and results of op are tensors of known
// shape whose elements are numbers: rules are for these alone.
func plain(op *mlir.Op) bool {
	for _, v := range op.Operands {
		if tensorOf(v) == nil {
			return false
		}
	}
	for _, v := range op.Results {
		if tensorOf(v) == nil {
			return false
		}
	}
	return true
}

// tensorOf returns v's type if it is a plain tensor, else nil.
func tensorOf(v *mlir.Value) *mlir.TensorType {
	t, ok := v.Type.(*mlir.TensorType)
	if !ok || t.Encoding != nil || !t.Static() {
		return nil
	}
	switch t.Elem.(type) {
	case mlir.IntegerType, mlir.FloatType, mlir.ComplexType:
		return t
	}
	return nil
}

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
	return slices.DeleteFunc(slices.Clone(shape), func(n int64) bool { return n == 1 })
}

func hasUnits(shape []int64) bool { return slices.Contains(shape, 1) }

// reshape returns v with another shape of as many elements.
func (e *editor) reshape(v *mlir.Value, shape []int64) *mlir.Value {
	if w := e.reshaped(v, shape); w != nil {
		return w
	}
	return e.emit(stablehlo.Reshape, like(tensorOf(v), shape), nil, v)
}

// reshaped is reshape where that needs no op that reads v; nil where it does.
func (e *editor) reshaped(v *mlir.Value, shape []int64) *mlir.Value {
	if op := def(v, stablehlo.Reshape); op != nil {
		return e.reshape(op.Operands[0], shape)
	}
	t := tensorOf(v)
	if slices.Equal(t.Shape, shape) {
		return v
	}
	if x := program.Element(v); x != nil {
		return e.splat(like(t, shape), x)
	}
	if op := def(v, stablehlo.BroadcastInDim); op != nil {
		if src, to, ok := reshapedBroadcast(op, shape); ok {
			return e.broadcast(e.reshape(op.Operands[0], src), shape, to)
		}
	}
	return nil
}

// transpose returns v whose dimension i is v's perm[i].
func (e *editor) transpose(v *mlir.Value, perm []int64) *mlir.Value {
	if w := e.transposed(v, perm); w != nil {
		return w
	}
	t := tensorOf(v)
	return e.emit(stablehlo.Transpose, like(t, pick(t.Shape, perm)), dimsAttr("permutation", perm), v)
}

// transposed is transpose where that needs no op that reads v; nil where it does.
func (e *editor) transposed(v *mlir.Value, perm []int64) *mlir.Value {
	t := tensorOf(v)
	if op := def(v, stablehlo.Transpose); op != nil {
		return e.transpose(op.Operands[0], pick(stablehlo.AsTranspose(op).Permutation(), perm))
	}
	if inOrder(t.Shape, perm) {
		return e.reshape(v, pick(t.Shape, perm))
	}
	if x := program.Element(v); x != nil {
		return e.splat(like(t, pick(t.Shape, perm)), x)
	}
	if op := def(v, stablehlo.BroadcastInDim); op != nil {
		return e.broadcast(op.Operands[0], pick(t.Shape, perm), pick(inverse(perm), stablehlo.AsBroadcastInDim(op).BroadcastDimensions()))
	}
	return nil
}

// broadcast returns v repeated to a shape; dimension i of v goes to to[i]. What
// is repeated has no dimensions of 1.
func (e *editor) broadcast(v *mlir.Value, shape, to []int64) *mlir.Value {
	if w := e.repeated(v, shape, to); w != nil {
		return w
	}
	return e.emit(stablehlo.BroadcastInDim, like(tensorOf(v), shape), dimsAttr("broadcast_dimensions", to), v)
}

// repeated is broadcast where that needs no op that reads v; nil where it does.
func (e *editor) repeated(v *mlir.Value, shape, to []int64) *mlir.Value {
	t := tensorOf(v)
	if x := program.Element(v); x != nil {
		return e.splat(like(t, shape), x)
	}
	if op := def(v, stablehlo.BroadcastInDim); op != nil {
		return e.broadcast(op.Operands[0], shape, pick(to, stablehlo.AsBroadcastInDim(op).BroadcastDimensions()))
	}
	if op := def(v, stablehlo.Transpose); op != nil {
		return e.broadcast(op.Operands[0], shape, pick(to, inverse(stablehlo.AsTranspose(op).Permutation())))
	}
	if hasUnits(t.Shape) {
		return e.broadcast(e.reshape(v, withoutUnits(t.Shape)), shape, pick(to, others(len(to), units(t.Shape))))
	}
	if slices.Equal(withoutUnits(shape), t.Shape) && slices.IsSorted(to) {
		return e.reshape(v, shape)
	}
	return nil
}

// pick returns a[i] for all i of at.
func pick(a, at []int64) []int64 {
	out := make([]int64, len(at))
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

// units returns the dimensions of 1 of a shape.
func units(shape []int64) (all []int64) {
	for d, n := range shape {
		if n == 1 {
			all = append(all, int64(d))
		}
	}
	return all
}

// others returns the dimensions of a shape of some rank that are not in dims.
func others(rank int, dims []int64) []int64 {
	left := make([]int64, 0, rank)
	for d := range int64(rank) {
		if !slices.Contains(dims, d) {
			left = append(left, d)
		}
	}
	return left
}

// left returns the numbers that dims have when the dimensions gone are left out, those
// among dims too.
func left(dims, gone []int64) []int64 {
	out := make([]int64, 0, len(dims))
	for _, d := range dims {
		if slices.Contains(gone, d) {
			continue
		}
		n := d
		for _, g := range gone {
			if g < d {
				n--
			}
		}
		out = append(out, n)
	}
	return out
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
type group struct{ from, to []int64 }

// groups cuts a reshape into the smallest groups. A dimension of 1 that stands
// between groups is one of its own, without a partner. nil for no elements.
func groups(from, to []int64) []group {
	if slices.Contains(from, 0) {
		return nil
	}
	all := []group{}
	i, j, n, m := int64(0), int64(0), int64(len(from)), int64(len(to))
	for i < n || j < m {
		switch {
		case i < n && from[i] == 1:
			all = append(all, group{from: []int64{i}})
			i++
			continue
		case j < m && to[j] == 1:
			all = append(all, group{to: []int64{j}})
			j++
			continue
		case i == n || j == m:
			return nil // the shapes have not the same elements
		}
		g := group{from: []int64{i}, to: []int64{j}}
		a, b := from[i], to[j]
		for i, j = i+1, j+1; a != b; {
			less := dims.Typical(a) <= dims.Typical(b) // any order leads to products that are equal
			switch open := dims.IsExpr(a) || dims.IsExpr(b); {
			case (less || open && j == m) && i < n:
				a = dims.Mul(a, from[i])
				g.from = append(g.from, i)
				i++
			case (!less || open) && j < m:
				b = dims.Mul(b, to[j])
				g.to = append(g.to, j)
				j++
			default:
				return nil
			}
		}
		if dims.Check(a) != nil {
			return nil
		}
		all = append(all, g)
	}
	return all
}

// regrouped returns the dimensions of to that hold the elements of the dimensions dims of
// from. Dimensions of from that are in one group are all in dims, or none is.
func regrouped(dims, from, to []int64) []int64 {
	over := []int64{}
	for _, g := range groups(from, to) {
		if len(g.from) > 0 && slices.Contains(dims, g.from[0]) {
			over = append(over, g.to...)
		}
	}
	return over
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
	dims := stablehlo.AsBroadcastInDim(op).BroadcastDimensions()
	gs := groups(from, shape)
	if gs == nil {
		return nil, nil, false
	}
	cut := make([][]int64, len(x)) // by the operand's first dimension of a group: the dimensions of shape
	for _, g := range gs {
		var copied []int
		repeated := 0
		for _, d := range g.from {
			switch i := slices.Index(dims, d); {
			case from[d] == 1:
			case i < 0:
				repeated++
			default:
				copied = append(copied, i)
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
				cut[copied[0]] = append(cut[copied[0]], d)
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
