package stages

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"ltc/mlir"
	"ltc/stablehlo"
)

// assembly makes the text of a stage.
type assembly struct {
	*cutter
	*stage
	mlir.Cloner
	here       map[*mlir.Op]bool // the ops of the stage
	from       []*mlir.Value     // of earlier stages, or arguments of the module, in the order of args
	told       []*mlir.Value     // the roots that shape arguments stand for
	recomputed []*mlir.Op        // of earlier stages
	body       *mlir.Block
	attrs      mlir.ArrayAttr
	dims       mlir.Dict
}

// use notes what an op takes from outside of the stage.
func (b *assembly) use(op *mlir.Op) {
	for v := range op.Uses() {
		b.value(v)
	}
}

// value notes a value that the stage uses.
func (b *assembly) value(v *mlir.Value) {
	_, slotted := b.slots[v]
	switch {
	case v.Def != nil && b.here[v.Def]:
	case b.known[v]:
		if !slices.Contains(b.told, v) {
			b.told = append(b.told, v)
		}
	case slotted:
		if !slices.Contains(b.from, v) {
			b.from = append(b.from, v)
		}
	case v.Def != nil && b.repeated(v, nil):
		if !slices.Contains(b.recomputed, v.Def) {
			b.use(v.Def)
			b.recomputed = append(b.recomputed, v.Def)
		}
	}
}

// donated notes the arguments whose memory results take over: only the last stage writes there.
func (b *assembly) donated() {
	for i, a := range b.main.Body().Args {
		if b.argAttrs(i).Get("tf.aliasing_output") != nil {
			b.value(a)
		}
	}
}

// sortArgs makes the arguments of the stage.
func (b *assembly) sortArgs() {
	slices.SortFunc(b.from, func(x, y *mlir.Value) int { return b.slots[x] - b.slots[y] })
	for _, v := range b.from {
		d := slices.Clone(b.argAttrs(b.slots[v]))
		if b.results != nil {
			d = slices.DeleteFunc(d, func(a mlir.NamedAttr) bool { return a.Name == "tf.aliasing_output" })
		}
		b.Replace(v, b.arg(v.Type, v.Name, d))
		b.args = append(b.args, b.slots[v])
	}
	for _, v := range b.told {
		n := int(v.Type.(*mlir.TensorType).Elements())
		t := &mlir.TensorType{Elem: mlir.I1}
		var names mlir.ArrayAttr
		for k := range n {
			e := element{v, k}
			t.Shape = append(t.Shape, mlir.Dynamic)
			names = append(names, mlir.StringAttr(b.symbol(e)))
			b.dims.Set(b.symbol(e), mlir.ArrayAttr{mlir.IntegerAttr{Value: 0}, mlir.IntegerAttr{Value: b.mostOf(e)}})
		}
		a := b.arg(t, "", mlir.Dict{{Name: "ltc.dim", Value: names}})
		b.shapeArgs = append(b.shapeArgs, shapeArg{b.slots[v], n})
		b.Replace(v, b.read(a, v))
	}
	for _, op := range b.recomputed {
		b.body.Ops = append(b.body.Ops, b.Op(op))
	}
}

func (b *assembly) arg(t mlir.Type, name string, attrs mlir.Dict) *mlir.Value {
	v := &mlir.Value{Name: name, Type: unbounded(t), Block: b.body, Index: len(b.body.Args)}
	b.body.Args = append(b.body.Args, v)
	b.attrs = append(b.attrs, mlir.DictAttr(attrs))
	return v
}

// argAttrs returns the attributes of an argument of the module; of other slots none.
func (b *assembly) argAttrs(slot int) mlir.Dict {
	all, _ := b.main.Attrs.Get("arg_attrs").(mlir.ArrayAttr)
	if slot >= len(all) || slot >= len(b.main.Body().Args) {
		return nil
	}
	d, _ := all[slot].(mlir.DictAttr)
	return mlir.Dict(d)
}

