package kit

import (
	"slices"
	"strings"

	"ltc/mlir"
)

// hostText returns the text of a module whose main runs one op, with what its
// regions use from outside as further arguments.
func hostText(op *mlir.Op, inputs []*mlir.Value) string {
	ins := make([]mlir.Type, len(inputs))
	for i, v := range inputs {
		ins[i] = v.Type
	}
	outs := make([]mlir.Type, len(op.Results))
	for i, r := range op.Results {
		outs[i] = r.Type
	}
	fn := mlir.NewFunc("main", "public", ins, outs)
	body := fn.Body()
	stands := make(map[*mlir.Value]*mlir.Value, len(inputs))
	back := make(map[*mlir.Value]*mlir.Value, len(inputs))
	for i, v := range inputs {
		stands[v], back[body.Args[i]] = body.Args[i], v
	}
	substitute(op, stands)
	defer substitute(op, back)
	body.Ops = append(body.Ops, op, mlir.NewOp("func.return", op.Results))
	m := &mlir.Module{Ops: []*mlir.Op{fn}}
	return mlir.Print(m)
}

// regionText returns the text of a module whose main is a region of an op: it
// takes the block's arguments, then what the region uses from outside. It says
// also what its ops are in the program's text.
func regionText(r *mlir.Region, captured []*mlir.Value) (string, Ordinals) {
	block := r.Blocks[0]
	end := block.Ops[len(block.Ops)-1]
	var ins, outs []mlir.Type
	from := slices.Concat(block.Args, captured)
	for _, v := range from {
		ins = append(ins, v.Type)
	}
	for _, v := range end.Operands {
		outs = append(outs, v.Type)
	}
	fn := mlir.NewFunc("main", "public", ins, outs)
	body := fn.Body()
	stands := make(map[*mlir.Value]*mlir.Value, len(from))
	back := make(map[*mlir.Value]*mlir.Value, len(from))
	for i, v := range from {
		stands[v], back[body.Args[i]] = body.Args[i], v
	}
	for _, op := range block.Ops {
		substitute(op, stands)
		defer substitute(op, back)
	}
	body.Ops = append(slices.Clone(block.Ops[:len(block.Ops)-1]), mlir.NewOp("func.return", slices.Clone(end.Operands)))
	m := &mlir.Module{Ops: []*mlir.Op{fn}}
	ops := Ordinals{}
	m.Walk(func(op *mlir.Op) bool { ops = append(ops, op.Ordinal); return true })
	var b strings.Builder
	_ = m.Print(&b, mlir.PrintOptions{Locations: true}) // a Builder does not fail
	return b.String(), ops
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
