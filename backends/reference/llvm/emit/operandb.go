package emit

import (
	"fmt"
	"slices"
	"strings"

	"ltc/backends/kit/kernel"
)

// DescribeB says what B is made of: instructions in their order, with axes by what they
// are in the product and operands by number. Products of several kernels with the same
// description pack the same.
func (p *Product) DescribeB() string {
	k, c := p.Kernel, p.Contraction
	var s strings.Builder
	fmt.Fprint(&s, p.element(1, c.B), " ", p.prologue[1].Type)
	value := func(id kernel.ID) int { return slices.Index(c.B.Body, id) }
	axis := func(a int) string {
		switch {
		case a == p.Batch:
			return "b"
		case a == p.N:
			return "n"
		}
		return fmt.Sprint("k", slices.Index(c.K, a))
	}
	for _, id := range c.B.Body {
		i := &k.Instrs[id]
		fmt.Fprint(&s, "; ", i.Op, " ", i.Type)
		for _, a := range i.Args {
			fmt.Fprint(&s, " %", value(a))
		}
		switch i.Op {
		case kernel.Load:
			m := i.Mem
			fmt.Fprint(&s, " ", k.Params[m.Param].DType, m.Guard)
			for _, x := range m.Index {
				s.WriteString(" [")
				for _, t := range x.Terms {
					fmt.Fprint(&s, axis(t.Axis), "*", t.Factor, " ")
				}
				if x.Value != kernel.None {
					fmt.Fprint(&s, "%", value(x.Value), " ")
				}
				fmt.Fprint(&s, x.Offset, "]")
			}
		case kernel.Iota:
			s.WriteString(" " + axis(int(i.Aux)))
		case kernel.SizeOf: // the number is told apart
		default:
			fmt.Fprint(&s, " ", i.Aux)
		}
	}
	return s.String()
}
