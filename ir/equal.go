package ir

import "slices"

// Equal reports whether a and b are the same program: the same ops on the same
// operands with the same types, attributes, results and aliases. Names of
// graphs and parameters, and locations, do not matter.
func Equal(a, b *Graph) bool {
	var c comparison
	return c.graphs(a, b)
}

// comparison remembers the bodies that were found equal, so that those called
// many times are compared once.
type comparison struct{ bodies map[[2]*Graph]bool }

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

func equalID(a, b *Node) bool { return a.ID == b.ID }

func (c *comparison) nodes(a, b *Node) bool {
	return a.Op == b.Op && a.Type.Equal(b.Type) && slices.EqualFunc(a.In, b.In, equalID) &&
		equalAttrs(a, b) && c.composites(a.Body, b.Body)
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
	if a.Name != b.Name || !slices.Equal(a.Params, b.Params) {
		return false
	}
	pair := [2]*Graph{a.Graph, b.Graph}
	if a.Graph == b.Graph || c.bodies[pair] {
		return true
	}
	if !c.graphs(a.Graph, b.Graph) {
		return false
	}
	if c.bodies == nil {
		c.bodies = map[[2]*Graph]bool{}
	}
	c.bodies[pair] = true
	return true
}
