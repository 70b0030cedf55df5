package verify

import (
	"slices"

	"ltc/mlir"
)

func verifyReduce(v *verifier, op *mlir.Op) {
	n, ok := v.matched(op, "C3")
	if !ok {
		return
	}
	ins, outs, ok := v.takes(op, slots{many(kPerTensor)}, slots{many(kPerTensor)})
	if !ok || !v.sameShapes(op, "C1", ins[:n]) || !v.inits(op, "C2", ins[:n], ins[n:]) {
		return
	}
	dims, ok := v.ints(op, "dimensions")
	if !ok || !v.within(op, "C4", "dimensions", dims, len(ins[0].Shape)) || !v.unique(op, "C5", "dimensions", dims...) {
		return
	}
	kept := rest(ins[0].Shape, dims)
	elems, ok := v.reducer(op, reduction{op.Regions[0], "C6", ins[:n], ins[n:], kept})
	if !ok {
		return
	}
	for i, out := range outs {
		if !v.result(op, "C7", out, kept, rest(limits(ins[i]), dims)...) || !v.bodyElem(op, "C8", i, out, elems[i]) {
			return
		}
	}
}

// matched checks that op has as many initial values as inputs, and as many
// results, and returns how many.
func (v *verifier) matched(op *mlir.Op, label string) (int, bool) {
	if len(op.Operands) == 0 || len(op.Operands)%2 != 0 || len(op.Results) != len(op.Operands)/2 {
		v.fail(op, label, "has %d operands and %d results, but takes as many initial values as inputs and gives as many results", len(op.Operands), len(op.Results))
		return 0, false
	}
	return len(op.Results), true
}

func (v *verifier) sameShapes(op *mlir.Op, label string, ts []*mlir.TensorType) bool {
	var known []int64 // the dimensions that one of the types so far tells
	for i, t := range ts {
		if i == 0 {
			known = slices.Clone(t.Shape)
		}
		if !compatible(t, ts[0]) || !sameShape(t.Shape, known) {
			return v.fail(op, label, "inputs differ in shape: 0 is %s and %d is %s", ts[0], i, t)
		}
		for k, d := range t.Shape {
			if d != mlir.Dynamic {
				known[k] = d
			}
		}
	}
	return true
}

// inits checks the elements of initial values. That they are scalars is not
// checked: the specification says so, but its implementation takes others.
func (v *verifier) inits(op *mlir.Op, label string, ins, inits []*mlir.TensorType) bool {
	for i, t := range ins {
		if !sameBaseline(t.Elem, inits[i].Elem) {
			return v.fail(op, label, "input %d is %s but its initial value is %s", i, t, inits[i])
		}
	}
	return true
}

func (v *verifier) bodyElem(op *mlir.Op, label string, i int, out, elem *mlir.TensorType) bool {
	if !sameElement(out.Elem, elem.Elem) {
		return v.fail(op, label, "the body works on %s but result %d is %s", elem.Elem, i, out)
	}
	return true
}

// reduction is a region that combines two sets of values into one: label is
// the rule that its type follows.
type reduction struct {
	region     *mlir.Region
	label      string
	ins, inits []*mlir.TensorType
	// allowed is the shape that the body's arguments can have dimensions of.
	allowed []int64
}

// reducer checks that the region takes two values for each input and returns
// one, all of one type, which elements of the inputs can be promoted to. It
// returns those types.
func (v *verifier) reducer(op *mlir.Op, r reduction) ([]*mlir.TensorType, bool) {
	n := len(r.ins)
	args, ret := r.region.Blocks[0].Args, returns(r.region).Operands
	switch {
	case len(args) != 2*n:
		v.fail(op, r.label, "the body has %d arguments, but should have %d", len(args), 2*n)
		return nil, false
	case len(ret) != n:
		v.fail(op, r.label, "the body returns %d values, but should return %d", len(ret), n)
		return nil, false
	}
	outs := make([]*mlir.TensorType, n)
	for i, x := range ret {
		t, ok := x.Type.(*mlir.TensorType)
		if !ok || t.Unranked {
			v.fail(op, r.label, "the body returns %s, but should return tensors", x.Type)
			return nil, false
		}
		outs[i] = t
	}
	for i, x := range args {
		t, ok := x.Type.(*mlir.TensorType)
		if !ok || t.Unranked || !likeTensor(t, outs[i%n]) {
			v.fail(op, r.label, "argument %d of the body is %s, but the body returns %s", i, x.Type, outs[i%n])
			return nil, false
		}
		if in := r.ins[i%n]; !promotable(in.Elem, t.Elem) {
			v.fail(op, r.label, "elements of type %s cannot be promoted to argument %d of the body, %s", in.Elem, i, t)
			return nil, false
		}
		if !dimsFrom(t.Shape, r.allowed) {
			v.fail(op, r.label, "argument %d of the body is %s, but its dimensions should be among %s", i, t, shapeText(r.allowed))
			return nil, false
		}
	}
	for i, t := range outs {
		if init := r.inits[i]; !sameShape(t.Shape, init.Shape) || !promotable(init.Elem, t.Elem) {
			v.fail(op, r.label, "the body returns %s, which an initial value %s does not fit", t, init)
			return nil, false
		}
	}
	return outs, true
}

