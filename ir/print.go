package ir

import (
	"strconv"
	"strings"

	"ltc/ir/dims"
	"ltc/ir/ops"
	"ltc/ir/types"
)

// String prints the graph in the text form that [Parse] reads: the bodies of
// composites first, each before those that call it, then one node a line.
func (g *Graph) String() string {
	p := printer{bodies: map[*Graph]int{}}
	p.graph(g, -1)
	return p.b.String()
}

type printer struct {
	b      strings.Builder
	bodies map[*Graph]int // several composites may share one
}

func (p *printer) graph(g *Graph, number int) {
	for _, n := range g.Nodes {
		for _, body := range n.Body.Graphs() {
			if _, done := p.bodies[body]; !done {
				p.graph(body, len(p.bodies))
				p.bodies[body] = len(p.bodies)
			}
		}
	}
	p.b.WriteString("graph " + strconv.Quote(g.Name))
	if number >= 0 {
		p.b.WriteString(" @" + strconv.Itoa(len(p.bodies)))
	}
	p.b.WriteString(" {\n")
	for _, n := range g.Nodes {
		p.node(n)
	}
	p.b.WriteString("  return")
	for i, r := range g.Results {
		if i > 0 {
			p.b.WriteByte(',')
		}
		p.b.WriteString(" %" + strconv.Itoa(int(r.ID)))
		if a := g.Alias[i]; a >= 0 {
			p.b.WriteString(" alias " + strconv.Itoa(a))
		}
	}
	p.b.WriteString("\n}\n")
}

func (p *printer) node(n *Node) {
	p.b.WriteString("  %" + strconv.Itoa(int(n.ID)) + " = " + n.Op.String())
	for i, x := range n.In {
		if i > 0 {
			p.b.WriteByte(',')
		}
		p.b.WriteString(" %" + strconv.Itoa(int(x.ID)))
	}
	for i, body := range n.Body.Graphs() {
		if i > 0 {
			p.b.WriteByte(',')
		}
		p.b.WriteString(" @" + strconv.Itoa(p.bodies[body]))
	}
	if n.Op == OpComposite {
		p.b.WriteString(" " + strconv.Quote(n.Body.Name))
	}
	if attrs := n.AttrTexts(); len(attrs) > 0 {
		p.b.WriteString(" {" + strings.Join(attrs, ", ") + "}")
	}
	p.b.WriteString(" : " + n.TypeText())
	if file, line := n.Loc.Position(); file != "" {
		at := strconv.Quote(file) + ":" + strconv.Itoa(line)
		if scope := n.Loc.Scope(); scope != "" {
			at = strconv.Quote(scope) + "(" + at + ")"
		}
		p.b.WriteString(" loc(" + at + ")")
	}
	p.b.WriteByte('\n')
}

// TypeText returns the node's type as the text form has it, f32[2]: of a node with
// several results (f32[2], i64[2]).
func (n *Node) TypeText() string {
	if n.several == nil {
		return n.Type.String()
	}
	all := make([]string, len(*n.several))
	for i, t := range *n.several {
		all[i] = t.String()
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// AttrTexts returns the attributes as the text form has them, name = value, and
// then the params of a composite.
func (n *Node) AttrTexts() []string {
	var all []string
	row := n.Op.Info()
	for i, a := range n.Attrs {
		all = append(all, row.Attrs[i].Name+" = "+attrText(row.Attrs[i].Kind, a, n.Type.DType))
	}
	if n.Body != nil {
		for _, p := range n.Body.Params {
			all = append(all, p.String())
		}
	}
	return all
}

// String prints the parameter as name = value; a floating-point value has a
// point or an exponent.
func (p Param) String() string {
	if p.IsFloat {
		return p.Name + " = " + FormatLiteral(types.F64, LiteralBits(types.F64, p.Float))
	}
	return p.Name + " = " + dims.String(p.Int)
}

func attrText(k ops.AttrKind, a Attr, d types.DType) string {
	switch k {
	case ops.Int, ops.Axis:
		return dims.String(a.Int)
	case ops.DType:
		return types.DType(a.Int).String()
	case ops.Flag:
		return strconv.FormatBool(a.Int != 0)
	case ops.Literal:
		return FormatLiteral(d, uint64(a.Int))
	case ops.String:
		return strconv.Quote(a.Str)
	}
	s := make([]string, len(a.Ints))
	for i, v := range a.Ints {
		s[i] = dims.String(v)
	}
	return "[" + strings.Join(s, ", ") + "]"
}
