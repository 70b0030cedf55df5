package kit

import (
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// sort adds a node for a sort, if the target claims it.
func (t *translator) sort(op *mlir.Op) error {
	if carries(op) {
		return leave("elements that kernels do not have")
	}
	dim, known := mlir.Int(op.Attrs.Get("dimension"))
	if !known {
		dim = -1
	}
	s := &plan.Sort{Dim: int(dim)}
	for i, v := range op.Operands {
		arg := t.graph.Type(t.values[v])
		s.Args = append(s.Args, plan.HostArg{Value: plan.None, Type: arg})
		out, err := backends.TypeOf(op.Results[i].Type)
		if err != nil {
			return leave("%v", err)
		}
		s.Outs = append(s.Outs, plan.HostArg{Value: plan.None, Type: out})
	}
	if s.Dim < 0 {
		s.Dim += len(s.Shape())
	}
	if err := t.comparator(op, s); err != nil {
		return err
	}
	whole := slices.Clone(s.Outs)
	keepFirst(s, t.keeps(op, s.Dim))
	work, ok := t.o.Claim(s)
	if !ok && s.Keep > 0 {
		s.Keep, s.Outs = 0, whole
		work, ok = t.o.Claim(s)
	}
	if !ok {
		return leave("a sort that the target has no code for")
	}
	makes := make([]types.Type, len(s.Outs))
	for i, out := range s.Outs {
		makes[i] = out.Type
	}
	t.step(op, sortStep{s}, t.of(op.Operands), append(makes, work...), false)
	return nil
}

// keepFirst has the results hold the first so many elements of a row, if that is not 0.
func keepFirst(s *plan.Sort, n int) {
	if s.Keep = n; n == 0 {
		return
	}
	for i := range s.Outs {
		shape := slices.Clone(s.Outs[i].Type.Shape)
		shape[s.Dim] = n
		s.Outs[i].Type.Shape = shape
	}
}

// keeps returns how many elements of a row of a sort are used, from the first: 0 if
// something else uses its results than slices of main that begin there.
func (t *translator) keeps(op *mlir.Op, dim int) int {
	most := int64(0)
	for _, r := range op.Results {
		if len(t.slices[r]) < t.reads[r] {
			return 0
		}
		for _, s := range t.slices[r] {
			start := stablehlo.AsSlice(s).StartIndices()
			limit := stablehlo.AsSlice(s).LimitIndices()
			stride := stablehlo.AsSlice(s).Strides()
			if start[dim] != 0 || stride[dim] != 1 {
				return 0
			}
			most = max(most, limit[dim])
		}
	}
	return int(most)
}

// comparator makes a kernel of the region of a sort.
func (t *translator) comparator(op *mlir.Op, s *plan.Sort) error {
	if len(capturedBy(op)) > 0 {
		return leave("its comparator uses what is outside of it")
	}
	less, err := t.scalars(op.Regions[0], "less")
	switch {
	case err != nil:
		return err
	case less == nil:
		return leave("its comparator is no kernel of scalars")
	}
	s.Less = less.kernel
	for _, arg := range less.of {
		if arg < 0 {
			s.Of = append(s.Of, plan.Compared{Operand: -1})
			continue
		}
		s.Of = append(s.Of, plan.Compared{Operand: arg / 2, Second: arg%2 == 1})
	}
	return nil
}

// sortStep is a sort that the target has claimed.
type sortStep struct{ of *plan.Sort }

func (s sortStep) String() string { return fmt.Sprintf("sort along %d", s.of.Dim) }

func (s sortStep) Work(reads, writes []plan.HostArg) (plan.Work, error) {
	w, outs := *s.of, len(s.of.Outs)
	w.Args, w.Outs, w.Work = reads, writes[:outs], plan.ValuesOf(writes[outs:])
	return &w, nil
}
