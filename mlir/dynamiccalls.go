package mlir

import "slices"

// dynamicReduceWindow is a reduce_window whose window is given by operands. The
// dialect has no such op: JAX writes it as a custom call of this name, whose
// computation is a function.
const dynamicReduceWindow = "stablehlo.dynamic_reduce_window"

// ExpandCalls makes ops with a region of the custom calls that stand for dynamic
// ops of the dialect. m must have passed [Verify]; a call that is not written as
// JAX does stays.
func ExpandCalls(m *Module) {
	for _, op := range m.Ops {
		expandIn(m, op)
	}
}

func expandIn(m *Module, op *Op) {
	if op.Name == "stablehlo.custom_call" && op.Attrs.Get("call_target_name") == Attribute(StringAttr(dynamicReduceWindow)) {
		expandReduceWindow(m, op)
	}
	for _, r := range op.Regions {
		for _, b := range r.Blocks {
			for _, inner := range b.Ops {
				expandIn(m, inner)
			}
		}
	}
}

// expandReduceWindow has one input, its initial value, window_dimensions,
// window_strides, base_dilations, window_dilations and padding.
func expandReduceWindow(m *Module, op *Op) {
	called, _ := op.Attrs.Get("called_computations").(ArrayAttr)
	if len(op.Operands) != 7 || len(op.Results) != 1 || len(called) != 1 {
		return
	}
	name, _ := called[0].(SymbolAttr)
	f := m.Func(string(name))
	if f == nil || f.FuncType() == nil || len(f.FuncType().Ins) != 2 || len(f.FuncType().Outs) != 1 {
		return
	}
	body := &Block{}
	for i, t := range f.FuncType().Ins {
		body.Args = append(body.Args, &Value{Type: t, Block: body, Index: i})
	}
	call := NewOp("func.call", slices.Clone(body.Args), f.FuncType().Outs[0])
	call.Attrs = Dict{{"callee", name}}
	ret := NewOp("stablehlo.return", []*Value{call.Results[0]})
	for _, inner := range []*Op{call, ret} {
		inner.Pos, inner.Loc, inner.Ordinal = op.Pos, op.Loc, op.Ordinal
	}
	body.Ops = []*Op{call, ret}
	old := *op
	op.Name, op.Attrs, op.Regions = dynamicReduceWindow, nil, []*Region{{Blocks: []*Block{body}}}
	v := &verifier{m: m, types: map[*TensorType]string{}}
	if verifyDynamicReduceWindow(v, op); len(v.errs) > 0 {
		*op = old
	}
}

func verifyDynamicReduceWindow(v *verifier, op *Op) {
	list := ranked(1, kInt|kIndex)
	ins, outs, ok := v.takes(op, []slot{of(kPerTensor), scalar(kPerTensor), list, list, list, list, ranked(2, kInt|kIndex)}, []slot{of(kPerTensor)})
	if !ok || !v.inits(op, "", ins[:1], ins[1:2]) {
		return
	}
	rank := len(ins[0].Shape)
	for i, t := range ins[2:] {
		want := []int64{int64(rank), 2}[:len(t.Shape)]
		if !sameShape(t.Shape, want) {
			v.fail(op, "", "operand %d is %s, but its shape should be %s", i+2, t, shapeText(want))
			return
		}
	}
	elems, ok := v.reducer(op, reduction{op.Regions[0], "", ins[:1], ins[1:2], nil})
	if ok && v.result(op, "", outs[0], unknown(rank)) {
		v.bodyElem(op, "", 0, outs[0], elems[0])
	}
}
