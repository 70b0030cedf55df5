package mlir

import (
	"strconv"
	"strings"
)

func (r *resolver) opAttrs(o *opNode) Dict {
	d := make(Dict, 0, len(o.attrs))
	for i := range o.attrs {
		e := &o.attrs[i]
		v := e.val
		if v == nil {
			v = r.entryValue(e.node)
		}
		if v == nil {
			continue // its error is recorded
		}
		if d.Get(e.name) != nil {
			r.fail(e.pos, "attribute %s of %s is given a second time", e.name, o.name)
		}
		d = append(d, NamedAttr{e.name, v})
	}
	return d
}

func (r *resolver) entryValue(n *attrNode) Attribute {
	if n == nil {
		return UnitAttr{}
	}
	return r.attr(n)
}

// attr makes the attribute of n; on an error it records it and returns nil.
func (r *resolver) attr(n *attrNode) Attribute { return r.attrIn(n, false) }

// attrIn is attr; with bare set, numbers without type have none, as in
// #stablehlo.gather<…>. Elsewhere they are i64 and f64.
func (r *resolver) attrIn(n *attrNode, bare bool) Attribute {
	pos := at(n.Pos)
	switch {
	case n.Dense != nil:
		return r.dense(n.Dense)
	case n.Token != "":
		return r.tokenAttr(n.Token, pos)
	case n.String != "":
		s, ok := unquote(n.String)
		if !ok {
			r.fail(pos, "string with a wrong escape")
		}
		return StringAttr(s)
	case len(n.Symbol) > 0:
		return r.symbol(n.Symbol, pos)
	case n.List != nil:
		a := make(ArrayAttr, 0, len(n.List.Elems))
		for _, e := range n.List.Elems {
			if v := r.attrIn(e, bare); v != nil {
				a = append(a, v)
			}
		}
		return a
	case n.Dict != nil:
		return DictAttr(r.dict(n.Dict))
	case n.Number != nil:
		return r.number(n.Number, pos, bare)
	case n.Word == "unit":
		return UnitAttr{}
	case n.Word != "":
		return BoolAttr(n.Word == "true")
	case n.Struct != nil:
		return StructAttr{n.Struct.name, r.entries(n.Struct.fields, true)}
	case n.Loc != nil:
		r.fail(pos, "a location cannot be an attribute here")
		return nil
	}
	if t := r.typ(n.Type); t != nil {
		return TypeAttr{t}
	}
	return nil
}

func (r *resolver) dict(n *dictNode) Dict { return r.entries(n.Entries, false) }

func (r *resolver) entries(es []*entryNode, bare bool) Dict {
	d := make(Dict, 0, len(es))
	for _, e := range es {
		name, err := entryName(e.Name, at(e.Pos))
		if err != nil {
			r.errs = append(r.errs, err)
			continue
		}
		if d.Get(name) != nil {
			r.fail(at(e.Pos), "%s is given a second time", name)
		}
		v := Attribute(UnitAttr{})
		if e.Value != nil {
			v = r.attrIn(e.Value, bare)
		}
		if v != nil {
			d = append(d, NamedAttr{name, v})
		}
	}
	return d
}

func (r *resolver) symbol(parts []string, pos Pos) Attribute {
	s := make([]string, len(parts))
	for i, p := range parts {
		name, ok := symbolName(p)
		if !ok {
			r.fail(pos, "%s is not a symbol", p)
		}
		s[i] = name
	}
	return SymbolAttr(strings.Join(s, "::@"))
}

// symbolName returns the name of a @symbol token.
func symbolName(tok string) (string, bool) {
	if len(tok) > 1 && tok[1] == '"' {
		return unquote(tok[1:])
	}
	return tok[1:], true
}

func (r *resolver) number(n *numberNode, pos Pos, bare bool) Attribute {
	isFloat := strings.IndexByte(n.Text, '.') >= 0
	var t Type
	switch {
	case n.Type != nil:
		if t = r.typ(n.Type); t == nil {
			return nil
		}
	case bare:
	case isFloat:
		t = F64
	default:
		t = I64
	}
	if _, ok := t.(FloatType); ok || isFloat {
		if _, ok := t.(FloatType); !ok && t != nil {
			r.fail(pos, "%s is not a number of type %s", n.Text, t)
		}
		return FloatAttr{n.Text, t}
	}
	switch t.(type) {
	case IntegerType, IndexType, nil:
	default:
		r.fail(pos, "%s cannot have type %s", n.Text, t)
		return nil
	}
	v, ok := parseInt(n.Text, t)
	if !ok {
		r.fail(pos, "%s does not fit %s", n.Text, typeOr64(t))
	}
	return IntegerAttr{v, t}
}

func typeOr64(t Type) string {
	if t == nil {
		return "i64"
	}
	return t.String()
}

