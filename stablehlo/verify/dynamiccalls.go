package verify

import (
	"slices"

	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
)

// expansion is what the custom calls of a name stand for: an op, whose attributes
// and regions of returns. It may shorten the operands of call, and reports whether
// the call is written as JAX does.
type expansion struct {
	op mlir.Code
	of func(m *mlir.Module, call *mlir.Op) (mlir.Dict, []*mlir.Region, bool)
}

// expansions are by the name that is called.
var expansions = map[string]expansion{
	"stablehlo.dynamic_rng_bit_generator": {stablehlo.DynamicRNGBitGenerator, func(_ *mlir.Module, call *mlir.Op) (mlir.Dict, []*mlir.Region, bool) {
		a := call.Attrs.Get("rng_algorithm")
		return mlir.Dict{{Name: "rng_algorithm", Value: a}}, nil, a != nil
	}},
	"stablehlo.dynamic_reduce_window": {stablehlo.DynamicReduceWindow, windowCall},
	"stablehlo.dynamic_top_k":         {stablehlo.DynamicTopK, func(*mlir.Module, *mlir.Op) (mlir.Dict, []*mlir.Region, bool) { return nil, nil, true }},
	"stablehlo.dynamic_approx_top_k":  {stablehlo.DynamicApproxTopK, approxTopKCall},
	"ApproxTopK":                      {stablehlo.DynamicApproxTopK, approxTopKCall},
}

// ExpandCalls makes ops of the custom calls that stand for ops which the dialect
// does not have, and of calls of LAPACK that ops of the dialect stand for. m must have
// passed [Module]; a call that is not written as JAX does stays.
func ExpandCalls(m *mlir.Module) {
	m.Walk(func(op *mlir.Op) bool {
		for b := range op.Blocks() {
			b.Ops = expandLAPACKCalls(b.Ops)
		}
		if op.Code != stablehlo.CustomCall {
			return true
		}
		name, _ := op.Attrs.Get("call_target_name").(mlir.StringAttr)
		to, known := expansions[string(name)]
		if !known {
			return true
		}
		old := *op
		attrs, regions, ok := to.of(m, op)
		if ok {
			op.Code = to.op
			op.Attrs, op.Regions = attrs, regions
			v := &verifier{m: m, types: map[*mlir.TensorType]string{}}
			ok = v.try(func() { ruleTable[op.Code](v, op) }) && len(v.errs) == 0
		}
		if !ok {
			*op = old
		}
		return true
	})
}

// calledRegion is a region that calls the only one of op's called_computations,
// a function with the given numbers of arguments and results; nil if there is no
// such function.
func calledRegion(m *mlir.Module, op *mlir.Op, ins, outs int) *mlir.Region {
	called, _ := op.Attrs.Get("called_computations").(mlir.ArrayAttr)
	if len(called) != 1 {
		return nil
	}
	name, _ := called[0].(mlir.SymbolAttr)
	f := m.Func(string(name))
	if f == nil || f.FuncType() == nil || len(f.FuncType().Ins) != ins || len(f.FuncType().Outs) != outs {
		return nil
	}
	body := mlir.NewBlock(f.FuncType().Ins...)
	call := mlir.NewOp(mlir.OpCall, slices.Clone(body.Args), f.FuncType().Outs...)
	call.Attrs = mlir.Dict{{Name: "callee", Value: name}}
	ret := mlir.NewOp(stablehlo.Return, slices.Clone(call.Results))
	body.Ops = []*mlir.Op{call, ret}
	for _, inner := range body.Ops {
		inner.Pos, inner.Loc, inner.Ordinal = op.Pos, op.Loc, op.Ordinal
	}
	return &mlir.Region{Blocks: []*mlir.Block{body}}
}

// windowCall is a call with one input, its initial value, window_dimensions,
// window_strides, base_dilations, window_dilations and padding. Its computation
// is a function.
func windowCall(m *mlir.Module, op *mlir.Op) (mlir.Dict, []*mlir.Region, bool) {
	body := calledRegion(m, op, 2, 1)
	return nil, []*mlir.Region{body}, body != nil && len(op.Operands) == 7 && len(op.Results) == 1
}

// approxTopKCall is a call with a comparator and a backend_config, which has the
// dimension. What it says of how exact the result should be does not count.
func approxTopKCall(m *mlir.Module, op *mlir.Op) (mlir.Dict, []*mlir.Region, bool) {
	dim := stablehlo.BackendConfig(op).Get("reduction_dim")
	// The shapes of results, which are the last operands, follow from the others.
	shapes, _ := mlir.Ints(op.Attrs.Get("indices_of_shape_operands"))
	for i := len(shapes) - 1; i >= 0; i-- {
		last := len(op.Operands) - 1
		if shapes[i] != int64(last) {
			return nil, nil, false
		}
		op.Operands = op.Operands[:last]
	}
	body := calledRegion(m, op, 2*len(op.Results), 1)
	return mlir.Dict{{Name: "dimension", Value: dim}}, []*mlir.Region{body}, body != nil && dim != nil
}

func verifyApproxTopK(v *verifier, op *mlir.Op) {
	n := len(op.Results)
	if n == 0 || len(op.Operands) < 2*n || len(op.Operands) > 2*n+1 {
		v.stop(op, "", "has %s and %s", diag.Count(len(op.Operands), "operand"), diag.Count(n, "result"))
	}
	ins, outs := v.takes(op, slots{many(kTensor)}, slots{many(kTensor)})
	v.sameShapes(op, "", ins[:n])
	v.inits(op, "", ins[:n], ins[n:2*n])
	dim := v.dim(op, "", "dimension", ins[0])
	if len(ins) > 2*n {
		v.tensor(op, "", "operand", 2*n, op.Operands[2*n], scalar(kInt))
	}
	for i, out := range outs {
		shape := slices.Clone(ins[i].Shape)
		if len(out.Shape) == len(shape) {
			shape[dim] = out.Shape[dim]
		}
		v.sameElem(op, "", ins[i], out)
		v.result(op, "", out, shape)
		k, most := out.Shape[dim], ins[i].Shape[dim]
		if k == mlir.Dynamic && len(ins) == 2*n || !v.atMost(k, most) {
			v.stop(op, "", "result %d is %s, but dimension %d should be known, and at most that of %s", i, out, dim, ins[i])
		}
	}
	v.comparator(op, "", ins[:n])
}

func verifyDynamicReduceWindow(v *verifier, op *mlir.Op) {
	list := ranked(1, kInt|kIndex)
	ins, outs := v.takes(op, slots{of(kPerTensor), scalar(kPerTensor), list, list, list, list, ranked(2, kInt|kIndex)}, tensors(kPerTensor))
	v.inits(op, "", ins[:1], ins[1:2])
	rank := len(ins[0].Shape)
	for i, t := range ins[2:] {
		want := []int64{int64(rank), 2}[:len(t.Shape)]
		if !v.sameShape(t.Shape, want) {
			v.stop(op, "", "operand %d is %s, but its shape should be %s", i+2, t, shapeText(want))
		}
	}
	elems := v.reducer(op, reduction{op.Regions[0], "", ins[:1], ins[1:2], nil})
	v.result(op, "", outs[0], unknown(rank))
	v.bodyElem(op, "", 0, outs[0], elems[0])
}

// verifyDynamicBits takes a state, whose size is known, and the shape of the
// bits.
func verifyDynamicBits(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.generator(op, ins[0], outs[0])
	v.static(op, outs[0])
	v.shapeOperand(op, "", 1, ins[1], outs[1])
}

func verifyDynamicTopK(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.largest(op, ins[0], outs, mlir.Dynamic)
}
