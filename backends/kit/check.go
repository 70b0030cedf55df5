package kit

import (
	"fmt"

	"ltc/backends/kit/kernel"
)

// check shows that every step stays within the memory of the values that it
// works on. What it reports is a mistake of this package: it is what stands
// between such a mistake and a fault in generated code.
func (p *Program) check() error {
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kernel < 0 {
			continue
		}
		k := p.Kernels[s.Kernel]
		if err := kernel.Verify(k); err != nil {
			return fmt.Errorf("kit: step %d: %w", i, err)
		}
		if err := kernel.Bounds(k, s.Sizes); err != nil {
			return fmt.Errorf("kit: step %d: %w", i, err)
		}
		for j, strides := range k.StrideTable(nil, s.Strides) {
			o := s.Operands[j]
			lo, hi, empty := o.Offset, o.Offset, false
			for d, n := range k.Params[j].Dims {
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

// elements returns how many elements the memory of a value holds.
func (p *Program) elements(v ValueID) int {
	if d := p.Values[v].Data; d != nil {
		return len(d) / p.Values[v].Type.DType.Size()
	}
	return p.Values[v].Type.Shape.Elements()
}
