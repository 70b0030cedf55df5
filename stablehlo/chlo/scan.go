package chlo

import (
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// lowerScan is a loop over a dimension that carries a counter, the carries and
// the outputs so far:
//
//	for i in 0 … n-1: at = i, or n-1-i in reverse
//	  outputs[at], carries = body(inputs[at], carries)
func lowerScan(e *emitter, op *mlir.Op) []*mlir.Value {
	sizes, _ := mlir.Ints(op.Attrs.Get("operandSegmentSizes"))
	inputs, inits := op.Operands[:sizes[0]], op.Operands[sizes[0]:]
	outputs := op.Results[:len(op.Results)-len(inits)]
	dim, _ := mlir.Int(op.Attrs.Get("dimension"))
	for _, v := range slices.Concat(inputs, outputs) {
		if !v.Type.(*mlir.TensorType).Static() {
			return nil
		}
	}
	n, _ := mlir.Int(op.Attrs.Get("scan_dim_size"))
	if along := slices.Concat(inputs, outputs); len(along) > 0 {
		n = along[0].Type.(*mlir.TensorType).Shape[dim]
	}
	if n == 0 { // a body has no elements to take
		results := slices.Clone(inits)
		for i, v := range outputs {
			results = slices.Insert(results, i, e.blank(v.Type.(*mlir.TensorType)).v)
		}
		return results
	}
	last := e.scalar("0", mlir.I64).num(float64(n - 1))

	carried := append([]*mlir.Value{e.scalar("0", mlir.I64).v}, inits...)
	for _, v := range outputs {
		carried = append(carried, e.blank(v.Type.(*mlir.TensorType)).v)
	}
	types := mlir.TypesOf(carried)
	loop := e.op(stablehlo.While, carried, nil, types...)
	loop.Regions = []*mlir.Region{
		e.block(types, func(e *emitter, args []val) []*mlir.Value {
			return []*mlir.Value{args[0].cmp("LE", last).v}
		}),
		e.block(types, func(e *emitter, args []val) []*mlir.Value {
			at := args[0]
			if op.Attrs.Get("is_reverse") == mlir.Attribute(mlir.BoolAttr(true)) {
				at = e.val(last.v).sub(at)
			}
			return e.scanStep(op, args, at, inputs, len(inits), int(dim))
		}),
	}
	carries := loop.Results[1 : 1+len(inits)]
	return slices.Concat(loop.Results[1+len(inits):], carries)
}

// blank is zeros.
func (e *emitter) blank(t *mlir.TensorType) val {
	literal := number(0, t.Elem)
	if c, ok := t.Elem.(mlir.ComplexType); ok {
		zero := number(0, c.Elem)
		literal = "(" + zero + "," + zero + ")"
	}
	return e.spread(e.scalar(literal, t.Elem), nil, t, nil)
}

// scanStep is one turn of the loop. The ops of the scan's body move here.
func (e *emitter) scanStep(op *mlir.Op, args []val, at val, inputs []*mlir.Value, carries, dim int) []*mlir.Value {
	body := op.Body()
	starts := func(rank int) []*mlir.Value {
		s := slices.Repeat([]*mlir.Value{e.scalar("0", mlir.I64).v}, rank)
		s[dim] = at.v
		return s
	}
	for i, v := range inputs {
		t := v.Type.(*mlir.TensorType)
		window := slices.Clone(t.Shape)
		window[dim] = 1
		attrs := mlir.Dict{{Name: "slice_sizes", Value: mlir.I64Array(window)}}
		operands := append([]*mlir.Value{v}, starts(len(window))...)
		slice := e.one(stablehlo.DynamicSlice, attrs, mlir.Tensor(t.Elem, window...), operands...)
		e.replaced[body.Args[i]] = slice.reshape(slices.Concat(window[:dim], window[dim+1:])...).v
	}
	for i := range carries {
		e.replaced[body.Args[len(inputs)+i]] = args[1+i].v
	}
	end := len(body.Ops) - 1
	e.ops = append(e.ops, body.Ops[:end]...)
	returned := body.Ops[end].Operands

	next := []*mlir.Value{args[0].addNum(1).v}
	outputs := len(returned) - carries
	next = append(next, returned[outputs:]...)
	for i, v := range returned[:outputs] {
		whole := args[1+carries+i]
		window := slices.Clone(whole.shape())
		window[dim] = 1
		part := e.val(v).reshape(window...)
		operands := append([]*mlir.Value{whole.v, part.v}, starts(len(window))...)
		next = append(next, e.one(stablehlo.DynamicUpdateSlice, nil, whole.typ(), operands...).v)
	}
	return next
}
