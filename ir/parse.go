package ir

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir/ops"
	"ltc/ir/types"
)

// Parse reads the text form that [Graph.String] prints; the last graph is the
// one returned. It checks the form only: [Graph.Verify] checks the rest. An
// error is a *diag.Error with the place in file.
func Parse(file, text string) (g *Graph, err error) {
	p := &parser{src: diag.Source{File: file, Text: text}, text: text}
	if !utf8.ValidString(text) {
		return nil, p.src.Errorf(0, "the text is not UTF-8")
	}
	defer func() {
		if p.mistake != nil { // and no panic of another kind
			recover()
			g, err = nil, p.mistake
		}
	}()
	for p.space(); p.pos < len(p.text); p.space() {
		g = p.graph()
	}
	if g == nil {
		p.stop("expected a graph")
	}
	return g, nil
}

type parser struct {
	src     diag.Source
	text    string
	pos     int
	bodies  []*Graph // by the number after @
	mistake error    // why the reading stopped
}

// stop ends the reading, as do all methods whose text is not what they read.
func (p *parser) stop(format string, args ...any) { p.stopAt(p.pos, format, args...) }

func (p *parser) stopAt(pos int, format string, args ...any) {
	p.mistake = p.src.Errorf(pos, format, args...)
	panic(p.mistake)
}

func (p *parser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// accept skips space and s if it comes next.
func (p *parser) accept(s string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.pos:], s) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *parser) expect(s string) {
	if !p.accept(s) {
		p.stop("expected %q", s)
	}
}

// list reads items with commas between them, at least one.
func (p *parser) list(item func()) {
	item()
	for p.accept(",") {
		item()
	}
}

