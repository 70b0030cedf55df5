package ir

import (
	"fmt"
	"strings"
)

// dotLabel is how many bytes of an attribute a drawing shows, the lazy tensor
// core's limit.
const dotLabel = 64

// Dot returns a drawing of the graph for Graphviz, in the lazy tensor core's
// form. A node's label is its op, its type, its attributes, the line that
// recorded it, and which of the graph's results it is. Edges lead from operands to
// users and say which operand (i=) where there are several. A Result says which result
// of an op it is.
func (g *Graph) Dot() string {
	var b strings.Builder
	b.WriteString("digraph G {\n")
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "  node%d [label=\"%s\"]\n", n.ID, strings.Join(g.dotLines(n), `\n`))
	}
	for _, n := range g.Nodes {
		for i, x := range n.In {
			if fmt.Fprintf(&b, "  node%d -> node%d", x.ID, n.ID); len(n.In) > 1 {
				fmt.Fprintf(&b, " [label=\"i=%d\"]", i)
			}
			b.WriteByte('\n')
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// dotLines are the lines of a node's label, escaped.
func (g *Graph) dotLines(n *Node) []string {
	name := n.Op.String()
	if n.Op == OpComposite {
		name = n.Body.Name
	}
	lines := []string{name, n.TypeText()}
	for _, a := range n.AttrTexts() {
		if len(a) > dotLabel {
			a = strings.ToValidUTF8(a[:dotLabel], "") + "…"
		}
		lines = append(lines, a)
	}
	if n.Loc != 0 {
		lines = append(lines, n.Loc.String())
	}
	for i, r := range g.Results {
		if r == n {
			lines = append(lines, fmt.Sprintf("ROOT=%d", i))
		}
	}
	for i := range lines {
		lines[i] = dotEscape.Replace(lines[i])
	}
	return lines
}

var dotEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "")
