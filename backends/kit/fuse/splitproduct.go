package fuse

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/dims"
)

// partialProduct makes n, a product, add up what a new node, which it returns, gives:
// sums of parts of the first of the axes that n sums over. How many parts there are is
// the target's to say ([Options.ProductParts]); nil where there are none.
//
// The parts are a product too, whose last axis is their number. What is left of n
// computes each element by itself: what follows the product becomes part of that, or
// that of a kernel of rows that follows.
func (g *Graph) partialProduct(n *node) *node {
	if g.o.ProductParts == nil || n.kernel == nil || len(n.kernel.Stages) != 2 || !isContraction(n.kernel) || hasWindow(n.kernel) || guarded(n.kernel) {
		return nil
	}
	k := n.kernel
	first, end := k.Stages[0], k.Stages[1]
	sum := first.End - 1
	if k.Instrs[sum].Op != kernel.Reduce || slices.ContainsFunc(k.Instrs[end.Begin:end.End], func(in kernel.Instr) bool { return readsBefore(&in, end.Begin, sum) }) {
		return nil
	}
	size := int64(first.Axes[0].Size)
	parts := g.o.ProductParts(k.Typical())
	if parts < 2 || dims.IsExpr(size) || size%parts != 0 {
		return nil
	}
	x, length := len(k.Axes), size/parts
	var own []kernel.Axis
	from := []kernel.Index{kernel.Along(x)}
	if length > 1 {
		own = append(own, kernel.Axis{Name: first.Axes[0].Name, Size: kernel.Size(length)})
		from[0] = kernel.Index{Terms: []kernel.Term{{Axis: x, Factor: length}, {Axis: x + 1, Factor: 1}}, Value: kernel.None}
	}
	for _, a := range first.Axes[1:] {
		own, from = append(own, a), append(from, kernel.Along(x+1+len(own)))
	}
	if len(own) == 0 {
		return nil
	}
	p, sums := g.inParts(n, sum, kernel.Add, kernel.Size(parts), own, from)
	p.parts = int(parts)
	g.fromParts(n, sums, func(b *kernel.Builder, from int) (all kernel.ID) {
		b.Stage()
		for i := range parts { // one after the other in their order
			index := ofPart(len(k.Axes))
			index[0] = kernel.At(i)
			part := b.Load(from, index...)
			if i > 0 {
				part = b.Op(kernel.Add, b.Type(all), all, part)
			}
			all = part
		}
		return all
	})
	return p
}

// readsBefore reports whether an instruction uses what one before a stage's begin
// computes, other than a given value.
func readsBefore(in *kernel.Instr, begin, but kernel.ID) bool {
	before := func(id kernel.ID) bool { return id >= 0 && id < begin && id != but }
	return slices.ContainsFunc(in.Args, before) ||
		in.Mem != nil && slices.ContainsFunc(in.Mem.Index, func(i kernel.Index) bool { return before(i.Value) })
}
