package verify

import (
	"slices"

	"ltc/internal/diag"
	"ltc/mlir"
)

func verifyReduce(v *verifier, op *mlir.Op) {
	ins, inits, outs := v.folded(op, "C3", "C1", "C2")
	dims := v.ints(op, "dimensions")
	v.within(op, "C4", "dimensions", dims, len(ins[0].Shape))
	v.unique(op, "C5", "dimensions", dims...)
	kept := rest(ins[0].Shape, dims)
	elems := v.reducer(op, reduction{op.Regions[0], "C6", ins, inits, kept})
	for i, out := range outs {
		v.result(op, "C7", out, kept, rest(limits(ins[i]), dims)...)
		v.bodyElem(op, "C8", i, out, elems[i])
	}
}

// folded checks that op has as many initial values as inputs, and as many results, that the
// inputs have one shape and the initial values their elements. The labels are those of these
// three rules.
func (v *verifier) folded(op *mlir.Op, number, shapes, elems string) (ins, inits, outs []*mlir.TensorType) {
	n := len(op.Results)
	if len(op.Operands) == 0 || len(op.Operands)%2 != 0 || n != len(op.Operands)/2 {
		v.stop(op, number, "has %s and %s, but takes as many initial values as inputs and gives as many results", diag.Count(len(op.Operands), "operand"), diag.Count(n, "result"))
	}
	all, outs := v.takes(op, slots{many(kPerTensor)}, slots{many(kPerTensor)})
	v.sameShapes(op, shapes, all[:n])
	v.inits(op, elems, all[:n], all[n:])
	return all[:n], all[n:], outs
}

func (v *verifier) sameShapes(op *mlir.Op, label string, ts []*mlir.TensorType) {
	var known []int64 // the dimensions that one of the types so far tells
	for i, t := range ts {
		if i == 0 {
			known = slices.Clone(t.Shape)
		}
		if !v.compatible(t, ts[0]) || !v.sameShape(t.Shape, known) {
			v.stop(op, label, "inputs differ in shape: 0 is %s and %d is %s", ts[0], i, t)
		}
		for k, d := range t.Shape {
			if d != mlir.Dynamic {
				known[k] = d
			}
		}
	}
}

// inits checks the elements of initial values. That they are scalars is not
// checked: the specification says so, but its implementation takes others.
func (v *verifier) inits(op *mlir.Op, label string, ins, inits []*mlir.TensorType) {
	for i, t := range ins {
		if !sameBaseline(t.Elem, inits[i].Elem) {
			v.stop(op, label, "input %d is %s but its initial value is %s", i, t, inits[i])
		}
	}
}