// emit adds an op. Its errors have the line of like, if there is one.
func (b *assembly) emit(like *mlir.Op, code mlir.Code, t mlir.Type, operands []*mlir.Value, attrs ...mlir.NamedAttr) *mlir.Value {
	op := mlir.NewOp(code, operands, t)
	op.Attrs = attrs
	if op.Ordinal = -1; like != nil {
		op.Loc, op.Pos, op.Ordinal = like.Loc, like.Pos, like.Ordinal
	}
	b.body.Ops = append(b.body.Ops, op)
	return op.Results[0]
}

// dimension returns a size of v as an i32.
func (b *assembly) dimension(like *mlir.Op, v *mlir.Value, d int) *mlir.Value {
	return b.emit(like, stablehlo.GetDimensionSize, mlir.Tensor(mlir.I32), []*mlir.Value{v}, mlir.NamedAttr{Name: "dimension", Value: mlir.I64Attr(int64(d))})
}

// converted returns a scalar as one of another type, unless it is of that.
func (b *assembly) converted(like *mlir.Op, v *mlir.Value, to mlir.Type) *mlir.Value {
	if v.Type.(*mlir.TensorType).Elem == to {
		return v
	}
	return b.emit(like, stablehlo.Convert, mlir.Tensor(to), []*mlir.Value{v})
}

// single returns a scalar as a tensor of one element.
func (b *assembly) single(like *mlir.Op, v *mlir.Value) *mlir.Value {
	return b.emit(like, stablehlo.Reshape, mlir.Tensor(v.Type.(*mlir.TensorType).Elem, 1), []*mlir.Value{v})
}

// list returns a tensor of the elements of parts, which have one each.
func (b *assembly) list(like *mlir.Op, parts []*mlir.Value) *mlir.Value {
	if len(parts) == 1 {
		return parts[0]
	}
	t := mlir.Tensor(parts[0].Type.(*mlir.TensorType).Elem, int64(len(parts)))
	return b.emit(like, stablehlo.Concatenate, t, parts, mlir.NamedAttr{Name: "dimension", Value: mlir.I64Attr(0)})
}

// read returns the value of a root from the sizes of a shape argument.
func (b *assembly) read(a, root *mlir.Value) *mlir.Value {
	t := root.Type.(*mlir.TensorType)
	var parts []*mlir.Value
	for k := range a.Type.(*mlir.TensorType).Shape {
		n := b.converted(root.Def, b.dimension(root.Def, a, k), t.Elem)
		if len(t.Shape) == 0 {
			return n
		}
		parts = append(parts, b.single(root.Def, n))
	}
	v := b.list(root.Def, parts)
	if len(t.Shape) == 1 {
		return v
	}
	return b.emit(root.Def, stablehlo.Reshape, t, []*mlir.Value{v})
}

// clone adds an op of the module. The error is of one that stages cannot have.
func (b *assembly) clone(op *mlir.Op) error {
	x := b.Op(op)
	if x.Code == stablehlo.SetDimensionSize && open(x.Results[0].Type) {
		return b.slice(x, op)
	}
	b.body.Ops = append(b.body.Ops, x)
	return nil
}

// slice adds a real_dynamic_slice in place of op, a set_dimension_size whose result has an open size.
// x is the copy of op.
func (b *assembly) slice(x, op *mlir.Op) error {
	t, dim := x.Operands[0].Type.(*mlir.TensorType), int(stablehlo.AsSetDimensionSize(x).Dimension())
	if t.Unranked || t.Shape[dim] == mlir.Dynamic {
		return fmt.Errorf("the dimension that set_dimension_size sets is open in its operand")
	}
	ints := func(n int64, times int) *mlir.Value {
		of := mlir.Tensor(mlir.I32, int64(times))
		return b.emit(op, stablehlo.Constant, of, nil, mlir.NamedAttr{Name: "value", Value: dense(of, n)})
	}
	var parts []*mlir.Value
	for d, n := range t.Shape {
		switch {
		case d == dim:
			parts = append(parts, b.single(op, b.converted(op, x.Operands[1], mlir.I32)))
		case n == mlir.Dynamic:
			parts = append(parts, b.single(op, b.dimension(op, x.Operands[0], d)))
		default:
			parts = append(parts, ints(n, 1))
		}
	}
	limits := b.list(op, parts)
	v := b.emit(op, stablehlo.RealDynamicSlice, x.Results[0].Type, []*mlir.Value{x.Operands[0], ints(0, len(t.Shape)), limits, ints(1, len(t.Shape))})
	b.Replace(op.Results[0], v)
	return nil
}

