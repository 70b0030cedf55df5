package mlirtext

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"ltc/internal/lexeme"
	"ltc/mlir"
)

// TypeText is a type as written: one token, or a function type.
type TypeText struct {
	Text string
	Pos  mlir.Pos
	fn   *fnRef
	Type mlir.Type // what it is, where that is known already
}

type fnRef struct{ ins, outs []TypeText }

func startsType(t Token) bool {
	switch t.Type {
	case IdentToken, tokType, tokBang:
		return true
	}
	return t.Type == tokPunct && t.Value == "("
}

// Type reads a type, which [Stream.Resolve] makes of it.
func (s *Stream) Type() TypeText {
	t := s.tok
	switch {
	case !startsType(t):
		s.Stop(Unexpected(t, "a type"))
	case t.Type == tokPunct:
		fn := &fnRef{}
		fn.parse(s)
		return TypeText{Pos: t.Pos, fn: fn}
	}
	s.Next()
	return TypeText{Text: t.Value, Pos: t.Pos}
}

// parse reads (a, b) -> c and appends the types.
func (fn *fnRef) parse(lex *Stream) {
	lex.List("(", ")", func() { fn.ins = append(fn.ins, lex.Type()) })
	lex.Expect("->")
	if lex.Is("(") {
		lex.List("(", ")", func() { fn.outs = append(fn.outs, lex.Type()) })
		return
	}
	fn.outs = append(fn.outs, lex.Type())
}

// typ makes the type of t; on an error it records it and returns nil.
func (r *resolver) typ(t *TypeText) mlir.Type {
	if t.Type != nil || t.Text == "" && t.fn == nil { // the type of something that had an error
		return t.Type
	}
	if t.fn != nil {
		if f := r.fnType(t.fn); f != nil {
			return f
		}
		return nil
	}
	if v, ok := r.types[t.Text]; ok {
		return v
	}
	v, err := r.newType(t)
	if err != nil {
		r.errs = append(r.errs, err)
		return nil // not remembered: every use has its own error
	}
	r.types[t.Text] = v
	return v
}

// fnType returns nil when one of the types had an error.
func (r *resolver) fnType(fn *fnRef) *mlir.FunctionType {
	ins, ok := r.typeList(fn.ins)
	outs, ok2 := r.typeList(fn.outs)
	if !ok || !ok2 {
		return nil
	}
	return &mlir.FunctionType{Ins: ins, Outs: outs}
}

func (r *resolver) typeList(refs []TypeText) (ts []mlir.Type, ok bool) {
	ok = true
	if len(refs) > 0 {
		ts = make([]mlir.Type, len(refs))
	}
	for i := range refs {
		ts[i] = r.typ(&refs[i])
		ok = ok && ts[i] != nil
	}
	return ts, ok
}

func (r *resolver) newType(t *TypeText) (mlir.Type, *mlir.Error) {
	switch {
	case t.Text[0] == '!':
		return r.bangType(t)
	case strings.HasPrefix(t.Text, "vector<"), strings.HasPrefix(t.Text, "memref<"):
		return mlir.TextType{Text: lexeme.Squeeze(t.Text)}, nil
	case strings.IndexByte(t.Text, '<') >= 0:
		return r.shaped(t)
	}
	if v := mlir.WordType(t.Text); v != nil {
		return v, nil
	}
	return nil, mlir.Errorf(t.Pos, "unknown type %s", t.Text)
}

func (r *resolver) bangType(t *TypeText) (mlir.Type, *mlir.Error) {
	if strings.IndexAny(t.Text, ".<") >= 0 {
		d := mlir.DialectType{Text: lexeme.Squeeze(t.Text[1:])}
		// Types that are known here are written in one way, to be compared by their texts. A
		// quantized type that cannot be read stays, for the verifier to refuse.
		switch q, err := mlir.QuantOf(d); {
		case err == nil && q != nil:
			return q.Type(), nil
		case err == nil:
			return known.Type(d), nil
		}
		return d, nil
	}
	n := len(r.errs)
	v := r.aliasedType(t.Text, t.Pos)
	return v, r.since(n)
}

