// Package ops is the op table: one row of plain data for each primitive
// ([Table]) and for each composite, be it a method of the lazy tensor ([Composites])
// or a function of a package ([Packages]). From its rows `go generate` makes the op
// constants, the methods and functions with their guards and documentation, the
// dispatch tables of inference, lowering, gradients and of composites' functions,
// and docs/reference/ops. Its central type is [Op].
//
// The package imports only ltc/ir/types.
package ops

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ltc/ir/types"
)

// Op is a row of the table.
type Op struct {
	Package  string    // of functions, if it is a row of Packages
	Name     string    // as a Go method or function: MatMul
	Family   Family    // says where the documentation has it; a row of another module needs none
	Text     string    // its name in text; "" for Name with its words in lower case: ShiftLeft as shift_left
	Doc      string    // what it returns, as a sentence going on from the name
	Operands []Operand // the first is the receiver of the lazy method
	Attrs    []Attr    // in the order of the method's arguments
	Results  []string  // the names of its results if there are several
	Where    []Demand  // what the type rule demands beyond the operands' constraints
	HLO      string    // elementwise rows: the StableHLO op without its prefix, or the op chlo.NAME, if it lowers to one
	Traits   Traits
}

// Operand is an operand of a row.
type Operand struct {
	Name     string
	Is       Constraint
	Like     string // operand whose dtype this one has, too; "" if free
	Variadic bool   // stands for one or more operands; only the last can
	Optional bool   // of a composite: may be left out; only the last ones can, in package lazy the last alone
	Constant bool   // of a composite with a gradient of its own: a gradient with respect to this operand is an error
}

// Constraint says which dtypes an operand takes.
type Constraint uint8

// The constraints.
const (
	Any     Constraint = iota
	Number             // integer or floating point
	Float              // floating point
	Signed             // floating point or signed integer
	Integer            // signed or unsigned integer
	Logical            // bool or integer
	Bool
	Several         // no tensor: a node with several results
	NumberOrComplex // integer, floating point or complex
	FloatOrComplex  // floating point or complex
	SignedOrComplex // floating point, signed integer or complex
	Complex         // complex numbers
	Part            // floating point that complex numbers have: f32 or f64
	PartOrComplex   // f32, f64 or complex
	Float8          // floating point of 8 bits
)

// String names the dtypes allowed.
func (c Constraint) String() string {
	return [...]string{"any dtype", "a number", "floating point", "a signed number", "an integer", "bool or an integer", "bool", "a node with several results",
		"a number or complex", "floating point or complex", "a signed number or complex", "complex", "f32 or f64", "f32, f64 or complex", "f8E4M3FN or f8E5M2"}[c]
}

// Allows reports whether d meets the constraint.
func (c Constraint) Allows(d types.DType) bool {
	switch c {
	case Number:
		return d.IsNumber()
	case Float:
		return d.IsFloat()
	case Signed:
		return d.IsNumber() && d.IsSigned()
	case Integer:
		return d.IsInteger()
	case Logical:
		return d.IsInteger() || d == types.Bool
	case Bool:
		return d == types.Bool
	case Several:
		return d == types.Invalid
	case NumberOrComplex:
		return d.IsNumber() || d.IsComplex()
	case FloatOrComplex:
		return d.Continuous()
	case SignedOrComplex:
		return d.IsNumber() && d.IsSigned() || d.IsComplex()
	case Complex:
		return d.IsComplex()
	case PartOrComplex:
		return Part.Allows(d) || d.IsComplex()
	case Float8:
		return d.IsFloat8()
	case Part:
		return d == types.F32 || d == types.F64
	}
	return d.Valid()
}

// Attr is an attribute of a row.
type Attr struct {
	Name string
	Kind AttrKind
}

// Demand is a constraint that a type rule checks: of a composite, its function
// check<Name>. A demand on an attribute of a composite whose kind is [AttrKind.Checked]
// has the attribute's name, and needs no function.
type Demand struct {
	Name string // for the rule: inner of MatMul is the constant matMulInner of shapeinfer
	Text string
}

// AttrKind says what values an attribute takes and how the method's caller may
// abbreviate them.
type AttrKind uint8

