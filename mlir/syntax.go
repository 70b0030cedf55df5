package mlir

import (
	"strconv"
)

// syntax is the pretty form of an op behind its name, as a list of parts: one
// list reads it and prints it. The parts follow the directives of MLIR's
// declarative assembly format, in which the dialect defines its own.
type syntax []part

// part is one piece of a pretty form.
type part interface {
	// parse reads the piece into o.
	parse(lex *stream, o *opNode) *Error
	// fits reports whether the piece can print op so that it reads back the same.
	fits(op *Op) bool
	print(p *printer, op *Op)
	// shows returns the attributes that the piece prints.
	shows() []string
}

func (s syntax) parse(lex *stream, o *opNode) *Error {
	for _, p := range s {
		if err := p.parse(lex, o); err != nil {
			return err
		}
	}
	return nil
}

func (s syntax) fits(op *Op) bool {
	for _, p := range s {
		if !p.fits(op) {
			return false
		}
	}
	return len(op.Successors) == 0
}

func (s syntax) print(p *printer, op *Op) {
	for _, q := range s {
		q.print(p, op)
	}
}

func (s syntax) shows() []string {
	var names []string
	for _, p := range s {
		names = append(names, p.shows()...)
	}
	return names
}

// plain is embedded by parts that always fit and show no attribute.
type plain struct{}

func (plain) fits(*Op) bool   { return true }
func (plain) shows() []string { return nil }

// word is a keyword or a mark. One that is a comma prints without space before.
type word struct {
	plain
	text string
}

func (w word) parse(lex *stream, _ *opNode) *Error { return expect(lex, w.text) }
func (w word) print(p *printer, _ *Op) {
	if w.text != "," {
		p.str(" ")
	}
	p.str(w.text)
}

// operands is a list of n operands, or with n < 0 of any number; with n of -2,
// none print as a space, which the dialect's printer leaves. A comma behind the
// list that no operand follows is left for the next part.
type operands struct{ n int }

func (s operands) parse(lex *stream, o *opNode) *Error {
	if s.n < 0 {
		return s.parseAny(lex, o)
	}
	for i := range s.n {
		if i > 0 && !accept(lex, ",") {
			return unexpected(lex.Peek(), "',' and operand "+strconv.Itoa(i+1)+" of "+strconv.Itoa(s.n))
		}
		if err := o.operand(lex); err != nil {
			return err
		}
	}
	return nil
}

func (operands) parseAny(lex *stream, o *opNode) *Error {
	start, had := lex.mark(), len(o.operands)
	for lex.tok.Type == tokValue {
		if err := o.operand(lex); err != nil {
			return err
		}
		if !is(lex, ",") {
			break
		}
		comma := lex.mark()
		if lex.Next(); lex.tok.Type != tokValue {
			lex.goTo(comma)
			break
		}
	}
	if len(o.operands) > had && definesResults(lex) {
		lex.goTo(start)
		o.operands = o.operands[:had]
	}
	return nil
}

// definesResults reports whether the values just read are not operands but what
// the next op defines: behind a return without operands, %0 = or %0:2.
func definesResults(lex *stream) bool {
	if !is(lex, ":") {
		return is(lex, "=")
	}
	back := lex.mark()
	lex.Next()
	count := lex.tok.Type == tokInt
	lex.goTo(back)
	return count
}

func (s operands) fits(op *Op) bool { return s.n < 0 || s.n == len(op.Operands) }
func (s operands) shows() []string  { return nil }
func (s operands) print(p *printer, op *Op) {
	if s.n == -2 && len(op.Operands) == 0 {
		p.str(" ")
	}
	for i, v := range op.Operands {
		if i > 0 {
			p.str(",")
		}
		p.str(" ")
		p.use(v)
	}
}

// attrDict is the dictionary of the attributes that no other part shows.
// It stands in ops that have no regions.
type attrDict struct{ plain }

func (attrDict) fits(op *Op) bool { return len(op.Regions) == 0 }

func (attrDict) parse(lex *stream, o *opNode) *Error { return o.optionalAttrDict(lex) }
func (attrDict) print(p *printer, op *Op) {
	p.restDict(op)
}

// funcType is `: (operand types) -> result types`.
type funcType struct{ plain }

func (funcType) parse(lex *stream, o *opNode) *Error { return o.functionalType(lex) }
func (funcType) print(p *printer, op *Op)            { p.str(" : "); p.funcType(op) }

// sameType is `: T` where all operands and the one result are of type T, and
// the whole function type otherwise.
type sameType struct{ plain }

func (sameType) parse(lex *stream, o *opNode) *Error {
	return o.shortType(lex, func(t typeRef) *Error {
		for range o.operands {
			o.ins = append(o.ins, t)
		}
		o.outs = append(o.outs, t)
		return nil
	})
}

func (sameType) print(p *printer, op *Op) {
	if len(op.Results) == 1 && allOf(op.Results[0].Type, op.Operands) {
		p.str(" : ")
		p.typ(op.Results[0].Type)
		return
	}
	p.str(" : ")
	p.funcType(op)
}

// allOf reports whether all values have type t, which is not a function type.
func allOf(t Type, vs []*Value) bool {
	if _, fn := t.(*FunctionType); fn {
		return false
	}
	for _, v := range vs {
		if !SameType(v.Type, t) {
			return false
		}
	}
	return true
}

