package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ltc/mlir"
)

// program is a test's function as a program of its own: main takes nothing and
// returns what the function's checks compare.
type program struct {
	text    string
	origin  []mlir.Pos // of the text's ops, by ordinal, in the test's file
	checks  []*check
	results []*mlir.Value // what main returns, in the module's own types
	parts   []exported    // the form in which main returns each
}

// entries returns the names of m's functions without arguments that check
// something, or the public ones if none does.
func entries(m *mlir.Module) []string {
	var checking, public []string
	for _, f := range m.Ops {
		ft := f.FuncType()
		if f.Name != "func.func" || ft == nil || len(ft.Ins) > 0 || f.Body() == nil {
			continue
		}
		if hasChecks(f) {
			checking = append(checking, f.SymName())
		}
		if f.Attrs.Get("sym_visibility") == nil {
			public = append(public, f.SymName())
		}
	}
	if checking == nil {
		return public
	}
	return checking
}

// hasChecks reports whether the function, or what is inside its ops, checks
// anything.
func hasChecks(f *mlir.Op) bool {
	found := false
	(&mlir.Module{Ops: []*mlir.Op{f}}).Walk(func(op *mlir.Op) bool {
		name, _ := checkName(op)
		found = found || name != ""
		return !found
	})
	return found
}

// lift makes a program of the function called entry. m is not changed. want
// are values that the function's own results are to have.
func lift(m *mlir.Module, entry string, want []*mlir.DenseAttr) (*program, error) {
	f := m.Func(entry)
	p := &program{}
	body, err := p.body(f.Body(), want)
	if err != nil {
		return nil, err
	}
	outs := make([]mlir.Type, len(body[len(body)-1].Operands))
	for i, v := range body[len(body)-1].Operands {
		outs[i] = v.Type
	}
	main := mlir.NewFunc("main", "", nil, outs)
	main.Pos = f.Pos
	main.Regions[0].Blocks[0].Ops = body
	out := &mlir.Module{Name: m.Name, Attrs: m.Attrs, Loc: m.Loc, Resources: m.Resources}
	for _, op := range m.Ops {
		switch {
		case op == f:
			out.Ops = append(out.Ops, main)
		case op.Name == "func.func" && hasChecks(op): // another test
		case op.SymName() == "main":
			return nil, at(f, fmt.Errorf("@%s cannot become the program's main: there is another @main", entry))
		default:
			out.Ops = append(out.Ops, op)
		}
	}
	out.Walk(func(op *mlir.Op) bool {
		p.origin = append(p.origin, op.Pos)
		return true
	})
	p.text = mlir.Print(out)
	return p, nil
}

// body returns the function's ops without its checks.
func (p *program) body(b *mlir.Block, want []*mlir.DenseAttr) ([]*mlir.Op, error) {
	var ops []*mlir.Op
	probes := map[string]*mlir.Value{}
	for _, op := range b.Ops[:len(b.Ops)-1] {
		switch name, _ := checkName(op); {
		case name != "":
			c, err := readCheck(op, probes)
			if err != nil {
				return nil, at(op, err)
			}
			p.checks = append(p.checks, c)
			for _, r := range op.Results {
				yes := &mlir.Op{Name: "stablehlo.constant", Results: []*mlir.Value{r}, Pos: op.Pos}
				yes.Attrs.Set("value", &mlir.DenseAttr{Literal: "true", Type: mlir.Tensor(mlir.I1)})
				ops = append(ops, yes)
			}
		case op.Name == "interpreter.probe" && len(op.Operands) == 1:
			id, _ := op.Attrs.Get("probe_id").(mlir.StringAttr)
			probes[string(id)] = op.Operands[0]
			// What it returns is what it is given.
			ops = append(ops, &mlir.Op{Name: "stablehlo.reshape", Operands: op.Operands, Results: op.Results, Pos: op.Pos})
		case hasChecks(op):
			return nil, at(op, errors.New("a check inside an op cannot be made a result of the program"))
		default:
			ops = append(ops, op)
		}
	}
	end := b.Ops[len(b.Ops)-1]
	if len(want) > 0 && len(want) != len(end.Operands) {
		return nil, at(end, fmt.Errorf("%d results are to be printed, the function has %d", len(want), len(end.Operands)))
	}
	for i, literal := range want {
		p.checks = append(p.checks, &check{op: "CHECK-DENSE", pos: end.Pos, actual: end.Operands[i], literal: literal})
	}
	return p.end(ops, end)
}

// end appends the ops that return what the checks compare.
func (p *program) end(ops []*mlir.Op, end *mlir.Op) ([]*mlir.Op, error) {
	ret := &mlir.Op{Name: end.Name, Pos: end.Pos}
	for _, c := range p.checks {
		for _, v := range []*mlir.Value{c.actual, c.expected} {
			if v == nil || slices.Contains(p.results, v) {
				continue
			}
			e, err := export(v)
			if err != nil {
				return nil, fmt.Errorf("%d:%d: %s: %w", c.pos.Line, c.pos.Col, c.op, err)
			}
			p.results = append(p.results, v)
			p.parts = append(p.parts, e)
			for _, op := range e.ops {
				op.Pos = c.pos
				ops = append(ops, op)
			}
			ret.Operands = append(ret.Operands, e.values...)
		}
	}
	return append(ops, ret), nil
}

// at gives an error the place of op.
func at(op *mlir.Op, err error) error {
	return fmt.Errorf("%d:%d: %s: %w", op.Pos.Line, op.Pos.Col, op.Name, err)
}

// printedValues reads what CHECK-DENSE lines say.
func printedValues(literals []string) ([]*mlir.DenseAttr, error) {
	var all []*mlir.DenseAttr
	for _, s := range literals {
		_, t, _ := strings.Cut(s, " : ")
		m, err := mlir.Parse("CHECK-DENSE", "%0 = stablehlo.constant "+s)
		if err != nil {
			return nil, fmt.Errorf("CHECK-DENSE of type %s: %w", t, err)
		}
		a, ok := m.Ops[0].Attrs.Get("value").(*mlir.DenseAttr)
		if !ok {
			return nil, fmt.Errorf("CHECK-DENSE: %s is not dense<…>", s)
		}
		all = append(all, a)
	}
	return all, nil
}
