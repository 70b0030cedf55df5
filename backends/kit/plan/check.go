package plan

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
)

// Check shows that every step stays within the memory of the values that it
// works on. What it reports is a mistake of package kit: it is what stands
// between such a mistake and a fault in generated code.
//
// A program whose numbers are expressions is checked as part of a [Family], for some sizes.
func (p *Program) Check() error {
	if !p.Static() {
		return nil
	}
	for i := range p.Steps {
		s := p.Steps[i].Launch()
		if s == nil {
			continue
		}
		k := p.Kernels[s.Kernel]
		if err := kernel.Verify(k); err != nil {
			return fmt.Errorf("kit: step %d: %w", i, err)
		}
		if err := kernel.Bounds(k, s.Sizes); err != nil {
			return fmt.Errorf("kit: step %d: %w", i, err)
		}
		if slices.ContainsFunc(k.Axes, func(a kernel.Axis) bool { return a.Size.Of(s.Sizes) == 0 }) {
			continue // it has no points
		}
		for j, strides := range k.StrideTable(nil, p.denseStrides(s)) {
			o := s.Operands[j]
			at := Linear{o.Offset, o.By}.Of(p.dense(o.Value))
			lo, hi, empty := at, at, false
			for d, n := range k.Params[j].Dims {
				if k.Params[j].Strides[d] == kernel.TableStride {
					continue // no element of a dense value is in the place of another
				}
				span := (n.Of(s.Sizes) - 1) * strides[d]
				lo, hi, empty = lo+min(span, 0), hi+max(span, 0), empty || n.Of(s.Sizes) == 0
			}
			if have := int64(p.elements(o.Value)); !empty && (lo < 0 || hi >= have) {
				return fmt.Errorf("kit: step %d: operand %d reaches from element %d to %d of %d\n%v", i, j, lo, hi, have, k)
			}
		}
	}
	return nil
}

// denseStrides returns the run-time strides of a launch, those that depend on how
// a value lies as if it were dense: what stays within it then has indices within
// its dimensions, wherever they lead to.
func (p *Program) denseStrides(s *Launch) []int64 {
	if len(s.Moving) == 0 {
		return s.Strides
	}
	strides := slices.Clone(s.Strides)
	for _, m := range s.Moving {
		strides[m.At] = Linear{strides[m.At], m.By}.Of(p.dense(s.Operands[m.Operand].Value))
	}
	return strides
}

// dense returns the strides of a value that is dense.
func (p *Program) dense(v ValueID) []int64 {
	return RowMajor(p.Shape(v))
}

// elements returns how many elements the memory of a value holds.
func (p *Program) elements(v ValueID) int {
	if d := p.Values[v].Data; d != nil {
		return len(d) / p.Values[v].Type.DType.Size()
	}
	return p.Values[v].Type.Shape.Elements()
}
