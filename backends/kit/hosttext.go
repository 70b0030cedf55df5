package kit

import (
	"slices"
	"strings"

	"ltc/backends/kit/plan"
	"ltc/mlir"
)

// hostText returns the text of a module whose main runs one op, with what its
// regions use from outside as further arguments. It takes and gives what carries
// them. others are what the op refers to.
func hostText(op *mlir.Op, inputs []*mlir.Value, others []*mlir.Op) string {
	m, _, restore := mainOf([]*mlir.Op{op}, inputs, op.Results, others)
	defer restore()
	return mlir.Print(m)
}

// regionText returns the text of a module whose main is a region of an op: it
// takes the block's arguments, then what the region uses from outside, or rather
// what carries them. Where it carries results on to its next run, they take over the
// block's arguments. It says also what its ops are in the program's text.
func regionText(r *mlir.Region, captured []*mlir.Value, others []*mlir.Op, carries bool) (string, plan.Ordinals) {
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
	var b strings.Builder
	_ = m.Print(&b, mlir.PrintOptions{Locations: true}) // a Builder does not fail
	return b.String(), ops
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
	for _, r := range op.Regions {
		for _, b := range r.Blocks {
			for _, o := range b.Ops {
				substitute(o, stands)
			}
		}
	}
}
