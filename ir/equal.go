package ir

import (
	"slices"

	"ltc/ir/types"
)

// Equal reports whether a and b are the same program: the same ops on the same
// operands with the same types, attributes, results and aliases. Names of
// graphs and parameters, and locations, do not matter.
func Equal(a, b *Graph) bool {
	var c comparison
	return c.graphs(a, b)
}

// IsInstance reports whether g is open with numbers in place of sizes that are expressions. size
// returns the number of a size, and numbers unchanged. An [OpSizeOf] of open is a constant of g.
func IsInstance(open, g *Graph, size func(d int) int) bool {
	c := comparison{size: size}
	return c.graphs(open, g)
}

// comparison compares a graph, or an instance of it, with another. It remembers the bodies that were
// found equal, so that those called many times are compared once.
type comparison struct {
	size   func(d int) int // the number of a size of the first graph; nil: all are numbers
	bodies map[[2]*Graph]bool
}

func (c *comparison) graphs(a, b *Graph) bool {
	if a == b {
		return true
	}
	if c.size == nil && a.hash != b.hash || len(a.Nodes) != len(b.Nodes) {
		return false
	}
	for i, n := range a.Nodes {
		if c.size == nil && simple(n, b.Nodes[i]) {
			continue
		}
		if !c.nodes(n, b.Nodes[i]) {
			return false
		}
	}
	return slices.EqualFunc(a.Results, b.Results, equalID) && slices.Equal(a.Alias, b.Alias)
}

// Extends reports whether b has the parameters of a and computes the same, and then maybe
// more: its results begin with those of a. The order of nodes does not matter.
func Extends(b, a *Graph) bool {
	if len(b.Params) != len(a.Params) || len(b.Results) < len(a.Results) {
		return false
	}
	x, y := a.Order(), b.Order()
	if len(y) < len(x) {
		return false
	}
	var c comparison
	same := make([]*Node, len(a.Nodes)) // by a's node: b's
	equal := func(m, n *Node) bool { return same[m.ID] == n }
	for i, m := range x {
		n := y[i]
		if m.Op != n.Op || !slices.EqualFunc(m.In, n.In, equal) || !c.types(m, n) || !c.attrs(m, n) || !c.composites(m.Body, n.Body) {
			return false
		}
		same[m.ID] = n
	}
	return slices.EqualFunc(a.Results, b.Results[:len(a.Results)], equal)
}

// simple reports whether two nodes at the same place of two graphs are the same op on the same
// operands, without attributes or bodies. Their types then follow from those of the operands.
func simple(a, b *Node) bool {
	if a.Op != b.Op || len(a.In) != len(b.In) || len(a.In) == 0 || len(a.Attrs)+len(b.Attrs) > 0 || a.Body != nil || b.Body != nil {
		return false
	}
	for i, x := range a.In {
		if x.ID != b.In[i].ID {
			return false
		}
	}
	return true
}

func equalID(a, b *Node) bool { return a.ID == b.ID }

func (c *comparison) nodes(a, b *Node) bool {
	if c.size != nil && a.Op == OpSizeOf && b.Op == OpConstant {
		d, dtype := c.size(int(a.Attrs[SizeOfSize].Int)), a.Type.DType
		return b.Type.DType == dtype && uint64(b.Attrs[ConstantValue].Int) == IntLiteralBits(dtype, int64(d))
	}
	return alike(a, b) && c.types(a, b) && c.attrs(a, b) && c.composites(a.Body, b.Body)
}

func (c *comparison) types(a, b *Node) bool {
	return c.isType(a.Type, b.Type) && slices.EqualFunc(a.Results(), b.Results(), c.isType)
}

func (c *comparison) isType(a, b types.Type) bool {
	return a.DType == b.DType && c.sizes(a.Shape, b.Shape)
}

func (c *comparison) sizes(a, b []int) bool {
	if c.size == nil {
		return slices.Equal(a, b)
	}
	return slices.EqualFunc(a, b, c.isSize)
}

func (c *comparison) isSize(a, b int) bool { return a == b || c.size != nil && c.size(a) == b }

// attrs compares the attributes of nodes of one op, but for names of
// parameters.
func (c *comparison) attrs(a, b *Node) bool {
	if a.Op == OpParameter {
		return a.Attrs[ParameterIndex].Int == b.Attrs[ParameterIndex].Int
	}
	if len(a.Attrs) != len(b.Attrs) {
		return false
	}
	for i, x := range a.Attrs {
		y := b.Attrs[i]
		same := x.Int == y.Int && slices.Equal(x.Ints, y.Ints)
		if !same && c.size != nil && a.Op.Info().Attrs[i].Kind.Sized() {
			same = c.isSize(int(x.Int), int(y.Int)) && c.sizes(x.Ints, y.Ints)
		}
		if !same || x.Str != y.Str {
			return false
		}
	}
	return true
}

func (c *comparison) composites(a, b *Composite) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	params := func(p, q Param) bool {
		same := c.isSize(p.Int, q.Int)
		p.Int = q.Int
		return same && p == q
	}
	if a.Name != b.Name || len(a.More) != len(b.More) || !slices.EqualFunc(a.Params, b.Params, params) {
		return false
	}
	for i, g := range a.Graphs() {
		if !c.same(g, b.at(i)) {
			return false
		}
	}
	return true
}

func (c *Composite) at(i int) *Graph {
	if i == 0 {
		return c.Graph
	}
	return c.More[i-1]
}

// same is graphs for graphs of bodies, each pair compared once.
func (c *comparison) same(a, b *Graph) bool {
	pair := [2]*Graph{a, b}
	if a == b || c.bodies[pair] {
		return true
	}
	if !c.graphs(a, b) {
		return false
	}
	if c.bodies == nil {
		c.bodies = map[[2]*Graph]bool{}
	}
	c.bodies[pair] = true
	return true
}

// alike reports whether nodes at the same place of two graphs have the same op on the same
// operands.
func alike(a, b *Node) bool {
	return a.Op == b.Op && slices.EqualFunc(a.In, b.In, equalID)
}

// EachSize calls f with all integers of a graph that may be sizes: dimensions of types, attributes,
// and parameters of composites, also of bodies. It calls f more than once for a size used twice.
func EachSize(g *Graph, f func(d int)) { eachSize(g.Nodes, map[*Graph]bool{}, f) }

// EachSize is [EachSize] of one node.
func (n *Node) EachSize(f func(d int)) { eachSize([]*Node{n}, map[*Graph]bool{}, f) }

func eachSize(nodes []*Node, seen map[*Graph]bool, f func(d int)) {
	all := func(list []int) {
		for _, d := range list {
			f(d)
		}
	}
	for _, n := range nodes {
		all(n.Type.Shape)
		for _, t := range n.Results() {
			all(t.Shape)
		}
		for i, a := range n.Attrs {
			if n.Op.Info().Attrs[i].Kind.Sized() {
				f(int(a.Int))
				all(a.Ints)
			}
		}
		if n.Body != nil {
			for _, p := range n.Body.Params {
				f(p.Int)
			}
		}
		for _, b := range n.Body.Graphs() {
			if !seen[b] {
				seen[b] = true
				eachSize(b.Nodes, seen, f)
			}
		}
	}
}
