package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// openSteps has the steps that are no kernels run for all sizes: see [CompileFamily].
func (f *Family) openSteps(ctx context.Context, eval backends.Backend) error {
	base := *f.base
	base.Steps = slices.Clone(base.Steps)
	f.regions = make([][]Region, len(base.Steps))
	for i := range base.Steps {
		var err error
		s := &base.Steps[i]
		if h := s.Host(); h != nil {
			s.Work, err = f.openHost(ctx, eval, i, h)
		} else {
			err = f.openRegions(ctx, eval, i, s)
		}
		if err != nil {
			return base.atStep(i, fmt.Errorf("step %d: %w", i, err))
		}
	}
	f.base = &base
	return nil
}

// openHost has the evaluator run its step for all sizes, if it depends on the size:
// by a text that leaves it open, as the text of the program does.
func (f *Family) openHost(ctx context.Context, eval backends.Backend, i int, own *Host) (*Host, error) {
	h := *own
	var texts []string
	for _, p := range f.programs {
		texts = append(texts, p.Steps[i].Host().Text)
	}
	if !slices.ContainsFunc(texts, func(t string) bool { return t != h.Text }) {
		return own, nil
	}
	var err error
	if h.Text, err = openText(texts); err == nil {
		h.Run, err = eval.Compile(ctx, backends.NewModule(h.Text), backends.Options{Name: h.Op.String(), Threads: h.Threads})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.Op, err)
	}
	return &h, nil
}

// openRegions makes each region of a loop or a branch a family of its own.
func (f *Family) openRegions(ctx context.Context, eval backends.Backend, i int, s *Step) error {
	for r := range s.Regions() {
		programs := make([]*Program, len(f.programs))
		for k, p := range f.programs {
			programs[k] = p.Steps[i].Regions()[r]
		}
		of, err := newFamily(f.sizes, programs, f.bounds)
		if err == nil {
			err = of.openSteps(ctx, eval)
		}
		var open Opening
		if err == nil {
			open, err = of.opening()
		}
		if err != nil {
			return fmt.Errorf("region %d: %w", r, err)
		}
		f.regions[i] = append(f.regions[i], Region{open, of})
	}
	all := f.regions[i]
	switch w := s.Work.(type) {
	case *Loop:
		l := *w
		l.Cond, l.Body, s.Work = all[0].base, all[1].base, &l
	case *Branch:
		b := *w
		b.Branches, s.Work = nil, &b
		for _, r := range all {
			b.Branches = append(b.Branches, r.base)
		}
	}
	return nil
}

// Teller is a dimension that tells the size of a [Family]: of an argument or, where
// Result is set, of a result. It is Slope·n + Base.
type Teller struct {
	Result      bool
	Index, Dim  int
	Slope, Base int64
}

// opening returns what the programs of f take and give, [backends.AnySize] where
// that depends on the size, and the dimensions that tell it: of arguments if there
// are some, else of results. There are none if no program depends on the size. It is
// an error if they do, and no dimension tells.
func (f *Family) opening() (Opening, error) {
	of := f.base.Signature
	sig := &backends.Signature{Args: slices.Clone(of.Args), Results: slices.Clone(of.Results)}
	var tellers []Teller
	at := 0 // of f.lines, in which dimensions of arguments and results come first
	open := func(result bool, i int, shape []int) []int {
		shape = slices.Clone(shape)
		for d := range shape {
			l := f.lines[at]
			at++
			if l.Slope == 0 {
				continue
			}
			shape[d] = backends.AnySize
			if t := (Teller{result, i, d, l.Slope, l.Base}); !result || len(tellers) == 0 || tellers[0].Result {
				tellers = append(tellers, t)
			}
		}
		return shape
	}
	for i := range sig.Args {
		sig.Args[i].Type.Shape = open(false, i, sig.Args[i].Type.Shape)
	}
	for j := range sig.Results {
		sig.Results[j].Type.Shape = open(true, j, sig.Results[j].Type.Shape)
	}
	if len(tellers) == 0 && slices.ContainsFunc(f.lines, func(l types.Line) bool { return l.Slope != 0 }) {
		return Opening{}, errors.New("what it computes depends on a size that neither its arguments nor its results have")
	}
	return Opening{Sig: sig, At: tellers, Bounds: f.bounds}, nil
}

// openText returns the text that texts are of programs which differ in sizes of
// their types: with those left open.
func openText(texts []string) (string, error) {
	modules := make([]*mlir.Module, len(texts))
	ops := make([][]*mlir.Op, len(texts))
	for i, t := range texts {
		var err error
		if modules[i], err = stablehlo.Parse("step.mlir", t); err != nil {
			return "", err
		}
		modules[i].Walk(func(op *mlir.Op) bool { ops[i] = append(ops[i], op); return true })
		if len(ops[i]) != len(ops[0]) {
			return "", errors.New("it has other ops for other sizes")
		}
	}
	for k, op := range ops[0] {
		for i := range ops {
			if err := openOp(op, ops[i][k]); err != nil {
				return "", fmt.Errorf("%s: %w", op.Name(), err)
			}
		}
	}
	m := modules[0]
	for _, f := range m.Ops {
		if f.Body() != nil {
			f.Attrs.Set("function_type", mlir.TypeAttr{Type: &mlir.FunctionType{Ins: typesOf(f.Body().Args), Outs: typesOf(f.Body().Ops[len(f.Body().Ops)-1].Operands)}})
		}
	}
	return mlir.Print(m), nil
}

// openOp opens the sizes in which the types of an op's values differ from those of
// the same op for another size. Nothing else of it may differ.
func openOp(op, other *mlir.Op) error {
	if op.Name() != other.Name() || len(op.Results) != len(other.Results) || len(op.Regions) != len(other.Regions) || len(op.Attrs) != len(other.Attrs) {
		return errors.New("it is another op for another size")
	}
	for _, a := range op.Attrs {
		if v := other.Attrs.Get(a.Name); a.Name != "function_type" && (v == nil || v.String() != a.Value.String()) {
			return fmt.Errorf("its %s depends on the size", a.Name)
		}
	}
	values, others := op.Results, other.Results
	for r := range op.Regions {
		for b, block := range op.Regions[r].Blocks {
			values, others = slices.Concat(values, block.Args), slices.Concat(others, other.Regions[r].Blocks[b].Args)
		}
	}
	if len(values) != len(others) {
		return errors.New("its regions are others for another size")
	}
	for i, v := range values {
		t, ok := v.Type.(*mlir.TensorType)
		u, ok2 := others[i].Type.(*mlir.TensorType)
		if !ok || !ok2 || len(t.Shape) != len(u.Shape) {
			if v.Type.String() != others[i].Type.String() {
				return fmt.Errorf("a value is %v, and %v for another size", v.Type, others[i].Type)
			}
			continue
		}
		open := &mlir.TensorType{Elem: t.Elem, Shape: slices.Clone(t.Shape), Encoding: t.Encoding, Unranked: t.Unranked}
		for d := range open.Shape {
			if open.Shape[d] != u.Shape[d] {
				open.Shape[d] = mlir.Dynamic
			}
		}
		v.Type = open
	}
	return nil
}

func typesOf(values []*mlir.Value) []mlir.Type {
	var all []mlir.Type
	for _, v := range values {
		all = append(all, v.Type)
	}
	return all
}
