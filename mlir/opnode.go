package mlir

import (
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// opNode is an op as read: whatever form it was written in, it has the parts
// of the generic one. Its Parse reads the results and the name and hands the
// rest to the syntax in the op's definition.
type opNode struct {
	name       string
	pos        Pos
	def        *opDef // nil for an op that is not in the table
	results    []resultNode
	operands   []useNode
	attrs      []attrEntry
	regions    []*regionNode
	successors []useNode
	ins, outs  []typeRef
	typePos    Pos
	loc        *locNode
}

type (
	resultNode struct {
		name  string
		count int
		pos   Pos
	}
	// useNode is %name, %name#1 or ^label, without the sigil.
	useNode struct {
		name string
		pos  Pos
	}
	// attrEntry is an attribute still to be resolved, or val.
	attrEntry struct {
		name string
		pos  Pos
		node *attrNode // nil with val nil is a unit attribute
		val  Attribute
	}
	regionNode struct{ blocks []*blockNode }
	blockNode  struct {
		label string
		pos   Pos
		args  []argNode
		ops   []*opNode
	}
	argNode struct {
		useNode
		typ typeRef
		loc *locNode
	}
)

func (o *opNode) set(name string, v Attribute) {
	o.attrs = append(o.attrs, attrEntry{name: name, pos: o.pos, val: v})
}

// Parse implements participle.Parseable.
func (o *opNode) Parse(lex *lexer.PeekingLexer) error {
	switch t := lex.Peek(); {
	case t.Type == tokValue || t.Type == tokIdent || t.Type == tokString:
		return wrap(o.parse(lex))
	case t.Type == tokBad:
		return unexpected(t, "")
	}
	return participle.NextMatch
}

func (o *opNode) parse(lex *lexer.PeekingLexer) *Error {
	if lex.Peek().Type == tokValue {
		if err := o.parseResults(lex); err != nil {
			return err
		}
	}
	t := lex.Peek()
	o.pos = at(t.Pos)
	var err *Error
	switch t.Type {
	case tokString:
		lex.Next()
		name, ok := unquote(t.Value)
		if !ok || name == "" {
			return errorf(o.pos, "op name %s is not a string", t.Value)
		}
		o.name, o.def = name, opDefs[name]
		err = o.parseGeneric(lex)
	case tokIdent:
		o.def = opDefs[t.Value]
		if o.def == nil {
			o.def = opDefs[shortNames[t.Value]]
		}
		if o.def == nil || o.def.syntax == nil {
			return errorf(o.pos, "op %s has no pretty form that is known here: write it as \"%s\"(…) : (…) -> …", t.Value, t.Value)
		}
		o.name = o.def.name
		if !o.def.takesName {
			lex.Next()
		}
		err = o.def.syntax.parse(lex, o)
	default:
		return unexpected(t, "an op")
	}
	if err != nil {
		return err
	}
	o.loc, err = parseLoc(lex)
	return err
}

func (o *opNode) parseResults(lex *lexer.PeekingLexer) *Error {
	for {
		t, err := expectKind(lex, tokValue, "a result such as %0")
		if err != nil {
			return err
		}
		r := resultNode{name: t.Value[1:], count: 1, pos: at(t.Pos)}
		if strings.IndexByte(r.name, '#') >= 0 {
			return errorf(r.pos, "result %s cannot be defined by its number: write %%name:count", t.Value)
		}
		if accept(lex, ":") {
			n, err := expectKind(lex, tokInt, "the number of results")
			if err != nil {
				return err
			}
			c, cerr := strconv.Atoi(n.Value)
			if cerr != nil || c < 1 || c > 1<<16 {
				return errorf(at(n.Pos), "number of results %s is not between 1 and 65536", n.Value)
			}
			r.count = c
		}
		o.results = append(o.results, r)
		if accept(lex, "=") {
			return nil
		}
		if !accept(lex, ",") {
			return unexpected(lex.Peek(), "',' or '='")
		}
	}
}

// parseGeneric reads (operands)[successors]<{properties}>({regions}){attrs} : type.
func (o *opNode) parseGeneric(lex *lexer.PeekingLexer) *Error {
	err := list(lex, "(", ")", func() *Error { return o.operand(lex) })
	if err != nil {
		return err
	}
	if is(lex, "[") {
		if err := list(lex, "[", "]", func() *Error { return o.successor(lex) }); err != nil {
			return err
		}
	}
	if accept(lex, "<") {
		if err := o.attrDict(lex); err != nil {
			return err
		}
		if err := expect(lex, ">"); err != nil {
			return err
		}
	}
	if is(lex, "(") {
		if err := list(lex, "(", ")", func() *Error { return o.region(lex) }); err != nil {
			return err
		}
	}
	if err := o.optionalAttrDict(lex); err != nil {
		return err
	}
	return o.functionalType(lex)
}

func (o *opNode) operand(lex *lexer.PeekingLexer) *Error {
	t, err := expectKind(lex, tokValue, "an operand such as %0")
	if err == nil {
		o.operands = append(o.operands, useNode{t.Value[1:], at(t.Pos)})
	}
	return err
}

func (o *opNode) successor(lex *lexer.PeekingLexer) *Error {
	t, err := expectKind(lex, tokBlock, "a block such as ^bb0")
	if err == nil {
		o.successors = append(o.successors, useNode{t.Value[1:], at(t.Pos)})
	}
	return err
}

// functionalType reads : (a, b) -> c, the types of operands and results.
func (o *opNode) functionalType(lex *lexer.PeekingLexer) *Error {
	if err := expect(lex, ":"); err != nil {
		return err
	}
	o.typePos = at(lex.Peek().Pos)
	fn, err := parseFunctionType(lex)
	if err == nil {
		o.ins, o.outs = fn.ins, fn.outs
	}
	return err
}

func (o *opNode) optionalAttrDict(lex *lexer.PeekingLexer) *Error {
	if is(lex, "{") {
		return o.attrDict(lex)
	}
	return nil
}

// attrDict reads {a = 1, b} into the op's attributes.
func (o *opNode) attrDict(lex *lexer.PeekingLexer) *Error {
	return list(lex, "{", "}", func() *Error {
		t := lex.Peek()
		if t.Type != tokIdent && t.Type != tokString {
			return unexpected(t, "the name of an attribute")
		}
		lex.Next()
		name, err := entryName(t.Value, at(t.Pos))
		if err != nil {
			return err
		}
		e := attrEntry{name: name, pos: at(t.Pos)}
		if accept(lex, "=") {
			e.node, err = parseAttr(lex)
		}
		o.attrs = append(o.attrs, e)
		return err
	})
}

func entryName(text string, pos Pos) (string, *Error) {
	if text[0] != '"' {
		return text, nil
	}
	s, ok := unquote(text)
	if !ok || s == "" {
		return "", errorf(pos, "%s is not the name of an attribute", text)
	}
	return s, nil
}

// parseAttr reads an attribute; one that is a single token without the grammar.
func parseAttr(lex *lexer.PeekingLexer) (*attrNode, *Error) {
	t := lex.Peek()
	switch t.Type {
	case tokArray, tokHash:
		lex.Next()
		return &attrNode{Pos: t.Pos, Token: t.Value}, nil
	case tokString:
		lex.Next()
		return &attrNode{Pos: t.Pos, String: t.Value}, nil
	}
	a, err := sub(attrParser, lex)
	if err != nil {
		return nil, asError(err)
	}
	return a, nil
}

// parseLoc reads the optional loc(…) behind an op or an argument.
func parseLoc(lex *lexer.PeekingLexer) (*locNode, *Error) {
	if t := lex.Peek(); t.Type == tokLoc {
		lex.Next()
		return aliasLoc(t.Value, t.Pos), nil
	}
	if !accept(lex, "loc") {
		return nil, nil
	}
	if err := expect(lex, "("); err != nil {
		return nil, err
	}
	l, err := sub(locParser, lex)
	if err != nil {
		return nil, asError(err)
	}
	return l, expect(lex, ")")
}

// aliasLoc is the location of a whole token loc(#alias).
func aliasLoc(text string, pos lexer.Position) *locNode {
	const open = len("loc(")
	pos.Column += open
	return &locNode{Pos: pos, Alias: text[open : len(text)-1]}
}

func (o *opNode) region(lex *lexer.PeekingLexer) *Error {
	r := &regionNode{}
	o.regions = append(o.regions, r)
	return r.parse(lex)
}

// Parse implements participle.Parseable.
func (r *regionNode) Parse(lex *lexer.PeekingLexer) error {
	if !is(lex, "{") {
		return participle.NextMatch
	}
	return wrap(r.parse(lex))
}

func (r *regionNode) parse(lex *lexer.PeekingLexer) *Error {
	open := at(lex.Peek().Pos)
	if err := expect(lex, "{"); err != nil {
		return err
	}
	var b *blockNode
	var slab []opNode // the next ops of the region, allocated together
	for {
		t := lex.Peek()
		switch {
		case t.Value == "}" && t.Type == tokPunct:
			lex.Next()
			return nil
		case t.Type == tokBlock:
			b = &blockNode{label: t.Value[1:], pos: at(t.Pos)}
			r.blocks = append(r.blocks, b)
			if err := b.parseHead(lex); err != nil {
				return err
			}
			continue
		case t.EOF():
			return errorf(at(t.Pos), "unexpected end of text: the '{' of line %d is still open", open.Line)
		}
		if b == nil {
			b = &blockNode{pos: at(t.Pos)}
			r.blocks = append(r.blocks, b)
		}
		if len(slab) == 0 {
			slab = make([]opNode, 32)
		}
		op := &slab[0]
		slab = slab[1:]
		b.ops = append(b.ops, op)
		if err := op.parse(lex); err != nil {
			return err
		}
	}
}

// parseHead reads ^label(%x: T, …):.
func (b *blockNode) parseHead(lex *lexer.PeekingLexer) *Error {
	lex.Next()
	if is(lex, "(") {
		err := list(lex, "(", ")", func() *Error {
			a, err := parseArg(lex)
			b.args = append(b.args, a)
			return err
		})
		if err != nil {
			return err
		}
	}
	return expect(lex, ":")
}

// parseArg reads %x: T loc(…).
func parseArg(lex *lexer.PeekingLexer) (a argNode, err *Error) {
	t, err := expectKind(lex, tokValue, "an argument such as %arg0")
	if err != nil {
		return a, err
	}
	a.useNode = useNode{t.Value[1:], at(t.Pos)}
	if strings.IndexByte(a.name, '#') >= 0 {
		return a, errorf(a.pos, "argument %s cannot have a number", t.Value)
	}
	if err = expect(lex, ":"); err != nil {
		return a, err
	}
	if a.typ, err = parseType(lex); err != nil {
		return a, err
	}
	a.loc, err = parseLoc(lex)
	return a, err
}
