package mlir

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

func (n *attrNode) parse(lex *Stream) *Error {
	switch t := lex.Peek(); {
	case lex.Is("["):
		n.list = &[]attrNode{}
		return lex.List("[", "]", func() *Error {
			*n.list = append(*n.list, attrNode{})
			return (*n.list)[len(*n.list)-1].parse(lex)
		})
	case lex.Is("{"):
		n.dict = &dictNode{}
		return n.dict.parse(lex)
	case startsLeaf(t):
		n.leaf = &leafNode{}
		return n.leaf.parse(lex)
	case startsType(t):
		ref, err := lex.Type()
		n.typ = &ref
		return err
	default:
		return Unexpected(t, "an attribute")
	}
}

func (n *dictNode) parse(lex *Stream) *Error {
	return lex.List("{", "}", func() *Error { return n.entry(lex) })
}

// entry reads name = value, or a name alone.
func (n *dictNode) entry(lex *Stream) *Error {
	t := lex.Next()
	if t.Type != IdentToken && t.Type != tokString {
		return Unexpected(t, "the name of an attribute")
	}
	e := entryNode{name: t.Value, pos: t.Pos}
	var err *Error
	if lex.Accept("=") {
		e.value = &attrNode{}
		err = e.value.parse(lex)
	}
	n.entries = append(n.entries, e)
	return err
}
