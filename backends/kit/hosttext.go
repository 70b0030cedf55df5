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
	fn := mlir.NewFunc("main", "public", carriedTypes(inputs), carriedTypes(op.Results))
	before, restore := bindArguments(fn, inputs, op)
	defer restore()
	var after carry
	results := make([]*mlir.Value, len(op.Results))
	for i, r := range op.Results {
		results[i] = after.to(r)
	}
	fn.Body().Ops = slices.Concat(before, []*mlir.Op{op}, after.ops, []*mlir.Op{mlir.NewOp(mlir.OpReturn, results)})
	m := &mlir.Module{Ops: append([]*mlir.Op{fn}, others...)}
	return mlir.Print(m)
}

// bindArguments makes ops use the arguments of a function instead of values of the
// program, until restore is called. It returns the ops that make of the arguments
// what they carry.
func bindArguments(fn *mlir.Op, values []*mlir.Value, ops ...*mlir.Op) (before []*mlir.Op, restore func()) {
	var made carry
	stands := make(map[*mlir.Value]*mlir.Value, len(values))
	back := make(map[*mlir.Value]*mlir.Value, len(values))
	for i, v := range values {
		s := made.from(fn.Body().Args[i], v.Type)
		stands[v], back[s] = s, v
	}
	for _, op := range ops {
		substitute(op, stands)
	}
	return made.ops, func() {
		for _, op := range ops {
			substitute(op, back)
		}
	}
}

// regionText returns the text of a module whose main is a region of an op: it
// takes the block's arguments, then what the region uses from outside, or rather
// what carries them. Where it carries results on to its next run, they take over the
// block's arguments. It says also what its ops are in the program's text.
func regionText(r *mlir.Region, captured []*mlir.Value, others []*mlir.Op, carries bool) (string, plan.Ordinals) {
	block := r.Blocks[0]
	end := block.Ops[len(block.Ops)-1]
	from := slices.Concat(block.Args, captured)
	fn := mlir.NewFunc("main", "public", carriedTypes(from), carriedTypes(end.Operands))
	if carries {
		donate(fn, len(end.Operands))
	}
	before, restore := bindArguments(fn, from, block.Ops...)
	defer restore()
	var after carry
	results := make([]*mlir.Value, len(end.Operands))
	for i, v := range end.Operands {
		results[i] = after.to(v)
	}
	fn.Body().Ops = slices.Concat(before, block.Ops[:len(block.Ops)-1], after.ops, []*mlir.Op{mlir.NewOp(mlir.OpReturn, results)})
	for _, op := range slices.Concat(before, after.ops) {
		op.Ordinal = end.Ordinal
	}
	m := &mlir.Module{Ops: append([]*mlir.Op{fn}, others...)}
	ops := plan.Ordinals{}
	m.Walk(func(op *mlir.Op) bool { ops = append(ops, op.Ordinal); return true })
	var b strings.Builder
	_ = m.Print(&b, mlir.PrintOptions{Locations: true}) // a Builder does not fail
	return b.String(), ops
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
