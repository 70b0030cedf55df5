package mlir

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// attrNode is an attribute as written: one of the four.
type attrNode struct {
	list *[]attrNode
	dict *dictNode
	leaf *leafNode
	typ  *TypeText
}

type (
	dictNode  struct{ entries []entryNode }
	entryNode struct {
		name  string // quoted, where it is
		pos   Pos
		value *attrNode // nil for a unit
	}
)

// Parse implements participle.Parseable.
func (n *attrNode) Parse(lex *lexer.PeekingLexer) (err error) {
	p := peeking{lex}
	if t := p.Peek(); !startsLeaf(t) && !startsType(t) && !is(p, "[") && !is(p, "{") {
		return participle.NextMatch
	}
	return wrap(n.parse(p))
}

func (n *attrNode) parse(lex tokens) *Error {
	switch t := lex.Peek(); {
	case is(lex, "["):
		n.list = &[]attrNode{}
		return list(lex, "[", "]", func() *Error {
			*n.list = append(*n.list, attrNode{})
			return (*n.list)[len(*n.list)-1].parse(lex)
		})
	case is(lex, "{"):
		n.dict = &dictNode{}
		return n.dict.parse(lex)
	case startsLeaf(t):
		n.leaf = &leafNode{}
		return n.leaf.parse(lex)
	case startsType(t):
		ref, err := parseType(lex)
		n.typ = &ref
		return err
	default:
		return Unexpected(t, "an attribute")
	}
}

// Parse implements participle.Parseable.
func (n *dictNode) Parse(lex *lexer.PeekingLexer) error {
	p := peeking{lex}
	if !is(p, "{") {
		return participle.NextMatch
	}
	return wrap(n.parse(p))
}

func (n *dictNode) parse(lex tokens) *Error {
	return list(lex, "{", "}", func() *Error {
		n.entries = append(n.entries, entryNode{})
		return n.entries[len(n.entries)-1].parse(lex)
	})
}

// Parse implements participle.Parseable.
func (n *entryNode) Parse(lex *lexer.PeekingLexer) error {
	p := peeking{lex}
	if t := p.Peek(); t.Type != IdentToken && t.Type != tokString {
		return participle.NextMatch
	}
	return wrap(n.parse(p))
}

func (n *entryNode) parse(lex tokens) *Error {
	t := lex.Next()
	if t.Type != IdentToken && t.Type != tokString {
		return Unexpected(t, "the name of an attribute")
	}
	n.name, n.pos = t.Value, t.Pos
	if !accept(lex, "=") {
		return nil
	}
	n.value = &attrNode{}
	return n.value.parse(lex)
}

// shift moves what was read inside a token to the token's place.
func (n *attrNode) shift(base Pos) {
	switch {
	case n.leaf != nil:
		n.leaf.tok.Pos, n.leaf.typ.Pos = shift(n.leaf.tok.Pos, base), shift(n.leaf.typ.Pos, base)
	case n.typ != nil:
		n.typ.Pos = shift(n.typ.Pos, base)
	case n.list != nil:
		for i := range *n.list {
			(*n.list)[i].shift(base)
		}
	case n.dict != nil:
		for _, e := range n.dict.entries {
			if e.value != nil {
				e.value.shift(base)
			}
		}
	}
}
