package mlir

import (
	"strconv"
	"strings"
)

// OpText is an op line as read: whatever form it was written in, it has the
// parts of the generic one. It reads the results and the name and hands the
// rest to the syntax in the op's definition.
type OpText struct {
	name       string
	Pos        Pos
	def        *OpDef // nil for an op that is not in the table
	results    []resultNode
	Operands   []UseText
	attrs      []attrEntry
	Regions    []*Region
	successors []UseText
	Ins, Outs  []TypeText
	TypePos    Pos
	loc        Location
}

type (
	resultNode struct {
		name  string
		count int
		pos   Pos
	}
	// UseText is %name, %name#1 or ^label, without the sigil.
	UseText struct {
		Name string
		Pos  Pos
	}
	// attrEntry is an attribute; of one that had an error val is nil.
	attrEntry struct {
		name string
		pos  Pos
		val  Attribute
	}
	// ArgText is an argument of a block: %name: type loc(…).
	ArgText struct {
		UseText
		Type TypeText
		Loc  Location
	}
)

// reset empties o for the next op, keeping its memory.
func (o *OpText) reset() {
	clear(o.attrs)
	*o = OpText{
		results: o.results[:0], Operands: o.Operands[:0], attrs: o.attrs[:0],
		successors: o.successors[:0], Ins: o.Ins[:0], Outs: o.Outs[:0],
	}
}

// Set sets an attribute, which stands where the op does.
func (o *OpText) Set(name string, v Attribute) {
	o.attrs = append(o.attrs, attrEntry{name: name, pos: o.Pos, val: v})
}

// SetAt is Set of an attribute that stands at pos. A nil one had an error, which is
// recorded.
func (o *OpText) SetAt(name string, pos Pos, v Attribute) {
	o.attrs = append(o.attrs, attrEntry{name, pos, v})
}

func (o *OpText) parse(lex *Stream) *Error {
	if lex.tok.Type == ValueToken {
		if err := o.parseResults(lex); err != nil {
			return err
		}
	}
	t := lex.tok
	o.Pos = t.Pos
	var err *Error
	switch t.Type {
	case tokString:
		lex.Next()
		name, ok := Unquote(t.Value)
		if !ok || name == "" {
			return Errorf(o.Pos, "op name %s is not a string", t.Value)
		}
		o.name, o.def = name, opDefs[name]
		err = o.Generic(lex)
	case IdentToken:
		o.def = opDefs[t.Value]
		if o.def == nil {
			o.def = opDefs[shortNames[t.Value]]
		}
		if o.def == nil || o.def.Syntax == nil {
			return noSyntax(t, o.def)
		}
		o.name = o.def.Name
		lex.Next()
		err = o.def.Syntax.Parse(lex, o)
	default:
		return Unexpected(t, "an op")
	}
	if err != nil {
		return err
	}
	o.loc, err = lex.optionalLoc()
	return err
}

func (o *OpText) parseResults(lex *Stream) *Error {
	for {
		t, err := lex.Kind(ValueToken, "a result such as %0")
		if err != nil {
			return err
		}
		r := resultNode{name: t.Value[1:], count: 1, pos: t.Pos}
		if strings.IndexByte(r.name, '#') >= 0 {
			return Errorf(r.pos, "result %s cannot be defined by its number: write %%name:count", t.Value)
		}
		if lex.Accept(":") {
			n, err := lex.Kind(IntToken, "the number of results")
			if err != nil {
				return err
			}
			c, cerr := strconv.Atoi(n.Value)
			if cerr != nil || c < 1 || c > 1<<16 {
				return Errorf(n.Pos, "number of results %s is not between 1 and 65536", n.Value)
			}
			r.count = c
		}
		o.results = append(o.results, r)
		if lex.Accept("=") {
			return nil
		}
		if !lex.Accept(",") {
			return Unexpected(lex.Peek(), "',' or '='")
		}
	}
}

