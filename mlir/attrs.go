package mlir

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
	"ltc/internal/minifloat"
)

// Attribute is an MLIR attribute. String prints it as the text form has it.
type Attribute interface {
	String() string
	isAttr()
}

type (
	// IntegerAttr is `5 : i32`; the type i64 is printed too.
	IntegerAttr struct {
		Value int64
		Type  Type
	}
	// FloatAttr is `0.1 : f32`. Text is the literal as it prints (see
	// [FloatText]); of a number without type, as it was written.
	FloatAttr struct {
		Text string
		Type Type
	}
	// BoolAttr is `true` or `false`.
	BoolAttr bool
	// StringAttr is a quoted string; it holds the characters meant.
	StringAttr string
	// UnitAttr is `unit`, in a dictionary a name without value.
	UnitAttr struct{}
	// ArrayAttr is `[a, b]`.
	ArrayAttr []Attribute
	// DictAttr is `{a = b}`.
	DictAttr Dict
	// TypeAttr is a type used as attribute.
	TypeAttr struct{ Type Type }
	// SymbolAttr is `@name` or `@a::@b`, without the first @.
	SymbolAttr string
	// DenseArrayAttr is `array<i64: 1, 2>`; Elem i1 prints true and false.
	// Floating-point arrays keep their literals in Texts instead of Ints.
	DenseArrayAttr struct {
		Elem  Type
		Ints  []int64
		Texts []string
	}
	// DenseAttr is `dense<literal> : type`. Literal is the text between the
	// angle brackets: nested lists, a splat, nothing, or a quoted hex string.
	// [DenseAttr.Decode] gives the values.
	//
	// With Resource set it is `dense_resource<name> : type`, whose values stand
	// in a section of the module ([Module.Resources]), and Literal is empty.
	DenseAttr struct {
		Literal  string
		Type     *TensorType
		Pos      Pos // where the literal starts in the text, for errors inside it
		Resource string

		checked bool   // the literal is known to fit the type
		values  []byte // the values, when they have been read; see Decode
		splat   bool
	}
	// EnumAttr is `#stablehlo<comparison_direction LT>`.
	EnumAttr struct{ Dialect, Kind, Value string }
	// StructAttr is `#stablehlo.gather<offset_dims = [0], index_vector_dim = 1>`;
	// numbers in it have no type.
	StructAttr struct {
		Name   string // stablehlo.gather
		Fields Dict
	}
	// DialectAttr is an attribute in a dialect's own syntax that is neither of
	// the two above; Text is all that follows the `#`.
	DialectAttr struct{ Text string }
	// TextAttr is an attribute of the core language that nothing here looks
	// into, such as `affine_map<(d0) -> (d0)>`; Text is all of it.
	TextAttr struct{ Text string }
)

func (IntegerAttr) isAttr()    {}
func (FloatAttr) isAttr()      {}
func (BoolAttr) isAttr()       {}
func (StringAttr) isAttr()     {}
func (UnitAttr) isAttr()       {}
func (ArrayAttr) isAttr()      {}
func (DictAttr) isAttr()       {}
func (TypeAttr) isAttr()       {}
func (SymbolAttr) isAttr()     {}
func (DenseArrayAttr) isAttr() {}
func (*DenseAttr) isAttr()     {}
func (EnumAttr) isAttr()       {}
func (StructAttr) isAttr()     {}
func (DialectAttr) isAttr()    {}
func (TextAttr) isAttr()       {}

// I64Attr returns `v : i64`.
func I64Attr(v int64) IntegerAttr { return IntegerAttr{v, I64} }

// I64Array returns `array<i64: …>`.
func I64Array[T int | int64](v []T) DenseArrayAttr {
	a := DenseArrayAttr{Elem: I64, Ints: make([]int64, len(v))}
	for i, x := range v {
		a.Ints[i] = int64(x)
	}
	return a
}

func (a IntegerAttr) String() string {
	if a.Type == nil {
		return strconv.FormatInt(a.Value, 10)
	}
	if t, ok := a.Type.(IntegerType); ok && t.Sign == Unsigned {
		return strconv.FormatUint(uint64(a.Value), 10) + " : " + t.String()
	}
	return strconv.FormatInt(a.Value, 10) + " : " + a.Type.String()
}

func (a FloatAttr) String() string {
	t, ok := a.Type.(FloatType)
	switch {
	case a.Type == nil:
		return a.Text
	case ok && elementSize(t) > 0: // a built one may be spelled otherwise
		if bits, ok := lexeme.FloatBits(a.Text, t.Name); ok {
			return string(lexeme.AppendFloat(nil, bits, t.Name)) + " : " + t.Name
		}
	}
	return a.Text + " : " + a.Type.String()
}
func (a BoolAttr) String() string   { return strconv.FormatBool(bool(a)) }
func (a StringAttr) String() string { return lexeme.Quote(string(a)) }
func (UnitAttr) String() string     { return "unit" }
func (a TypeAttr) String() string   { return a.Type.String() }
func (a TextAttr) String() string   { return a.Text }
func (a DialectAttr) String() string {
	return "#" + a.Text
}
func (a EnumAttr) String() string {
	return "#" + a.Dialect + "<" + a.Kind + " " + a.Value + ">"
}

