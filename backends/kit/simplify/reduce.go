package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/ir/dims"
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
	if !info.Traits.Has(mlir.Commutative) || len(by.Operands) != 2 || program.Terminator(body).Operands[0] != by.Results[0] ||
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
	from := tensorOf(x).Shape
	op := copyOf(r.op, like(resultType(r.op), pick(from, others(len(from), over))), x, r.init)
	op.Attrs.Set("dimensions", mlir.I64Array(slices.Sorted(slices.Values(over))))
	return e.emitOp(op)
}

// sum emits the sum of x over some dimensions; of bools it is whether any is true.
func (e *editor) sum(x *mlir.Value, over []int64) *mlir.Value {
	t := tensorOf(x)
	if len(over) == 0 {
		return x
	}
	by, one := stablehlo.Add, mlir.Tensor(t.Elem)
	if isBool(t) {
		by = stablehlo.Or
	}
	body := mlir.NewBlock(one, one)
	both := mlir.NewOp(by, slices.Clone(body.Args), one)
	body.Ops = []*mlir.Op{both, mlir.NewOp(stablehlo.Return, slices.Clone(both.Results))}
	zero := e.splat(one, make([]byte, mlir.ElementBytes(t.Elem)))
	op := mlir.NewOp(stablehlo.Reduce, []*mlir.Value{x, zero}, like(t, pick(t.Shape, others(len(t.Shape), over))))
	op.Attrs, op.Regions = dimsAttr("dimensions", over), []*mlir.Region{{Blocks: []*mlir.Block{body}}}
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
	shape := tensorOf(r.x).Shape
	x := e.reshape(r.x, withoutUnits(shape))
	return e.reshape(e.reduced(r, x, left(r.dims, units(shape))), resultType(op).Shape)
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
	kept := others(len(tensorOf(inner.x).Shape), inner.dims)
	return e.reduced(r, inner.x, slices.Concat(inner.dims, pick(kept, r.dims)))
}

// neutral reports whether a reduction's initial value changes no element; of a
// sum of floats neither -0 nor, when it starts from 0, anything that is added
// to the other sum does.
func neutral(r reduction) bool {
	n, ok := program.NumberOf(r.init)
	if !ok {
		return false
	}
	lowest, highest := extremes(r.init)
	zeros, ones := bits(r.init)
	switch r.by {
	case stablehlo.Add:
		return n.Is(0) || n.NegZero()
	case stablehlo.Multiply:
		return n.Is(1)
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
		return e.transpose(e.reduced(r, tr.Operands[0], over), left(perm, over))
	}
	rs := def(r.x, stablehlo.Reshape)
	if rs == nil {
		return nil
	}
	from, to := tensorOf(r.x).Shape, tensorOf(rs.Operands[0]).Shape
	if hasUnits(to) || !splits(from, to) {
		return nil
	}
	return e.reshape(e.reduced(r, rs.Operands[0], regrouped(r.dims, from, to)), resultType(op).Shape)
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
	once := slices.DeleteFunc(slices.Clone(r.dims), func(d int64) bool { return slices.Contains(to, d) })
	if len(once) == 0 || hasUnits(tensorOf(b.Operands[0]).Shape) {
		return nil
	}
	x := e.broadcast(b.Operands[0], pick(shape, others(len(shape), once)), left(to, once))
	return e.reduced(r, x, left(r.dims, once))
}

// windowRepeated reduces windows of a splat along the dimensions in which windows
// are more than one element, and repeats that along the others.
func windowRepeated(e *editor, op *mlir.Op) *mlir.Value {
	if len(op.Operands) != 2 || program.Element(op.Operands[0]) == nil || !closed(op) {
		return nil
	}
	in, out := tensorOf(op.Operands[0]), resultType(op)
	w := stablehlo.AsReduceWindow(op)
	size, stride, base, dilation, padding := w.WindowDimensions(), w.WindowStrides(), w.BaseDilations(), w.WindowDilations(), w.Padding()
	small, shape, changed := slices.Clone(in.Shape), slices.Clone(out.Shape), false
	for d := range in.Shape {
		if dims.Less(1, in.Shape[d]) && size[d] == 1 && stride[d] == 1 && base[d] == 1 && dilation[d] == 1 && padding[2*d] == 0 && padding[2*d+1] == 0 {
			small[d], shape[d], changed = 1, 1, true
		}
	}
	if !changed {
		return nil
	}
	x := e.again(op, like(out, shape), e.splat(like(in, small), program.Element(op.Operands[0])), op.Operands[1])
	return e.broadcast(x, out.Shape, others(len(shape), nil))
}
