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

var unaryOps = map[string]row[unary]{
	"abs":                   {nil, intAbs, floatAbs},
	"cbrt":                  {nil, nil, cbrt},
	"ceil":                  {nil, nil, rounding("ceil")},
	"cosine":                {nil, nil, cosine},
	"count_leading_zeros":   {nil, leadingZeros, nil},
	"erf":                   {nil, nil, (*Builder).erf},
	"exponential":           {nil, nil, (*Builder).exp},
	"exponential_minus_one": {nil, nil, (*Builder).expm1},
	"floor":                 {nil, nil, rounding("floor")},
	"log":                   {nil, nil, (*Builder).log},
	"log_plus_one":          {nil, nil, (*Builder).log1p},
	"logistic":              {nil, nil, (*Builder).logistic},
	"negate":                {nil, intNegate, floatNegate},
	"not":                   {intNot, intNot, nil},
	"popcnt":                {nil, popcnt, nil},
	"round_nearest_afz":     {nil, nil, roundAway},
	"round_nearest_even":    {nil, nil, rounding("rint")},
	"rsqrt":                 {nil, nil, reciprocalRoot},
	"sign":                  {nil, intSign, floatSign},
	"sine":                  {nil, nil, sine},
	"sqrt":                  {nil, nil, squareRoot},
	"tan":                   {nil, nil, tangent},
	"tanh":                  {nil, nil, (*Builder).tanh},
}

// Booleans add like or and multiply like and.
var binaryOps = map[string]row[binary]{
	"add":                    {bitOr, intAdd, floatAdd},
	"and":                    {bitAnd, bitAnd, nil},
	"atan2":                  {nil, nil, atan2},
	"divide":                 {nil, intDivide, floatDivide},
	"maximum":                {bitOr, intMaximum, floatMaximum},
	"minimum":                {bitAnd, intMinimum, floatMinimum},
	"multiply":               {bitAnd, intMultiply, floatMultiply},
	"or":                     {bitOr, bitOr, nil},
	"power":                  {nil, intPower, floatPower},
	"remainder":              {nil, intRemainder, floatRemainder},
	"shift_left":             {nil, shiftLeft, nil},
	"shift_right_arithmetic": {nil, shiftRightArithmetic, nil},
	"shift_right_logical":    {nil, shiftRightLogical, nil},
	"subtract":               {nil, intSubtract, floatSubtract},
	"xor":                    {bitXor, bitXor, nil},
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
	f := unaryOps[op].of(x.DType)
	if f == nil {
		return Value{}, &UnsupportedError{op, x.DType}
	}
	return b.rounded(f(b, x.DType, x.V), x.DType), nil
}

// Binary adds an op with two operands of one dtype and number of lanes, which
// are those of the result. It returns an *[UnsupportedError] if there is no
// code for the dtype.
func (b *Builder) Binary(op string, x, y Value) (Value, error) {
	f := binaryOps[op].of(x.DType)
	if f == nil || y.DType != x.DType {
		return Value{}, &UnsupportedError{op, x.DType}
	}
	return b.rounded(f(b, x.DType, x.V, y.V), x.DType), nil
}

// Select chooses lanes of x where c, a bool, is set, else of y. A scalar c
// chooses all.
func (b *Builder) Select(c, x, y Value) Value { return Value{b.sel(c.V, x.V, y.V), x.DType} }

// Clamp returns x, but at least lo and at most hi, which wins; NaN if one of
// them is.
func (b *Builder) Clamp(lo, x, hi Value) (Value, error) {
	r, err := b.Binary("maximum", lo, x)
	if err != nil {
		return Value{}, &UnsupportedError{"clamp", x.DType}
	}
	return b.Binary("minimum", r, hi)
}
