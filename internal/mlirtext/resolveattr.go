package mlirtext

import (
	"cmp"
	"slices"
	"strings"

	"ltc/internal/lexeme"
	"ltc/mlir"
)

// opAttrs makes the dictionary of the op from what was read.
func (r *resolver) opAttrs(o *OpText) mlir.Dict {
	d := make(mlir.Dict, 0, len(o.attrs))
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
			d = append(d, mlir.NamedAttr{Name: e.name, Value: e.val})
		}
	}
	return d
}

// attr makes the attribute of n; on an error it records it and returns nil. With bare
// set, numbers without type have none, as in #stablehlo.gather<…>. Elsewhere they are
// i64 and f64.
func (r *resolver) attr(n *attrNode, bare bool) mlir.Attribute {
	switch {
	case n.leaf != nil:
		return r.leaf(n.leaf, bare)
	case n.list != nil:
		a := make(mlir.ArrayAttr, 0, len(*n.list))
		for i := range *n.list {
			if v := r.attr(&(*n.list)[i], bare); v != nil {
				a = append(a, v)
			}
		}
		return a
	case n.dict != nil:
		return mlir.DictAttr(r.entries(n.dict, false))
	}
	if t := r.typ(n.typ); t != nil {
		return mlir.TypeAttr{Type: t}
	}
	return nil
}

func (r *resolver) entries(n *dictNode, bare bool) mlir.Dict {
	d := make(mlir.Dict, 0, len(n.entries))
	seen := make(map[string]bool, len(n.entries))
	for _, e := range n.entries {
		name, err := entryName(e.name, e.pos)
		if err != nil {
			r.errs = append(r.errs, err)
			continue
		}
		if seen[name] {
			r.fail(e.pos, "%s is given a second time", name)
		}
		seen[name] = true
		v := mlir.Attribute(mlir.UnitAttr{})
		if e.value != nil {
			v = r.attr(e.value, bare)
		}
		if v != nil {
			d = append(d, mlir.NamedAttr{Name: name, Value: v})
		}
	}
	return d
}

func (r *resolver) symbol(parts []string, pos mlir.Pos) mlir.Attribute {
	s := make([]string, len(parts))
	for i, p := range parts {
		name, ok := symbolName(p)
		if !ok {
			r.fail(pos, "%s is not a symbol", p)
		}
		s[i] = name
	}
	return mlir.SymbolAttr(strings.Join(s, "::@"))
}

// symbolName returns the name of a @symbol token.
func symbolName(tok string) (string, bool) {
	if len(tok) > 1 && tok[1] == '"' {
		return lexeme.Unquote(tok[1:])
	}
	return tok[1:], true
}

func (r *resolver) number(n *leafNode, bare bool) mlir.Attribute {
	text, pos := n.tok.Value, n.tok.Pos
	isFloat := n.tok.Type == tokFloat
	var t mlir.Type
	switch {
	case n.typed:
		if t = r.typ(&n.typ); t == nil {
			return nil
		}
	case bare:
	case isFloat:
		t = mlir.F64
	default:
		t = mlir.I64
	}
	switch ft := t.(type) {
	case mlir.FloatType:
		bits, ok := lexeme.FloatBits(text, ft.Name)
		if mlir.ElementBytes(ft) == 0 { // f80 and f128 are kept as they are
			return mlir.FloatAttr{Text: text, Type: t}
		}
		if !ok {
			r.fail(pos, "%s is not a number of type %s", text, t)
		}
		return mlir.FloatAttr{Text: string(lexeme.AppendFloat(nil, bits, ft.Name)), Type: t}
	case mlir.IntegerType, mlir.IndexType, nil:
		if isFloat && t != nil {
			r.fail(pos, "%s is not a number of type %s", text, t)
			return nil
		}
	default:
		r.fail(pos, "%s cannot have type %s", text, t)
		return nil
	}
	if isFloat {
		return mlir.FloatAttr{Text: text}
	}
	v, ok := mlir.ParseInt(text, t)
	if !ok {
		r.fail(pos, "%s does not fit %s", text, cmp.Or(t, mlir.Type(mlir.I64)))
	}
	if t == mlir.I1 {
		return mlir.BoolAttr(v != 0)
	}
	return mlir.IntegerAttr{Value: v, Type: t}
}