// dimsFrom reports whether shape has, in order, some of the dimensions of from.
func dimsFrom(shape, from []int64) bool {
	for _, d := range shape {
		for len(from) > 0 && !sameDim(d, from[0]) {
			from = from[1:]
		}
		if len(from) == 0 {
			return false
		}
		from = from[1:]
	}
	return true
}

// scalars returns the types of single elements.
func scalars(ts []*mlir.TensorType) []*mlir.TensorType {
	s := make([]*mlir.TensorType, len(ts))
	for i, t := range ts {
		s[i] = &mlir.TensorType{Elem: t.Elem}
	}
	return s
}

func verifyReduceWindow(v *verifier, op *mlir.Op) {
	n, ok := v.matched(op, "C1")
	if !ok {
		return
	}
	ins, outs, ok := v.takes(op, slots{many(kPerTensor)}, slots{many(kPerTensor)})
	if !ok || !v.sameShapes(op, "C2", ins[:n]) || !v.inits(op, "C3", ins[:n], ins[n:]) {
		return
	}
	rank := len(ins[0].Shape)
	sizes, ok := v.ints(op, "window_dimensions")
	if !ok {
		return
	}
	var w windows
	ok = w.list(v, op, &w.sizes, "window_dimensions", rank, "C4", "C5") &&
		w.list(v, op, &w.strides, "window_strides", rank, "C6", "C7") &&
		w.list(v, op, &w.base, "base_dilations", rank, "C8", "C9") &&
		w.list(v, op, &w.dilations, "window_dilations", rank, "C10", "C11") &&
		w.padding(v, op, op.Attrs.Get("padding"), rank, "C12")
	if !ok {
		return
	}
	elems, ok := v.reducer(op, reduction{op.Regions[0], "C13", ins[:n], ins[n:], sizes})
	if !ok {
		return
	}
	shape, bounds := make([]int64, len(sizes)), make([]int64, len(sizes))
	for i, d := range ins[0].Shape {
		shape[i], bounds[i] = w.count(i, d), w.count(i, most(ins[0], i))
	}
	for i, out := range outs {
		if !v.result(op, "C15", out, shape, bounds...) || !v.bodyElem(op, "C16", i, out, elems[i]) {
			return
		}
	}
}

func verifySelectAndScatter(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	in, source, init, rank := ins[0], ins[1], ins[2], len(ins[0].Shape)
	if !sameBaseline(in.Elem, source.Elem) {
		v.fail(op, "C1", "elements differ: %s and %s", in, source)
		return
	}
	if !sameBaseline(in.Elem, init.Elem) {
		v.fail(op, "C3", "the initial value is %s but the operand is %s", init, in)
		return
	}
	w := windows{base: ones(rank), dilations: ones(rank)}
	if a := op.Attrs.Get("window_dimensions"); a == nil && rank > 0 {
		v.fail(op, "C4", "has no window_dimensions, but the operand %s has %d dimensions", in, rank)
		return
	}
	ok := w.list(v, op, &w.sizes, "window_dimensions", rank, "C4", "C5") &&
		w.list(v, op, &w.strides, "window_strides", rank, "C6", "C7") &&
		w.padding(v, op, op.Attrs.Get("padding"), rank, "C8")
	if !ok || !v.selector(op, in) {
		return
	}
	elems, ok := v.reducer(op, reduction{op.Regions[1], "C10", ins[:1], ins[2:], nil})
	if !ok {
		return
	}
	shape := make([]int64, rank)
	for i, d := range in.Shape {
		shape[i] = w.count(i, d)
	}
	if !sameShape(source.Shape, shape) {
		v.fail(op, "C2", "the source is %s, but there are %s windows", source, shapeText(shape))
		return
	}
	if v.result(op, "C11", outs[0], in.Shape, limits(in)...) {
		v.bodyElem(op, "C12", 0, outs[0], elems[0])
	}
}

func ones(n int) []int64 { return slices.Repeat([]int64{1}, n) }

