package lower

import (
	"fmt"
	"strings"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo/verify"
)

// Export returns the text of a program that is to run without what recorded it, with the
// locations of its ops. Args are its parameters; results, which may be empty, name its results.
// Sizes of parameters that are symbols (package dims) are open in the text: arguments say by
// ltc.dim which symbol each is, and the module says by ltc.dims what it can be. Values that
// depend on sizes are computed from those of arguments. The text asserts the guards before all else,
// in their order. An error names the op that no text can say, and its line.
func Export(g *ir.Graph, args []Mark, guards []Guard, results []string) (string, error) {
	for i, p := range g.Params {
		if args[i].Constant && dims.HasExpr(p.Type.Shape...) {
			return "", fmt.Errorf("the constant %q is %v: it has as many elements as the inputs, of which nobody knows the number; make it an input", args[i].Name, p.Type)
		}
	}
	m, err := openModule(g, shapes(g, args), guards, nil)
	if err != nil {
		return "", err
	}
	withoutCounts(m.Func("main"), g)
	mark(m, args, results)
	if err := verify.Module(m); err != nil {
		return "", err
	}
	var text strings.Builder
	_ = m.Print(&text, mlir.PrintOptions{Locations: true}) // a Builder does not fail
	return text.String(), nil
}

// withoutCounts drops the results of main that tell sizes which follow from data: those of the
// results have them.
func withoutCounts(main *mlir.Op, g *ir.Graph) {
	n := len(g.Results)
	for n > 0 && g.Results[n-1].Op == ir.OpCounted {
		n--
	}
	ops := main.Body().Ops
	ret := ops[len(ops)-1]
	if n == len(ret.Operands) {
		return
	}
	ret.Operands = ret.Operands[:n]
	main.Attrs.Set("function_type", mlir.TypeAttr{Type: &mlir.FunctionType{Ins: mlir.TypesOf(main.Body().Args), Outs: mlir.TypesOf(ret.Operands)}})
}

// Mark is what is said of an argument of main besides its type.
type Mark struct {
	Name     string // ltc.name
	Constant bool   // ltc.constant
	// Shape has the symbols that name the argument's dimensions in the text, where sizes of the graph are
	// what these have to be; nil: those of the graph.
	Shape types.Shape
}

// shapes returns the shapes of parameters whose symbols name dimensions.
func shapes(g *ir.Graph, args []Mark) []types.Shape {
	all := make([]types.Shape, len(args))
	for i, p := range g.Params {
		if all[i] = args[i].Shape; all[i] == nil {
			all[i] = p.Type.Shape
		}
	}
	return all
}

// mark names the arguments of a module's main, says which of them are constants,
// and names its results; results may be empty.
func mark(m *mlir.Module, args []Mark, results []string) {
	main := m.Func("main")
	all := argAttrs(main)
	for i, a := range args {
		all[i].Set("ltc.name", mlir.StringAttr(a.Name))
		if a.Constant {
			all[i].Set("ltc.constant", mlir.UnitAttr{})
		}
	}
	setArgAttrs(main, all)
	var names mlir.ArrayAttr
	for _, r := range results {
		names = append(names, mlir.DictAttr{{Name: "ltc.name", Value: mlir.StringAttr(r)}})
	}
	if names != nil {
		main.Attrs.Set("res_attrs", names)
	}
}
