package region

import (
	"iter"
	"slices"

	"ltc/ir"
)

// Around returns a node outside of r that root, a node of r, uses, and the index of the one of wrt that the node was computed from there. A gradient
// recorded in the closure would lack this path. It returns nil if there is none.
func Around(r *Region, root *ir.Node, wrt []*ir.Node) (i int, through *ir.Node) {
	for p := range floatSources(root, wrt) {
		n := r.outside[p]
		if n == nil || slices.Contains(wrt, p) {
			continue
		}
		for i, x := range wrt {
			if m := r.outside[x]; m != nil && m != n && computedFrom(r.Outer, n, m) {
				for o := r.Outer; o != nil && o.outside[n] != nil; o = o.Outer {
					n = o.outside[n] // which was recorded further out
				}
				return i, n
			}
		}
	}
	return 0, nil
}

// computedFrom reports whether n is computed from m, both nodes of r, or of
// the step if r is nil, by a path that gradients go along. The path may lead
// through regions around it.
func computedFrom(r *Region, n, m *ir.Node) bool {
	for p := range floatSources(n, []*ir.Node{m}) {
		if p == m {
			return true
		}
		if r == nil {
			continue
		}
		if outer, target := r.outside[p], r.outside[m]; outer != nil && target != nil && computedFrom(r.Outer, outer, target) {
			return true
		}
	}
	return false
}

// floatSources yields the nodes without operands, or among ends, that root is computed from by
// floats, without a stop between.
func floatSources(root *ir.Node, ends []*ir.Node) iter.Seq[*ir.Node] {
	return func(yield func(*ir.Node) bool) {
		seen := map[*ir.Node]bool{root: true}
		for stack := []*ir.Node{root}; len(stack) > 0; {
			n := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			in := n.Origin().In
			if len(in) == 0 || slices.Contains(ends, n) {
				if !yield(n) {
					return
				}
				continue
			}
			if n.Op == ir.OpStop {
				continue
			}
			for _, x := range in {
				if !seen[x] && x.Type.DType.Continuous() {
					seen[x] = true
					stack = append(stack, x)
				}
			}
		}
	}
}