// while returns the text up to the first byte that is not in the set.
func (p *parser) while(set func(c byte) bool) string {
	p.space()
	start := p.pos
	for p.pos < len(p.text) && set(p.text[p.pos]) {
		p.pos++
	}
	return p.text[start:p.pos]
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func numberByte(c byte) bool { return wordByte(c) || c == '.' || c == '+' || c == '-' }

func (p *parser) quoted() string {
	p.space()
	q, err := strconv.QuotedPrefix(p.text[p.pos:])
	if err != nil || q[0] != '"' {
		p.stop("expected a quoted string")
	}
	p.pos += len(q)
	s, _ := strconv.Unquote(q)
	return s
}

func (p *parser) number() int {
	n, ok := p.integer()
	if !ok {
		p.stop("expected an integer")
	}
	return n
}

func (p *parser) integer() (int, bool) {
	p.space()
	start := p.pos
	n, err := strconv.Atoi(p.while(numberByte))
	if err != nil {
		p.pos = start
	}
	return n, err == nil
}

func (p *parser) graph() *Graph {
	p.expect("graph")
	g := &Graph{src: p.src, Name: p.quoted()}
	if p.accept("@") {
		if n, ok := p.integer(); !ok || n != len(p.bodies) {
			p.stop("expected @%d: bodies are numbered in order", len(p.bodies))
		}
		p.bodies = append(p.bodies, g)
	}
	p.expect("{")
	for !p.accept("return") {
		p.space()
		g.offsets = append(g.offsets, p.pos)
		n := p.node(g)
		g.Nodes = append(g.Nodes, n)
		if n.Op == OpParameter {
			g.Params = append(g.Params, n)
		}
	}
	if p.space(); !strings.HasPrefix(p.text[p.pos:], "}") {
		p.list(func() {
			r, alias := p.operand(g), -1
			if p.accept("alias") {
				alias = p.number()
			}
			g.Results, g.Alias = append(g.Results, r), append(g.Alias, alias)
		})
	}
	g.rehash()
	p.expect("}")
	return g
}

func (p *parser) operand(g *Graph) *Node {
	p.expect("%")
	at := p.pos
	i := p.number()
	if i < 0 || i >= len(g.Nodes) {
		p.stopAt(at, "%%%d is not defined before its use", i)
	}
	return g.Nodes[i]
}

func (p *parser) node(g *Graph) *Node {
	n := &Node{ID: int32(len(g.Nodes))}
	if !p.accept("%" + strconv.Itoa(len(g.Nodes)) + " =") {
		p.stop("expected \"%%%d =\" or \"return\"", len(g.Nodes))
	}
	p.space()
	at := p.pos
	word := p.while(wordByte)
	op, ok := ParseOp(word)
	if !ok {
		p.stopAt(at, "unknown op %q", word)
	}
	n.Op = op
	if strings.HasPrefix(strings.TrimLeft(p.text[p.pos:], " "), "%") {
		p.list(func() { n.In = append(n.In, p.operand(g)) })
	}
	if op.Info().Traits.Has(ops.HasBody) {
		p.body(n)
	}
	literal := p.attrs(n)
	p.typeAndLoc(n)
	if literal != "" {
		bits, err := ParseLiteral(n.Type.DType, literal)
		if err != nil {
			p.stopAt(at, "%s: %v", op, err)
		}
		n.Attrs[len(n.Attrs)-1].Int = int64(bits)
	}
	return n
}

// body reads the graphs that a node calls or runs, and a composite's name.
func (p *parser) body(n *Node) {
	n.Body = &Composite{Graph: p.bodyGraph()}
	if n.Op == OpComposite {
		n.Body.Name = p.quoted()
		return
	}
	for p.accept(",") {
		n.Body.More = append(n.Body.More, p.bodyGraph())
	}
}

func (p *parser) bodyGraph() *Graph {
	p.expect("@")
	at := p.pos
	i := p.number()
	if i < 0 || i >= len(p.bodies) || p.bodies[i].Results == nil {
		p.stopAt(at, "@%d is not defined before its use", i)
	}
	return p.bodies[i]
}

// attrs reads {name = value, …}. The text of a Literal is returned: its dtype
// comes later.
func (p *parser) attrs(n *Node) (literal string) {
	row := n.Op.Info().Attrs
	switch {
	case n.Op == OpComposite && p.accept("{"):
		p.list(func() { p.param(n.Body) })
		p.expect("}")
	case len(row) > 0:
		for i, r := range row {
			if i == 0 {
				p.expect("{")
			} else {
				p.expect(",")
			}
			p.expect(r.Name)
			p.expect("=")
			var a Attr
			a, literal = p.attr(r.Kind)
			n.Attrs = append(n.Attrs, a)
		}
		p.expect("}")
	}
	return literal
}

func (p *parser) param(c *Composite) {
	q := Param{Name: p.while(wordByte)}
	if q.Name == "" {
		p.stop("expected a name")
	}
	p.expect("=")
	p.space()
	at := p.pos
	text := p.while(numberByte)
	var err error
	if q.IsFloat = strings.ContainsAny(text, ".eExIN"); q.IsFloat {
		var bits uint64
		bits, err = ParseLiteral(types.F64, text)
		q.Float = floatValue(types.F64, bits)
	} else {
		q.Int, err = strconv.Atoi(text)
	}
	if err != nil {
		p.stopAt(at, "%q is not a number", text)
	}
	c.Params = append(c.Params, q)
}

func (p *parser) attr(k ops.AttrKind) (a Attr, literal string) {
	p.space()
	at := p.pos
	switch k {
	case ops.Int, ops.Axis:
		a.Int = int64(p.number())
	case ops.DType:
		word := p.while(wordByte)
		d, ok := types.ParseDType(word)
		if !ok {
			p.stopAt(at, "unknown dtype %q", word)
		}
		a.Int = int64(d)
	case ops.Literal:
		if literal = p.while(numberByte); literal == "" {
			p.stop("expected a number")
		}
	case ops.Flag:
		switch word := p.while(wordByte); word {
		case "true":
			a.Int = 1
		case "false":
		default:
			p.stopAt(at, "expected true or false")
		}
	case ops.String:
		a.Str = p.quoted()
	default:
		p.expect("[")
		for !p.accept("]") {
			if len(a.Ints) > 0 {
				p.expect(",")
			}
			a.Ints = append(a.Ints, p.number())
		}
	}
	return a, literal
}

// types reads a type, or in parentheses those of several results.
func (p *parser) types(n *Node) {
	if !p.accept("(") {
		n.Type = p.typ()
		return
	}
	var all []types.Type
	p.list(func() { all = append(all, p.typ()) })
	if len(all) < 2 {
		p.stop("expected the types of several results")
	}
	n.setType(types.Type{}, all)
	p.expect(")")
}

func (p *parser) typ() types.Type {
	p.space()
	at := p.pos
	text := p.while(wordByte)
	if strings.HasPrefix(p.text[p.pos:], "[") {
		p.pos++
		text += "[" + p.while(func(c byte) bool { return wordByte(c) || c == ',' })
		if strings.HasPrefix(p.text[p.pos:], "]") {
			p.pos++
			text += "]"
		}
	}
	t, err := types.ParseType(text)
	if err != nil {
		p.stopAt(at, "%v", err)
	}
	return t
}

func (p *parser) typeAndLoc(n *Node) {
	p.expect(":")
	p.types(n)
	if !p.accept("loc(") {
		return
	}
	file, scope := p.quoted(), ""
	if p.accept("(") {
		if scope = file; scope == "" {
			p.stop("the scope of a location has no name")
		}
		file = p.quoted()
	}
	p.expect(":")
	n.Loc = callsite.At(file, p.number())
	if scope != "" {
		n.Loc = n.Loc.In(scope)
		p.expect(")")
	}
	p.expect(")")
}
