package vector

import (
	"fmt"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/internal/diag"
	"ltc/ir/types"
)

// unary and binary write the code of an op on lanes of dtype d. That of floats
// works in f32 for f16 and bf16; what calls it rounds.
type (
	unary  func(b *Builder, d types.DType, x value.Value) value.Value
	binary func(b *Builder, d types.DType, x, y value.Value) value.Value
)

// row has the code of an op for the dtypes of each class, nil where the op has
// no such operands.
type row[code any] struct{ bools, ints, floats code }

// of returns the code for dtype d.
func (r row[code]) of(d types.DType) code {
	switch {
	case d == types.Bool:
		return r.bools
	case d.IsFloat():
		return r.floats
	}
	return r.ints
}

// other writes the code of an op whose operands and value differ in dtype, or
// of which there are three.
type other func(b *Builder, t types.DType, args []Value) (Value, error)

type (
	unaryOpsTable  [kernel.NumOps]row[unary]
	binaryOpsTable [kernel.NumOps]row[binary]
	otherOpsTable  [kernel.NumOps]other
)

// The code of each op, by its form.
var (
	unaryOps  unaryOpsTable
	binaryOps binaryOpsTable
	otherOps  otherOpsTable
)

// Booleans add like or and multiply like and.
var (
	boolAdd, boolMaximum, boolOr       = bitOr, bitOr, bitOr
	boolMultiply, boolMinimum, boolAnd = bitAnd, bitAnd, bitAnd
	boolXor                            = bitXor
	intAnd, intOr, intXor              = bitAnd, bitOr, bitXor
)

// Supports reports whether op has code for operands of dtype d.
func Supports(op kernel.Op, d types.DType) bool {
	return op < kernel.NumOps && op.Computes() && op.Takes(d)
}

// UnsupportedError says that an op has no code for a dtype.
type UnsupportedError struct {
	Op    string
	DType types.DType
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("no vector code for %s of %v", e.Op, e.DType)
}

// Op adds an op that computes, on as many values as it takes; the value has dtype
// t. It returns an *[UnsupportedError] if the op does not take the values' dtype.
func (b *Builder) Op(op kernel.Op, t types.DType, args ...Value) (Value, error) {
	if len(args) != op.Arity() || len(args) == 0 {
		return Value{}, fmt.Errorf("%v of %s", op, diag.Count(len(args), "value"))
	}
	d := args[0].DType
	if f := otherOps[op]; f != nil {
		return f(b, t, args)
	}
	for _, a := range args[1:] {
		if a.DType != d {
			return Value{}, fmt.Errorf("%v of %v and %v", op, d, a.DType)
		}
	}
	var r value.Value
	switch one, two := unaryOps[op].of(d), binaryOps[op].of(d); {
	case op.Expands(d):
		r = b.function(op, d, args)
	case one != nil:
		r = one(b, d, args[0].V)
	case two != nil:
		r = two(b, d, args[0].V, args[1].V)
	default:
		return Value{}, &UnsupportedError{op.String(), d}
	}
	if op.Exact() {
		return Value{r, t}, nil
	}
	return b.rounded(r, t), nil
}

// Unary adds an op with one operand, whose dtype the result has. It returns an
// *[UnsupportedError] if there is no code for the dtype.
func (b *Builder) Unary(op kernel.Op, x Value) (Value, error) { return b.Op(op, x.DType, x) }

// Binary adds an op with two operands of one dtype and number of lanes, which
// are those of the result. It returns an *[UnsupportedError] if there is no
// code for the dtype.
func (b *Builder) Binary(op kernel.Op, x, y Value) (Value, error) {
	return b.Op(op, x.DType, x, y)
}

func opConvert(b *Builder, t types.DType, args []Value) (Value, error) {
	return b.Convert(args[0], t), nil
}

func opBitcastConvert(b *Builder, t types.DType, args []Value) (Value, error) {
	return b.Bitcast(args[0], t)
}

func opSelect(b *Builder, _ types.DType, args []Value) (Value, error) {
	return b.Select(args[0], args[1], args[2]), nil
}

func opFMA(b *Builder, _ types.DType, args []Value) (Value, error) {
	return b.FMA(args[0], args[1], args[2]), nil
}

// Select chooses lanes of x where c, a bool, is set, else of y. A scalar c
// chooses all.
func (b *Builder) Select(c, x, y Value) Value {
	r := b.sel(c.V, x.V, y.V)
	if h, g := b.narrow16[x.V], b.narrow16[y.V]; h != nil && g != nil {
		b.keepHalf(r, b.sel(c.V, h, g))
	}
	return Value{r, x.DType}
}
