package lower

import (
	"fmt"

	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Guard is what a text asserts of the sizes of its arguments.
type Guard struct {
	dims.Guard
	// Shapes are those of the parameters, whose symbols the guard is of: guards before this one hold. Nil: those
	// of the graph.
	Shapes []types.Shape
	What   string // what a run of other sizes is told: the op and its rule
	File   string // of the op
	Line   int
	Scope  string
}

// assertions returns the ops that assert the guards: the custom_call @shape_assertion of JAX.
func (l *lowerer) assertions(args []*mlir.Value, loc mlir.Location) []*mlir.Op {
	block, sizes, was := l.block, l.sizes, l.loc
	var all []*mlir.Op
	for _, g := range l.guards {
		l.block, l.loc = &mlir.Block{}, located(loc, g.File, g.Line, g.Scope)
		l.sizes = newSizes(args, l.loc)
		for i, s := range g.Shapes {
			l.sizes.shapes[i] = wide(s)
		}
		l.assert(g)
		all = append(append(all, l.sizes.ops...), l.block.Ops...)
	}
	l.block, l.sizes, l.loc = block, sizes, was
	return all
}

// assert emits the assertion of a guard, whose message ends with the sizes of the run.
func (l *lowerer) assert(g Guard) {
	a, b, direction := g.A, g.B, "EQ"
	message := fmt.Sprintf("%s, and %s is {0}", g.What, dims.String(a))
	switch {
	case g.Rule == dims.NotMore:
		direction = "LE"
	case g.Rule == dims.Multiple:
		a, b = dims.Mod(a, b), 0
	}
	if dims.IsExpr(g.B) {
		message += fmt.Sprintf(", %s is {1}", dims.String(g.B))
	}
	holds := l.emit(stablehlo.Compare, mlir.Tensor(mlir.I1), []*mlir.Value{l.size(a), l.size(b)},
		attr("comparison_direction", mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_direction", Value: direction}),
		attr("compare_type", mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_type", Value: "SIGNED"}))
	op := mlir.NewOp(stablehlo.CustomCall, []*mlir.Value{holds, l.size(g.A), l.size(g.B)})
	op.Attrs = mlir.Dict{
		attr("call_target_name", mlir.StringAttr(stablehlo.ShapeAssertion)),
		attr("error_message", mlir.StringAttr(message)),
		attr("has_side_effect", mlir.BoolAttr(true)),
	}
	l.append(op)
}
