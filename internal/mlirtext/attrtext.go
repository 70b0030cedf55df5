package mlirtext

import (
	"strings"

	"ltc/internal/lexeme"
	"ltc/mlir"
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
		pos   mlir.Pos
		value *attrNode // nil for a unit
	}
)

func (n *attrNode) parse(lex *Stream) {
	switch t := lex.Peek(); {
	case lex.Is("["):
		n.list = &[]attrNode{}
		lex.List("[", "]", func() {
			*n.list = append(*n.list, attrNode{})
			(*n.list)[len(*n.list)-1].parse(lex)
		})
	case lex.Is("{"):
		n.dict = &dictNode{}
		n.dict.parse(lex)
	case startsLeaf(t):
		n.leaf = &leafNode{}
		n.leaf.parse(lex)
	case startsType(t):
		ref := lex.Type()
		n.typ = &ref
	default:
		lex.Stop(Unexpected(t, "an attribute"))
	}
}

func (n *dictNode) parse(lex *Stream) {
	lex.List("{", "}", func() { n.entry(lex) })
}

// entry reads name = value, or a name alone.
func (n *dictNode) entry(lex *Stream) {
	t := lex.Next()
	if t.Type != IdentToken && t.Type != StringToken {
		lex.Stop(Unexpected(t, "the name of an attribute"))
	}
	e := entryNode{name: t.Value, pos: t.Pos}
	if lex.Accept("=") {
		e.value = &attrNode{}
		e.value.parse(lex)
	}
	n.entries = append(n.entries, e)
}

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
	case IntToken, tokFloat, DenseToken, StringToken, tokSymbol, tokArray, HashToken, tokVerbatim:
		return true
	}
	return t.Type == IdentToken && (t.Value == "true" || t.Value == "false" || t.Value == "unit")
}

func (n *leafNode) parse(lex *Stream) {
	n.tok = lex.Next()
	switch n.tok.Type {
	case tokSymbol:
		n.path = []string{n.tok.Value}
		for lex.Accept("::") {
			n.path = append(n.path, lex.Kind(tokSymbol, "a symbol such as @f").Value)
		}
	case DenseToken:
		lex.Expect(":")
		n.typed = true
	case IntToken, tokFloat:
		n.typed = lex.Accept(":")
	}
	if n.typed {
		n.typ = lex.Type()
	}
}

// Attr reads an attribute. A nil one had an error that is no matter of syntax,
// which is recorded.
func (s *Stream) Attr() mlir.Attribute { return s.attrIn(false) }

// BareAttr is Attr in a struct, where numbers have no type.
func (s *Stream) BareAttr() mlir.Attribute { return s.attrIn(true) }

func (s *Stream) attrIn(bare bool) mlir.Attribute {
	t := s.tok
	switch {
	case startsLeaf(t):
		var n leafNode
		n.parse(s)
		return s.r.leaf(&n, bare)
	case startsType(t):
		ref := s.Type()
		if v := s.r.typ(&ref); v != nil {
			return mlir.TypeAttr{Type: v}
		}
		return nil
	}
	var n attrNode
	n.parse(s)
	return s.r.attr(&n, bare)
}

// leaf makes the attribute of n; on an error it records it and returns nil.
// With bare set a number without type has none.
func (r *resolver) leaf(n *leafNode, bare bool) mlir.Attribute {
	t := n.tok
	switch t.Type {
	case tokArray, HashToken:
		return r.tokenAttr(t.Value, t.Pos)
	case tokVerbatim:
		return mlir.TextAttr{Text: lexeme.Squeeze(t.Value)}
	case DenseToken:
		return r.dense(n)
	case tokSymbol:
		return r.symbol(n.path, t.Pos)
	case StringToken:
		s, ok := lexeme.Unquote(t.Value)
		if !ok {
			r.fail(t.Pos, "string with a wrong escape")
		}
		return mlir.StringAttr(s)
	case IntToken, tokFloat:
		return r.number(n, bare)
	}
	if t.Value == "unit" {
		return mlir.UnitAttr{}
	}
	return mlir.BoolAttr(t.Value == "true")
}

func (r *resolver) dense(n *leafNode) mlir.Attribute {
	t := r.typ(&n.typ)
	if t == nil {
		return nil
	}
	open := strings.IndexByte(n.tok.Value, '<') + 1
	literal := n.tok.Value[open : len(n.tok.Value)-1]
	tt, ok := t.(*mlir.TensorType)
	if !ok {
		if _, ok := t.(mlir.TextType); ok { // vectors: nothing here looks into them
			return mlir.TextAttr{Text: n.tok.Value[:open] + lexeme.Tidy(literal) + "> : " + t.String()}
		}
		r.fail(n.typ.Pos, "a dense literal has a tensor type, not %s", t)
		return nil
	}
	a := &mlir.DenseAttr{Literal: literal, Type: tt, Pos: mlir.Pos{Line: n.tok.Pos.Line, Col: n.tok.Pos.Col + open}}
	var err *mlir.Error
	if open > len("dense<") {
		err = r.resource(a)
	} else {
		err = a.Read(r.done)
	}
	if err != nil {
		r.errs = append(r.errs, err)
		return nil
	}
	return a
}

// denseArray reads array<T: 1, 2>, the whole of text, which starts at pos.
func (r *resolver) denseArray(text string, pos mlir.Pos) mlir.Attribute {
	var a *mlir.DenseArrayAttr
	if err := r.try(func() { a = r.arrayIn(r.inside(text, pos)) }); err != nil {
		r.failed(err)
	}
	if a == nil {
		return nil
	}
	return *a
}

// arrayIn reads an array from its own text. It returns nil after an error that is
// recorded.
func (r *resolver) arrayIn(s *Stream) *mlir.DenseArrayAttr {
	s.Next() // array
	s.Expect("<")
	ref := s.Type()
	a := &mlir.DenseArrayAttr{Elem: r.typ(&ref)}
	var add func(t Token)
	switch t := a.Elem.(type) {
	case nil:
		return nil
	case mlir.FloatType:
		a.Texts = []string{}
		add = func(v Token) { r.addFloat(a, t, v) }
	case mlir.IntegerType:
		a.Ints = []int64{}
		add = func(v Token) { r.addInt(a, t, v) }
	default:
		s.Stop(mlir.Errorf(ref.Pos, "an array attribute cannot hold %s", t))
	}
	if s.Accept(">") {
		return a
	}
	s.Expect(":")
	for {
		t := s.Next()
		if t.Type != IntToken && t.Type != tokFloat && t.Type != IdentToken {
			s.Stop(Unexpected(t, "a number"))
		}
		add(t)
		if s.Accept(">") {
			return a
		}
		s.Expect(",")
	}
}

func (r *resolver) addFloat(a *mlir.DenseArrayAttr, t mlir.FloatType, v Token) {
	bits, ok := lexeme.FloatBits(v.Value, t.Name)
	if !ok {
		r.fail(v.Pos, "%s is not a number of type %s", v.Value, t)
	}
	a.Texts = append(a.Texts, string(lexeme.AppendFloat(nil, bits, t.Name)))
}

func (r *resolver) addInt(a *mlir.DenseArrayAttr, t mlir.IntegerType, v Token) {
	x, ok := mlir.ParseInt(v.Value, t)
	if t == mlir.I1 && v.Type == IdentToken {
		x, ok = int64(btoi(v.Value == "true")), v.Value == "true" || v.Value == "false"
	}
	if !ok {
		r.fail(v.Pos, "%s does not fit %s", v.Value, t)
	}
	a.Ints = append(a.Ints, x)
}
