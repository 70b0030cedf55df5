package mlir

import "slices"

// Ops that the dialect does not have: JAX writes them as custom calls of these
// names where sizes are symbolic.
const (
	dynamicBits         = "stablehlo.dynamic_rng_bit_generator" // an rng_bit_generator whose shape is an operand
	dynamicReduceWindow = "stablehlo.dynamic_reduce_window"     // a reduce_window whose window is given by operands
)

// DynamicTopK is the op that JAX's custom call of this name becomes: a chlo.top_k
// whose k is an operand. Package mlir/chlo writes ops of the dialect for it.
const DynamicTopK = "stablehlo.dynamic_top_k"

// expansions return the attributes and regions of the op that a custom call of
// that name stands for, and whether the call is written as JAX does.
var expansions map[string]func(m *Module, call *Op) (Dict, []*Region, bool)

func init() {
	expansions = map[string]func(m *Module, call *Op) (Dict, []*Region, bool){
		dynamicBits: func(_ *Module, call *Op) (Dict, []*Region, bool) {
			a := call.Attrs.Get("rng_algorithm")
			return Dict{{"rng_algorithm", a}}, nil, a != nil
		},
		dynamicReduceWindow: windowCall,
		DynamicTopK:         func(*Module, *Op) (Dict, []*Region, bool) { return nil, nil, true },
	}
}

// ExpandCalls makes ops of the custom calls that stand for dynamic ops of the
// dialect. m must have passed [Verify]; a call that is not written as JAX does
// stays.
func ExpandCalls(m *Module) {
	m.Walk(func(op *Op) bool {
		if op.Name != "stablehlo.custom_call" {
			return true
		}
		name, _ := op.Attrs.Get("call_target_name").(StringAttr)
		if expand := expansions[string(name)]; expand != nil {
			if attrs, regions, ok := expand(m, op); ok {
				old := *op
				op.Name, op.Attrs, op.Regions = string(name), attrs, regions
				v := &verifier{m: m, types: map[*TensorType]string{}}
				if opDefs[op.Name].verify(v, op); len(v.errs) > 0 {
					*op = old
				}
			}
		}
		return true
	})
}

// windowCall is a call with one input, its initial value, window_dimensions,
// window_strides, base_dilations, window_dilations and padding. Its computation
// is a function.
func windowCall(m *Module, op *Op) (Dict, []*Region, bool) {
	called, _ := op.Attrs.Get("called_computations").(ArrayAttr)
	if len(op.Operands) != 7 || len(op.Results) != 1 || len(called) != 1 {
		return nil, nil, false
	}
	name, _ := called[0].(SymbolAttr)
	f := m.Func(string(name))
	if f == nil || f.FuncType() == nil || len(f.FuncType().Ins) != 2 || len(f.FuncType().Outs) != 1 {
		return nil, nil, false
	}
	body := NewBlock(f.FuncType().Ins...)
	call := NewOp("func.call", slices.Clone(body.Args), f.FuncType().Outs[0])
	call.Attrs = Dict{{"callee", name}}
	ret := NewOp("stablehlo.return", []*Value{call.Results[0]})
	for _, inner := range []*Op{call, ret} {
		inner.Pos, inner.Loc, inner.Ordinal = op.Pos, op.Loc, op.Ordinal
	}
	body.Ops = []*Op{call, ret}
	return nil, []*Region{{Blocks: []*Block{body}}}, true
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

// verifyDynamicBits takes a state, whose size is known, and the shape of the
// bits.
func verifyDynamicBits(v *verifier, op *Op) {
	ins, outs, ok := v.takes(op, []slot{ranked(1, kInt), ranked(1, kInt|kIndex)}, []slot{ranked(1, kInt), of(kInt | kFloat)})
	if ok && v.generator(op, ins[0], outs[0]) && v.static(op, outs[0]) {
		v.shapeOperand(op, "", 1, ins[1], outs[1])
	}
}

func verifyDynamicTopK(v *verifier, op *Op) {
	ins, outs, ok := v.takes(op, []slot{of(kInt | kFloat), scalar(kInt | kIndex)}, []slot{of(kInt | kFloat), of(kInt)})
	if ok {
		v.largest(op, ins[0], outs, Dynamic)
	}
}
