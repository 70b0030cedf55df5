package cuda

import (
	"fmt"

	"ltc/backends/cuda/ptx/sorts"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
)

// sortCall is a step that is a sort: its entries, and how its rows lie.
type sortCall struct {
	sorts.Sort
	n, apart, rows int64
}

func sortCallOf(k *plan.Sort) *sortCall {
	s := &sortCall{Sort: sorts.Sort{Less: k.Less}, apart: 1, rows: 1}
	if n, all := k.Keep(); !all {
		s.Keep = int64(n)
	}
	for _, c := range k.Of {
		s.Of = append(s.Of, sorts.Compared(c))
	}
	for _, a := range k.Args {
		s.Types = append(s.Types, a.Type.DType)
	}
	for d, size := range k.Shape() {
		switch {
		case d == k.Dim:
			s.n = int64(size)
			continue
		case d > k.Dim:
			s.apart *= int64(size)
		}
		s.rows *= int64(size)
	}
	return s
}

// sortFor reports whether there are entries for a sort, and the memory for places. All
// operands must be in memory.
func sortFor(k *plan.Sort) (work []types.Type, ok bool) {
	if n, all := k.Keep(); k.HasPlaces() || n == 0 && !all { // [sorts.Sort] keeps one or more
		return nil, false
	}
	s := sortCallOf(k)
	if s.Check(s.n, s.rows) != nil {
		return nil, false
	}
	for _, places := range s.Places(s.n, s.rows) {
		work = append(work, types.Of(types.I32, int(places)))
	}
	return work, true
}

// sort finds out how a step runs its sort: by one launch or by several, all of the
// same operands.
func (c *compilation) sort(s *step, sort *plan.Sort) error {
	of := sortCallOf(sort)
	own := new(plan.Launch)
	operand := func(v plan.ValueID, t types.DType) {
		own.Operands = append(own.Operands, plan.Operand{Value: v})
		s.sizes = append(s.sizes, t.Size())
	}
	for _, a := range sort.Args {
		operand(a.Value, a.Type.DType)
	}
	for _, a := range sort.Outs {
		operand(a.Value, a.Type.DType)
	}
	for _, v := range sort.Work {
		operand(v, types.I32)
	}
	s.Launch = own
	s.claimed, s.entry = &of.Sort, c.entry(fmt.Sprint("sort", of.Less, of.Of, of.Types, of.Keep > 0))
	for i, l := range of.Launches(of.n, of.apart, of.rows) {
		v, err := c.entryVariant(s.entry, l.Launch, func(name string) (string, error) { return of.Entry(name, l.Variant) })
		if err != nil {
			return fmt.Errorf("compile: %w", err)
		}
		if i == 0 {
			s.variant, s.launch, own.Sizes = v, l.Launch, l.Sizes
		} else {
			s.then = append(s.then, relaunch{variant: v, launch: l.Launch, sizes: l.Sizes})
		}
	}
	return nil
}
