package vector

import (
	"fmt"
	"maps"
	"slices"

	"github.com/llir/llvm/ir/value"

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
type row[code any] struct {
	bools, ints, floats code
	// exact says that results have no more bits than operands: nothing is to
	// be rounded.
	exact bool
}

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

var unaryOps = map[string]row[unary]{
	"abs":                   {ints: intAbs, floats: floatAbs, exact: true},
	"cbrt":                  {floats: cbrt},
	"ceil":                  {floats: rounding("ceil"), exact: true},
	"cosine":                {floats: cosine},
	"count_leading_zeros":   {ints: leadingZeros},
	"erf":                   {floats: (*Builder).erf},
	"exponential":           {floats: (*Builder).exp},
	"exponential_minus_one": {floats: (*Builder).expm1},
	"floor":                 {floats: rounding("floor"), exact: true},
	"log":                   {floats: (*Builder).log},
	"log_plus_one":          {floats: (*Builder).log1p},
	"logistic":              {floats: (*Builder).logistic},
	"negate":                {ints: intNegate, floats: floatNegate, exact: true},
	"not":                   {bools: intNot, ints: intNot},
	"popcnt":                {ints: popcnt},
	"round_nearest_afz":     {floats: roundAway, exact: true},
	"round_nearest_even":    {floats: rounding("rint"), exact: true},
	"rsqrt":                 {floats: reciprocalRoot},
	"sign":                  {ints: intSign, floats: floatSign, exact: true},
	"sine":                  {floats: sine},
	"sqrt":                  {floats: squareRoot},
	"tan":                   {floats: tangent},
	"tanh":                  {floats: (*Builder).tanh},
}

// Booleans add like or and multiply like and.
var binaryOps = map[string]row[binary]{
	"add":                    {bools: bitOr, ints: intAdd, floats: floatAdd},
	"and":                    {bools: bitAnd, ints: bitAnd},
	"atan2":                  {floats: atan2},
	"divide":                 {ints: intDivide, floats: floatDivide},
	"maximum":                {bools: bitOr, ints: intMaximum, floats: floatMaximum, exact: true},
	"minimum":                {bools: bitAnd, ints: intMinimum, floats: floatMinimum, exact: true},
	"multiply":               {bools: bitAnd, ints: intMultiply, floats: floatMultiply},
	"or":                     {bools: bitOr, ints: bitOr},
	"power":                  {ints: intPower, floats: floatPower},
	"remainder":              {ints: intRemainder, floats: floatRemainder, exact: true},
	"shift_left":             {ints: shiftLeft},
	"shift_right_arithmetic": {ints: shiftRightArithmetic},
	"shift_right_logical":    {ints: shiftRightLogical},
	"subtract":               {ints: intSubtract, floats: floatSubtract},
	"xor":                    {bools: bitXor, ints: bitXor},
}

// Supports reports whether op has code for operands of dtype d: one of the
// unary and binary ops, is_finite, compare, select, clamp, convert or
// bitcast_convert.
func Supports(op string, d types.DType) bool {
	switch op {
	case "compare", "select", "convert":
		return d.Valid()
	case "clamp", "bitcast_convert":
		return d.IsNumber()
	case "is_finite":
		return d.IsFloat()
	}
	return d.Valid() && (unaryOps[op].of(d) != nil || binaryOps[op].of(d) != nil)
}

// UnaryOps returns the names of the ops with one operand, sorted.
func UnaryOps() []string {
	return slices.Sorted(maps.Keys(unaryOps))
}

// BinaryOps returns the names of the ops with two operands, sorted.
func BinaryOps() []string {
	return slices.Sorted(maps.Keys(binaryOps))
}

// UnsupportedError says that an op has no code for a dtype.
type UnsupportedError struct {
	Op    string
	DType types.DType
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("no vector code for %s of %v", e.Op, e.DType)
}

// Unary adds an op with one operand; the result has its dtype, is_finite's is a
// bool. It returns an *[UnsupportedError] if there is no code for the dtype.
func (b *Builder) Unary(op string, x Value) (Value, error) {
	if op == "is_finite" && x.DType.IsFloat() {
		return b.isFinite(x), nil
	}
	row := unaryOps[op]
	f := row.of(x.DType)
	if f == nil {
		return Value{}, &UnsupportedError{op, x.DType}
	}
	r := f(b, x.DType, x.V)
	if row.exact {
		return Value{r, x.DType}, nil
	}
	return b.rounded(r, x.DType), nil
}

// Binary adds an op with two operands of one dtype and number of lanes, which
// are those of the result. It returns an *[UnsupportedError] if there is no
// code for the dtype.
func (b *Builder) Binary(op string, x, y Value) (Value, error) {
	row := binaryOps[op]
	f := row.of(x.DType)
	switch {
	case f == nil:
		return Value{}, &UnsupportedError{op, x.DType}
	case y.DType != x.DType:
		return Value{}, fmt.Errorf("%s of %v and %v", op, x.DType, y.DType)
	}
	r := f(b, x.DType, x.V, y.V)
	if row.exact {
		return Value{r, x.DType}, nil
	}
	return b.rounded(r, x.DType), nil
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

// Clamp returns x, but at least lo and at most hi, which wins; NaN if one of
// them is.
func (b *Builder) Clamp(lo, x, hi Value) (Value, error) {
	r, err := b.Binary("maximum", lo, x)
	if err != nil {
		return Value{}, &UnsupportedError{"clamp", x.DType}
	}
	return b.Binary("minimum", r, hi)
}
