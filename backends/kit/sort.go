package kit

import (
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
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
		s.Args, s.From = append(s.Args, plan.HostArg{Value: plan.None, Type: arg}), append(s.From, i)
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
	operands, results := op.Operands, op.Results
	s, operands, results = t.withoutUnread(s, operands, results)
	claimed, work := (*plan.Sort)(nil), []types.Type(nil)
	if some, read := withoutPlaces(s, operands); some != nil {
		written := t.withoutUnwritten(some, results)
		if claimed, work = t.claimSort(some, op); claimed != nil {
			operands, results = read, written
		}
	}
	if claimed == nil {
		claimed, work = t.claimSort(s, op)
	}
	if claimed == nil {
		return leave("a sort that the target has no code for")
	}
	makes := make([]types.Type, len(claimed.Outs))
	for i, out := range claimed.Outs {
		makes[i] = out.Type
	}
	t.stepOf(op, sortStep{claimed}, t.of(operands), results, append(makes, work...), false)
	return nil
}

// withoutUnread returns a sort without the operands that the comparator does not read and whose
// results nothing uses, and the operands and results that are left. Some result stays.
func (t *translator) withoutUnread(s *plan.Sort, operands, results []*mlir.Value) (*plan.Sort, []*mlir.Value, []*mlir.Value) {
	some := *s
	some.Args, some.Outs, some.From, some.Of = nil, nil, nil, slices.Clone(s.Of)
	var in, out []*mlir.Value
	for i, v := range operands {
		if !s.Compares(i) && !t.used[results[i]] {
			continue
		}
		renumber(some.Of, s.Of, i, len(some.Args))
		some.From = append(some.From, len(some.Args))
		some.Args, some.Outs = append(some.Args, s.Args[i]), append(some.Outs, s.Outs[i])
		in, out = append(in, v), append(out, results[i])
	}
	if len(in) == 0 {
		return s, operands, results
	}
	return &some, in, out
}

// withoutUnwritten drops the results that nothing uses, but for the last one, from a sort some of
// whose operands are places. It returns the results that are left.
func (t *translator) withoutUnwritten(s *plan.Sort, results []*mlir.Value) (written []*mlir.Value) {
	outs, from := s.Outs, s.From
	s.Outs, s.From = nil, nil
	for i, r := range results {
		if t.used[r] || i == len(results)-1 && len(written) == 0 {
			s.Outs, s.From, written = append(s.Outs, outs[i]), append(s.From, from[i]), append(written, r)
		}
	}
	return written
}

// claimSort asks the target for the first elements of rows, if no others are used, and then
// for all. It returns the sort that the target claims, nil if there is none, and the memory
// that it takes.
func (t *translator) claimSort(s *plan.Sort, op *mlir.Op) (claimed *plan.Sort, work []types.Type) {
	first := *s
	first.Outs = slices.Clone(s.Outs)
	keepFirst(&first, t.keeps(op, s.Dim))
	if work, ok := t.o.claim(&first); ok {
		return &first, work
	}
	if _, all := first.Keep(); !all {
		if work, ok := t.o.claim(s); ok {
			return s, work
		}
	}
	return nil, nil
}

// withoutPlaces returns a sort that does not read the operands that are places, and the
// operands that it reads. The result is nil if there are no such operands, or no others. An
// operand that the comparator reads stays.
func withoutPlaces(s *plan.Sort, operands []*mlir.Value) (*plan.Sort, []*mlir.Value) {
	some := *s
	some.Args, some.From, some.Of = nil, nil, slices.Clone(s.Of)
	var read []*mlir.Value
	for i, v := range operands {
		if !s.Compares(i) && plan.HoldsPlaces(s.Args[i].Type.DType) && rises(s.Args[i].Type, v, s.Dim) {
			some.From = append(some.From, plan.Places)
			continue
		}
		renumber(some.Of, s.Of, i, len(some.Args))
		some.From = append(some.From, len(some.Args))
		some.Args, read = append(some.Args, s.Args[i]), append(read, v)
	}
	if len(read) == 0 || len(read) == len(operands) {
		return nil, nil
	}
	return &some, read
}

// renumber has parameters of a comparator be of an operand that has another number.
func renumber(now, before []plan.Compared, old, operand int) {
	for k := range before {
		if before[k].Operand == old {
			now[k].Operand = operand
		}
	}
}

// keepFirst has the results hold the first so many elements of a row, if that is not 0.
func keepFirst(s *plan.Sort, n int) {
	if n == 0 {
		return
	}
	for i := range s.Outs {
		shape := slices.Clone(s.Shape())
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
			most = dims.Max(most, limit[dim])
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
