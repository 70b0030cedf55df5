package kit

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"ltc/backends/kit/plan"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// hostText returns the text of a module whose main runs one op, with what its
// regions use from outside as further arguments. It takes and gives what carries
// them. others are what the op refers to.
func hostText(op *mlir.Op, inputs []*mlir.Value, others []*mlir.Op) (string, error) {
	m, _, restore := mainOf([]*mlir.Op{op}, inputs, op.Results, others)
	defer restore()
	if !isOpen(m) {
		return mlir.Print(m), nil
	}
	m = copyOf(m)
	if err := reopen(m); err != nil {
		return "", err
	}
	return mlir.Print(m), nil
}

// regionModule calls f with a module whose main is a region of an op: it
// takes the block's arguments, then what the region uses from outside, or rather
// what carries them. Where it carries results on to its next run, they take over the
// block's arguments. It returns what its ops are in the program's text. The module's ops are
// those of the program, and its own until f returns.
func regionModule(r *mlir.Region, captured []*mlir.Value, others []*mlir.Op, carries bool, f func(m *mlir.Module)) plan.Ordinals {
	block := r.Blocks[0]
	end := block.Ops[len(block.Ops)-1]
	m, added, restore := mainOf(block.Ops[:len(block.Ops)-1], slices.Concat(block.Args, captured), end.Operands, others)
	defer restore()
	if carries {
		donate(m.Ops[0], len(end.Operands))
	}
	for _, op := range added {
		op.Ordinal = end.Ordinal
	}
	ops := plan.Ordinals{}
	m.Walk(func(op *mlir.Op) bool { ops = append(ops, op.Ordinal); return true })
	f(m)
	return ops
}

// regionText returns the text of [regionModule], which has no sizes that are expressions.
func regionText(r *mlir.Region, captured []*mlir.Value, others []*mlir.Op, carries bool) (text string, ops plan.Ordinals) {
	ops = regionModule(r, captured, others, carries, func(m *mlir.Module) { text = located(m) })
	return text, ops
}

// located prints a module with locations.
func located(m *mlir.Module) string {
	var b strings.Builder
	_ = m.Print(&b, mlir.PrintOptions{Locations: true}) // a Builder does not fail
	return b.String()
}

// copyOf returns a copy of a module whose sizes may be expressions.
func copyOf(m *mlir.Module) *mlir.Module {
	var c mlir.Cloner
	x := &mlir.Module{Symbolic: true}
	for _, op := range m.Ops {
		x.Ops = append(x.Ops, c.Op(op))
	}
	return x
}

// isOpen reports whether a size of a module's values is an expression.
func isOpen(m *mlir.Module) bool {
	open := false
	m.Walk(func(op *mlir.Op) bool {
		for v := range op.Defines() {
			t, ok := v.Type.(*mlir.TensorType)
			open = open || ok && dims.HasExpr(t.Shape...)
		}
		return !open
	})
	return open
}

// reopen leaves the sizes of a module open that are expressions. The error says that an attribute
// has one.
func reopen(m *mlir.Module) (err error) {
	m.Walk(func(op *mlir.Op) bool {
		for _, a := range op.Attrs {
			if list, ok := mlir.Ints(a.Value); ok && slices.ContainsFunc(list, func(n int64) bool { return dims.IsExpr(n) && dims.Check(n) == nil }) && err == nil {
				err = fmt.Errorf("the %s of %s depends on an open size", a.Name, op.Name())
			}
		}
		if c, ok := op.Attrs.Get("value").(*mlir.DenseAttr); ok && op.Code == stablehlo.Constant && dims.HasExpr(c.Type.Shape...) && err == nil {
			err = fmt.Errorf("a constant of an open size")
		}
		return err == nil
	})
	for _, fn := range m.Ops {
		reshapes(fn)
	}
	m.Retype((*mlir.TensorType).Opened)
	return err
}

// reshapes turns the reshapes within an op that only leave out or add dimensions of size 1
// into dynamic ones, where sizes are expressions: no reshape has an open result.
func reshapes(in *mlir.Op) {
	for _, r := range in.Regions {
		for _, b := range r.Blocks {
			var ops []*mlir.Op
			for _, op := range b.Ops {
				reshapes(op)
				if op.Code == stablehlo.Reshape && dims.HasExpr(op.Results[0].Type.(*mlir.TensorType).Shape...) {
					ops = append(ops, dynamicReshape(op)...)
				}
				ops = append(ops, op)
			}
			b.Ops = ops
		}
	}
}

