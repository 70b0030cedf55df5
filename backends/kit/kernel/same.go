package kernel

import "slices"

// Same reports whether two values are known to be equal at each point, or both NaN. The values
// are known to be equal if two stages over the same axes compute them from the same elements by
// the same instructions.
func (k *Kernel) Same(a, b ID) bool {
	s, t := k.StageOf(a), k.StageOf(b)
	same := func(x, y Axis) bool { return x.Size == y.Size }
	return a == b || slices.EqualFunc(k.Stages[s].Axes, k.Stages[t].Axes, same) && k.same(a, b)
}

func (k *Kernel) same(a, b ID) bool {
	x, y := &k.Instrs[a], &k.Instrs[b]
	switch {
	case a == b:
		return true
	case x.Op != y.Op || x.Type != y.Type || x.Aux != y.Aux || x.Op == Reduce || x.Op == Scan:
		return false
	case x.Op == Load && !k.sameElement(x.Mem, y.Mem):
		return false
	}
	return slices.EqualFunc(x.Args, y.Args, k.same)
}

// sameElement reports whether two loads read the same element of an operand that the
// kernel does not store to.
func (k *Kernel) sameElement(a, b *Access) bool {
	index := func(x, y Index) bool {
		value := x.Value == y.Value || x.Value != None && y.Value != None && k.same(x.Value, y.Value)
		return slices.Equal(x.Terms, y.Terms) && x.Offset == y.Offset && value
	}
	return !a.Local && !b.Local && a.Param == b.Param && !k.Params[a.Param].Out &&
		a.Guard == b.Guard && slices.EqualFunc(a.Index, b.Index, index)
}
