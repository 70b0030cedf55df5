// Package shapeinfer decides the type of every op's result from the types of
// its operands and its attributes, or says which rule they break. Each rule is
// written once, here; later stages read the type from the node. Its central
// functions are [Infer], the rule, and [Record], which also brings the
// operands and attributes that users may give into the form the rule wants.
//
// The package imports only ltc/ir and the packages below it.
package shapeinfer

import (
	"fmt"
	"slices"
	"strings"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/ops"
	"ltc/ir/types"
)

// Error says which constraint of an op's type rule is broken.
type Error struct {
	Op       string       // mnemonic
	Operands []types.Type // as the user gave them; the zero Type of a node with several results
	Label    string       // of the constraint, as in docs/reference/ops
	Reason   string
	// Broadcast is set if the shapes of elementwise operands do not broadcast.
	Broadcast bool
	// Guard is what would keep the rule if it held of sizes that are open; nil if nothing would.
	Guard *dims.Guard
}

// Error prints op(types): reason (label).
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	b.WriteByte('(')
	for i, t := range e.Operands {
		if i > 0 {
			b.WriteString(", ")
		}
		if t.DType == types.Invalid {
			b.WriteString("several results")
			continue
		}
		b.WriteString(t.String())
	}
	fmt.Fprintf(&b, "): %s (%s)", e.Reason, e.Label)
	return b.String()
}

// rule is the type rule of an op with OwnRule. It may rely on the number of
// operands and attributes and on the operands' constraints.
type rule func(in []*ir.Node, attrs []ir.Attr, body *ir.Composite) (types.Type, *broken)

// manyRule is the rule of an op that may have several results: it gives the type of
// one, or the types of several.
type manyRule func(in []*ir.Node, attrs []ir.Attr, body *ir.Composite) (one types.Type, several []types.Type, b *broken)

// demand is a place in Op.Where, from 1: one of the generated constants.
type demand int

// broken names what a rule demands and does not get.
type broken struct {
	demand demand
	reason string
	guard  *dims.Guard
}

// equal says that the demand is met if two sizes are equal.
func (b *broken) equal(x, y int) *broken {
	b.guard = guardOf(dims.Equal, x, y)
	return b
}

// guardOf returns a guard of sizes that are open; nil if it holds of all, or of none.
func guardOf(rule dims.Rule, x, y int) *dims.Guard {
	g := dims.Guard{Rule: rule, A: int64(x), B: int64(y)}
	if holds, can := g.Prove(); holds || !can || !dims.HasExpr(x, y) {
		return nil
	}
	return &g
}

// unequal returns the guard of the first sizes of two shapes that differ; nil if their ranks do.
func unequal(a, b types.Shape) *dims.Guard {
	if len(a) == len(b) {
		for i := range a {
			if a[i] != b[i] {
				return guardOf(dims.Equal, a[i], b[i])
			}
		}
	}
	return nil
}

func breaks(d demand, format string, args ...any) (types.Type, *broken) {
	return types.Type{}, because(d, format, args...)
}

func because(d demand, format string, args ...any) *broken {
	return &broken{demand: d, reason: fmt.Sprintf(format, args...)}
}

// Infer returns the type of the result of op, or the types of several, and then the
// zero Type. An error is an *Error.
func Infer(op ir.Op, in []*ir.Node, attrs []ir.Attr, body *ir.Composite) (one types.Type, several []types.Type, err error) {
	row := op.Info()
	if !quick[op].meets(in) {
		if err := checkOperands(row, in); err != nil {
			return types.Type{}, nil, err
		}
	}
	if len(attrs) != len(row.Attrs) {
		return types.Type{}, nil, newError(row, in, "attributes", fmt.Sprintf("the number of attributes is %d, must be %d", len(attrs), len(row.Attrs)))
	}
	if row.Traits.Has(ops.Elementwise) {
		for _, x := range in[1:] {
			if !x.Type.Shape.Equal(in[0].Type.Shape) {
				e := newError(row, in, "shapes", "the shapes of the operands differ")
				e.Guard = unequal(x.Type.Shape, in[0].Type.Shape)
				return types.Type{}, nil, e
			}
		}
	}
	var b *broken
	if many := manyRules[op]; many != nil {
		one, several, b = many(in, attrs, body)
	} else {
		one, b = rules[op](in, attrs, body)
	}
	if b != nil {
		e := newError(row, in, fmt.Sprintf("c%d", len(row.Operands)+int(b.demand)), b.reason)
		e.Guard = b.guard
		return types.Type{}, nil, e
	}
	return one, several, nil
}

func newError(row *ops.Op, in []*ir.Node, label, reason string) *Error {
	e := &Error{Op: row.Mnemonic(), Label: row.Mnemonic() + "_" + label, Reason: reason}
	for _, x := range in {
		e.Operands = append(e.Operands, x.Type)
	}
	return e
}

// demands are what a row says of the operands of an op that takes a fixed number of
// them, in a form that is quick to check. An operand has the dtypes that it may have, a
// bit each, and the operand that has the same one, which is itself if that is free.
type demands []struct {
	dtypes uint32
	like   uint8
}