// tokenAttr makes array<…>, #d.attr<…> or what an alias stands for.
func (r *resolver) tokenAttr(text string, pos mlir.Pos) mlir.Attribute {
	if a, ok := r.attrs[text]; ok {
		return a
	}
	bad := len(r.errs)
	var a mlir.Attribute
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
func (r *resolver) hash(text string, pos mlir.Pos) mlir.Attribute {
	bad := len(r.errs)
	a := r.hashed(withoutComma(lexeme.Uncomment(text)), pos)
	if why := known.Problem(a); why != "" && len(r.errs) == bad {
		r.failed(mlir.NewError(pos, why))
	}
	return a
}

func (r *resolver) hashed(text string, pos mlir.Pos) mlir.Attribute {
	name, _, _ := strings.Cut(text[1:], "<")
	var n hashNode
	err := r.try(func() { n = r.readHash(text, pos) })
	switch {
	case err != nil && known.Fields[name] != nil:
		r.failed(err)
		return nil
	case err != nil, n.kind != "" && strings.IndexByte(name, '.') >= 0:
		return dialectAttr(text)
	case n.kind != "":
		return mlir.EnumAttr{Dialect: name, Kind: n.kind, Value: n.value}
	}
	if at, why := fieldProblem(name, n.fields.entries); why != "" {
		r.failed(mlir.NewError(at, why))
		return nil
	}
	bad := len(r.errs)
	fields := r.entries(&n.fields, true)
	if len(r.errs) > bad {
		r.errs = r.errs[:bad]
		return dialectAttr(text)
	}
	return known.Canonical(mlir.StructAttr{Name: name, Fields: fields})
}

// hashNode is the inside of #name<kind value> or of #name<field = 1, …>.
type hashNode struct {
	kind, value string
	fields      dictNode
}

func (r *resolver) readHash(text string, pos mlir.Pos) (n hashNode) {
	s := r.inside(text, pos)
	s.Next() // the name
	s.need("<")
	start := s.Mark()
	if first := s.Next(); first.Type == IdentToken && s.tok.Type == IdentToken {
		n.kind, n.value = first.Value, s.Next().Value
		s.needEnd()
		return n
	}
	s.GoTo(start)
	for more := s.tok.Type == IdentToken || s.tok.Type == StringToken; more; more = s.Accept(",") {
		if s.tok.Type != IdentToken && s.tok.Type != StringToken {
			s.Stop(Unexpected(s.tok, ""))
		}
		if n.fields.entry(s); len(n.fields.entries) > maxElements {
			s.Stop(mlir.Errorf(s.tok.Pos, tooMany, maxElements))
		}
	}
	s.needEnd()
	return n
}

// dialectAttr is an attribute in a syntax of its own.
func dialectAttr(text string) mlir.Attribute {
	return known.Canonical(mlir.DialectAttr{Text: lexeme.Squeeze(text[1:])})
}

// fieldProblem finds the first field that an attribute should not have; at is
// where it stands in the attribute's text.
func fieldProblem(name string, fields []entryNode) (where mlir.Pos, why string) {
	list := known.Fields[name]
	for i, e := range fields {
		if list == nil {
			break
		}
		if !slices.Contains(list, e.name) {
			return e.pos, "#" + name + " has no " + e.name + ", but " + strings.Join(list, ", ")
		}
		if slices.ContainsFunc(fields[:i], func(f entryNode) bool { return f.name == e.name }) {
			return e.pos, e.name + " is given a second time"
		}
	}
	return mlir.Pos{}, ""
}

// withoutComma takes a comma off that stands before the closing bracket, which
// the dialect's own texts have.
func withoutComma(text string) string {
	body := strings.TrimRight(strings.TrimSuffix(text, ">"), " \t\r\n")
	if cut, ok := strings.CutSuffix(body, ","); ok {
		return cut + ">"
	}
	return text
}