func (a StructAttr) String() string {
	c := canonical(a)
	a, ok := c.(StructAttr)
	if !ok {
		return c.String()
	}
	s := a.Fields.inOrder()
	return "#" + a.Name + "<" + s[1:len(s)-1] + ">"
}

func (a *DenseAttr) String() string {
	if a.Resource != "" {
		return "dense_resource<" + lexeme.Symbol(a.Resource) + "> : " + a.Type.String()
	}
	return "dense<" + a.Text() + "> : " + a.Type.String()
}

func (a SymbolAttr) String() string {
	parts := strings.Split(string(a), "::@")
	for i, p := range parts {
		parts[i] = "@" + lexeme.Symbol(p)
	}
	return strings.Join(parts, "::")
}

func (a ArrayAttr) String() string {
	return "[" + diag.Join(a, func(e Attribute) string { return bare(e).String() }) + "]"
}

// bare is a without its type where that is what a number without type has: so
// MLIR prints what stands in a list.
func bare(a Attribute) Attribute {
	switch n := a.(type) {
	case IntegerAttr:
		if n.Type == I64 {
			return IntegerAttr{Value: n.Value}
		}
	case FloatAttr:
		if n.Type == F64 && strings.IndexByte(n.Text, '.') >= 0 {
			return FloatAttr{Text: n.Text}
		}
	}
	return a
}

func (a DictAttr) String() string { return Dict(a).String() }

// Sorted returns d in the order in which dictionaries print: that of the names.
func (d Dict) Sorted() Dict {
	byName := func(a, b NamedAttr) int { return strings.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(d, byName) {
		d = slices.Clone(d)
		slices.SortStableFunc(d, byName)
	}
	return d
}

// String prints the dictionary as {a = 1 : i64, b}.
func (d Dict) String() string { return d.Sorted().inOrder() }

// inOrder is String without sorting.
func (d Dict) inOrder() string {
	return "{" + diag.Join(d, func(e NamedAttr) string {
		if _, unit := e.Value.(UnitAttr); unit {
			return lexeme.Key(e.Name)
		}
		return lexeme.Key(e.Name) + " = " + e.Value.String()
	}) + "}"
}

func (a DenseArrayAttr) String() string {
	s := a.Texts
	if s == nil {
		s = make([]string, len(a.Ints))
		for i, v := range a.Ints {
			if a.Elem == I1 {
				s[i] = strconv.FormatBool(v != 0)
			} else {
				s[i] = strconv.FormatInt(v, 10)
			}
		}
	}
	if len(s) == 0 {
		return "array<" + a.Elem.String() + ">"
	}
	return "array<" + a.Elem.String() + ": " + strings.Join(s, ", ") + ">"
}

// Ints returns the integers of a DenseArrayAttr, of an ArrayAttr of integers,
// or of a dense literal of integers.
func Ints(a Attribute) ([]int64, bool) {
	switch a := a.(type) {
	case DenseArrayAttr:
		return a.Ints, a.Texts == nil
	case ArrayAttr:
		v := make([]int64, len(a))
		for i, e := range a {
			n, ok := e.(IntegerAttr)
			if !ok {
				return nil, false
			}
			v[i] = n.Value
		}
		return v, true
	case *DenseAttr:
		return denseInts(a)
	}
	return nil, false
}

func denseInts(a *DenseAttr) ([]int64, bool) {
	t, ok := a.Type.Elem.(IntegerType)
	if _, index := a.Type.Elem.(IndexType); index {
		t, ok = I64, true
	}
	if !ok {
		return nil, false
	}
	data, splat, err := a.Decode()
	if err != nil {
		return nil, false
	}
	size := elementSize(t)
	n := len(data) / size
	if splat {
		if a.Type.Elements() > 1<<20 {
			return nil, false // nothing that lists dimensions is so long
		}
		n = int(a.Type.Elements())
	}
	v := make([]int64, n)
	for i := range v {
		e := data
		if !splat {
			e = data[i*size:]
		}
		x := elementBits(e[:size])
		if shift := 64 - 8*size; t.Sign == Unsigned {
			v[i] = int64(x)
		} else {
			v[i] = int64(x<<shift) >> shift
		}
	}
	return v, true
}

// Int returns the value of an integer attribute.
func Int(a Attribute) (int64, bool) {
	n, ok := a.(IntegerAttr)
	return n.Value, ok
}

// Enum returns the value of an enum attribute, such as LT; "" if it is none.
func Enum(a Attribute) string {
	e, _ := a.(EnumAttr)
	return e.Value
}

// Flag reports whether an attribute is true; one that is only named is, one
// that is missing is not.
func Flag(a Attribute) bool {
	switch a := a.(type) {
	case BoolAttr:
		return bool(a)
	case UnitAttr:
		return true
	}
	return false
}

// FloatText returns v as MLIR prints a number of type t, after rounding it to
// t; "" for a type that is not a float.
func FloatText(v float64, t FloatType) string {
	var raw uint64
	switch m, _, mini := minifloat.Of(t.Name); {
	case t.Name == "f64":
		raw = math.Float64bits(v)
	case t.Name == "f32":
		raw = uint64(math.Float32bits(float32(v)))
	case mini:
		raw = m.Bits(v)
	default:
		return ""
	}
	return string(lexeme.AppendFloat(nil, raw, t.Name))
}