// The kinds of attributes. Negative axes count from the end of the first
// operand's shape; the node holds them counted from the front.
const (
	Int      AttrKind = iota // one integer
	Ints                     // a list of integers
	Dims                     // a shape; one -1 stands for what is left of the elements
	Axis                     // an axis of the first operand
	Axes                     // axes of the first operand, sorted; none: all
	Perm                     // a permutation of the first operand's axes; none: reversed
	DType                    // a dtype
	Literal                  // the bits of an element of the result's dtype
	String                   // a word
	Real                     // of composites: a finite floating-point number
	Flag                     // true or false
	Extended                 // of composites: a floating-point number that may be infinite
)

// Sized reports whether integers of the kind may be sizes, for which open programs have expressions.
func (k AttrKind) Sized() bool { return k == Int || k == Ints || k == Dims }

// Checked reports whether the kind says what values are refused.
func (k AttrKind) Checked() bool { return k == Axis || k == Axes || k == DType || k.Float() }

// Float reports whether attributes of the kind are floating-point numbers.
func (k AttrKind) Float() bool { return k == Real || k == Extended }

// String names the kind.
func (k AttrKind) String() string {
	return [...]string{"integer", "integers", "dimensions", "axis", "axes", "permutation", "dtype", "literal", "word", "finite number", "flag", "number"}[k]
}

// Traits are properties that several ops share, for passes to ask for.
type Traits uint32

// The traits.
const (
	// Elementwise ops compute every element of the result from the elements of
	// the operands at its place. Their operands broadcast: the node's all have
	// the shape of the result. The result has the dtype of the last operand,
	// unless the row has a type rule of its own (OwnRule).
	Elementwise Traits = 1 << iota
	// Commutative ops take their two operands in either order.
	Commutative
	// OwnRule rows have a type rule of their own: the function infer<Name>.
	OwnRule
	// OwnLowering rows are lowered by the function lower<Name>, others to the
	// one op in HLO.
	OwnLowering
	// Internal rows get no generated method.
	Internal
	// InPlace rows get a method Name_ that writes the result into the receiver.
	InPlace
	// View rows rearrange the elements of x: their methods give views, which
	// share them. The lazy library knows how to write through each.
	View
	// OwnGradient composites have the gradient grad<Name>; that of others is
	// their body's.
	OwnGradient
	// Inline composites are recorded as the ops that they are made of; others are
	// called by name, so that a backend may recognise them.
	Inline
	// ManyResults rows of primitives have a type rule that may give the types of
	// several results.
	ManyResults
	// HasBody rows are of nodes that call or run graphs.
	HasBody
	// Promotes rows take operands of several dtypes where one is Like another: the lazy
	// library converts them to the dtype that they promote to.
	Promotes
	// Floating rows compute in floating point alone: the lazy library converts bools and
	// integers that are given for numbers to f32.
	Floating
	// Widening rows add or multiply many elements: the lazy library converts bools and
	// integers to i64.
	Widening
	// Logic rows take bools for numbers: the lazy library computes them as u8, and converts the
	// result back.
	Logic
	// Whole rows round to integers: the lazy library returns operands that are ones.
	Whole
	// AutocastNarrow rows compute in the 16 bits of a scope of Autocast, and AutocastWide rows, which lose too much
	// there, in f32.
	AutocastNarrow
	AutocastWide
	// OfScalars rows take a scalar with the axis 0, or -1: compute<Name> has it count as one row of one element.
	OfScalars
	// Loops marks rows that record a loop: its trip count depends on operands, or its unrolled body exceeds a kernel.
	Loops
)

// Converts reports whether the lazy library converts operands of the row.
func (t Traits) Converts() bool { return t&(Promotes|Floating|Widening|Logic|Whole) != 0 }

// Has reports whether all traits of u are among t.
func (t Traits) Has(u Traits) bool { return t&u == u }

// Target returns the op of MLIR that an elementwise row lowers to, with its dialect; "" if
// the row has a lowering of its own.
func (o *Op) Target() string {
	if o.HLO == "" || strings.Contains(o.HLO, ".") {
		return o.HLO
	}
	return "stablehlo." + o.HLO
}

// Mnemonic returns the op's name in text, with its package if it has one: nn.silu.
func (o *Op) Mnemonic() string {
	if o.Package != "" {
		return o.Package + "." + o.word()
	}
	return o.word()
}

