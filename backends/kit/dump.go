package kit

import (
	"fmt"
	"strings"
)

// String prints the graph: values, and the kernel of each node with what it
// works on.
func (g *graph) String() string {
	var b strings.Builder
	for _, n := range g.nodes {
		for _, v := range n.outs() {
			fmt.Fprintf(&b, "v%d: %v ", v, g.values[v].typ)
		}
		if n.onto {
			b.WriteString("over it ")
		}
		b.WriteString("=")
		for _, v := range n.ins() {
			fmt.Fprintf(&b, " v%d", v)
			if r := g.root(v); r != v {
				fmt.Fprintf(&b, " (v%d)", r)
			}
		}
		b.WriteByte('\n')
		if n.host != nil {
			if c := n.host.composite; c != nil {
				fmt.Fprintf(&b, "composite %s\n", c.Name)
			} else if s := n.host.sort; s != nil {
				fmt.Fprintf(&b, "sort along %d\n", s.Dim)
			} else if drives(n.host.op) {
				fmt.Fprintf(&b, "%s, whose regions are programs\n", n.host.op.Name())
			} else {
				fmt.Fprintf(&b, "host %s: %s\n", n.host.op.Name(), n.host.reason)
			}
			continue
		}
		b.WriteString(n.kernel.String())
	}
	return b.String()
}
