package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
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

// entries returns the names of m's functions without arguments that no other runs and
// that check something, or call what does; the public ones if none does.
func entries(m *mlir.Module) []string {
	run := map[string]bool{}
	for _, f := range m.Ops {
		walkRegions(f, func(op *mlir.Op) bool {
			op.Symbols(func(name string) { run[name] = run[name] || name != f.SymName() })
			return true
		})
	}
	checks := functionsWith(m, isCheck)
	var checking, public []string
	for _, f := range m.Ops {
		ft := f.FuncType()
		if f.Code != mlir.OpFunc || ft == nil || len(ft.Ins) > 0 || f.Body() == nil || run[f.SymName()] {
			continue
		}
		if checks[f] {
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

func isCheck(op *mlir.Op) bool {
	name, _ := checkName(op)
	return name != ""
}

// hasChecks reports whether the op, or what is inside it, checks anything.
func hasChecks(op *mlir.Op) bool {
	found := isCheck(op)
	walkRegions(op, func(o *mlir.Op) bool {
		found = found || isCheck(o)
		return !found
	})
	return found
}

// lift makes a program of the function called entry and of what it runs. Functions that
// check or probe are inlined. m is not changed. want are values that the function's own
// results are to have.
func lift(m *mlir.Module, entry string, want []*mlir.DenseAttr) (*program, error) {
	f := m.Func(entry)
	p := &program{}
	in := newInliner(m, f, functionsWith(m, func(op *mlir.Op) bool { return isCheck(op) || isProbe(op) }))
	ops := in.copies(f.Body().Ops)
	if in.err != nil {
		return nil, in.err
	}
	seen := checkedProbes(ops)
	body, err := p.body(ops, seen, want)
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
	runs := reachable(m, main.Body())
	for _, op := range m.Ops {
		switch {
		case op == f:
			out.Ops = append(out.Ops, main)
		case op.Code != mlir.OpFunc:
			out.Ops = append(out.Ops, op)
		case !runs[op]:
		case op.SymName() == "main":
			return nil, at(f, fmt.Errorf("@%s cannot become the program's main: there is another @main", entry))
		default: // runs other than by calls
			others := in.copies([]*mlir.Op{op})
			if in.err != nil {
				return nil, in.err
			}
			if err := seen.lowerUninlined(others[0]); err != nil {
				return nil, err
			}
			out.Ops = append(out.Ops, others...)
		}
	}
	out.Walk(func(op *mlir.Op) bool {
		p.origin = append(p.origin, op.Pos)
		return true
	})
	p.text = mlir.Print(out)
	return p, nil
}

// lowerUninlined makes the probes in a function that is not inlined the identity. A check
// in it, or a probe that a check names, is an error.
func (ps probes) lowerUninlined(f *mlir.Op) error {
	switch {
	case hasChecks(f):
		return at(f, errors.New("a check in a function that is not called, but run otherwise, cannot be made a result of the program"))
	case len(ps.within(f)) > 0:
		return at(f, errors.New("what a probe in a function that is not called, but run otherwise, sees cannot be made a result of the program"))
	case f.Body() == nil:
		return nil
	}
	return probes{}.lowerBlock(f.Body())
}

// body returns the function's ops without its checks.
func (p *program) body(from []*mlir.Op, seen probes, want []*mlir.DenseAttr) ([]*mlir.Op, error) {
	b := &builder{}
	for _, op := range from[:len(from)-1] {
		b.pos = op.Pos
		switch {
		case isCheck(op):
			c, err := readCheck(op, seen)
			if err != nil {
				return nil, at(op, err)
			}
			p.checks = append(p.checks, c)
			for _, r := range op.Results {
				yes := &mlir.Op{Code: stablehlo.Constant, Results: []*mlir.Value{r}, Pos: op.Pos}
				yes.Attrs.Set("value", &mlir.DenseAttr{Literal: "true", Type: mlir.Tensor(mlir.I1)})
				b.ops = append(b.ops, yes)
			}
		case hasChecks(op):
			return nil, at(op, errors.New("a check inside an op cannot be made a result of the program"))
		default:
			if err := seen.lower(b, op); err != nil {
				return nil, at(op, err)
			}
		}
	}
	end := from[len(from)-1]
	if len(want) > 0 && len(want) != len(end.Operands) {
		return nil, at(end, fmt.Errorf("%s to be printed, the function has %d", diag.Count(len(want), "result"), len(end.Operands)))
	}
	for i, literal := range want {
		p.checks = append(p.checks, &check{op: "CHECK-DENSE", pos: end.Pos, actual: end.Operands[i], literal: literal})
	}
	return p.end(b.ops, end)
}

// end appends the ops that return what the checks compare.
func (p *program) end(ops []*mlir.Op, end *mlir.Op) ([]*mlir.Op, error) {
	ret := end.Like()
	ret.Pos = end.Pos
	for _, c := range p.checks {
		for _, v := range []*mlir.Value{c.actual, c.expected, c.count} {
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

// placed is an error that has a place.
type placed struct{ error }

// at gives an error the place of op, unless it has one.
func at(op *mlir.Op, err error) error {
	if _, has := err.(placed); has {
		return err
	}
	return placed{fmt.Errorf("%d:%d: %s: %w", op.Pos.Line, op.Pos.Col, op.Name(), err)}
}

// printedValues reads what CHECK-DENSE lines say.
func printedValues(literals []string) ([]*mlir.DenseAttr, error) {
	var all []*mlir.DenseAttr
	for _, s := range literals {
		_, t, _ := strings.Cut(s, " : ")
		m, err := stablehlo.Parse("CHECK-DENSE", "%0 = stablehlo.constant "+s)
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