// quick has the demands of each op, nil of those that take any number of operands.
var quick = func() (all [ir.NumOps]demands) {
	for op := range ir.Op(ir.NumOps) {
		row := op.Info()
		if n := len(row.Operands); n == 0 || row.Operands[n-1].Variadic {
			continue
		}
		all[op] = make(demands, len(row.Operands))
		for i := range row.Operands {
			p, d := &row.Operands[i], &all[op][i]
			for _, t := range types.AllDTypes() {
				if p.Is.Allows(t) {
					d.dtypes |= 1 << t
				}
			}
			if p.Is == ops.Several {
				d.dtypes = 1 << types.Invalid
			}
			d.like = uint8(i)
			if p.Like != "" {
				d.like = uint8(operandIndex(row, p.Like))
			}
		}
	}
	return all
}()

// meets reports whether operands are what is demanded. Where it is false,
// checkOperands has the last word, and says why.
func (d demands) meets(in []*ir.Node) bool {
	if len(d) == 0 || len(in) != len(d) {
		return false
	}
	for i := range d {
		t := in[i].Type.DType
		if d[i].dtypes>>t&1 == 0 || t != in[d[i].like].Type.DType {
			return false
		}
	}
	return true
}

// checkOperands checks the operands' number and dtypes against the row.
func checkOperands(row *ops.Op, in []*ir.Node) error {
	want := len(row.Operands)
	variadic := want > 0 && row.Operands[want-1].Variadic
	if len(in) < want && !(variadic && len(in) == want-1) || len(in) > want && !variadic {
		return newError(row, in, "operands", fmt.Sprintf("the number of operands is %d, must be %d", len(in), want))
	}
	if i, reason := CheckDTypes(row, len(in), func(i int) types.DType { return in[i].Type.DType }); reason != "" {
		return newError(row, in, fmt.Sprintf("c%d", i+1), reason)
	}
	return nil
}

// CheckDTypes checks the dtypes of the first n operands of a row, a primitive's or a
// composite's. It returns which constraint is broken, from 0, and the reason; "" if none.
func CheckDTypes(row *ops.Op, n int, dtype func(i int) types.DType) (constraint int, reason string) {
	for i := range n {
		k := min(i, len(row.Operands)-1)
		p, d := &row.Operands[k], dtype(i)
		switch {
		case p.Is.Allows(d):
		case p.Is == ops.Several:
			return k, fmt.Sprintf("%s must be %s, is %v", p.Name, p.Is, d)
		case d == types.Invalid:
			return k, fmt.Sprintf("%s has several results; take one of them", p.Name)
		case d == types.Bool && row.Family == ops.Reductions:
			return k, fmt.Sprintf("%s must be %s, is %v; ask with Any or All, or convert it with Convert", p.Name, p.Is, d)
		case d.IsInteger() && (p.Is == ops.Float || p.Is == ops.FloatOrComplex) && row.Family == ops.Reductions:
			return k, fmt.Sprintf("%s must be %s, is %v; convert it to f32 with Convert", p.Name, p.Is, d)
		case d.IsFloat8() && p.Is.Allows(types.F32):
			return k, fmt.Sprintf("%s must be %s, is %v; convert it to f32 or bf16 with Convert", p.Name, p.Is, d)
		default:
			return k, fmt.Sprintf("%s must be %s, is %v; convert it with Convert", p.Name, p.Is, d)
		}
		if p.Like != "" {
			if other := dtype(operandIndex(row, p.Like)); d != other {
				return k, fmt.Sprintf("dtypes differ: %s is %v and %s is %v; convert one with Convert", p.Like, other, p.Name, d)
			}
		}
	}
	return 0, ""
}

// CheckAxes brings axes of x as a user gave them into the form that nodes hold:
// counted from the front and sorted. It returns the reason if they are not
// distinct axes of x; no axes stay none.
func CheckAxes(x types.Type, axes []int) (sorted []int, reason string) {
	if axisOfScalar(x.Rank(), axes) {
		return nil, ""
	}
	for _, a := range axes {
		sorted = append(sorted, fromFront(a, x.Rank()))
	}
	slices.Sort(sorted)
	return sorted, distinct(x, sorted)
}

// axisOfScalar reports whether axes are the one that PyTorch gives a scalar: 0 or -1, along which it
// is one element.
func axisOfScalar(rank int, axes []int) bool {
	return rank == 0 && len(axes) == 1 && (axes[0] == 0 || axes[0] == -1)
}

func operandIndex(row *ops.Op, name string) int {
	return slices.IndexFunc(row.Operands, func(p ops.Operand) bool { return p.Name == name })
}

// inferElementwise is the rule of elementwise ops without OwnRule: the result
// is like the last operand.
func inferElementwise(in []*ir.Node, _ []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	return in[len(in)-1].Type, nil
}

// RepeatedAxes returns the axes along which broadcasting an operand of the second shape to the first repeats it.
func RepeatedAxes(shape, operand types.Shape) (axes []int) {
	more := len(shape) - len(operand)
	for i, d := range shape {
		if i < more || d != operand[i-more] {
			axes = append(axes, i)
		}
	}
	return axes
}

// BroadcastShapes returns the shape to which both shapes broadcast: aligned at
// the last axis, dimensions must be equal or one of them 1.
func BroadcastShapes(a, b types.Shape) (types.Shape, bool) {
	if a.Equal(b) {
		return a, true
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) == 0 {
		return a, true
	}
	out := slices.Clone(a)
	for i, d := range b {
		j := len(a) - len(b) + i
		switch {
		case out[j] == 1:
			out[j] = d
		case d != 1 && d != out[j]:
			return nil, false
		}
	}
	return out, true
}