// Generic reads (operands)[successors]<{properties}>({regions}){attrs} : type.
func (o *OpText) Generic(lex *Stream) *Error {
	err := lex.List("(", ")", func() *Error { return o.Operand(lex) })
	if err != nil {
		return err
	}
	if lex.Is("[") {
		if err := lex.List("[", "]", func() *Error { return o.successor(lex) }); err != nil {
			return err
		}
	}
	if lex.Accept("<") {
		if err := o.AttrDict(lex); err != nil {
			return err
		}
		if o.def != nil && len(o.def.Props) == 0 && len(o.attrs) > 0 {
			return Errorf(o.attrs[0].pos, "%s has no properties: %s stands in {…} behind the operands", o.name, o.attrs[0].name)
		}
		if err := lex.Expect(">"); err != nil {
			return err
		}
	}
	if lex.Is("(") {
		if err := lex.List("(", ")", func() *Error { return o.Region(lex) }); err != nil {
			return err
		}
	}
	if err := o.OptionalAttrDict(lex); err != nil {
		return err
	}
	return o.FunctionalType(lex)
}

// Operand reads an operand, %x.
func (o *OpText) Operand(lex *Stream) *Error {
	t, err := lex.Kind(ValueToken, "an operand such as %0")
	if err == nil {
		o.Operands = append(o.Operands, UseText{t.Value[1:], t.Pos})
	}
	return err
}

func (o *OpText) successor(lex *Stream) *Error {
	t, err := lex.Kind(tokBlock, "a block such as ^bb0")
	if err == nil {
		o.successors = append(o.successors, UseText{t.Value[1:], t.Pos})
	}
	return err
}

// FunctionalType reads : (a, b) -> c, the types of operands and results.
func (o *OpText) FunctionalType(lex *Stream) *Error {
	if err := lex.Expect(":"); err != nil {
		return err
	}
	return o.functionTypes(lex)
}

func (o *OpText) functionTypes(lex *Stream) *Error {
	o.TypePos = lex.tok.Pos
	fn := fnRef{ins: o.Ins[:0], outs: o.Outs[:0]}
	err := fn.parse(lex)
	o.Ins, o.Outs = fn.ins, fn.outs
	return err
}

// OptionalAttrDict is AttrDict, or nothing.
func (o *OpText) OptionalAttrDict(lex *Stream) *Error {
	if lex.Is("{") {
		return o.AttrDict(lex)
	}
	return nil
}

// AttrDict reads {a = 1, b} into the op's attributes.
func (o *OpText) AttrDict(lex *Stream) *Error {
	return lex.List("{", "}", func() *Error {
		t := lex.Next()
		if t.Type != IdentToken && t.Type != tokString {
			return Unexpected(t, "the name of an attribute")
		}
		name, err := entryName(t.Value, t.Pos)
		if err != nil {
			return err
		}
		return o.entry(lex, name, t.Pos)
	})
}

// entry reads what follows the name of an attribute: = value, or nothing for a
// unit.
func (o *OpText) entry(lex *Stream, name string, pos Pos) (err *Error) {
	v := Attribute(UnitAttr{})
	if lex.Accept("=") {
		v, err = lex.Attr()
	}
	o.attrs = append(o.attrs, attrEntry{name, pos, v})
	return err
}

func entryName(text string, pos Pos) (string, *Error) {
	if text == "" || text[0] != '"' {
		return text, nil
	}
	s, ok := Unquote(text)
	if !ok || s == "" {
		return "", Errorf(pos, "%s is not the name of an attribute", text)
	}
	return s, nil
}

// Region reads {…}, whose blocks have their arguments in their labels.
func (o *OpText) Region(lex *Stream) *Error { return o.RegionOf(lex, nil) }

// RegionOf reads {…}; e has what the op's own line said about the entry block, or is nil.
func (o *OpText) RegionOf(lex *Stream, e *Entry) *Error {
	reg, err := lex.r.readRegion(lex, o.def != nil && o.def.Traits.Has(Isolated), e)
	o.Regions = append(o.Regions, reg)
	return err
}

// Arg reads an argument, %x: T loc(…).
func (s *Stream) Arg() (a ArgText, err *Error) {
	if a.UseText, err = s.ArgName(); err != nil {
		return a, err
	}
	if err = s.Expect(":"); err != nil {
		return a, err
	}
	if a.Type, err = s.Type(); err != nil {
		return a, err
	}
	a.Loc, err = s.optionalLoc()
	return a, err
}

// ArgName reads the name of an argument, %x.
func (s *Stream) ArgName() (UseText, *Error) {
	t, err := s.Kind(ValueToken, "an argument such as %arg0")
	if err != nil {
		return UseText{}, err
	}
	if strings.IndexByte(t.Value, '#') >= 0 {
		return UseText{}, Errorf(t.Pos, "argument %s cannot have a number", t.Value)
	}
	return UseText{t.Value[1:], t.Pos}, nil
}
