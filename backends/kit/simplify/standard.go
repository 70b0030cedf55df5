package simplify

import (
	"slices"
	"strings"

	"ltc/backends/kit/simplify/program"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/chlo"
)

// standard rewrites ops that have several spellings to the spelling that later passes
// know:
//   - A dynamic op becomes the static one, if its sizes are constants or follow from
//     its result.
//   - broadcast becomes broadcast_in_dim.
//   - dot becomes dot_general; einsum and unary_einsum become that, or a sum of products.
//   - torch_index_select becomes gather.
//   - Batch normalization becomes the elementwise ops and sums of its definition.
//   - rng_bit_generator becomes integer ops on the numbers of its blocks.
//   - map becomes the ops of its body.
//   - An iota counts along its only dimension, and is broadcast.
//   - The known size of a dimension becomes a constant.
//   - A value without elements becomes a constant.
func standard(s *state) bool {
	changed := false
	for _, f := range s.Functions() {
		program.Walk(f, func(op *mlir.Op) {
			switch {
			case len(op.Results) != 1:
				if d, keep, attrs := staticForm(op); d != nil && plain(op) {
					op.Code, op.Operands, op.Attrs = d.Op, keep, attrs
					changed = true
				}
			case !plain(op):
			case op.Code == stablehlo.Constant:
			case resultType(op).Elements() == 0 && mlir.ElementBytes(resultType(op).Elem) > 0 && s.Pure(op):
				become(op, &mlir.DenseAttr{Type: resultType(op)})
				changed = true
			}
		})
	}
	e := &editor{state: s, rules: func(r *opRow) rules { return r.standard }, several: func(r *opRow) severalRule { return r.several }}
	return s.rewriteBy(e) || changed
}

// become makes op a constant.
func become(op *mlir.Op, a *mlir.DenseAttr) {
	op.Code, op.Operands, op.Regions, op.Attrs = stablehlo.Constant, nil, nil, mlir.Dict{{Name: "value", Value: a}}
}

func standardBroadcast(e *editor, op *mlir.Op) *mlir.Value {
	x, shape := op.Operands[0], tensorOf(op.Results[0]).Shape
	last := len(shape) - len(tensorOf(x).Shape)
	return e.broadcast(x, shape, others(len(shape), nil)[last:])
}

// standardDot is the product of vectors and matrices: the last dimension of the
// one with the first of the other.
func standardDot(e *editor, op *mlir.Op) *mlir.Value {
	last := int64(len(tensorOf(op.Operands[0]).Shape) - 1)
	return e.dot(op, stablehlo.DotDims{LHSContract: []int64{last}, RHSContract: []int64{0}}, op.Operands[0], op.Operands[1], op.Results[0].Type)
}

// dot emits a dot_general with what else op says about precision.
func (e *editor) dot(op *mlir.Op, d stablehlo.DotDims, lhs, rhs *mlir.Value, t mlir.Type) *mlir.Value {
	attrs := mlir.Dict{{Name: "dot_dimension_numbers", Value: d.Attr()}}
	for _, a := range op.Attrs {
		if a.Name == "precision_config" || a.Name == "algorithm" {
			attrs = append(attrs, a)
		}
	}
	return e.emit(stablehlo.DotGeneral, t, attrs, lhs, rhs)
}

// standardIndexSelect gathers slices of one element along dim: the indices of a batch from
// that batch.
func standardIndexSelect(e *editor, op *mlir.Op) *mlir.Value {
	of := stablehlo.AsTorchIndexSelect(op)
	dim, batch := of.Dim(), of.BatchDims()
	x, indices := tensorOf(op.Operands[0]).Shape, tensorOf(op.Operands[1]).Shape
	if !slices.Equal(x[:batch], indices[:batch]) || x[dim] == 0 {
		return nil // an error of the evaluator
	}
	rank := int64(len(indices))
	both := others(int(batch), nil)
	g := stablehlo.GatherDims{
		CollapsedSliceDims: []int64{dim}, StartIndexMap: []int64{dim}, IndexVectorDim: rank,
		OperandBatchingDims: both, StartIndicesBatchingDims: both,
	}
	sizes := slices.Clone(x)
	sizes[dim] = 1
	for d := range int64(len(x)) {
		switch {
		case d < batch:
			sizes[d] = 1
		case d < dim:
			g.OffsetDims = append(g.OffsetDims, d)
		case d > dim:
			g.OffsetDims = append(g.OffsetDims, d-1+rank-batch)
		}
	}
	return e.emit(stablehlo.Gather, op.Results[0].Type, mlir.Dict{
		{Name: "dimension_numbers", Value: g.Attr()}, {Name: "slice_sizes", Value: mlir.I64Array(sizes)},
	}, op.Operands...)
}

