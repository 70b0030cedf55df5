package mlir

import (
	"strconv"
	"strings"
)

// opNode is an op line as read: whatever form it was written in, it has the
// parts of the generic one. It reads the results and the name and hands the
// rest to the syntax in the op's definition.
type opNode struct {
	name       string
	pos        Pos
	def        *opDef // nil for an op that is not in the table
	results    []resultNode
	operands   []useNode
	attrs      []attrEntry
	regions    []*Region
	successors []useNode
	ins, outs  []typeRef
	typePos    Pos
	loc        Location
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
	// attrEntry is an attribute; of one that had an error val is nil.
	attrEntry struct {
		name string
		pos  Pos
		val  Attribute
	}
	argNode struct {
		useNode
		typ typeRef
		loc Location
	}
)

// reset empties o for the next op, keeping its memory.
func (o *opNode) reset() {
	clear(o.attrs)
	*o = opNode{
		results: o.results[:0], operands: o.operands[:0], attrs: o.attrs[:0],
		successors: o.successors[:0], ins: o.ins[:0], outs: o.outs[:0],
	}
}

func (o *opNode) set(name string, v Attribute) {
	o.attrs = append(o.attrs, attrEntry{name: name, pos: o.pos, val: v})
}

func (o *opNode) parse(lex *stream) *Error {
	if lex.tok.Type == tokValue {
		if err := o.parseResults(lex); err != nil {
			return err
		}
	}
	t := lex.tok
	o.pos = t.Pos
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
			return noSyntax(t, o.def)
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
	o.loc, err = lex.optionalLoc()
	return err
}

func (o *opNode) parseResults(lex *stream) *Error {
	for {
		t, err := expectKind(lex, tokValue, "a result such as %0")
		if err != nil {
			return err
		}
		r := resultNode{name: t.Value[1:], count: 1, pos: t.Pos}
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
				return errorf(n.Pos, "number of results %s is not between 1 and 65536", n.Value)
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
func (o *opNode) parseGeneric(lex *stream) *Error {
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
		if o.def != nil && len(o.def.props) == 0 && len(o.attrs) > 0 {
			return errorf(o.attrs[0].pos, "%s has no properties: %s stands in {…} behind the operands", o.name, o.attrs[0].name)
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

func (o *opNode) operand(lex *stream) *Error {
	t, err := expectKind(lex, tokValue, "an operand such as %0")
	if err == nil {
		o.operands = append(o.operands, useNode{t.Value[1:], t.Pos})
	}
	return err
}

func (o *opNode) successor(lex *stream) *Error {
	t, err := expectKind(lex, tokBlock, "a block such as ^bb0")
	if err == nil {
		o.successors = append(o.successors, useNode{t.Value[1:], t.Pos})
	}
	return err
}

// functionalType reads : (a, b) -> c, the types of operands and results.
func (o *opNode) functionalType(lex *stream) *Error {
	if err := expect(lex, ":"); err != nil {
		return err
	}
	return o.functionTypes(lex)
}

func (o *opNode) functionTypes(lex *stream) *Error {
	o.typePos = lex.tok.Pos
	fn := fnRef{ins: o.ins[:0], outs: o.outs[:0]}
	err := fn.parse(lex)
	o.ins, o.outs = fn.ins, fn.outs
	return err
}

func (o *opNode) optionalAttrDict(lex *stream) *Error {
	if is(lex, "{") {
		return o.attrDict(lex)
	}
	return nil
}

// attrDict reads {a = 1, b} into the op's attributes.
func (o *opNode) attrDict(lex *stream) *Error {
	return list(lex, "{", "}", func() *Error {
		t := lex.Next()
		if t.Type != tokIdent && t.Type != tokString {
			return unexpected(t, "the name of an attribute")
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
func (o *opNode) entry(lex *stream, name string, pos Pos) (err *Error) {
	v := Attribute(UnitAttr{})
	if accept(lex, "=") {
		v, err = lex.attr()
	}
	o.attrs = append(o.attrs, attrEntry{name, pos, v})
	return err
}

func entryName(text string, pos Pos) (string, *Error) {
	if text == "" || text[0] != '"' {
		return text, nil
	}
	s, ok := unquote(text)
	if !ok || s == "" {
		return "", errorf(pos, "%s is not the name of an attribute", text)
	}
	return s, nil
}

// region reads {…}, whose blocks have their arguments in their labels.
func (o *opNode) region(lex *stream) *Error { return o.regionOf(lex, nil) }

// regionOf reads {…}, of whose entry block the op's own line tells.
func (o *opNode) regionOf(lex *stream, e *entry) *Error {
	reg, err := lex.r.readRegion(lex, o.def != nil && o.def.traits.Has(Isolated), e)
	o.regions = append(o.regions, reg)
	return err
}

// parseArg reads %x: T loc(…).
func parseArg(lex *stream) (a argNode, err *Error) {
	if a.useNode, err = parseArgName(lex); err != nil {
		return a, err
	}
	if err = expect(lex, ":"); err != nil {
		return a, err
	}
	if a.typ, err = parseType(lex); err != nil {
		return a, err
	}
	a.loc, err = lex.optionalLoc()
	return a, err
}

func parseArgName(lex *stream) (useNode, *Error) {
	t, err := expectKind(lex, tokValue, "an argument such as %arg0")
	if err != nil {
		return useNode{}, err
	}
	if strings.IndexByte(t.Value, '#') >= 0 {
		return useNode{}, errorf(t.Pos, "argument %s cannot have a number", t.Value)
	}
	return useNode{t.Value[1:], t.Pos}, nil
}
