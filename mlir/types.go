package mlir

import (
	"slices"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
	"ltc/internal/minifloat"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// Type is an MLIR type. String prints it as the text form has it; two types
// are the same when they print the same ([SameType]).
type Type interface {
	String() string
	isType()
}

// SameType reports whether a and b are the same type.
func SameType(a, b Type) bool {
	if x, ok := a.(*TensorType); ok {
		if y, ok := b.(*TensorType); ok && x == y {
			return true // one parse makes each type once
		}
	}
	if x, ok := a.(TupleType); ok {
		if y, ok := b.(TupleType); ok && len(x.Elems) == len(y.Elems) && len(x.Elems) > 0 && &x.Elems[0] == &y.Elems[0] {
			return true // one list in memory
		}
	}
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.String() == b.String()
}

// Dynamic is the value of a dimension written `?`.
const Dynamic = lexeme.Dynamic

type (
	// TensorType is `tensor<2x?xf32>` or, with Unranked, `tensor<*xf32>`.
	TensorType struct {
		Shape    []int64 // Dynamic for `?`; in memory alone, names of expressions (package dims)
		Elem     Type
		Encoding Attribute // after the comma; nil if none
		Unranked bool
		text     string // memo of String
	}
	// IntegerType is i32, ui8 or si4; the signless i32 is what StableHLO's
	// text uses for signed integers, i1 for booleans.
	IntegerType struct {
		Width int
		Sign  Signedness
	}
	// FloatType is a floating-point type by name: f32, bf16, f8E4M3FN, tf32.
	FloatType struct{ Name string }
	// IndexType is `index`.
	IndexType struct{}
	// NoneType is `none`.
	NoneType struct{}
	// ComplexType is `complex<f32>`.
	ComplexType struct{ Elem Type }
	// TupleType is `tuple<a, b>`.
	TupleType struct{ Elems []Type }
	// FunctionType is `(a, b) -> (c)`.
	FunctionType struct{ Ins, Outs []Type }
	// DialectType is a type of a dialect in its own syntax, such as
	// `!stablehlo.token`; Text is all that follows the `!`.
	DialectType struct{ Text string }
	// TextType is a type of the core language that nothing here looks into,
	// such as `vector<4xf32>`; Text is all of it.
	TextType struct{ Text string }
)

// Signedness says how an integer type counts.
type Signedness uint8

// The signednesses; the zero value prints without prefix.
const (
	Signless Signedness = iota
	Unsigned
	Signed
)

func (*TensorType) isType()   {}
func (IntegerType) isType()   {}
func (FloatType) isType()     {}
func (IndexType) isType()     {}
func (NoneType) isType()      {}
func (ComplexType) isType()   {}
func (TupleType) isType()     {}
func (*FunctionType) isType() {}
func (DialectType) isType()   {}
func (TextType) isType()      {}

// WordType returns the type that is a single word, or nil.
func WordType(s string) Type {
	switch _, _, mini := minifloat.Of(s); {
	case mini, s == "f32", s == "f64", s == "f80", s == "f128":
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
		if !lexeme.IsDigit(digits[i]) {
			return nil
		}
		t.Width = t.Width*10 + int(digits[i]-'0')
	}
	if t.Width >= 1<<24 { // MLIR's own bound
		return nil
	}
	return t
}

// Common element types.
var (
	I1   = IntegerType{Width: 1}
	I8   = IntegerType{Width: 8}
	I16  = IntegerType{Width: 16}
	I32  = IntegerType{Width: 32}
	I64  = IntegerType{Width: 64}
	UI8  = IntegerType{Width: 8, Sign: Unsigned}
	UI16 = IntegerType{Width: 16, Sign: Unsigned}
	UI32 = IntegerType{Width: 32, Sign: Unsigned}
	UI64 = IntegerType{Width: 64, Sign: Unsigned}
	F16  = FloatType{"f16"}
	BF16 = FloatType{"bf16"}
	F32  = FloatType{"f32"}
	F64  = FloatType{"f64"}
)

// Tensor returns the ranked tensor type of the given element type and dimensions.
func Tensor(elem Type, dims ...int64) *TensorType { return &TensorType{Shape: dims, Elem: elem} }

// Opened returns the type with [Dynamic] in place of sizes that are expressions (package dims); t if there
// are none.
func (t *TensorType) Opened() *TensorType {
	if !dims.HasExpr(t.Shape...) {
		return t
	}
	open := &TensorType{Elem: t.Elem, Shape: slices.Clone(t.Shape), Encoding: t.Encoding}
	for i, d := range open.Shape {
		if dims.IsExpr(d) {
			open.Shape[i] = Dynamic
		}
	}
	return open
}

// Static reports whether t is ranked and no dimension is [Dynamic]; those that are expressions
// (package dims) are known.
func (t *TensorType) Static() bool {
	for _, d := range t.Shape {
		if d == Dynamic {
			return false
		}
	}
	return !t.Unranked
}

// Elements returns the number of elements of a static type, an expression if a dimension is one.
func (t *TensorType) Elements() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		if dims.IsExpr(d) {
			return dims.Product(t.Shape...)
		}
		n *= d
	}
	return n
}

