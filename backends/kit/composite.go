package kit

import (
	"slices"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// compositeOf returns what an op is, if it is a composite of types that kernels have.
func compositeOf(op *mlir.Op) *plan.Composite {
	if op.Code != stablehlo.Composite || carries(op) {
		return nil
	}
	return signatureOf(op)
}

// signatureOf returns what a composite is; nil if memory has no such elements.
func signatureOf(op *mlir.Op) *plan.Composite {
	name, _ := op.Attrs.Get("name").(mlir.StringAttr)
	c := &plan.Composite{Name: string(name)}
	if attrs, ok := op.Attrs.Get("composite_attributes").(mlir.DictAttr); ok {
		c.Attrs = mlir.Dict(attrs)
	}
	for _, list := range []struct {
		values []*mlir.Value
		to     *[]plan.Dense
	}{{op.Operands, &c.Args}, {op.Results, &c.Outs}} {
		for _, v := range list.values {
			t, err := hostType(v.Type)
			if err != nil {
				return nil
			}
			*list.to = append(*list.to, plan.Dense{Value: plan.None, Type: t, Strides: plan.RowMajor(t.Shape)})
		}
	}
	return c
}

// hostType is the type of elements as functions of the host have them, which take complex numbers besides.
func hostType(t mlir.Type) (types.Type, error) {
	tt, ok := t.(*mlir.TensorType)
	if !ok {
		return backends.TypeOf(t)
	}
	c, ok := tt.Elem.(mlir.ComplexType)
	if !ok {
		return backends.TypeOf(t)
	}
	of, err := backends.TypeOf(mlir.Tensor(c.Elem, tt.Shape...))
	of.DType = of.DType.Complex()
	return of, err
}

// claims reports whether an op is a composite that the target claims.
func (o *Options) claims(op *mlir.Op) bool {
	if o.Claim == nil {
		return false
	}
	c := compositeOf(op)
	if c == nil {
		return false
	}
	_, ok := o.claim(c)
	return ok
}

// claim asks the target whether it runs work itself. Code of a composite is for one size: where a
// size is open the target is not asked.
func (o *Options) claim(w plan.Work) (work []types.Type, ok bool) {
	if c, composite := w.(*plan.Composite); composite && hasOpenSize(c) {
		return nil, false
	}
	return o.Claim(w)
}

// hasOpenSize reports whether a size of a composite is open.
func hasOpenSize(c *plan.Composite) bool {
	return slices.ContainsFunc(slices.Concat(c.Args, c.Outs), func(a plan.Dense) bool { return !dims.Static(a.Type.Shape) })
}

// hosted returns the name of the function of the host that is registered for a composite; "" if there is none, or
// the op is something else. The function's results have no sizes of their own: where a size is open the body runs.
func (o *Options) hosted(op *mlir.Op) string {
	if !o.HostComposites || op.Code != stablehlo.Composite {
		return ""
	}
	c := signatureOf(op)
	if c == nil || hasOpenSize(c) {
		return ""
	}
	return backends.HostFor(c.Name, typesOf(c.Args), typesOf(c.Outs), c.Attrs)
}

func typesOf(all []plan.Dense) []types.Type {
	list := make([]types.Type, len(all))
	for i, a := range all {
		list[i] = a.Type
	}
	return list
}

// composite adds a node for a composite that the target claims. Operands that
// are transposed or broadcast are read where they were before, if the target says that
// it can.
func (t *translator) composite(op *mlir.Op) error {
	c := compositeOf(op)
	var reads []plan.ValueID
	var makes []types.Type
	for i, v := range op.Operands {
		from := v
		for from.Def != nil && rearranges[from.Def.Code] != "" {
			from = from.Def.Operands[0]
		}
		if t.graph.Splat(t.values[from]) == nil {
			c.Args[i].Strides = movedStrides(v, from)
			if _, ok := t.o.claim(c); ok {
				v = from
			} else {
				c.Args[i].Strides = plan.RowMajor(c.Args[i].Type.Shape)
			}
		}
		reads = append(reads, t.values[v])
	}
	for _, out := range c.Outs {
		makes = append(makes, out.Type)
	}
	work, _ := t.o.claim(c)
	t.step(op, compositeStep{c}, reads, append(makes, work...), false)
	return nil
}

// rearranges are the ops that a composite's operand is read before, and the attribute of each
// that says where axes are.
var rearranges = map[mlir.Code]string{stablehlo.Transpose: "permutation", stablehlo.BroadcastInDim: "broadcast_dimensions"}

// movedStrides returns the strides of a value over the memory of one that it is made of
// by these alone.
func movedStrides(v, from *mlir.Value) []int64 {
	typ, _ := backends.TypeOf(v.Type) // it has one: it was defined
	if v == from {
		return plan.RowMajor(typ.Shape)
	}
	source := v.Def.Operands[0]
	before := movedStrides(source, from)
	axes, _ := mlir.Ints(v.Def.Attrs.Get(rearranges[v.Def.Code]))
	strides := make([]int64, len(typ.Shape))
	if v.Def.Code == stablehlo.Transpose {
		for d, axis := range axes {
			strides[d] = before[axis]
		}
		return strides
	}
	sizes, _ := backends.TypeOf(source.Type)
	for axis, d := range axes {
		if sizes.Shape[axis] == typ.Shape[d] { // else it is of one, which stands for all
			strides[d] = before[axis]
		}
	}
	return strides
}

// compositeStep is a composite that the target has claimed.
type compositeStep struct{ of *plan.Composite }

func (c compositeStep) String() string { return "composite " + c.of.Name }

func (c compositeStep) Work(reads, writes []plan.HostArg) (plan.Work, error) {
	w := *c.of
	w.Args, w.Outs = slices.Clone(w.Args), slices.Clone(w.Outs)
	for i := range w.Args {
		w.Args[i].Value = reads[i].Value
	}
	for i := range w.Outs {
		w.Outs[i].Value = writes[i].Value
	}
	w.Work = plan.ValuesOf(writes[len(w.Outs):])
	return &w, nil
}
