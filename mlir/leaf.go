package mlir

import "strings"

// leafNode is an attribute in which no other nests: a number or a dense literal
// with its type, a string, a symbol, a word, or a whole token such as #x or
// array<…>. Op lines read most of their attributes so.
type leafNode struct {
	tok   Token
	path  []string // a symbol's parts
	typ   TypeText
	typed bool
}

func startsLeaf(t Token) bool {
	switch t.Type {
	case IntToken, FloatToken, DenseToken, tokString, tokSymbol, tokArray, HashToken, tokVerbatim:
		return true
	}
	return t.Type == IdentToken && (t.Value == "true" || t.Value == "false" || t.Value == "unit")
}

func (n *leafNode) parse(lex *Stream) (err *Error) {
	n.tok = lex.Next()
	switch n.tok.Type {
	case tokSymbol:
		n.path = []string{n.tok.Value}
		for lex.Accept("::") {
			t, err := lex.Kind(tokSymbol, "a symbol such as @f")
			if err != nil {
				return err
			}
			n.path = append(n.path, t.Value)
		}
	case DenseToken:
		if err := lex.Expect(":"); err != nil {
			return err
		}
		n.typed = true
	case IntToken, FloatToken:
		n.typed = lex.Accept(":")
	}
	if n.typed {
		n.typ, err = lex.Type()
	}
	return err
}

// Attr reads an attribute. A nil one had an error that is no matter of syntax,
// which is recorded.
func (s *Stream) Attr() (Attribute, *Error) { return s.attrIn(false) }

// BareAttr is Attr in a struct, where numbers have no type.
func (s *Stream) BareAttr() (Attribute, *Error) { return s.attrIn(true) }

func (s *Stream) attrIn(bare bool) (Attribute, *Error) {
	t := s.tok
	switch {
	case startsLeaf(t):
		var n leafNode
		if err := n.parse(s); err != nil {
			return nil, err
		}
		return s.r.leaf(&n, bare), nil
	case startsType(t):
		ref, err := s.Type()
		if err != nil {
			return nil, err
		}
		if v := s.r.typ(&ref); v != nil {
			return TypeAttr{v}, nil
		}
		return nil, nil
	}
	var n attrNode
	if err := n.parse(s); err != nil {
		return nil, err
	}
	return s.r.attrIn(&n, bare), nil
}

// leaf makes the attribute of n; on an error it records it and returns nil.
// With bare set a number without type has none.
func (r *resolver) leaf(n *leafNode, bare bool) Attribute {
	t := n.tok
	switch t.Type {
	case tokArray, HashToken:
		return r.tokenAttr(t.Value, t.Pos)
	case tokVerbatim:
		return TextAttr{squeeze(t.Value)}
	case DenseToken:
		return r.dense(n)
	case tokSymbol:
		return r.symbol(n.path, t.Pos)
	case tokString:
		s, ok := Unquote(t.Value)
		if !ok {
			r.fail(t.Pos, "string with a wrong escape")
		}
		return StringAttr(s)
	case IntToken, FloatToken:
		return r.number(n, bare)
	}
	if t.Value == "unit" {
		return UnitAttr{}
	}
	return BoolAttr(t.Value == "true")
}

func (r *resolver) dense(n *leafNode) Attribute {
	t := r.typ(&n.typ)
	if t == nil {
		return nil
	}
	open := strings.IndexByte(n.tok.Value, '<') + 1
	literal := n.tok.Value[open : len(n.tok.Value)-1]
	tt, ok := t.(*TensorType)
	if !ok {
		if _, ok := t.(TextType); ok { // vectors: nothing here looks into them
			return TextAttr{n.tok.Value[:open] + tidy(literal) + "> : " + t.String()}
		}
		r.fail(n.typ.Pos, "a dense literal has a tensor type, not %s", t)
		return nil
	}
	a := &DenseAttr{Literal: literal, Type: tt, Pos: Pos{n.tok.Pos.Line, n.tok.Pos.Col + open}}
	var err *Error
	if open > len("dense<") {
		err = r.resource(a)
	} else {
		err = a.read(r.done)
	}
	if err != nil {
		r.errs = append(r.errs, err)
		return nil
	}
	return a
}
