package kit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/mlir"
)

// sameArgs reports whether two steps take the same values, whatever their sizes.
func sameArgs(a, b []HostArg) bool {
	return slices.EqualFunc(a, b, func(a, b HostArg) bool {
		return a.Value == b.Value && a.Type.DType == b.Type.DType && a.Type.Rank() == b.Type.Rank()
	})
}

// sameHost returns how two steps of the evaluator differ otherwise than by sizes.
func sameHost(i int, a, b *Host) error {
	if a.Op != b.Op || !sameArgs(a.Args, b.Args) || !slices.Equal(a.Outs, b.Outs) {
		return fmt.Errorf("step %d is %s, and %s of other values", i, a.Op, b.Op)
	}
	return nil
}

// sameRegions returns how two loops or branches differ otherwise than by sizes and
// in their regions, which are families themselves.
func sameRegions(i int, s, t *Step) error {
	var same bool
	switch {
	case s.Loop != nil && t.Loop != nil:
		a, b := s.Loop, t.Loop
		same = sameArgs(a.Init, b.Init) && sameArgs(a.Captured, b.Captured) && slices.Equal(a.Outs, b.Outs) && slices.Equal(a.Stays, b.Stays)
	case s.Branch != nil && t.Branch != nil:
		a, b := s.Branch, t.Branch
		same = a.Index.Value == b.Index.Value && len(a.Branches) == len(b.Branches) && sameArgs(a.Captured, b.Captured) && slices.Equal(a.Outs, b.Outs)
	}
	if !same {
		return fmt.Errorf("step %d is a loop or a branch, and another step or one of other values", i)
	}
	return nil
}

// takes returns the lists of what a step that is no kernel takes.
func (s *Step) takes() [][]HostArg {
	switch {
	case s.Host != nil:
		return [][]HostArg{s.Host.Args}
	case s.Loop != nil:
		return [][]HostArg{s.Loop.Init, s.Loop.Captured}
	case s.Branch != nil:
		return [][]HostArg{s.Branch.Captured}
	}
	return nil
}

// ownTypes gives a step that is no kernel types of its own, which change with a size.
func (s *Step) ownTypes() {
	own := func(list []HostArg) []HostArg {
		list = slices.Clone(list)
		for k := range list {
			list[k].Type.Shape = slices.Clone(list[k].Type.Shape)
		}
		return list
	}
	switch {
	case s.Host != nil:
		h := *s.Host
		h.Args, s.Host = own(h.Args), &h
	case s.Loop != nil:
		l := *s.Loop
		l.Init, l.Captured, s.Loop = own(l.Init), own(l.Captured), &l
	case s.Branch != nil:
		b := *s.Branch
		b.Captured, s.Branch = own(b.Captured), &b
	}
}

// openSteps has the steps that are no kernels run for all sizes: see [CompileFamily].
func (f *Family) openSteps(ctx context.Context, eval backends.Backend) error {
	base := *f.base
	base.Steps = slices.Clone(base.Steps)
	f.regions = make([][]Region, len(base.Steps))
	for i := range base.Steps {
		var err error
		s := &base.Steps[i]
		if s.Host != nil {
			err = f.openHost(ctx, eval, i, s)
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
func (f *Family) openHost(ctx context.Context, eval backends.Backend, i int, s *Step) error {
	h := *s.Host
	var texts []string
	for _, p := range f.programs {
		texts = append(texts, p.Steps[i].Host.Text)
	}
	if !slices.ContainsFunc(texts, func(t string) bool { return t != h.Text }) {
		return nil
	}
	var err error
	if h.Text, err = openText(texts); err == nil {
		h.Run, err = eval.Compile(ctx, backends.NewModule(h.Text), backends.Options{Name: h.Op.String()})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", h.Op, err)
	}
	s.Host = &h
	return nil
}

// openRegions makes each region of a loop or a branch a family of its own.
func (f *Family) openRegions(ctx context.Context, eval backends.Backend, i int, s *Step) error {
	for r := range s.Regions() {
		programs := make([]*Program, len(f.programs))
		for k, p := range f.programs {
			programs[k] = p.Steps[i].Regions()[r]
		}
		of, err := NewFamily(f.sizes, programs, f.bounds)
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
	switch all := f.regions[i]; {
	case s.Loop != nil:
		l := *s.Loop
		l.Cond, l.Body, s.Loop = all[0].base, all[1].base, &l
	case s.Branch != nil:
		b := *s.Branch
		b.Branches, s.Branch = nil, &b
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
		if modules[i], err = mlir.Parse("step.mlir", t); err != nil {
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