// dense returns a splat of i32.
func dense(t *mlir.TensorType, n int64) mlir.Attribute {
	data := make([]byte, 4*t.Elements())
	for i := 0; i < len(data); i += 4 {
		binary.LittleEndian.PutUint32(data[i:], uint32(n))
	}
	return mlir.Dense(t, data)
}

// open reports whether a type leaves a size open.
func open(t mlir.Type) bool {
	tt, ok := t.(*mlir.TensorType)
	return ok && !tt.Unranked && (!tt.Static() || stablehlo.Bounds(tt) != nil)
}

// unbounded returns a type without bounds: the dimensions of shape arguments have them.
func unbounded(t mlir.Type) mlir.Type {
	tt, ok := t.(*mlir.TensorType)
	if !ok || stablehlo.Bounds(tt) == nil {
		return t
	}
	return &mlir.TensorType{Elem: tt.Elem, Shape: tt.Shape, Unranked: tt.Unranked}
}

// resAttrs gives the results of the last stage the attributes of the module's results. Arguments that
// results take over name the results of the stage.
func (b *assembly) resAttrs(main *mlir.Op) {
	if b.results != nil {
		return
	}
	if all, ok := b.main.Attrs.Get("res_attrs").(mlir.ArrayAttr); ok {
		var kept mlir.ArrayAttr
		for _, j := range b.given {
			kept = append(kept, all[j])
		}
		main.Attrs.Set("res_attrs", kept)
	}
	for i, a := range b.attrs {
		d := mlir.Dict(a.(mlir.DictAttr))
		if j, ok := mlir.Int(d.Get("tf.aliasing_output")); ok {
			d = slices.Clone(d)
			d.Set("tf.aliasing_output", mlir.IntegerAttr{Value: int64(slices.Index(b.given, int(j))), Type: mlir.I32})
			b.attrs[i] = mlir.DictAttr(d)
		}
	}
}

// finish writes the text.
func (b *assembly) finish(gives []*mlir.Value) error {
	var back []*mlir.Value
	for _, v := range gives {
		back = append(back, b.Value(v))
	}
	ret := mlir.NewOp(b.ret.Code, back)
	ret.Loc, ret.Ordinal = b.ret.Loc, b.ret.Ordinal
	b.body.Ops = append(b.body.Ops, ret)

	m := &mlir.Module{Name: b.module.Name, Attrs: slices.Clone(b.module.Attrs), Resources: b.module.Resources}
	if len(b.dims) > 0 {
		m.Attrs.Set("ltc.dims", mlir.DictAttr(b.dims))
	}
	main := mlir.NewFunc("main", "public", nil, nil)
	main.Regions[0].Blocks[0], main.Ordinal = b.body, b.main.Ordinal
	m.Ops = []*mlir.Op{main}
	for _, op := range b.module.Ops {
		if op != b.main {
			m.Ops = append(m.Ops, new(mlir.Cloner).Op(op))
		}
	}
	m.Walk(func(op *mlir.Op) bool {
		b.ordinals = append(b.ordinals, op.Ordinal)
		for _, r := range op.Results {
			r.Type = unbounded(r.Type)
		}
		return true
	})
	main.Attrs.Set("function_type", mlir.TypeAttr{Type: &mlir.FunctionType{Ins: mlir.TypesOf(b.body.Args), Outs: mlir.TypesOf(back)}})
	b.resAttrs(main)
	if slices.ContainsFunc(b.attrs, func(a mlir.Attribute) bool { return len(a.(mlir.DictAttr)) > 0 }) {
		main.Attrs.Set("arg_attrs", b.attrs)
	}
	var text strings.Builder
	err := m.Print(&text, mlir.PrintOptions{Locations: true})
	b.text = text.String()
	return err
}
