package mlirtext

import (
	"strconv"
	"strings"

	"ltc/internal/lexeme"
	"ltc/mlir"
)

// OpText is an op line as read: whatever form it was written in, it has the
// parts of the generic one. It reads the results and the name and hands the
// rest to the syntax in the op's definition.
type OpText struct {
	name       string
	Pos        mlir.Pos
	form       *form // nil for an op that is not in the table
	results    []resultNode
	Operands   []UseText
	attrs      []attrEntry
	Regions    []*mlir.Region
	successors []UseText
	Ins, Outs  []TypeText
	TypePos    mlir.Pos
	loc        mlir.Location
}

type (
	resultNode struct {
		name  string
		count int
		pos   mlir.Pos
	}
	// UseText is %name, %name#1 or ^label, without the sigil.
	UseText struct {
		Name string
		Pos  mlir.Pos
	}
	// attrEntry is an attribute; of one that had an error val is nil.
	attrEntry struct {
		name string
		pos  mlir.Pos
		val  mlir.Attribute
	}
	// ArgText is an argument of a block: %name: type loc(…).
	ArgText struct {
		UseText
		Type TypeText
		Loc  mlir.Location
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
func (o *OpText) Set(name string, v mlir.Attribute) {
	o.attrs = append(o.attrs, attrEntry{name: name, pos: o.Pos, val: v})
}

// SetAt is Set of an attribute that stands at pos. A nil one had an error, which is
// recorded.
func (o *OpText) SetAt(name string, pos mlir.Pos, v mlir.Attribute) {
	o.attrs = append(o.attrs, attrEntry{name, pos, v})
}

func (o *OpText) parse(lex *Stream) {
	if lex.tok.Type == ValueToken {
		o.parseResults(lex)
	}
	t := lex.tok
	o.Pos = t.Pos
	switch t.Type {
	case StringToken:
		lex.Next()
		name, ok := lexeme.Unquote(t.Value)
		if !ok || name == "" {
			lex.Stop(mlir.Errorf(o.Pos, "op name %s is not a string", t.Value))
		}
		o.name, o.form = name, formByName[name]
		o.Generic(lex)
	case IdentToken:
		o.form = formByName[t.Value]
		if o.form == nil {
			o.form = formByName[shortNames[t.Value]]
		}
		if o.form == nil || o.form.syntax == nil {
			lex.Stop(noSyntax(t, o.form))
		}
		o.name = o.form.code.String()
		lex.Next()
		o.form.syntax.Parse(lex, o)
	default:
		lex.Stop(Unexpected(t, "an op"))
	}
	o.loc = lex.optionalLoc()
}

func (o *OpText) parseResults(lex *Stream) {
	for {
		t := lex.Kind(ValueToken, "a result such as %0")
		r := resultNode{name: t.Value[1:], count: 1, pos: t.Pos}
		if strings.IndexByte(r.name, '#') >= 0 {
			lex.Stop(mlir.Errorf(r.pos, "result %s cannot be defined by its number: write %%name:count", t.Value))
		}
		if lex.Accept(":") {
			n := lex.Kind(IntToken, "the number of results")
			c, cerr := strconv.Atoi(n.Value)
			if cerr != nil || c < 1 || c > 1<<16 {
				lex.Stop(mlir.Errorf(n.Pos, "number of results %s is not between 1 and 65536", n.Value))
			}
			r.count = c
		}
		o.results = append(o.results, r)
		if lex.Accept("=") {
			return
		}
		if !lex.Accept(",") {
			lex.Stop(Unexpected(lex.Peek(), "',' or '='"))
		}
	}
}

// Generic reads (operands)[successors]<{properties}>({regions}){attrs} : type.
func (o *OpText) Generic(lex *Stream) {
	lex.List("(", ")", func() { o.Operand(lex) })
	if lex.Is("[") {
		lex.List("[", "]", func() {
			t := lex.Kind(tokBlock, "a block such as ^bb0")
			o.successors = append(o.successors, UseText{t.Value[1:], t.Pos})
		})
	}
	if lex.Accept("<") {
		o.AttrDict(lex)
		if o.form != nil && len(o.form.code.Props()) == 0 && len(o.attrs) > 0 {
			lex.Stop(mlir.Errorf(o.attrs[0].pos, "%s has no properties: %s stands in {…} behind the operands", o.name, o.attrs[0].name))
		}
		lex.Expect(">")
	}
	if lex.Is("(") {
		lex.List("(", ")", func() { o.Region(lex) })
	}
	o.OptionalAttrDict(lex)
	o.FunctionalType(lex)
}

// Operand reads an operand, %x.
func (o *OpText) Operand(lex *Stream) {
	t := lex.Kind(ValueToken, "an operand such as %0")
	o.Operands = append(o.Operands, UseText{t.Value[1:], t.Pos})
}

// FunctionalType reads : (a, b) -> c, the types of operands and results.
func (o *OpText) FunctionalType(lex *Stream) {
	lex.Expect(":")
	o.functionTypes(lex)
}

func (o *OpText) functionTypes(lex *Stream) {
	o.TypePos = lex.tok.Pos
	fn := fnRef{ins: o.Ins[:0], outs: o.Outs[:0]}
	fn.parse(lex)
	o.Ins, o.Outs = fn.ins, fn.outs
}

// OptionalAttrDict is AttrDict, or nothing.
func (o *OpText) OptionalAttrDict(lex *Stream) {
	if lex.Is("{") {
		o.AttrDict(lex)
	}
}

// AttrDict reads {a = 1, b} into the op's attributes.
func (o *OpText) AttrDict(lex *Stream) {
	lex.List("{", "}", func() {
		name, pos := lex.entryName("the name of an attribute")
		v := mlir.Attribute(mlir.UnitAttr{})
		if lex.Accept("=") {
			v = lex.Attr()
		}
		o.attrs = append(o.attrs, attrEntry{name, pos, v})
	})
}

// entryName reads a name, which may be quoted; what is its name in errors.
func (s *Stream) entryName(what string) (string, mlir.Pos) {
	t := s.Next()
	if t.Type != IdentToken && t.Type != StringToken {
		s.Stop(Unexpected(t, what))
	}
	name, err := entryName(t.Value, t.Pos)
	if err != nil {
		s.Stop(err)
	}
	return name, t.Pos
}

func entryName(text string, pos mlir.Pos) (string, *mlir.Error) {
	if text == "" || text[0] != '"' {
		return text, nil
	}
	s, ok := lexeme.Unquote(text)
	if !ok || s == "" {
		return "", mlir.Errorf(pos, "%s is not the name of an attribute", text)
	}
	return s, nil
}

// Region reads {…}, whose blocks have their arguments in their labels.
func (o *OpText) Region(lex *Stream) { o.RegionOf(lex, nil) }

// RegionOf reads {…}; e has what the op's own line said about the entry block, or is nil.
func (o *OpText) RegionOf(lex *Stream, e *Entry) {
	o.Regions = append(o.Regions, lex.r.readRegion(lex, o.form != nil && o.form.code.Info().Traits.Has(mlir.Isolated), e))
}

// Arg reads an argument, %x: T loc(…).
func (s *Stream) Arg() (a ArgText) {
	a.UseText = s.ArgName()
	s.Expect(":")
	a.Type = s.Type()
	a.Loc = s.optionalLoc()
	return a
}

// ArgName reads the name of an argument, %x.
func (s *Stream) ArgName() UseText {
	t := s.Kind(ValueToken, "an argument such as %arg0")
	if strings.IndexByte(t.Value, '#') >= 0 {
		s.Stop(mlir.Errorf(t.Pos, "argument %s cannot have a number", t.Value))
	}
	return UseText{t.Value[1:], t.Pos}
}
