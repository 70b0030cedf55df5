package mlir

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// typ makes the type of t; on an error it records it and returns nil.
func (r *resolver) typ(t *TypeText) Type {
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
func (r *resolver) fnType(fn *fnRef) *FunctionType {
	ins, ok := r.typeList(fn.ins)
	outs, ok2 := r.typeList(fn.outs)
	if !ok || !ok2 {
		return nil
	}
	return &FunctionType{Ins: ins, Outs: outs}
}

func (r *resolver) typeList(refs []TypeText) (ts []Type, ok bool) {
	ok = true
	if len(refs) > 0 {
		ts = make([]Type, len(refs))
	}
	for i := range refs {
		ts[i] = r.typ(&refs[i])
		ok = ok && ts[i] != nil
	}
	return ts, ok
}

func (r *resolver) newType(t *TypeText) (Type, *Error) {
	switch {
	case t.Text[0] == '!':
		return r.bangType(t)
	case strings.HasPrefix(t.Text, "vector<"), strings.HasPrefix(t.Text, "memref<"):
		return TextType{squeeze(t.Text)}, nil
	case strings.IndexByte(t.Text, '<') >= 0:
		n, err := inside(shapedParser, t.Text, t.Pos)
		if err != nil {
			return nil, err
		}
		return r.shaped(n, t)
	}
	if v := namedType(t.Text); v != nil {
		return v, nil
	}
	return nil, Errorf(t.Pos, "unknown type %s", t.Text)
}

func (r *resolver) bangType(t *TypeText) (Type, *Error) {
	if strings.IndexAny(t.Text, ".<") >= 0 {
		return canonicalType(DialectType{Text: squeeze(t.Text[1:])}), nil
	}
	n := len(r.errs)
	v := r.aliasedType(t.Text, t.Pos)
	return v, r.since(n)
}

// canonicalType writes the types of other dialects that are known here in one
// way, so that types can be compared by their texts.
func canonicalType(t DialectType) DialectType {
	if strings.HasPrefix(t.Text, "quant.uniform<") {
		return canonicalQuant(t)
	}
	return known.Type(t)
}

// since returns the first error after the n-th and forgets it and those behind.
func (r *resolver) since(n int) *Error {
	if len(r.errs) == n {
		return nil
	}
	err := r.errs[n]
	r.errs = r.errs[:n]
	return err
}

func (r *resolver) shaped(n *shapedNode, t *TypeText) (Type, *Error) {
	bad := len(r.errs)
	var v Type
	switch {
	case n.Complex != nil:
		v = ComplexType{Elem: r.innerType(n.Complex.Elem, t.Pos)}
	case n.Tuple != nil:
		tt := TupleType{}
		for _, e := range n.Tuple.Elems {
			tt.Elems = append(tt.Elems, r.innerType(e, t.Pos))
		}
		v = tt
	default:
		tt := &TensorType{}
		if err := dims(tt, n.Tensor.Dims, t.Pos); err != nil {
			return nil, err
		}
		tt.Elem = r.innerType(n.Tensor.Elem, t.Pos)
		if e := n.Tensor.Encoding; e != nil {
			e.shift(t.Pos)
			tt.Encoding = r.attr(e)
		}
		v = tt
	}
	if err := r.since(bad); err != nil {
		return nil, err
	}
	if !whole(v) {
		return nil, nil // the error of a part is recorded
	}
	if tt, ok := v.(*TensorType); ok {
		switch e := tt.Elem.(type) {
		case *FunctionType, *TensorType, TupleType, NoneType:
			return nil, Errorf(t.Pos, "%s cannot be the element of a tensor", e)
		}
		tt.text = tt.String()
	}
	return v, nil
}

// whole reports whether all parts of v are there.
func whole(v Type) bool {
	switch v := v.(type) {
	case ComplexType:
		return v.Elem != nil
	case TupleType:
		return !slices.Contains(v.Elems, nil)
	case *TensorType:
		return v.Elem != nil
	}
	return true
}

// innerType is typ for a type inside a token that starts at base.
func (r *resolver) innerType(t *TypeText, base Pos) Type {
	u := *t
	u.Pos = shift(t.Pos, base)
	return r.typ(&u)
}

// dims fills in the dimensions, whose product must fit 63 bits.
func dims(t *TensorType, texts []string, pos Pos) *Error {
	size := int64(1)
	for i, s := range texts {
		switch s {
		case "*x":
			if len(texts) > 1 {
				return Errorf(pos, "an unranked tensor has no dimensions")
			}
			t.Unranked = true
			return nil
		case "?x":
			t.Shape = append(t.Shape, Dynamic)
			continue
		}
		d, err := strconv.ParseInt(s[:len(s)-1], 10, 64)
		if err != nil {
			return Errorf(pos, "dimension %d, %s, does not fit 64 bits", i, s[:len(s)-1])
		}
		if d > 0 {
			if size > math.MaxInt64/d {
				return Errorf(pos, "number of elements does not fit 64 bits")
			}
			size *= d
		}
		t.Shape = append(t.Shape, d)
	}
	return nil
}

var floatTypes = map[string]bool{
	"f16": true, "bf16": true, "f32": true, "f64": true, "tf32": true, "f80": true, "f128": true,
	"f4E2M1FN": true, "f6E2M3FN": true, "f6E3M2FN": true, "f8E3M4": true, "f8E4M3": true, "f8E4M3FN": true,
	"f8E4M3FNUZ": true, "f8E4M3B11FNUZ": true, "f8E5M2": true, "f8E5M2FNUZ": true, "f8E8M0FNU": true,
}

// namedType returns the type that is a single word, or nil.
func namedType(s string) Type {
	switch {
	case floatTypes[s]:
		return FloatType{s}
	case s == "index":
		return IndexType{}
	case s == "none":
		return NoneType{}
	}
	t := IntegerType{}
	digits := s
	switch {
	case strings.HasPrefix(s, "ui"):
		t.Sign, digits = Unsigned, s[2:]
	case strings.HasPrefix(s, "si"):
		t.Sign, digits = Signed, s[2:]
	case strings.HasPrefix(s, "i"):
		digits = s[1:]
	default:
		return nil
	}
	if digits == "" || len(digits) > 8 || digits[0] == '0' {
		return nil
	}
	for i := range len(digits) {
		if !isDigit(digits[i]) {
			return nil
		}
		t.Width = t.Width*10 + int(digits[i]-'0')
	}
	if t.Width >= 1<<24 { // MLIR's own bound
		return nil
	}
	return t
}
