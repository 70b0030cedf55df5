package mlir

import (
	"strconv"
	"strings"
)

// opAttrs makes the dictionary of the op from what was read.
func (r *resolver) opAttrs(o *opNode) Dict {
	d := make(Dict, 0, len(o.attrs))
	var seen map[string]bool // of a long list, which would take quadratic time
	if len(o.attrs) > 16 {
		seen = make(map[string]bool, len(o.attrs))
	}
	for i := range o.attrs {
		e := &o.attrs[i]
		if seen[e.name] || seen == nil && d.Get(e.name) != nil {
			r.fail(e.pos, "attribute %s of %s is given a second time", e.name, o.name)
		}
		if seen != nil {
			seen[e.name] = true
		}
		if e.val != nil { // its error is recorded
			d = append(d, NamedAttr{e.name, e.val})
		}
	}
	return d
}

// attr makes the attribute of n; on an error it records it and returns nil.
func (r *resolver) attr(n *attrNode) Attribute { return r.attrIn(n, false) }

// attrIn is attr; with bare set, numbers without type have none, as in
// #stablehlo.gather<…>. Elsewhere they are i64 and f64.
func (r *resolver) attrIn(n *attrNode, bare bool) Attribute {
	switch {
	case n.leaf != nil:
		return r.leaf(n.leaf, bare)
	case n.list != nil:
		a := make(ArrayAttr, 0, len(*n.list))
		for i := range *n.list {
			if v := r.attrIn(&(*n.list)[i], bare); v != nil {
				a = append(a, v)
			}
		}
		return a
	case n.dict != nil:
		return DictAttr(r.dict(n.dict))
	}
	if t := r.typ(n.typ); t != nil {
		return TypeAttr{t}
	}
	return nil
}

func (r *resolver) dict(n *dictNode) Dict { return r.entries(n.entries, false) }

func (r *resolver) entries(es []entryNode, bare bool) Dict {
	d := make(Dict, 0, len(es))
	seen := make(map[string]bool, len(es))
	for i := range es {
		e := &es[i]
		name, err := entryName(e.name, e.pos)
		if err != nil {
			r.errs = append(r.errs, err)
			continue
		}
		if seen[name] {
			r.fail(e.pos, "%s is given a second time", name)
		}
		seen[name] = true
		v := Attribute(UnitAttr{})
		if e.value != nil {
			v = r.attrIn(e.value, bare)
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

func (r *resolver) number(n *leafNode, bare bool) Attribute {
	text, pos := n.tok.Value, n.tok.Pos
	isFloat := n.tok.Type == tokFloat
	var t Type
	switch {
	case n.typed:
		if t = r.typ(&n.typ); t == nil {
			return nil
		}
	case bare:
	case isFloat:
		t = F64
	default:
		t = I64
	}
	switch ft := t.(type) {
	case FloatType:
		bits, ok := floatBits(text, ft)
		if elementSize(ft) == 0 { // f80 and f128 are kept as they are
			return FloatAttr{text, t}
		}
		if !ok {
			r.fail(pos, "%s is not a number of type %s", text, t)
		}
		return FloatAttr{string(appendFloat(nil, bits, ft)), t}
	case IntegerType, IndexType, nil:
		if isFloat && t != nil {
			r.fail(pos, "%s is not a number of type %s", text, t)
			return nil
		}
	default:
		r.fail(pos, "%s cannot have type %s", text, t)
		return nil
	}
	if isFloat {
		return FloatAttr{Text: text}
	}
	v, ok := parseInt(text, t)
	if !ok {
		r.fail(pos, "%s does not fit %s", text, typeOr64(t))
	}
	if t == I1 {
		return BoolAttr(v != 0)
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
	case strings.IndexByte(text, '<') < 0 && strings.IndexByte(text, '.') < 0:
		a = r.aliasedAttr(text, pos)
	default:
		a = r.hash(text, pos)
	}
	if len(r.errs) == bad && a != nil {
		r.attrs[text] = a
		return a
	}
	return nil
}

// hash makes #dialect.name<…>: one of the forms that are understood, or the
// text as it stands.
func (r *resolver) hash(text string, pos Pos) Attribute {
	bad := len(r.errs)
	a := r.hashed(withoutComma(uncomment(text)), pos)
	if why := attrProblem(a); why != "" && len(r.errs) == bad {
		r.failed(problem(pos, why))
	}
	return a
}

func (r *resolver) hashed(text string, pos Pos) Attribute {
	n, err := inside(hashParser, text, pos)
	if err != nil {
		if name, _, _ := strings.Cut(text[1:], "<"); structFields[name] != nil {
			r.failed(err)
			return nil
		}
		return dialectAttr(text)
	}
	name := n.Name[1:]
	if n.Enum != nil {
		if strings.IndexByte(name, '.') >= 0 {
			return dialectAttr(text)
		}
		return EnumAttr{name, n.Enum.Kind, n.Enum.Value}
	}
	if rel, why := fieldProblem(name, n.Fields); why != "" {
		r.failed(problem(inText(pos, rel), why))
		return nil
	}
	bad := len(r.errs)
	fields := r.entries(n.Fields, true)
	if len(r.errs) > bad {
		r.errs = r.errs[:bad]
		return dialectAttr(text)
	}
	return canonical(StructAttr{name, fields})
}

// canonical drops what the dialect's printer leaves out: lists that are empty.
func canonical(a StructAttr) Attribute {
	switch a.Name {
	case "stablehlo.type_extensions": // what bounds were called before
		if list, ok := Ints(a.Fields.Get("bounds")); ok && len(a.Fields) == 1 {
			return boundsAttr(list)
		}
	case "stablehlo.dot":
		if d, ok := ParseDot(a); ok {
			return d.Attr()
		}
	case "stablehlo.result_accuracy":
		if isDefaultAccuracy(a) && accuracyProblem(a) == "" {
			return StructAttr{a.Name, Dict{{"mode", a.Fields.Get("mode")}}}
		}
	case "stablehlo.gather":
		if d, ok := ParseGather(a); ok {
			return d.Attr()
		}
	case "stablehlo.scatter":
		if d, ok := ParseScatter(a); ok {
			return d.Attr()
		}
	}
	return a
}

// dialectAttr is an attribute in a syntax of its own.
func dialectAttr(text string) Attribute {
	a := DialectAttr{squeeze(text[1:])}
	switch name, body, _ := strings.Cut(a.Text, "<"); name {
	case "stablehlo.conv":
		if d, err := ParseConv(a); err == nil {
			if c := d.Attr(); c != nil {
				return c
			}
		}
	case "stablehlo.type_extensions": // what bounds were called before
		if _, list, ok := strings.Cut(body, "="); ok {
			list = strings.Trim(strings.TrimSuffix(list, ">"), " []")
			return canonicalBounds(DialectAttr{"stablehlo.bounds<" + list + ">"})
		}
	case "stablehlo.bounds":
		return canonicalBounds(a)
	}
	return a
}