func (t *TensorType) String() string {
	if t.text != "" {
		return t.text
	}
	var b strings.Builder
	b.WriteString("tensor<")
	if t.Unranked {
		b.WriteString("*x")
	}
	for _, d := range t.Shape {
		b.WriteString(lexeme.Size(d))
		b.WriteByte('x')
	}
	b.WriteString(t.Elem.String())
	if t.Encoding != nil {
		b.WriteString(", ")
		b.WriteString(t.Encoding.String())
	}
	b.WriteByte('>')
	return b.String()
}

// Freeze keeps the text of t, which is changed no more: String returns it from then on.
func (t *TensorType) Freeze() { t.text = t.String() }

func (t IntegerType) String() string {
	return [...]string{"i", "ui", "si"}[t.Sign] + strconv.Itoa(t.Width)
}
func (t FloatType) String() string   { return t.Name }
func (IndexType) String() string     { return "index" }
func (NoneType) String() string      { return "none" }
func (t ComplexType) String() string { return "complex<" + t.Elem.String() + ">" }
func (t TupleType) String() string   { return "tuple<" + joinTypes(t.Elems) + ">" }
func (t DialectType) String() string { return "!" + t.Text }
func (t TextType) String() string    { return t.Text }

func (t *FunctionType) String() string {
	s := "(" + joinTypes(t.Ins) + ") -> "
	if len(t.Outs) == 1 {
		if _, nested := t.Outs[0].(*FunctionType); !nested {
			return s + t.Outs[0].String()
		}
	}
	return s + "(" + joinTypes(t.Outs) + ")"
}

// joinTypes returns the texts of types with commas between them.
func joinTypes(ts []Type) string { return diag.Join(ts, Type.String) }

// TypesOf returns the types of values.
func TypesOf(vs []*Value) []Type {
	ts := make([]Type, len(vs))
	for i, x := range vs {
		ts[i] = x.Type
	}
	return ts
}

// elements says how the elements of memory are written: StableHLO has signed
// integers signless and bool as i1. Every dtype has a row; what other element
// types there are exists inside programs only.
var elements = map[types.DType]Type{
	types.Bool: I1,
	types.U8:   UI8,
	types.U16:  UI16,
	types.U32:  UI32,
	types.U64:  UI64,
	types.I8:   I8,
	types.I16:  I16,
	types.I32:  I32,
	types.I64:  I64,
	types.F16:  F16,
	types.BF16: BF16,
	types.F32:  F32,
	types.F64:  F64,
	types.C64:  ComplexType{Elem: F32},
	types.C128: ComplexType{Elem: F64},

	types.F8E4M3FN: FloatType{Name: "f8E4M3FN"},
	types.F8E5M2:   FloatType{Name: "f8E5M2"},
}

// dtypes is elements the other way round.
var dtypes = func() map[Type]types.DType {
	all := make(map[Type]types.DType, len(elements))
	for d, t := range elements {
		all[t] = d
	}
	return all
}()

// ElementOf returns the element type that stands for d in text; nil if d is
// not valid.
func ElementOf(d types.DType) Type { return elements[d] }

// DTypeOf returns the dtype whose elements t stands for; [types.Invalid] if
// memory that callers see has no such elements. An index is 64 bits wide.
func DTypeOf(t Type) types.DType {
	switch t.(type) {
	case IntegerType, FloatType: // others need not be comparable
		return dtypes[t]
	case IndexType:
		return types.I64
	}
	return types.Invalid
}
