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
	for {
		p.space()
		if p.pos == len(p.text) {
			break
		}
		if g, err = p.graph(); err != nil {
			return nil, err
		}
	}
	if g == nil {
		return nil, p.errorf("expected a graph")
	}
	return g, nil
}

type parser struct {
	src    diag.Source
	text   string
	pos    int
	bodies []*Graph // by the number after @
}

func (p *parser) errorf(format string, args ...any) error {
	return p.src.Errorf(p.pos, format, args...)
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

func (p *parser) expect(s string) error {
	if !p.accept(s) {
		return p.errorf("expected %q", s)
	}
	return nil
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

func (p *parser) quoted() (string, error) {
	p.space()
	q, err := strconv.QuotedPrefix(p.text[p.pos:])
	if err != nil || q[0] != '"' {
		return "", p.errorf("expected a quoted string")
	}
	p.pos += len(q)
	return strconv.Unquote(q)
}

func (p *parser) number() (int, error) {
	start := p.pos
	n, err := strconv.Atoi(p.while(numberByte))
	if err != nil {
		p.pos = start
		p.space()
		return 0, p.errorf("expected an integer")
	}
	return n, nil
}

func (p *parser) graph() (*Graph, error) {
	if err := p.expect("graph"); err != nil {
		return nil, err
	}
	g := &Graph{src: p.src}
	var err error
	if g.Name, err = p.quoted(); err != nil {
		return nil, err
	}
	if p.accept("@") {
		if n, err := p.number(); err != nil || n != len(p.bodies) {
			return nil, p.errorf("expected @%d: bodies are numbered in order", len(p.bodies))
		}
		p.bodies = append(p.bodies, g)
	}
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	for !p.accept("return") {
		p.space()
		g.offsets = append(g.offsets, p.pos)
		n, err := p.node(g)
		if err != nil {
			return nil, err
		}
		g.Nodes = append(g.Nodes, n)
		if n.Op == OpParameter {
			g.Params = append(g.Params, n)
		}
	}
	if err := p.results(g); err != nil {
		return nil, err
	}
	g.rehash()
	return g, p.expect("}")
}

func (p *parser) results(g *Graph) error {
	for first := true; first && !strings.HasPrefix(strings.TrimLeft(p.text[p.pos:], " \t\r\n"), "}") || p.accept(","); first = false {
		r, err := p.operand(g)
		if err != nil {
			return err
		}
		alias := -1
		if p.accept("alias") {
			if alias, err = p.number(); err != nil {
				return err
			}
		}
		g.Results, g.Alias = append(g.Results, r), append(g.Alias, alias)
	}
	return nil
}

func (p *parser) operand(g *Graph) (*Node, error) {
	if err := p.expect("%"); err != nil {
		return nil, err
	}
	at := p.pos
	i, err := p.number()
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= len(g.Nodes) {
		return nil, p.src.Errorf(at, "%%%d is not defined before its use", i)
	}
	return g.Nodes[i], nil
}

func (p *parser) node(g *Graph) (*Node, error) {
	n := &Node{ID: int32(len(g.Nodes))}
	if !p.accept("%" + strconv.Itoa(len(g.Nodes)) + " =") {
		return nil, p.errorf("expected \"%%%d =\" or \"return\"", len(g.Nodes))
	}
	p.space()
	at := p.pos
	word := p.while(wordByte)
	op, ok := ParseOp(word)
	if !ok {
		return nil, p.src.Errorf(at, "unknown op %q", word)
	}
	n.Op = op
	for first := true; first && p.text[p.pos:] != "" && strings.HasPrefix(strings.TrimLeft(p.text[p.pos:], " "), "%") || !first && p.accept(","); first = false {
		x, err := p.operand(g)
		if err != nil {
			return nil, err
		}
		n.In = append(n.In, x)
	}
	if err := p.body(n); err != nil {
		return nil, err
	}
	literal, err := p.attrs(n)
	if err != nil {
		return nil, err
	}
	if err := p.typeAndLoc(n); err != nil {
		return nil, err
	}
	if literal != "" {
		bits, err := ParseLiteral(n.Type.DType, literal)
		if err != nil {
			return nil, p.src.Errorf(at, "%s: %v", op, err)
		}
		n.Attrs[len(n.Attrs)-1].Int = int64(bits)
	}
	return n, nil
}

// body reads the graphs that a node calls or runs, and a composite's name.
func (p *parser) body(n *Node) error {
	if !n.Op.Info().Traits.Has(ops.HasBody) {
		return nil
	}
	for first := true; first || n.Op != OpComposite && p.accept(","); first = false {
		g, err := p.bodyGraph()
		if err != nil {
			return err
		}
		if first {
			n.Body = &Composite{Graph: g}
		} else {
			n.Body.More = append(n.Body.More, g)
		}
	}
	if n.Op != OpComposite {
		return nil
	}
	var err error
	n.Body.Name, err = p.quoted()
	return err
}

func (p *parser) bodyGraph() (*Graph, error) {
	if err := p.expect("@"); err != nil {
		return nil, err
	}
	at := p.pos
	i, err := p.number()
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= len(p.bodies) || p.bodies[i].Results == nil {
		return nil, p.src.Errorf(at, "@%d is not defined before its use", i)
	}
	return p.bodies[i], nil
}

// attrs reads {name = value, …}. The text of a Literal is returned: its dtype
// comes later.
func (p *parser) attrs(n *Node) (literal string, err error) {
	row := n.Op.Info().Attrs
	if len(row) == 0 && n.Body == nil || n.Body != nil && !p.accept("{") {
		return "", nil
	}
	if n.Body == nil {
		if err := p.expect("{"); err != nil {
			return "", err
		}
	}
	for i := 0; i < len(row) || n.Body != nil; i++ {
		if i > 0 && n.Body != nil && !p.accept(",") {
			break
		} else if i > 0 && n.Body == nil {
			if err := p.expect(","); err != nil {
				return "", err
			}
		}
		if n.Body != nil {
			err = p.param(n.Body)
		} else {
			var a Attr
			if err = p.expect(row[i].Name); err == nil {
				if err = p.expect("="); err == nil {
					a, literal, err = p.attr(row[i].Kind)
				}
			}
			n.Attrs = append(n.Attrs, a)
		}
		if err != nil {
			return "", err
		}
	}
	return literal, p.expect("}")
}

func (p *parser) param(c *Composite) error {
	name := p.while(wordByte)
	if name == "" {
		return p.errorf("expected a name")
	}
	if err := p.expect("="); err != nil {
		return err
	}
	p.space()
	at := p.pos
	text := p.while(numberByte)
	q := Param{Name: name}
	var err error
	if q.IsFloat = strings.ContainsAny(text, ".eExIN"); q.IsFloat {
		var bits uint64
		bits, err = ParseLiteral(types.F64, text)
		q.Float = floatValue(types.F64, bits)
	} else {
		q.Int, err = strconv.Atoi(text)
	}
	if err != nil {
		return p.src.Errorf(at, "%q is not a number", text)
	}
	c.Params = append(c.Params, q)
	return nil
}

func (p *parser) attr(k ops.AttrKind) (a Attr, literal string, err error) {
	p.space()
	at := p.pos
	switch k {
	case ops.Int, ops.Axis:
		n, err := p.number()
		return Attr{Int: int64(n)}, "", err
	case ops.DType:
		word := p.while(wordByte)
		d, ok := types.ParseDType(word)
		if !ok {
			return a, "", p.src.Errorf(at, "unknown dtype %q", word)
		}
		return Attr{Int: int64(d)}, "", nil
	case ops.Literal:
		if literal = p.while(numberByte); literal == "" {
			err = p.errorf("expected a number")
		}
		return a, literal, err
	case ops.Flag:
		switch word := p.while(wordByte); word {
		case "true":
			a.Int = 1
		case "false":
		default:
			return a, "", p.src.Errorf(at, "expected true or false")
		}
		return a, "", nil
	case ops.String:
		a.Str, err = p.quoted()
		return a, "", err
	}
	if err := p.expect("["); err != nil {
		return a, "", err
	}
	for !p.accept("]") {
		if len(a.Ints) > 0 {
			if err := p.expect(","); err != nil {
				return a, "", err
			}
		}
		n, err := p.number()
		if err != nil {
			return a, "", err
		}
		a.Ints = append(a.Ints, n)
	}
	return a, "", nil
}

// types reads a type, or in parentheses those of several results.
func (p *parser) types(n *Node) error {
	if !p.accept("(") {
		t, err := p.typ()
		n.Type = t
		return err
	}
	var all []types.Type
	for first := true; first || p.accept(","); first = false {
		t, err := p.typ()
		if err != nil {
			return err
		}
		all = append(all, t)
	}
	if len(all) < 2 {
		return p.errorf("expected the types of several results")
	}
	n.setType(types.Type{}, all)
	return p.expect(")")
}

func (p *parser) typ() (types.Type, error) {
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
		return t, p.src.Errorf(at, "%v", err)
	}
	return t, nil
}

func (p *parser) typeAndLoc(n *Node) (err error) {
	if err := p.expect(":"); err != nil {
		return err
	}
	if err := p.types(n); err != nil {
		return err
	}
	if !p.accept("loc(") {
		return nil
	}
	file, err := p.quoted()
	if err != nil {
		return err
	}
	scope := ""
	if p.accept("(") {
		if scope = file; scope == "" {
			return p.src.Errorf(p.pos, "the scope of a location has no name")
		}
		if file, err = p.quoted(); err != nil {
			return err
		}
	}
	if err := p.expect(":"); err != nil {
		return err
	}
	line, err := p.number()
	if err != nil {
		return err
	}
	n.Loc = callsite.At(file, line)
	if scope != "" {
		n.Loc = n.Loc.In(scope)
		if err := p.expect(")"); err != nil {
			return err
		}
	}
	return p.expect(")")
}
