package stablehlo

import (
	"slices"
	"strconv"

	"ltc/internal/lexeme"
	"ltc/internal/mlirtext"
	"ltc/mlir"
)

// word is a keyword or a mark. One that is a comma prints without space before.
type word string

func (w word) Parse(lex *mlirtext.Stream, _ *mlirtext.OpText) { lex.Expect(string(w)) }
func (word) Fits(*mlir.Op) bool                               { return true }
func (word) Shows() []string                                  { return nil }
func (w word) Print(p *mlirtext.Printer, _ *mlir.Op) {
	if w != "," {
		p.Str(" ")
	}
	p.Str(string(w))
}

// funcType is `: (operand types) -> result types`.
type funcType struct{ plain }

func (funcType) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) { o.FunctionalType(lex) }
func (funcType) Print(p *mlirtext.Printer, op *mlir.Op)         { p.Str(" : "); p.FuncType(op) }

// oneType is `: T` where all operands and the one result are of type T, and
// the whole function type otherwise.
type oneType struct{ plain }

func (oneType) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	o.ShortType(lex, func(t mlirtext.TypeText) {
		for range o.Operands {
			o.Ins = append(o.Ins, t)
		}
		o.Outs = append(o.Outs, t)
	})
}

func (oneType) Print(p *mlirtext.Printer, op *mlir.Op) {
	if len(op.Results) == 1 && allOfType(op.Results[0].Type, op.Operands) {
		p.Str(" : ")
		p.Type(op.Results[0].Type)
		return
	}
	p.Str(" : ")
	p.FuncType(op)
}

// allOfType reports whether all values have type t, which is not a function type.
func allOfType(t mlir.Type, vs []*mlir.Value) bool {
	return !mlirtext.IsFunction(t) && !slices.ContainsFunc(vs, func(v *mlir.Value) bool { return !mlir.SameType(v.Type, t) })
}

// attr is the value of an attribute in its short form; the word before it is a
// part of its own.
type attr struct {
	Name string
	Kind attrKind
	Enum mlir.EnumAttr // without its value, of an enum
}

// attrKind is how the value of an attribute is written.
type attrKind uint8

// The kinds.
const (
	i64Value    attrKind = iota // 3
	i64sValue                   // [1, 2]
	enumValue                   // LT
	boolValue                   // true
	stringValue                 // "text"
)

func (a attr) Shows() []string { return []string{a.Name} }

func (a attr) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	switch a.Kind {
	case i64Value:
		o.Set(a.Name, mlir.I64Attr(readInt(lex)))
	case i64sValue:
		o.Set(a.Name, mlir.I64Array(readInts(lex)))
	case enumValue:
		o.Set(a.Name, mlir.EnumAttr{Dialect: a.Enum.Dialect, Kind: a.Enum.Kind, Value: lex.Kind(mlirtext.IdentToken, "a "+a.Enum.Kind).Value})
	case boolValue:
		if !lex.Is("true") && !lex.Is("false") {
			lex.Stop(mlirtext.Unexpected(lex.Peek(), "true or false"))
		}
		o.Set(a.Name, mlir.BoolAttr(lex.Next().Value == "true"))
	case stringValue:
		t := lex.Kind(mlirtext.StringToken, "a string")
		s, ok := lexeme.Unquote(t.Value)
		if !ok {
			lex.Stop(mlir.Errorf(t.Pos, "string with a wrong escape"))
		}
		o.Set(a.Name, mlir.StringAttr(s))
	}
}

func (a attr) Fits(op *mlir.Op) bool {
	v := op.Attrs.Get(a.Name)
	switch a.Kind {
	case i64Value:
		i, ok := v.(mlir.IntegerAttr)
		return ok && i.Type == mlir.I64
	case i64sValue:
		d, ok := v.(mlir.DenseArrayAttr)
		return ok && d.Elem == mlir.I64
	case enumValue:
		e, ok := v.(mlir.EnumAttr)
		return ok && e.Dialect == a.Enum.Dialect && e.Kind == a.Enum.Kind
	case boolValue:
		_, ok := v.(mlir.BoolAttr)
		return ok
	}
	_, ok := v.(mlir.StringAttr)
	return ok
}

func (a attr) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.Str(" ")
	switch v := op.Attrs.Get(a.Name).(type) {
	case mlir.IntegerAttr:
		p.Str(strconv.FormatInt(v.Value, 10))
	case mlir.DenseArrayAttr:
		printInts(p, v.Ints)
	case mlir.EnumAttr:
		p.Str(v.Value)
	default:
		p.Str(v.String())
	}
}

// group is parts that stand only where the attribute of the anchor is set;
// they begin with a comma and a word, by which they are known.
type group struct {
	Anchor string
	Parts  syntax
}

func (g group) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	if !lex.Is(",") {
		return
	}
	g.Parts.Parse(lex, o)
}
func (g group) Fits(op *mlir.Op) bool { return op.Attrs.Get(g.Anchor) == nil || g.Parts.Fits(op) }
func (g group) Shows() []string       { return g.Parts.Shows() }
func (g group) Print(p *mlirtext.Printer, op *mlir.Op) {
	if op.Attrs.Get(g.Anchor) != nil {
		g.Parts.Print(p, op)
	}
}

// readInt reads an i64.
func readInt(lex *mlirtext.Stream) int64 {
	t := lex.Kind(mlirtext.IntToken, "an integer")
	v, ok := mlir.ParseInt(t.Value, mlir.I64)
	if !ok {
		lex.Stop(mlir.Errorf(t.Pos, "%s does not fit i64", t.Value))
	}
	return v
}

// readInts reads [1, 2].
func readInts(lex *mlirtext.Stream) []int64 {
	v := []int64{}
	lex.List("[", "]", func() { v = append(v, readInt(lex)) })
	return v
}

// printInts writes [1, 2].
func printInts(p *mlirtext.Printer, v []int64) {
	p.Str("[")
	for i, x := range v {
		p.Comma(i)
		p.Int(x)
	}
	p.Str("]")
}