// shortType reads `: T…`, leaving the types behind the first to rest, or a
// whole function type.
func (o *opNode) shortType(lex *stream, rest func(first typeRef) *Error) *Error {
	if err := expect(lex, ":"); err != nil {
		return err
	}
	if is(lex, "(") {
		return o.functionTypes(lex)
	}
	t, err := parseType(lex)
	if err != nil {
		return err
	}
	o.typePos = t.pos
	return rest(t)
}

// results is `: T1, T2`, the types of all results where there are no operands,
// or of the operands where there are no results. With optional, nothing stands
// for none.
type typeList struct {
	plain
	operands bool // of the operands; else of the results
	both     bool // operands and results have the same types
	optional bool
}

func (s typeList) parse(lex *stream, o *opNode) *Error {
	if s.optional && !is(lex, ":") {
		return nil
	}
	if err := expect(lex, ":"); err != nil {
		return err
	}
	o.typePos = lex.tok.Pos
	for {
		t, err := parseType(lex)
		if err != nil {
			return err
		}
		if s.operands || s.both {
			o.ins = append(o.ins, t)
		}
		if !s.operands {
			o.outs = append(o.outs, t)
		}
		if !accept(lex, ",") {
			return nil
		}
	}
}

func (s typeList) fits(op *Op) bool {
	switch {
	case s.both:
		if len(op.Operands) != len(op.Results) {
			return false
		}
		for i, v := range op.Operands {
			if !SameType(v.Type, op.Results[i].Type) {
				return false
			}
		}
		return s.optional || len(op.Results) > 0
	case s.operands:
		return len(op.Results) == 0 && (s.optional || len(op.Operands) > 0)
	}
	return len(op.Operands) == 0 && (s.optional || len(op.Results) > 0)
}

func (s typeList) print(p *printer, op *Op) {
	vs := op.Results
	if s.operands {
		vs = op.Operands
	}
	for i, v := range vs {
		p.str([]string{", ", " : "}[btoi(i == 0)])
		p.typ(v.Type)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// attr is the value of an attribute in its short form; the word before it is a
// part of its own.
type attr struct {
	name string
	kind attrKind
	enum string // kind of an enum: comparison_direction
}

type attrKind uint8

const (
	i64Attr    attrKind = iota // 3
	i64sAttr                   // [1, 2]
	enumAttr                   // LT
	boolAttr                   // true
	stringAttr                 // "text"
)

func (a attr) shows() []string { return []string{a.name} }

func (a attr) parse(lex *stream, o *opNode) *Error {
	switch a.kind {
	case i64Attr:
		v, err := parseI64(lex)
		o.set(a.name, I64Attr(v))
		return err
	case i64sAttr:
		v, err := parseInts(lex)
		o.set(a.name, I64Array(v))
		return err
	case enumAttr:
		t, err := expectKind(lex, tokIdent, "a "+a.enum)
		if err == nil {
			o.set(a.name, EnumAttr{"stablehlo", a.enum, t.Value})
		}
		return err
	case boolAttr:
		t := lex.Peek()
		if !is(lex, "true") && !is(lex, "false") {
			return unexpected(t, "true or false")
		}
		lex.Next()
		o.set(a.name, BoolAttr(t.Value == "true"))
		return nil
	}
	t, err := expectKind(lex, tokString, "a string")
	if err != nil {
		return err
	}
	s, ok := unquote(t.Value)
	if !ok {
		return errorf(t.Pos, "string with a wrong escape")
	}
	o.set(a.name, StringAttr(s))
	return nil
}

func (a attr) fits(op *Op) bool {
	v := op.Attrs.Get(a.name)
	switch a.kind {
	case i64Attr:
		i, ok := v.(IntegerAttr)
		return ok && i.Type == I64
	case i64sAttr:
		d, ok := v.(DenseArrayAttr)
		return ok && d.Elem == I64
	case enumAttr:
		e, ok := v.(EnumAttr)
		return ok && e.Dialect == "stablehlo" && e.Kind == a.enum
	case boolAttr:
		_, ok := v.(BoolAttr)
		return ok
	}
	_, ok := v.(StringAttr)
	return ok
}

func (a attr) print(p *printer, op *Op) {
	p.str(" ")
	switch v := op.Attrs.Get(a.name).(type) {
	case IntegerAttr:
		p.str(strconv.FormatInt(v.Value, 10))
	case DenseArrayAttr:
		p.ints(v.Ints)
	case EnumAttr:
		p.str(v.Value)
	default:
		p.str(v.String())
	}
}

// group is parts that stand only where the attribute of the anchor is set;
// they begin with a comma and a word, by which they are known.
type group struct {
	anchor string
	parts  syntax
}

func (g group) parse(lex *stream, o *opNode) *Error {
	if !is(lex, ",") {
		return nil
	}
	return g.parts.parse(lex, o)
}
func (g group) fits(op *Op) bool { return op.Attrs.Get(g.anchor) == nil || g.parts.fits(op) }
func (g group) shows() []string  { return g.parts.shows() }
func (g group) print(p *printer, op *Op) {
	if op.Attrs.Get(g.anchor) != nil {
		g.parts.print(p, op)
	}
}

func parseI64(lex *stream) (int64, *Error) {
	t, err := expectKind(lex, tokInt, "an integer")
	if err != nil {
		return 0, err
	}
	v, ok := parseInt(t.Value, I64)
	if !ok {
		return 0, errorf(t.Pos, "%s does not fit i64", t.Value)
	}
	return v, nil
}

// parseInts reads [1, 2].
func parseInts(lex *stream) ([]int64, *Error) {
	v := []int64{}
	err := list(lex, "[", "]", func() *Error {
		x, err := parseI64(lex)
		v = append(v, x)
		return err
	})
	return v, err
}