func (o *Op) word() string {
	if o.Text != "" {
		return o.Text
	}
	var b strings.Builder
	for i, r := range o.Name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// GoName returns what Go programs call the op: MatMul for the method, nn.SiLU for a function.
func (o *Op) GoName() string {
	if o.Package != "" {
		return o.Package + "." + o.Name
	}
	return o.Name
}

// Guards reports whether a composite demands what no kind of attribute says, so that
// it has a function check<Name>.
func (o *Op) Guards() bool {
	return slices.ContainsFunc(o.Where, func(d Demand) bool { return o.attr(d.Name) < 0 })
}

// Attribute reports whether the name is that of an attribute which its kind checks.
func (o *Op) Attribute(name string) bool { return o.attr(name) >= 0 }

// DemandOf returns the label of the demand on an attribute of a composite, without
// the mnemonic: c3.
func (o *Op) DemandOf(attr int) string {
	for i, d := range o.Where {
		if o.attr(d.Name) == attr {
			return fmt.Sprintf("c%d", len(o.Operands)+i+1)
		}
	}
	return ""
}

// attr returns which attribute of a kind that is checked has the name; -1 if none.
func (o *Op) attr(name string) int {
	return slices.IndexFunc(o.Attrs, func(a Attr) bool { return a.Name == name && a.Kind.Checked() })
}

// AxisOfScalar reports whether calls along an axis take a scalar, too: as one element along
// the axis 0. Those that arrange elements do not.
func (o *Op) AxisOfScalar() bool {
	return o.Family != Views && o.Family != Joining && slices.Contains(o.Attrs, Attr{"axis", Axis})
}

// Constraints lists what the op demands in the order of their labels:
// constraint i is labelled <mnemonic>_c<i+1>. First come the operands', then
// those of Where.
func (o *Op) Constraints() []string {
	var all []string
	for _, p := range o.Operands {
		name := p.Name
		if p.Optional {
			name += ", if given,"
		}
		s := name + " is " + p.Is.String()
		switch {
		case p.Like != "" && p.Is == Any:
			s = name + " has the dtype of " + p.Like
		case p.Like != "":
			s += " and has the dtype of " + p.Like
		}
		all = append(all, s)
	}
	for _, d := range o.Where {
		all = append(all, d.Text)
	}
	return all
}

// Markdown returns what readers of the row must know, below a heading of the given
// level: ##.
func (o *Op) Markdown(heading string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n`%s` %s\n\n", heading, o.GoName(), o.Mnemonic(), strings.TrimSpace(o.Doc))
	if len(o.Attrs) > 0 {
		b.WriteString("Attributes:")
		for i, a := range o.Attrs {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " `%s` (%s)", a.Name, a.Kind)
		}
		b.WriteString(".\n\n")
	}
	if len(o.Results) > 0 {
		fmt.Fprintf(&b, "Results: `%s`.\n\n", strings.Join(o.Results, "`, `"))
	}
	for i, c := range o.Constraints() {
		fmt.Fprintf(&b, "- `%s_c%d` %s.\n", o.Mnemonic(), i+1, c)
	}
	if o.Traits.Has(Elementwise) && len(o.Operands) > 1 {
		fmt.Fprintf(&b, "- `%s_shapes` the shapes broadcast.\n", o.Mnemonic())
	}
	if s := o.Conversions(); s != "" {
		fmt.Fprintf(&b, "\n%s\n", s)
	}
	return b.String()
}

// Conversions says, as sentences, how operands are converted before the constraints are
// checked; "" if they are not.
func (o *Op) Conversions() string {
	switch {
	case o.Traits.Has(Promotes | Logic):
		return "Operands of different dtypes are promoted; of bools the result is bool."
	case o.Traits.Has(Logic):
		return "Of bools the result is bool."
	case o.Traits.Has(Whole):
		return "Integers stay what they are."
	case o.Traits.Has(Promotes | Floating):
		return "Operands of different dtypes are promoted, and integers become f32."
	case o.Traits.Has(Promotes):
		return "Operands of different dtypes are promoted."
	case o.Traits.Has(Floating):
		return "Bools and integers become f32."
	case o.Traits.Has(Widening):
		return "Bools and integers become i64."
	}
	return ""
}