// standardMap computes the ops of the body, which are elementwise or constants,
// on whole tensors.
func standardMap(e *editor, op *mlir.Op) *mlir.Value {
	body := op.Body()
	shape := tensorOf(op.Results[0]).Shape
	if !closed(op) {
		return nil
	}
	for i, inner := range body.Ops {
		info := inner.Code.Info()
		if last := i == len(body.Ops)-1; !last && (!plain(inner) || !info.Traits.Has(mlir.Elementwise) && program.Literal(inner.Results[0]) == nil) {
			return nil
		}
	}
	whole := map[*mlir.Value]*mlir.Value{}
	for i, a := range body.Args {
		whole[a] = op.Operands[i]
	}
	for _, inner := range body.Ops[:len(body.Ops)-1] {
		r := inner.Results[0]
		if x := program.Element(r); x != nil {
			whole[r] = e.splat(like(tensorOf(r), shape), x)
			continue
		}
		operands := make([]*mlir.Value, len(inner.Operands))
		for i, v := range inner.Operands {
			operands[i] = whole[v]
		}
		whole[r] = e.again(inner, like(tensorOf(r), shape), operands...)
	}
	return whole[program.Terminator(body).Operands[0]]
}

// standardIota counts along one dimension.
func standardIota(e *editor, op *mlir.Op) *mlir.Value {
	t := resultType(op)
	d := stablehlo.AsIota(op).IotaDimension()
	switch {
	case t.Shape[d] == 1:
		return e.splat(t, make([]byte, mlir.ElementBytes(t.Elem)))
	case len(t.Shape) == 1:
		return nil
	}
	row := e.emit(op.Code, like(t, t.Shape[d:d+1]), mlir.Dict{{Name: "iota_dimension", Value: mlir.I64Attr(0)}})
	return e.broadcast(row, t.Shape, []int64{d})
}

// knownSize is the size of a dimension of a tensor whose sizes are known.
func knownSize(e *editor, op *mlir.Op) *mlir.Value {
	d := stablehlo.AsGetDimensionSize(op).Dimension()
	n := tensorOf(op.Operands[0]).Shape[d]
	if dims.IsExpr(n) {
		return nil
	}
	return e.constant(tensorOf(op.Results[0]), float64(n))
}

// fullSize is a dimension that is set to the size that it has.
func fullSize(_ *editor, op *mlir.Op) *mlir.Value {
	d := stablehlo.AsSetDimensionSize(op).Dimension()
	x := op.Operands[0]
	if n, ok := program.NumberOf(op.Operands[1]); ok && n.Is(tensorOf(x).Shape[d]) && mlir.SameType(x.Type, op.Results[0].Type) {
		return x
	}
	return nil
}

// staticOp is a dynamic op with one result whose sizes are known.
func staticOp(e *editor, op *mlir.Op) *mlir.Value {
	d, keep, attrs := staticForm(op)
	if d == nil {
		return nil
	}
	s := mlir.NewOp(d.Op, keep, op.Results[0].Type)
	s.Attrs, s.Regions = attrs, op.Regions
	return e.emitOp(s)
}

// staticForm returns the static op that a dynamic op with known sizes becomes, with its
// operands and attributes. Sizes that become attributes are constants. An operand that
// gives the sizes of a result is as the result's type says. A size that is
// not a constant could be another at run time, which would be an error.
func staticForm(op *mlir.Op) (*mlir.Static, []*mlir.Value, mlir.Dict) {
	info := op.Code.Info()
	if info.Static == nil {
		return nil, nil, nil
	}
	attrs, keep := slices.Clone(op.Attrs), slices.Clone(op.Operands)
	for _, p := range slices.Backward(info.Static.Parts) {
		values := program.Literal(op.Operands[p.Operand])
		if values == nil {
			return nil, nil, nil
		}
		list, ok := mlir.Ints(values)
		switch {
		case !ok:
			return nil, nil, nil
		case p.Attr != "":
			attrs.Set(p.Attr, p.Value(list))
		case !slices.Equal(list, tensorOf(op.Results[info.Static.Shaped]).Shape):
			return nil, nil, nil
		}
		keep = slices.Delete(keep, p.Operand, p.Operand+1)
	}
	attrs = slices.DeleteFunc(attrs, func(a mlir.NamedAttr) bool { return strings.HasPrefix(a.Name, "known_") })
	return info.Static, keep, attrs
}

// lowerCHLO writes StableHLO in the place of the ops of CHLO that the target
// has not itself.
func lowerCHLO(s *state) bool {
	return chlo.Lower(s.Module, func(op *mlir.Op) bool { return s.Keep[op.Name()] || s.KeepOp != nil && s.KeepOp(op) })
}
