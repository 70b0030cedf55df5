package simplify

import (
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// reduce brings reductions by one op into their normal form: what is reduced
// is neither a transpose nor merged, and has no dimensions of 1; one after
// another by the same op are one. A reduction over nothing combines each
// element with the initial value, and one by an op for which x·x is x goes only
// over dimensions in which elements differ. Windows over a splat, which count
// what they see of it, are counted once for all that look alike.
//
// Not to the bit: sums and products of floats may be added and multiplied in
// another order, which the dialect leaves open.
func reduce(s *state) bool {
	return s.rewrite(func(r *opRow) rules { return r.reduce })
}

// reduction is a reduce of one operand by one op.
type reduction struct {
	op      *mlir.Op
	by      mlir.Code // stablehlo.add
	x, init *mlir.Value
	dims    []int64
}

func reductionOf(op *mlir.Op) (r reduction, ok bool) {
	body := op.Body()
	if len(op.Operands) != 2 || body == nil || len(body.Ops) != 2 || len(body.Args) != 2 || len(tensorOf(op.Operands[1]).Shape) > 0 {
		return r, false
	}
	by, a, b := body.Ops[0], body.Args[0], body.Args[1]
	info := by.Code.Info()
	if !info.Traits.Has(mlir.Commutative) || len(by.Operands) != 2 || terminator(body).Operands[0] != by.Results[0] ||
		!(by.Operands[0] == a && by.Operands[1] == b || by.Operands[0] == b && by.Operands[1] == a) {
		return r, false
	}
	elem := tensorOf(op.Operands[0]).Elem
	for _, v := range []*mlir.Value{op.Operands[1], op.Results[0], by.Results[0], a, b} {
		if t := tensorOf(v); t == nil || t.Elem != elem {
			return r, false // accumulated in another type
		}
	}
	return reduction{op, by.Code, op.Operands[0], op.Operands[1], stablehlo.AsReduce(op).Dimensions()}, true
}

// reduced emits a reduction of x over other dimensions, in the shape of the
// whole result.
func (e *editor) reduced(r reduction, x *mlir.Value, over []int64) *mlir.Value {
	shape := []int64{}
	for i, d := range tensorOf(x).Shape {
		if !slices.Contains(over, int64(i)) {
			shape = append(shape, d)
		}
	}
	out := resultType(r.op)
	op := mlir.NewOp(stablehlo.Reduce, []*mlir.Value{x, r.init}, like(out, shape))
	op.Attrs = slices.Clone(r.op.Attrs)
	op.Attrs.Set("dimensions", mlir.I64Array(slices.Sorted(slices.Values(over))))
	var c mlir.Cloner
	op.Regions = []*mlir.Region{c.Region(r.op.Regions[0])}
	return e.emitOp(op)
}

// combined emits x combined with the initial value.
func (e *editor) combined(r reduction, x *mlir.Value) *mlir.Value {
	return e.emit(r.by, x.Type, nil, e.broadcast(r.init, tensorOf(x).Shape, []int64{}), x)
}

// reduceNone: over no dimensions, or only such of 1.
func reduceNone(e *editor, op *mlir.Op) *mlir.Value {
	r, ok := reductionOf(op)
	if !ok {
		return nil
	}
	for _, d := range r.dims {
		if tensorOf(r.x).Shape[d] != 1 {
			return nil
		}
	}
	return e.combined(r, e.reshape(r.x, resultType(op).Shape))
}

// reduceUnits: of what has dimensions of 1.
func reduceUnits(e *editor, op *mlir.Op) *mlir.Value {
	r, ok := reductionOf(op)
	if !ok || !hasUnits(tensorOf(r.x).Shape) {
		return nil
	}
	over := []int64{}
	n := int64(0)
	for i, d := range tensorOf(r.x).Shape {
		if d == 1 {
			continue
		}
		if slices.Contains(r.dims, int64(i)) {
			over = append(over, n)
		}
		n++
	}
	x := e.reshape(r.x, withoutUnits(tensorOf(r.x).Shape))
	return e.reshape(e.reduced(r, x, over), resultType(op).Shape)
}

// reduceReduced: of what has been reduced by the same op from the neutral
// element, so that it does not count twice.
func reduceReduced(e *editor, op *mlir.Op) *mlir.Value {
	r, ok := reductionOf(op)
	if !ok || def(r.x, stablehlo.Reduce) == nil || e.uses()[r.x] > 1 {
		return nil
	}
	inner, ok := reductionOf(r.x.Def)
	if !ok || inner.by != r.by || !neutral(inner) {
		return nil
	}
	var left []int64
	for i := range tensorOf(inner.x).Shape {
		if !slices.Contains(inner.dims, int64(i)) {
			left = append(left, int64(i))
		}
	}
	return e.reduced(r, inner.x, slices.Concat(inner.dims, pick(left, r.dims)))
}

// neutral reports whether a reduction's initial value changes no element; of a
// sum of floats neither -0 nor, when it starts from 0, anything that is added
// to the other sum does.
func neutral(r reduction) bool {
	n, ok := number(r.init)
	if !ok {
		return false
	}
	lowest, highest := extremes(r.init)
	zeros, ones := bits(r.init)
	switch r.by {
	case stablehlo.Add:
		return n.is(0) || n.negZero()
	case stablehlo.Multiply:
		return n.is(1)
	case stablehlo.Maximum:
		return lowest
	case stablehlo.Minimum:
		return highest
	case stablehlo.Or, stablehlo.Xor:
		return zeros
	case stablehlo.And:
		return ones
	}
	return false
}

// reduceMoved: of what is transposed, or whose merged dimensions are all
// reduced or all kept.
func reduceMoved(e *editor, op *mlir.Op) *mlir.Value {
	r, ok := reductionOf(op)
	if !ok {
		return nil
	}
	if tr := def(r.x, stablehlo.Transpose); tr != nil {
		perm := stablehlo.AsTranspose(tr).Permutation()
		over := pick(perm, r.dims)
		var kept, order []int64 // of the operand's dimensions: ascending, and as the result has them
		for _, d := range perm {
			if !slices.Contains(over, d) {
				order = append(order, d)
			}
		}
		kept = slices.Sorted(slices.Values(order))
		back := make([]int64, len(order))
		for i, d := range order {
			back[i] = int64(slices.Index(kept, d))
		}
		return e.transpose(e.reduced(r, tr.Operands[0], over), back)
	}
	rs := def(r.x, stablehlo.Reshape)
	if rs == nil {
		return nil
	}
	from, to := tensorOf(r.x).Shape, tensorOf(rs.Operands[0]).Shape
	if hasUnits(to) || !splits(from, to) {
		return nil
	}
	over := []int64{}
	for _, g := range groups(from, to) {
		if slices.Contains(r.dims, int64(g.from[0])) {
			for _, d := range g.to {
				over = append(over, int64(d))
			}
		}
	}
	return e.reshape(e.reduced(r, rs.Operands[0], over), resultType(op).Shape)
}

// reduceRepeated: by an op for which x·x is x, over dimensions in which x is
// repeated.
func reduceRepeated(e *editor, op *mlir.Op) *mlir.Value {
	r, ok := reductionOf(op)
	if !ok || r.by == stablehlo.Add || r.by == stablehlo.Multiply || r.by == stablehlo.Xor || resultType(op).Elements() == 0 || tensorOf(r.x).Elements() == 0 {
		return nil
	}
	b := def(r.x, stablehlo.BroadcastInDim)
	if b == nil {
		return nil
	}
	to, shape := stablehlo.AsBroadcastInDim(b).BroadcastDimensions(), tensorOf(r.x).Shape
	var once []int64
	for _, d := range r.dims {
		if !slices.Contains(to, d) {
			once = append(once, d)
		}
	}
	if len(once) == 0 || hasUnits(tensorOf(b.Operands[0]).Shape) {
		return nil
	}
	at := make([]int64, len(shape)) // dimensions without those in once
	var left, over []int64
	for i, d := range shape {
		if at[i] = int64(len(left)); !slices.Contains(once, int64(i)) {
			left = append(left, d)
		}
	}
	for _, d := range r.dims {
		if !slices.Contains(once, d) {
			over = append(over, at[d])
		}
	}
	return e.reduced(r, e.broadcast(b.Operands[0], left, pick(at, to)), over)
}

// windowRepeated reduces windows of a splat along the dimensions in which windows
// are more than one element, and repeats that along the others.
func windowRepeated(e *editor, op *mlir.Op) *mlir.Value {
	if len(op.Operands) != 2 || element(op.Operands[0]) == nil || !closed(op) {
		return nil
	}
	in, out := tensorOf(op.Operands[0]), resultType(op)
	w := stablehlo.AsReduceWindow(op)
	size, stride, base, dilation, padding := w.WindowDimensions(), w.WindowStrides(), w.BaseDilations(), w.WindowDilations(), w.Padding()
	small, shape, changed := slices.Clone(in.Shape), slices.Clone(out.Shape), false
	for d := range in.Shape {
		if in.Shape[d] > 1 && size[d] == 1 && stride[d] == 1 && base[d] == 1 && dilation[d] == 1 && padding[2*d] == 0 && padding[2*d+1] == 0 {
			small[d], shape[d], changed = 1, 1, true
		}
	}
	if !changed {
		return nil
	}
	x := mlir.NewOp(op.Code, []*mlir.Value{e.splat(like(in, small), element(op.Operands[0])), op.Operands[1]}, like(out, shape))
	x.Attrs = slices.Clone(op.Attrs)
	var c mlir.Cloner
	x.Regions = []*mlir.Region{c.Region(op.Regions[0])}
	to := make([]int64, len(shape))
	for d := range to {
		to[d] = int64(d)
	}
	return e.broadcast(e.emitOp(x), out.Shape, to)
}