// parseInt reads a decimal or hexadecimal integer that fits t. A signless type
// takes both the signed and the unsigned range.
func parseInt(s string, t Type) (int64, bool) {
	it, ok := t.(IntegerType)
	if !ok {
		it = I64
	}
	width := min(it.Width, 64)
	v, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		u, uerr := strconv.ParseUint(s, 0, 64)
		return int64(u), uerr == nil && width == 64 && it.Sign != Signed
	}
	if width == 64 {
		return v, it.Sign != Unsigned || v >= 0
	}
	low, high := -int64(1)<<(width-1), int64(1)<<width-1
	switch it.Sign {
	case Unsigned:
		low = 0
	case Signed:
		high = int64(1)<<(width-1) - 1
	}
	return v, low <= v && v <= high
}

// tokenAttr makes array<…>, #d.attr<…> or what an alias stands for.
func (r *resolver) tokenAttr(text string, pos Pos) Attribute {
	if a, ok := r.attrs[text]; ok {
		return a
	}
	bad := len(r.errs)
	var a Attribute
	switch {
	case text[0] != '#':
		a = r.denseArray(text, pos)
	case r.aliases[text] != nil:
		a = r.aliased(text, pos)
	case strings.IndexByte(text, '<') < 0 && strings.IndexByte(text, '.') < 0:
		r.fail(pos, "attribute alias %s is not defined", text)
	default:
		a = r.hash(text, pos)
	}
	if len(r.errs) == bad && a != nil {
		r.attrs[text] = a
		return a
	}
	return nil
}

func (r *resolver) aliased(name string, pos Pos) Attribute {
	a := r.aliases[name]
	if a.Attr.Loc != nil {
		r.fail(pos, "alias %s is a location, not an attribute", name)
		return nil
	}
	if r.busy[name] {
		r.fail(pos, "alias %s is defined by itself", name)
		return nil
	}
	if !r.enter(name, pos) {
		return nil
	}
	defer r.leave(name, len(r.errs))
	v := r.attr(a.Attr)
	if _, dense := v.(*DenseAttr); v != nil && !dense {
		r.limit(name, pos, v.String())
	}
	return v
}

func (r *resolver) denseArray(text string, pos Pos) Attribute {
	n, err := inside(arrayParser, text, pos)
	if err != nil {
		r.errs = append(r.errs, err)
		return nil
	}
	elem := r.innerType(n.Elem, pos)
	a := DenseArrayAttr{Elem: elem}
	switch t := elem.(type) {
	case FloatType:
		a.Texts = make([]string, len(n.Values))
		for i, s := range n.Values {
			if !isDigit(s[len(s)-1]) && !isHex(s[len(s)-1]) && s[len(s)-1] != '.' || isLetter(s[0]) {
				r.fail(pos, "%s is not a number of type %s", s, t)
			}
			a.Texts[i] = s
		}
	case IntegerType:
		a.Ints = make([]int64, len(n.Values))
		for i, s := range n.Values {
			v, ok := parseInt(s, t)
			if t == I1 && (s == "true" || s == "false") {
				v, ok = map[string]int64{"true": 1, "false": 0}[s], true
			}
			if !ok {
				r.fail(pos, "%s does not fit %s", s, t)
			}
			a.Ints[i] = v
		}
	case nil:
		return nil
	default:
		r.fail(pos, "an array attribute cannot hold %s", t)
	}
	return a
}

// hash makes #dialect.name<…>: one of the forms that are understood, or the
// text as it stands.
func (r *resolver) hash(text string, pos Pos) Attribute {
	n, err := inside(hashParser, text, pos)
	if err != nil {
		return DialectAttr{squeeze(text[1:])}
	}
	name := n.Name[1:]
	if n.Enum != nil {
		if strings.IndexByte(name, '.') >= 0 {
			return DialectAttr{squeeze(text[1:])}
		}
		return EnumAttr{name, n.Enum.Kind, n.Enum.Value}
	}
	bad := len(r.errs)
	fields := r.entries(n.Fields, true)
	if len(r.errs) > bad {
		r.errs = r.errs[:bad]
		return DialectAttr{squeeze(text[1:])}
	}
	return StructAttr{name, fields}
}

func (r *resolver) dense(n *denseNode) Attribute {
	t := r.typ(n.Type)
	if t == nil {
		return nil
	}
	pos := at(n.Pos)
	tt, ok := t.(*TensorType)
	if !ok {
		r.fail(n.Type.pos, "a dense literal has a tensor type, not %s", t)
		return nil
	}
	const prefix = len("dense<")
	a := &DenseAttr{Literal: n.Literal[prefix : len(n.Literal)-1], Type: tt, Pos: Pos{pos.Line, pos.Col + prefix}}
	if err := a.check(); err != nil {
		r.errs = append(r.errs, err)
		return nil
	}
	a.Literal, a.checked = tidy(a.Literal), true
	return a
}
