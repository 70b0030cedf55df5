package lower

import (
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// section is the ops that compute sizes from a count: they stand behind it.
type section struct {
	at  int // in the function's block
	ops []*mlir.Op
}

// countsAs has x be the size d from here on.
func (l *lowerer) countsAs(x *mlir.Value, d int64) {
	if t, ok := x.Type.(*mlir.TensorType); ok && t.Elem != mlir.Type(mlir.I64) {
		x = l.emit(stablehlo.Convert, mlir.Tensor(mlir.I64), []*mlir.Value{x})
	}
	l.sizes.known[d] = l.emit(stablehlo.Reshape, oneI64, []*mlir.Value{x})
	l.sizes.counted[d] = len(l.sizes.sections)
	l.sizes.sections = append(l.sizes.sections, section{at: len(l.block.Ops)})
}

// sectionOf returns the last section that sizes depend on; -1 for the function's beginning.
func (s *sizes) sectionOf(list ...int64) int {
	last := -1
	if len(s.sections) > 0 {
		for _, x := range dims.Symbols(list...) {
			if at, ok := s.counted[x]; ok {
				last = max(last, at)
			}
		}
	}
	return last
}

// placed returns the ops of a function with those that compute sizes.
func (s *sizes) placed(ops []*mlir.Op) []*mlir.Op {
	all, from := s.ops, 0
	for _, x := range s.sections {
		all = append(append(all, ops[from:x.at]...), x.ops...)
		from = x.at
	}
	return append(all, ops[from:]...)
}

// Counts reports whether g has sizes that follow from data.
func Counts(g *ir.Graph) bool {
	return slices.ContainsFunc(g.Nodes, func(n *ir.Node) bool { return n.Op == ir.OpCounted })
}

// orderOf returns the nodes of g in the order of their ops: those that tell a size stand before
// those that have it.
func orderOf(g *ir.Graph) []*ir.Node {
	order := g.Order()
	tell := map[int64]*ir.Node{}
	for _, n := range order {
		if n.Op == ir.OpCounted {
			tell[n.Attrs[ir.CountedSize].Int] = n
		}
	}
	if len(tell) == 0 {
		return order
	}
	seen, all := make([]bool, len(g.Nodes)), make([]*ir.Node, 0, len(order))
	var visit func(n *ir.Node)
	visit = func(n *ir.Node) {
		if seen[n.ID] {
			return
		}
		seen[n.ID] = true
		for _, d := range SymbolsOf(n) {
			if t := tell[d]; t != nil {
				visit(t)
			}
		}
		for _, x := range n.In {
			visit(x)
		}
		all = append(all, n)
	}
	for _, n := range order {
		if n.Op == ir.OpParameter {
			visit(n)
		}
	}
	for _, n := range order {
		visit(n)
	}
	return all
}

// SymbolsOf returns the symbols of the sizes that a node has in its types and attributes, and in
// the graphs of its body.
func SymbolsOf(n *ir.Node) (all []int64) {
	n.EachSize(func(d int) {
		if !dims.IsExpr(d) {
			return
		}
		for _, s := range dims.Symbols(int64(d)) {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	})
	return all
}
