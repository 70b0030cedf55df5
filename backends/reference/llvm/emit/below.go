package emit

import "ltc/backends/kit/kernel"

// below reports whether a value is surely no more than 0, or NaN: a number of a row
// less the largest of the row, as in a softmax, or a square with the other sign. A product
// that is rounded once with the difference may be more than the largest, which has been
// rounded before.
func (f *function) below(id kernel.ID) bool {
	i := &f.k.Instrs[id]
	switch i.Op {
	case kernel.Subtract:
		most := &f.k.Instrs[i.Args[1]]
		return f.fuse[id] == kernel.None && most.Op == kernel.Reduce && kernel.Op(most.Aux) == kernel.Maximum &&
			f.k.Same(i.Args[0], most.Args[0])
	case kernel.Negate:
		square := &f.k.Instrs[i.Args[0]]
		return square.Op == kernel.Multiply && square.Args[0] == square.Args[1]
	case kernel.Multiply:
		return f.negates(i.Args[0], i.Args[1]) || f.negates(i.Args[1], i.Args[0])
	}
	return false
}

// negates reports whether x is y with the other sign.
func (f *function) negates(x, y kernel.ID) bool {
	return f.k.Instrs[x].Op == kernel.Negate && f.k.Instrs[x].Args[0] == y
}