func (v *verifier) bodyElem(op *mlir.Op, label string, i int, out, elem *mlir.TensorType) {
	if !sameElement(out.Elem, elem.Elem) {
		v.stop(op, label, "the body works on %s but result %d is %s", elem.Elem, i, out)
	}
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
func (v *verifier) reducer(op *mlir.Op, r reduction) []*mlir.TensorType {
	n := len(r.ins)
	args, ret := r.region.Blocks[0].Args, returns(r.region).Operands
	switch {
	case len(args) != 2*n:
		v.stop(op, r.label, "the body has %s, but should have %d", diag.Count(len(args), "argument"), 2*n)
	case len(ret) != n:
		v.stop(op, r.label, "the body returns %s, but should return %d", diag.Count(len(ret), "value"), n)
	}
	outs := make([]*mlir.TensorType, n)
	for i, x := range ret {
		t, ok := x.Type.(*mlir.TensorType)
		if !ok || t.Unranked {
			v.stop(op, r.label, "the body returns %s, but should return tensors", x.Type)
		}
		outs[i] = t
	}
	for i, x := range args {
		t, ok := x.Type.(*mlir.TensorType)
		if !ok || t.Unranked || !v.likeTensor(t, outs[i%n]) {
			v.stop(op, r.label, "argument %d of the body is %s, but the body returns %s", i, x.Type, outs[i%n])
		}
		if in := r.ins[i%n]; !promotable(in.Elem, t.Elem) {
			v.stop(op, r.label, "elements of type %s cannot be promoted to argument %d of the body, %s", in.Elem, i, t)
		}
		if !v.dimsFrom(t.Shape, r.allowed) {
			v.stop(op, r.label, "argument %d of the body is %s, but its dimensions should be among %s", i, t, shapeText(r.allowed))
		}
	}
	for i, t := range outs {
		if init := r.inits[i]; !v.sameShape(t.Shape, init.Shape) || !promotable(init.Elem, t.Elem) {
			v.stop(op, r.label, "the body returns %s, which an initial value %s does not fit", t, init)
		}
	}
	return outs
}

// dimsFrom reports whether shape has, in order, some of the dimensions of from.
func (v *verifier) dimsFrom(shape, from []int64) bool {
	for _, d := range shape {
		for len(from) > 0 && !v.sameDim(d, from[0]) {
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
	ins, inits, outs := v.folded(op, "C1", "C2", "C3")
	rank := len(ins[0].Shape)
	sizes := v.ints(op, "window_dimensions")
	var w windows
	w.list(v, op, &w.sizes, "window_dimensions", rank, "C4", "C5")
	w.list(v, op, &w.strides, "window_strides", rank, "C6", "C7")
	w.list(v, op, &w.base, "base_dilations", rank, "C8", "C9")
	w.list(v, op, &w.dilations, "window_dilations", rank, "C10", "C11")
	w.padding(v, op, op.Attrs.Get("padding"), rank, "C12")
	elems := v.reducer(op, reduction{op.Regions[0], "C13", ins, inits, sizes})
	shape, bounds := make([]int64, len(sizes)), make([]int64, len(sizes))
	for i, d := range ins[0].Shape {
		shape[i], bounds[i] = w.count(i, d), w.count(i, most(ins[0], i))
	}
	for i, out := range outs {
		v.result(op, "C15", out, shape, bounds...)
		v.bodyElem(op, "C16", i, out, elems[i])
	}
}

func verifySelectAndScatter(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	in, source, init, rank := ins[0], ins[1], ins[2], len(ins[0].Shape)
	if !sameBaseline(in.Elem, source.Elem) {
		v.stop(op, "C1", "elements differ: %s and %s", in, source)
	}
	if !sameBaseline(in.Elem, init.Elem) {
		v.stop(op, "C3", "the initial value is %s but the operand is %s", init, in)
	}
	w := windows{base: ones(rank), dilations: ones(rank)}
	if a := op.Attrs.Get("window_dimensions"); a == nil && rank > 0 {
		v.stop(op, "C4", "has no window_dimensions, but the operand %s has %s", in, diag.Count(rank, "dimension"))
	}
	w.list(v, op, &w.sizes, "window_dimensions", rank, "C4", "C5")
	w.list(v, op, &w.strides, "window_strides", rank, "C6", "C7")
	w.padding(v, op, op.Attrs.Get("padding"), rank, "C8")
	v.selector(op, in)
	elems := v.reducer(op, reduction{op.Regions[1], "C10", ins[:1], ins[2:], nil})
	shape := make([]int64, rank)
	for i, d := range in.Shape {
		shape[i] = w.count(i, d)
	}
	if !v.sameShape(source.Shape, shape) {
		v.stop(op, "C2", "the source is %s, but there are %s windows", source, shapeText(shape))
	}
	v.result(op, "C11", outs[0], in.Shape, limits(in)...)
	v.bodyElem(op, "C12", 0, outs[0], elems[0])
}

func ones(n int) []int64 { return slices.Repeat([]int64{1}, n) }

// selector checks the region of select_and_scatter that compares two elements.
func (v *verifier) selector(op *mlir.Op, in *mlir.TensorType) {
	args, ret := op.Regions[0].Blocks[0].Args, returns(op.Regions[0]).Operands
	if len(args) != 2 || len(ret) != 1 {
		v.stop(op, "C9", "the body that selects takes %s and gives %d, but should compare two", diag.Count(len(args), "value"), len(ret))
	}
	for _, a := range args {
		if t, ok := a.Type.(*mlir.TensorType); !ok || len(t.Shape) > 0 || !sameBaseline(t.Elem, in.Elem) {
			v.stop(op, "C9", "the body that selects takes %s, but the operand is %s", a.Type, in)
		}
	}
	v.decides(op, "C9", ret[0])
}

// decides checks that x is a scalar boolean.
func (v *verifier) decides(op *mlir.Op, label string, x *mlir.Value) {
	if t, ok := x.Type.(*mlir.TensorType); !ok || t.Unranked || len(t.Shape) > 0 || t.Elem != mlir.Type(mlir.I1) {
		v.stop(op, label, "the body returns %s, but should return tensor<i1>", x.Type)
	}
}

func verifySort(v *verifier, op *mlir.Op) {
	ins, outs := v.each(op, "C1")
	for i, t := range ins {
		if !v.likeTensor(t, outs[i]) {
			v.stop(op, "C2", "input %d is %s but the result is %s", i, t, outs[i])
		}
	}
	v.sameShapes(op, "C3", slices.Concat(ins, outs))
	for i, out := range outs {
		v.infer(out, ins[i].Shape)
	}
	if a := op.Attrs.Get("dimension"); a != nil {
		rank := int64(len(ins[0].Shape))
		if d, ok := mlir.Int(a); !ok || d < -rank || d >= rank {
			v.stop(op, "C4", "dimension is %s, which is not in [%d, %d)", a, -rank, rank)
		}
	}
	v.comparator(op, "C5", ins)
}

// comparator checks that op's region compares two elements of each input.
func (v *verifier) comparator(op *mlir.Op, label string, ins []*mlir.TensorType) {
	args, ret := op.Regions[0].Blocks[0].Args, returns(op.Regions[0]).Operands
	if len(args) != 2*len(ins) || len(ret) != 1 {
		v.stop(op, label, "the comparator takes %s and gives %d, but should take two of each input and give one", diag.Count(len(args), "value"), len(ret))
	}
	for i, a := range args {
		if t, ok := a.Type.(*mlir.TensorType); !ok || len(t.Shape) > 0 || !sameBaseline(t.Elem, ins[i/2].Elem) {
			v.stop(op, label, "argument %d of the comparator is %s, but input %d is %s", i, a.Type, i/2, ins[i/2])
		}
	}
	v.decides(op, label, ret[0])
}

func verifyMap(v *verifier, op *mlir.Op) {
	if len(op.Operands) == 0 {
		v.stop(op, "C2", "has no operands")
	}
	ins, outs := v.takes(op, slots{many(kPerTensor)}, tensors(kPerTensor))
	v.sameShapes(op, "C1", append(ins[:len(ins):len(ins)], outs[0]))
	v.infer(outs[0], ins[0].Shape)
	dims := v.ints(op, "dimensions")
	for i := range max(len(dims), len(ins[0].Shape)) {
		if len(dims) != len(ins[0].Shape) || dims[i] != int64(i) {
			v.stop(op, "C3", "dimensions are %s, but should be all of the %d in order", shapeText(dims), len(ins[0].Shape))
		}
	}
	args, ret := op.Regions[0].Blocks[0].Args, returns(op.Regions[0]).Operands
	if len(args) != len(ins) || len(ret) != 1 {
		v.stop(op, "C4", "the body takes %s and gives %d, but should take one of each operand and give one", diag.Count(len(args), "value"), len(ret))
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
