package mlir

import (
	"slices"
	"strconv"
)

// Syntax is the pretty form of an op behind its name, as a list of parts: one
// list reads it and prints it. The parts follow the directives of MLIR's
// declarative assembly format, in which the dialect defines its own.
type Syntax []Part

// Part is one piece of a pretty form.
type Part interface {
	// Parse reads the piece into o, or ends the reading by [Stream.Stop].
	Parse(lex *Stream, o *OpText)
	// Fits reports whether the piece can print op so that it reads back the same.
	Fits(op *Op) bool
	Print(p *Printer, op *Op)
	// Shows returns the attributes that the piece prints.
	Shows() []string
}

func (s Syntax) Parse(lex *Stream, o *OpText) {
	for _, p := range s {
		p.Parse(lex, o)
	}
}

func (s Syntax) Fits(op *Op) bool {
	return len(op.Successors) == 0 && !slices.ContainsFunc(s, func(p Part) bool { return !p.Fits(op) })
}

func (s Syntax) Print(p *Printer, op *Op) {
	for _, q := range s {
		q.Print(p, op)
	}
}

func (s Syntax) Shows() []string {
	var names []string
	for _, p := range s {
		names = append(names, p.Shows()...)
	}
	return names
}

// Plain is embedded by parts that always fit and show no attribute.
type Plain struct{}

func (Plain) Fits(*Op) bool   { return true }
func (Plain) Shows() []string { return nil }

// Word is a keyword or a mark. One that is a comma prints without space before.
type Word string

func (w Word) Parse(lex *Stream, _ *OpText) { lex.Expect(string(w)) }
func (Word) Fits(*Op) bool                  { return true }
func (Word) Shows() []string                { return nil }
func (w Word) Print(p *Printer, _ *Op) {
	if w != "," {
		p.Str(" ")
	}
	p.Str(string(w))
}

// Operands is a list of that many operands, or if negative of any number; with -2,
// none print as a space, which the dialect's printer leaves. A comma behind the
// list that no operand follows is left for the next part.
type Operands int

func (s Operands) Parse(lex *Stream, o *OpText) {
	if s < 0 {
		s.parseAny(lex, o)
		return
	}
	for i := range int(s) {
		if i > 0 && !lex.Accept(",") {
			lex.Stop(Unexpected(lex.Peek(), "',' and operand "+strconv.Itoa(i+1)+" of "+strconv.Itoa(int(s))))
		}
		o.Operand(lex)
	}
}

func (Operands) parseAny(lex *Stream, o *OpText) {
	start, had := lex.Mark(), len(o.Operands)
	for lex.tok.Type == ValueToken {
		o.Operand(lex)
		if !lex.Is(",") {
			break
		}
		comma := lex.Mark()
		if lex.Next(); lex.tok.Type != ValueToken {
			lex.GoTo(comma)
			break
		}
	}
	if len(o.Operands) > had && definesResults(lex) {
		lex.GoTo(start)
		o.Operands = o.Operands[:had]
	}
}

// definesResults reports whether the values just read are not operands but what
// the next op defines: behind a return without operands, %0 = or %0:2.
func definesResults(lex *Stream) bool {
	if !lex.Is(":") {
		return lex.Is("=")
	}
	back := lex.Mark()
	lex.Next()
	count := lex.tok.Type == IntToken
	lex.GoTo(back)
	return count
}

func (s Operands) Fits(op *Op) bool { return s < 0 || int(s) == len(op.Operands) }
func (Operands) Shows() []string    { return nil }
func (s Operands) Print(p *Printer, op *Op) {
	if s == -2 && len(op.Operands) == 0 {
		p.Str(" ")
	}
	for i, v := range op.Operands {
		if i > 0 {
			p.Str(",")
		}
		p.Str(" ")
		p.Use(v)
	}
}

// AttrDict is the dictionary of the attributes that no other part shows.
// It stands in ops that have no regions.
type AttrDict struct{ Plain }

func (AttrDict) Fits(op *Op) bool { return len(op.Regions) == 0 }

func (AttrDict) Parse(lex *Stream, o *OpText) { o.OptionalAttrDict(lex) }
func (AttrDict) Print(p *Printer, op *Op) {
	p.RestDict(op)
}

// FuncTypes is `: (operand types) -> result types`.
type FuncTypes struct{ Plain }

func (FuncTypes) Parse(lex *Stream, o *OpText) { o.FunctionalType(lex) }
func (FuncTypes) Print(p *Printer, op *Op)     { p.Str(" : "); p.FuncType(op) }

// OneType is `: T` where all operands and the one result are of type T, and
// the whole function type otherwise.
type OneType struct{ Plain }

func (OneType) Parse(lex *Stream, o *OpText) {
	o.ShortType(lex, func(t TypeText) {
		for range o.Operands {
			o.Ins = append(o.Ins, t)
		}
		o.Outs = append(o.Outs, t)
	})
}

func (OneType) Print(p *Printer, op *Op) {
	if len(op.Results) == 1 && AllOfType(op.Results[0].Type, op.Operands) {
		p.Str(" : ")
		p.Type(op.Results[0].Type)
		return
	}
	p.Str(" : ")
	p.FuncType(op)
}

