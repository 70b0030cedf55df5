package lower

import (
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/mlir"
)

// Export is a program that is to run without what recorded it: the graph that was
// recorded, or one for each of several sizes of a dimension that is open.
type Export struct {
	at      []int
	modules []*mlir.Module
	args    []Mark // of the first
}

// Add lowers the graph that was recorded for size n. Args are its parameters;
// results, which may be empty, name its results. It is an error if the graph for
// another size has other parameters.
func (x *Export) Add(n int, g *ir.Graph, args []Mark, results []string) error {
	if len(x.at) == 0 {
		x.args = args
	} else if !slices.Equal(x.args, args) {
		return fmt.Errorf("for %s the parameters are %v, for %d %v: what is recorded must not depend on the size", diag.Count(n, "element"), args, x.at[0], x.args)
	}
	m := Module(g)
	mark(m, args, results)
	x.at, x.modules = append(x.at, n), append(x.modules, m)
	return nil
}

// Text returns the program's text, with the locations of its ops: that of the
// graph, or, if there are several, the one for all sizes from least to most,
// which the text calls name. See [Open].
func (x *Export) Text(name string, least, most int) (string, error) {
	m := x.modules[0]
	if len(x.modules) > 1 {
		var err error
		if m, err = Open(name, least, most, x.at, x.modules); err != nil {
			return "", err
		}
		for i, t := range m.Func("main").FuncType().Ins {
			if tt, ok := t.(*mlir.TensorType); ok && x.args[i].Constant && !tt.Static() {
				return "", fmt.Errorf("the constant %q is %v: it has as many elements as the inputs, of which nobody knows the number; make it an input", x.args[i].Name, tt)
			}
		}
	}
	var text strings.Builder
	_ = m.Print(&text, mlir.PrintOptions{Locations: true}) // a Builder does not fail
	return text.String(), nil
}

// Mark is what is said of an argument of main besides its type.
type Mark struct {
	Name     string // ltc.name
	Constant bool   // ltc.constant
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