// selector checks the region of select_and_scatter that compares two elements.
func (v *verifier) selector(op *mlir.Op, in *mlir.TensorType) bool {
	args, ret := op.Regions[0].Blocks[0].Args, returns(op.Regions[0]).Operands
	if len(args) != 2 || len(ret) != 1 {
		return v.fail(op, "C9", "the body that selects takes %d values and gives %d, but should compare two", len(args), len(ret))
	}
	for _, a := range args {
		if t, ok := a.Type.(*mlir.TensorType); !ok || len(t.Shape) > 0 || !sameBaseline(t.Elem, in.Elem) {
			return v.fail(op, "C9", "the body that selects takes %s, but the operand is %s", a.Type, in)
		}
	}
	return v.decides(op, "C9", ret[0])
}

// decides checks that x is a scalar boolean.
func (v *verifier) decides(op *mlir.Op, label string, x *mlir.Value) bool {
	if t, ok := x.Type.(*mlir.TensorType); !ok || t.Unranked || len(t.Shape) > 0 || t.Elem != mlir.Type(mlir.I1) {
		return v.fail(op, label, "the body returns %s, but should return tensor<i1>", x.Type)
	}
	return true
}

func verifySort(v *verifier, op *mlir.Op) {
	if len(op.Operands) == 0 || len(op.Results) != len(op.Operands) {
		v.fail(op, "C1", "has %d operands and %d results, but gives one for each of at least one", len(op.Operands), len(op.Results))
		return
	}
	ins, outs, ok := v.takes(op, slots{many(kPerTensor)}, slots{many(kPerTensor)})
	if !ok {
		return
	}
	for i, t := range ins {
		if !likeTensor(t, outs[i]) {
			v.fail(op, "C2", "input %d is %s but the result is %s", i, t, outs[i])
			return
		}
	}
	if !v.sameShapes(op, "C3", slices.Concat(ins, outs)) {
		return
	}
	for i, out := range outs {
		v.infer(out, ins[i].Shape)
	}
	if a := op.Attrs.Get("dimension"); a != nil {
		rank := int64(len(ins[0].Shape))
		if d, ok := mlir.Int(a); !ok || d < -rank || d >= rank {
			v.fail(op, "C4", "dimension is %s, which is not in [%d, %d)", a, -rank, rank)
			return
		}
	}
	v.comparator(op, "C5", ins)
}

// comparator checks that op's region compares two elements of each input.
func (v *verifier) comparator(op *mlir.Op, label string, ins []*mlir.TensorType) {
	args, ret := op.Regions[0].Blocks[0].Args, returns(op.Regions[0]).Operands
	if len(args) != 2*len(ins) || len(ret) != 1 {
		v.fail(op, label, "the comparator takes %d values and gives %d, but should take two of each input and give one", len(args), len(ret))
		return
	}
	for i, a := range args {
		if t, ok := a.Type.(*mlir.TensorType); !ok || len(t.Shape) > 0 || !sameBaseline(t.Elem, ins[i/2].Elem) {
			v.fail(op, label, "argument %d of the comparator is %s, but input %d is %s", i, a.Type, i/2, ins[i/2])
			return
		}
	}
	v.decides(op, label, ret[0])
}

func verifyMap(v *verifier, op *mlir.Op) {
	if len(op.Operands) == 0 {
		v.fail(op, "C2", "has no operands")
		return
	}
	ins, outs, ok := v.takes(op, slots{many(kPerTensor)}, tensors(kPerTensor))
	if !ok {
		return
	}
	if !v.sameShapes(op, "C1", append(ins[:len(ins):len(ins)], outs[0])) {
		return
	}
	v.infer(outs[0], ins[0].Shape)
	dims, ok := v.ints(op, "dimensions")
	if !ok {
		return
	}
	for i := range max(len(dims), len(ins[0].Shape)) {
		if len(dims) != len(ins[0].Shape) || dims[i] != int64(i) {
			v.fail(op, "C3", "dimensions are %s, but should be all of the %d in order", shapeText(dims), len(ins[0].Shape))
			return
		}
	}
	args, ret := op.Regions[0].Blocks[0].Args, returns(op.Regions[0]).Operands
	if len(args) != len(ins) || len(ret) != 1 {
		v.fail(op, "C4", "the body takes %d values and gives %d, but should take one of each operand and give one", len(args), len(ret))
		return
	}
	for i, a := range args {
		v.element(op, "C4", "argument", i, a, ins[i])
	}
	v.element(op, "C4", "result", 0, ret[0], outs[0])
}

// element checks that x is one element of t.
func (v *verifier) element(op *mlir.Op, label, what string, i int, x *mlir.Value, t *mlir.TensorType) {
	if e, ok := x.Type.(*mlir.TensorType); !ok || len(e.Shape) > 0 || !sameBaseline(e.Elem, t.Elem) {
		v.fail(op, label, "%s %d of the body is %s, but should be an element of %s", what, i, x.Type, t)
	}
}