// since returns the first error after the n-th and forgets it and those behind.
func (r *resolver) since(n int) *mlir.Error {
	if len(r.errs) == n {
		return nil
	}
	err := r.errs[n]
	r.errs = r.errs[:n]
	return err
}

// maxElements bounds the elements of a tuple type and the fields of an attribute #d.name<…>.
const (
	maxElements = 1_000_000
	tooMany     = "the length of a list here is at most %d"
)

// shapedNode is the inside of tensor<…>, complex<…> or tuple<…>.
type shapedNode struct {
	word     string
	dims     []string
	elems    []TypeText
	encoding *attrNode
}

func (r *resolver) readShaped(t *TypeText) (n shapedNode) {
	s := r.inside(t.Text, t.Pos)
	n.word = s.Next().Value
	s.need("<")
	for s.tok.Type == tokDim {
		n.dims = append(n.dims, s.Next().Value)
	}
	tuple := n.word == "tuple"
	for more := !tuple || startsType(s.tok); more; more = tuple && s.Accept(",") {
		if !startsType(s.tok) {
			s.Stop(Unexpected(s.tok, ""))
		}
		if n.elems = append(n.elems, s.Type()); len(n.elems) > maxElements {
			s.Stop(mlir.Errorf(s.tok.Pos, tooMany, maxElements))
		}
	}
	if n.word == "tensor" && s.Accept(",") {
		if !startsLeaf(s.tok) && !startsType(s.tok) && !s.Is("[") && !s.Is("{") {
			s.Stop(Unexpected(s.tok, ""))
		}
		n.encoding = &attrNode{}
		n.encoding.parse(s)
	}
	s.needEnd()
	return n
}

func (r *resolver) shaped(t *TypeText) (mlir.Type, *mlir.Error) {
	var n shapedNode
	if err := r.try(func() { n = r.readShaped(t) }); err != nil {
		return nil, err
	}
	tt := &mlir.TensorType{}
	if err := dims(tt, n.dims, t.Pos); err != nil {
		return nil, err
	}
	bad := len(r.errs)
	elems, ok := r.typeList(n.elems)
	if n.encoding != nil {
		tt.Encoding = r.attr(n.encoding, false)
	}
	if err := r.since(bad); err != nil || !ok { // the error of a part may be recorded already
		return nil, err
	}
	switch n.word {
	case "complex":
		return mlir.ComplexType{Elem: elems[0]}, nil
	case "tuple":
		return mlir.TupleType{Elems: elems}, nil
	}
	switch e := elems[0].(type) {
	case *mlir.FunctionType, *mlir.TensorType, mlir.TupleType, mlir.NoneType:
		return nil, mlir.Errorf(t.Pos, "%s cannot be the element of a tensor", e)
	}
	tt.Elem = elems[0]
	tt.Freeze()
	return tt, nil
}

// dims fills in the dimensions, whose product must fit 63 bits.
func dims(t *mlir.TensorType, texts []string, pos mlir.Pos) *mlir.Error {
	size := int64(1)
	for i, s := range texts {
		switch s {
		case "*x":
			if len(texts) > 1 {
				return mlir.Errorf(pos, "an unranked tensor has no dimensions")
			}
			t.Unranked = true
			return nil
		case "?x":
			t.Shape = append(t.Shape, mlir.Dynamic)
			continue
		}
		d, err := strconv.ParseInt(s[:len(s)-1], 10, 64)
		if err != nil {
			return mlir.Errorf(pos, "dimension %d, %s, does not fit 64 bits", i, s[:len(s)-1])
		}
		if d > 0 {
			if size > math.MaxInt64/d {
				return mlir.Errorf(pos, "number of elements does not fit 64 bits")
			}
			size *= d
		}
		t.Shape = append(t.Shape, d)
	}
	return nil
}

// SameTypes reports whether two lists have the same types.
func SameTypes(a, b []mlir.Type) bool { return slices.EqualFunc(a, b, mlir.SameType) }

// IsFunction reports whether t is the type of a function.
func IsFunction(t mlir.Type) bool {
	_, ok := t.(*mlir.FunctionType)
	return ok
}