// dynamicReshape makes a reshape a dynamic one and returns the ops that make its shape of the
// sizes of its operand. A reshape that has another size stays what it is.
func dynamicReshape(op *mlir.Op) (shape []*mlir.Op) {
	to, from := op.Results[0].Type.(*mlir.TensorType).Shape, op.Operands[0].Type.(*mlir.TensorType).Shape
	add := func(code mlir.Code, t *mlir.TensorType, attr mlir.NamedAttr, from ...*mlir.Value) *mlir.Value {
		x := mlir.NewOp(code, from, t)
		x.Ordinal = op.Ordinal
		if attr.Name != "" {
			x.Attrs = mlir.Dict{attr}
		}
		shape = append(shape, x)
		return x.Results[0]
	}
	one := mlir.Tensor(mlir.I32, 1)
	var sizes []*mlir.Value
	for _, n := range to {
		if !dims.IsExpr(n) {
			c := mlir.Dense(one, binary.LittleEndian.AppendUint32(nil, uint32(n)))
			sizes = append(sizes, add(stablehlo.Constant, one, mlir.NamedAttr{Name: "value", Value: c}))
			continue
		}
		at := slices.Index(from, n)
		if at < 0 {
			return nil
		}
		size := add(stablehlo.GetDimensionSize, mlir.Tensor(mlir.I32), mlir.NamedAttr{Name: "dimension", Value: mlir.I64Attr(int64(at))}, op.Operands[0])
		sizes = append(sizes, add(stablehlo.Reshape, one, mlir.NamedAttr{}, size))
	}
	all := add(stablehlo.Concatenate, mlir.Tensor(mlir.I32, int64(len(to))), mlir.NamedAttr{Name: "dimension", Value: mlir.I64Attr(0)}, sizes...)
	op.Code, op.Operands = stablehlo.DynamicReshape, append(slices.Clone(op.Operands), all)
	return shape
}

// mainOf returns a module whose main runs ops of the program, with inputs as arguments and
// outs as results, or rather what carries them. The ops use the arguments until restore is
// called. added are those that turn values into what carries them, and back.
func mainOf(ops []*mlir.Op, inputs, outs []*mlir.Value, others []*mlir.Op) (m *mlir.Module, added []*mlir.Op, restore func()) {
	fn := mlir.NewFunc("main", "public", carriedTypes(inputs), carriedTypes(outs))
	var before, after carry
	stands, back := make(map[*mlir.Value]*mlir.Value, len(inputs)), make(map[*mlir.Value]*mlir.Value, len(inputs))
	for i, v := range inputs {
		s := before.from(fn.Body().Args[i], v.Type)
		stands[v], back[s] = s, v
	}
	for _, op := range ops {
		substitute(op, stands)
	}
	results := make([]*mlir.Value, len(outs))
	for i, v := range outs {
		if s, ok := stands[v]; ok {
			v = s
		}
		results[i] = after.to(v)
	}
	fn.Body().Ops = slices.Concat(before.ops, ops, after.ops, []*mlir.Op{mlir.NewOp(mlir.OpReturn, results)})
	return &mlir.Module{Ops: append([]*mlir.Op{fn}, others...)}, slices.Concat(before.ops, after.ops), func() {
		for _, op := range ops {
			substitute(op, back)
		}
	}
}

// donate has the first n results of a function take over the arguments of the same
// numbers, where they are of the same types.
func donate(fn *mlir.Op, n int) {
	t := fn.FuncType()
	all := make(mlir.ArrayAttr, len(t.Ins))
	for i := range all {
		d := mlir.Dict{}
		if i < n && t.Ins[i].String() == t.Outs[i].String() {
			d.Set("tf.aliasing_output", mlir.IntegerAttr{Value: int64(i), Type: mlir.I32})
		}
		all[i] = mlir.DictAttr(d)
	}
	fn.Attrs.Set("arg_attrs", all)
}

// substitute replaces the values that an op and its regions use.
func substitute(op *mlir.Op, stands map[*mlir.Value]*mlir.Value) {
	for i, v := range op.Operands {
		if to, ok := stands[v]; ok {
			op.Operands[i] = to
		}
	}
	for o := range op.Inner() {
		substitute(o, stands)
	}
}