// AllOfType reports whether all values have type t, which is not a function type.
func AllOfType(t Type, vs []*Value) bool {
	return !IsFunction(t) && !slices.ContainsFunc(vs, func(v *Value) bool { return !SameType(v.Type, t) })
}

// ShortType reads `: T…`, leaving the types behind the first to rest, or a
// whole function type.
func (o *OpText) ShortType(lex *Stream, rest func(first TypeText)) {
	lex.Expect(":")
	if lex.Is("(") {
		o.functionTypes(lex)
		return
	}
	t := lex.Type()
	o.TypePos = t.Pos
	rest(t)
}

// TypeList is `: T1, T2`, the types of all results where there are no operands,
// or of the operands where there are no results. With optional, nothing stands
// for none.
type TypeList struct {
	Plain
	Operands bool // of the operands; else of the results
	Both     bool // operands and results have the same types
	Optional bool
}

func (s TypeList) Parse(lex *Stream, o *OpText) {
	if s.Optional && !lex.Is(":") {
		return
	}
	lex.Expect(":")
	o.TypePos = lex.tok.Pos
	for {
		t := lex.Type()
		if s.Operands || s.Both {
			o.Ins = append(o.Ins, t)
		}
		if !s.Operands {
			o.Outs = append(o.Outs, t)
		}
		if !lex.Accept(",") {
			return
		}
	}
}

func (s TypeList) Fits(op *Op) bool {
	switch {
	case s.Both:
		return SameTypes(TypesOf(op.Operands), TypesOf(op.Results)) && (s.Optional || len(op.Results) > 0)
	case s.Operands:
		return len(op.Results) == 0 && (s.Optional || len(op.Operands) > 0)
	}
	return len(op.Operands) == 0 && (s.Optional || len(op.Results) > 0)
}

func (s TypeList) Print(p *Printer, op *Op) {
	vs := op.Results
	if s.Operands {
		vs = op.Operands
	}
	for i, v := range vs {
		p.Str([]string{", ", " : "}[btoi(i == 0)])
		p.Type(v.Type)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// AttrValue is the value of an attribute in its short form; the word before it is a
// part of its own.
type AttrValue struct {
	Name string
	Kind ValueKind
	Enum EnumAttr // without its value, of an enum
}

// ValueKind is how the value of an attribute is written.
type ValueKind uint8

// The kinds.
const (
	I64Value    ValueKind = iota // 3
	I64sValue                    // [1, 2]
	EnumValue                    // LT
	BoolValue                    // true
	StringValue                  // "text"
)

func (a AttrValue) Shows() []string { return []string{a.Name} }

func (a AttrValue) Parse(lex *Stream, o *OpText) {
	switch a.Kind {
	case I64Value:
		o.Set(a.Name, I64Attr(lex.Int()))
	case I64sValue:
		o.Set(a.Name, I64Array(lex.Ints()))
	case EnumValue:
		o.Set(a.Name, EnumAttr{a.Enum.Dialect, a.Enum.Kind, lex.Kind(IdentToken, "a "+a.Enum.Kind).Value})
	case BoolValue:
		if !lex.Is("true") && !lex.Is("false") {
			lex.Stop(Unexpected(lex.tok, "true or false"))
		}
		o.Set(a.Name, BoolAttr(lex.Next().Value == "true"))
	case StringValue:
		t := lex.Kind(tokString, "a string")
		s, ok := Unquote(t.Value)
		if !ok {
			lex.Stop(Errorf(t.Pos, "string with a wrong escape"))
		}
		o.Set(a.Name, StringAttr(s))
	}
}

func (a AttrValue) Fits(op *Op) bool {
	v := op.Attrs.Get(a.Name)
	switch a.Kind {
	case I64Value:
		i, ok := v.(IntegerAttr)
		return ok && i.Type == I64
	case I64sValue:
		d, ok := v.(DenseArrayAttr)
		return ok && d.Elem == I64
	case EnumValue:
		e, ok := v.(EnumAttr)
		return ok && e.Dialect == a.Enum.Dialect && e.Kind == a.Enum.Kind
	case BoolValue:
		_, ok := v.(BoolAttr)
		return ok
	}
	_, ok := v.(StringAttr)
	return ok
}

func (a AttrValue) Print(p *Printer, op *Op) {
	p.Str(" ")
	switch v := op.Attrs.Get(a.Name).(type) {
	case IntegerAttr:
		p.Str(strconv.FormatInt(v.Value, 10))
	case DenseArrayAttr:
		p.Ints(v.Ints)
	case EnumAttr:
		p.Str(v.Value)
	default:
		p.Str(v.String())
	}
}

// Group is parts that stand only where the attribute of the anchor is set;
// they begin with a comma and a word, by which they are known.
type Group struct {
	Anchor string
	Parts  Syntax
}

func (g Group) Parse(lex *Stream, o *OpText) {
	if !lex.Is(",") {
		return
	}
	g.Parts.Parse(lex, o)
}
func (g Group) Fits(op *Op) bool { return op.Attrs.Get(g.Anchor) == nil || g.Parts.Fits(op) }
func (g Group) Shows() []string  { return g.Parts.Shows() }
func (g Group) Print(p *Printer, op *Op) {
	if op.Attrs.Get(g.Anchor) != nil {
		g.Parts.Print(p, op)
	}
}
