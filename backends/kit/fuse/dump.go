package fuse

import (
	"fmt"
	"strings"
)

// String prints the graph: values, and the kernel of each node with what it
// works on.
func (g *Graph) String() string {
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
		if n.kernel == nil {
			fmt.Fprintln(&b, n.step)
			continue
		}
		b.WriteString(n.kernel.String())
	}
	return b.String()
}
