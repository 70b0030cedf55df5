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
		b.WriteString("=")
		for _, v := range n.ins() {
			fmt.Fprintf(&b, " v%d", v)
			if r := g.root(v); r != v {
				fmt.Fprintf(&b, " (v%d)", r)
			}
		}
		b.WriteByte('\n')
		if n.host != nil {
			fmt.Fprintf(&b, "host %s: %s\n", n.host.op.Name, n.host.reason)
			continue
		}
		b.WriteString(n.kernel.String())
	}
	return b.String()
}

// String prints the program: its kernels, its values and its steps.
func (p *Program) String() string {
	var b strings.Builder
	for i, k := range p.Kernels {
		fmt.Fprintf(&b, "// kernel %d\n%v", i, k)
	}
	for i, v := range p.Values {
		fmt.Fprintf(&b, "v%d: %v %v", i, v.Kind, v.Type)
		switch v.Kind {
		case Argument, Result:
			fmt.Fprintf(&b, " %d", v.Index)
		case Temporary:
			fmt.Fprintf(&b, " at %d", v.Offset)
		}
		fmt.Fprintf(&b, ", steps %d to %d\n", v.First, v.Last)
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		fmt.Fprintf(&b, "step %d: ", i)
		if h := s.Host; h != nil {
			fmt.Fprintf(&b, "host %s: %s\n", h.Name, h.Reason)
			continue
		}
		if s.Kernel < 0 {
			b.WriteString(map[bool]string{true: "loop\n", false: "branch\n"}[s.Loop != nil])
			continue
		}
		fmt.Fprintf(&b, "kernel %d(", s.Kernel)
		for j, o := range s.Operands {
			if j > 0 {
				b.WriteString(", ")
			}
			if fmt.Fprintf(&b, "v%d", o.Value); o.Offset != 0 {
				fmt.Fprintf(&b, "+%d", o.Offset)
			}
		}
		fmt.Fprintf(&b, ") sizes %v strides %v\n", s.Sizes, s.Strides)
	}
	fmt.Fprintf(&b, "arena %d bytes\n", p.Arena)
	return b.String()
}

// String returns the kind's name.
func (k Kind) String() string {
	return [...]string{"temporary", "argument", "result", "constant"}[k]
}
