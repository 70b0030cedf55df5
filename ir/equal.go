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

// comparison remembers the bodies that were found equal, so that those called
// many times are compared once.
type comparison struct {
	bodies map[[2]*Graph]bool
}

func (c *comparison) graphs(a, b *Graph) bool {
	if a == b {
		return true
	}
	if a.hash != b.hash || len(a.Nodes) != len(b.Nodes) {
		return false
	}
	for i, n := range a.Nodes {
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
		if m.Op != n.Op || !slices.EqualFunc(m.In, n.In, equal) || !equalTypes(m, n) || !equalAttrs(m, n) || !c.composites(m.Body, n.Body) {
			return false
		}
		same[m.ID] = n
	}
	return slices.EqualFunc(a.Results, b.Results[:len(a.Results)], equal)
}

func equalID(a, b *Node) bool { return a.ID == b.ID }

func (c *comparison) nodes(a, b *Node) bool {
	return alike(a, b) && equalTypes(a, b) && equalAttrs(a, b) && c.composites(a.Body, b.Body)
}

func equalTypes(a, b *Node) bool {
	return a.Type.Equal(b.Type) && slices.EqualFunc(a.Results(), b.Results(), types.Type.Equal)
}

// equalAttrs compares the attributes of nodes of one op, but for names of
// parameters.
func equalAttrs(a, b *Node) bool {
	if a.Op == OpParameter {
		return a.Attrs[ParameterIndex].Int == b.Attrs[ParameterIndex].Int
	}
	return slices.EqualFunc(a.Attrs, b.Attrs, equalAttr)
}

func (c *comparison) composites(a, b *Composite) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	if a.Name != b.Name || !slices.Equal(a.Params, b.Params) || len(a.More) != len(b.More) {
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

// IsInstance reports whether g is open with numbers in place of sizes that are expressions. size
// returns the number of a size, and numbers unchanged. An [OpSizeOf] of open is a constant of g.
func IsInstance(open, g *Graph, size func(d int) int) bool {
	i := instance{size: size}
	return i.graphs(open, g)
}

// instance remembers the bodies that were found to be instances, so that those called many times
// are compared once.
type instance struct {
	size   func(d int) int
	bodies map[[2]*Graph]bool
}

func (i *instance) graphs(open, g *Graph) bool {
	return slices.EqualFunc(open.Nodes, g.Nodes, i.nodes) &&
		slices.EqualFunc(open.Results, g.Results, equalID) && slices.Equal(open.Alias, g.Alias)
}

// same is graphs for graphs of bodies, each pair compared once.
func (i *instance) same(open, g *Graph) bool {
	pair := [2]*Graph{open, g}
	if i.bodies[pair] {
		return true
	}
	if !i.graphs(open, g) {
		return false
	}
	if i.bodies == nil {
		i.bodies = map[[2]*Graph]bool{}
	}
	i.bodies[pair] = true
	return true
}

func (i *instance) nodes(open, n *Node) bool {
	if open.Op == OpSizeOf && n.Op == OpConstant {
		d, dtype := i.size(int(open.Attrs[SizeOfSize].Int)), open.Type.DType
		return n.Type.DType == dtype && uint64(n.Attrs[ConstantValue].Int) == IntLiteralBits(dtype, int64(d))
	}
	if !alike(open, n) || !i.types(open.Type, n.Type) || !slices.EqualFunc(open.Results(), n.Results(), i.types) {
		return false
	}
	if open.Op == OpParameter {
		return open.Attrs[ParameterIndex].Int == n.Attrs[ParameterIndex].Int
	}
	return slices.EqualFunc(open.Attrs, n.Attrs, i.attrs) && i.composites(open.Body, n.Body)
}

func (i *instance) types(open, t types.Type) bool {
	return open.DType == t.DType && i.sizes(open.Shape, t.Shape)
}

func (i *instance) sizes(open, s []int) bool {
	return slices.EqualFunc(open, s, func(d, n int) bool { return d == n || i.size(d) == n })
}

func (i *instance) attrs(open, a Attr) bool {
	return (open.Int == a.Int || int64(i.size(int(open.Int))) == a.Int) && open.Str == a.Str && i.sizes(open.Ints, a.Ints)
}

func (i *instance) composites(open, c *Composite) bool {
	if open == nil || c == nil {
		return open == c
	}
	params := func(p, q Param) bool {
		p.Int = i.size(p.Int)
		return p == q
	}
	if open.Name != c.Name || len(open.More) != len(c.More) || !slices.EqualFunc(open.Params, c.Params, params) {
		return false
	}
	for k, g := range open.Graphs() {
		if !i.same(g, c.at(k)) {
			return false
		}
	}
	return true
}

// EachSize calls f with all integers of a graph that may be sizes: dimensions of types, attributes,
// and parameters of composites, also of bodies. It calls f more than once for a size used twice.
func EachSize(g *Graph, f func(d int)) { eachSize(g, map[*Graph]bool{}, f) }

func eachSize(g *Graph, seen map[*Graph]bool, f func(d int)) {
	if seen[g] {
		return
	}
	seen[g] = true
	all := func(list []int) {
		for _, d := range list {
			f(d)
		}
	}
	for _, n := range g.Nodes {
		all(n.Type.Shape)
		for _, t := range n.Results() {
			all(t.Shape)
		}
		if n.Op != OpConstant {
			for _, a := range n.Attrs {
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
			eachSize(b, seen, f)
		}
	}
}
