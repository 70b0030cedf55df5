package ops

import (
	"slices"
	"strings"
)

// Table has the ops: those below, and the dialect's mathematical functions.
var Table = With(functions)

// With returns the table with the mathematical functions of the given names. Each is
// expanded, but for those that have a row below.
func With(functions []string) []Op {
	form := func(forms ...Form) int {
		return slices.IndexFunc(rows, func(o Op) bool { return slices.Contains(forms, o.Form) })
	}
	begin, end := form(Unary, AnyUnary), form(Binary)
	unary := slices.Clone(rows[begin:end])
	for _, name := range functions {
		if !slices.ContainsFunc(rows, func(o Op) bool { return o.Name == name }) {
			unary = append(unary, Op{Name: name, Form: Unary, Takes: Floats, Expands: Floats, Traits: Costly})
		}
	}
	slices.SortFunc(unary, func(a, b Op) int { return strings.Compare(a.Name, b.Name) })
	return slices.Concat(rows[:begin], unary, rows[end:])
}

// rows are the ops that are no functions of the dialect. Those that compute have the
// names and the meaning of the StableHLO ops on one element, Erf that of chlo.erf; those
// of integers wrap. A multiply whose only use is an add or subtract of its stage may be
// rounded once with it; a bitcast_convert to its own type between them keeps it from that.
var rows = []Op{
	{Name: "Constant", Doc: "Aux: the bits", Form: Leaf, Takes: All},
	{Name: "Iota", Doc: "Aux: the axis. The value is the current point of that axis, as a number of Type", Form: Leaf, Takes: Numbers},
	{Name: "SizeOf", Doc: "Aux: a Size; the number of elements as an i64", Form: Leaf, Takes: Ints},
	{Name: "Load", Doc: "Mem; Args: if guarded, the value where an index is out of range", Form: Leaf, Takes: All},
	{Name: "Store", Doc: "Mem; Args: the value to store. A store has no value.", Form: Leaf, Takes: All},
	{Name: "Reduce", Doc: "Aux: an Op that combines; Args: the value to reduce", Form: Leaf, Takes: All},
	{Name: "Scan", Doc: "Aux: see NewScan; Args: the value to scan along the stage's axis", Form: Leaf, Takes: All},

	{Name: "Loop", Doc: "see expand.Loop", Form: Leaf, Takes: Numbers, Traits: Internal},
	{Name: "Lookup", Doc: "Aux: a TableRow; Args: an integer, whose lowest bits are the index", Form: Leaf, Takes: Ints, Traits: Internal},

	{Name: "Abs", Form: Unary, Takes: Numbers, Traits: Exact},
	{Name: "BitcastConvert", Form: AnyUnary, Takes: Numbers},
	{Name: "Ceil", Form: Unary, Takes: Floats, Expands: Floats, Traits: Exact},
	{Name: "Convert", Form: AnyUnary, Takes: All},
	{Name: "CountLeadingZeros", Form: Unary, Takes: Ints, Expands: Ints},
	{Name: "Erf", Form: Unary, Takes: Floats, Expands: Floats, Traits: Costly},
	{Name: "Floor", Form: Unary, Takes: Floats, Traits: Exact},
	{Name: "IsFinite", Form: AnyUnary, Takes: Floats, Expands: Floats},
	{Name: "Negate", Form: Unary, Takes: Numbers, Traits: Exact},
	{Name: "Not", Form: Unary, Takes: Bitwise, Expands: Bitwise},
	{Name: "Popcnt", Form: Unary, Takes: Ints, Expands: Ints},
	{Name: "RoundNearestAfz", Form: Unary, Takes: Floats, Expands: Floats, Traits: Exact},
	{Name: "RoundNearestEven", Form: Unary, Takes: Floats, Expands: Floats, Traits: Exact},
	{Name: "Sign", Form: Unary, Takes: Numbers, Expands: Numbers, Traits: Exact},
	{Name: "Sqrt", Form: Unary, Takes: Floats, Traits: Costly},

	{Name: "Add", Form: Binary, Takes: All, Traits: Combines},
	{Name: "And", Form: Binary, Takes: Bitwise, Traits: Combines},
	{Name: "Atan2", Form: Binary, Takes: Floats, Expands: Floats, Traits: Costly},
	{Name: "Divide", Form: Binary, Takes: Numbers, Traits: Costly},
	{Name: "Maximum", Form: Binary, Takes: All, Traits: Exact | Combines},
	{Name: "Minimum", Form: Binary, Takes: All, Traits: Exact | Combines},
	{Name: "Multiply", Form: Binary, Takes: All, Traits: Combines},
	{Name: "Or", Form: Binary, Takes: Bitwise, Traits: Combines},
	{Name: "Power", Form: Binary, Takes: Numbers, Expands: Numbers, Traits: Costly},
	{Name: "Remainder", Form: Binary, Takes: Numbers, Expands: Numbers, Traits: Costly | Exact},
	{Name: "ShiftLeft", Form: Binary, Takes: Ints},
	{Name: "ShiftRightArithmetic", Form: Binary, Takes: Ints},
	{Name: "ShiftRightLogical", Form: Binary, Takes: Ints},
	{Name: "Subtract", Form: Binary, Takes: Numbers},
	{Name: "Xor", Form: Binary, Takes: Bitwise, Traits: Combines},
	{Name: "CopySign", Doc: "the magnitude of the first argument with the sign of the second", Form: Binary, Takes: Floats, Traits: Exact | Internal},

	{Name: "CompareEQ", Form: Comparison, Takes: All},
	{Name: "CompareNE", Form: Comparison, Takes: All},
	{Name: "CompareLT", Form: Comparison, Takes: All},
	{Name: "CompareLE", Form: Comparison, Takes: All},
	{Name: "CompareGT", Form: Comparison, Takes: All},
	{Name: "CompareGE", Form: Comparison, Takes: All},

	{Name: "Select", Doc: "Args: a bool, the value if it is true, the value if it is false", Form: Ternary, Takes: Bools},
	{Name: "FMA", Doc: "Args: two factors and an addend; rounded once", Form: Ternary, Takes: Floats, Traits: Internal},
	{Name: "Clamp", Doc: "Args: the lower bound, the value, the upper bound", Form: Ternary, Takes: Numbers, Expands: Numbers, Traits: Exact},

	{Name: "Exponent", Doc: "⌊log₂|x|⌋ as a float: -∞ of 0, ∞ of infinities", Form: Unary, Takes: Floats, Traits: Internal | Optional},
	{Name: "Mantissa", Doc: "x·2ⁿ with the integer n chosen so that the result is from ¾ to 1½; for x of 0 or ∞ it is 1, for negative x NaN", Form: Unary, Takes: Floats, Traits: Internal | Optional},
	{Name: "Scale", Doc: "x·2^⌊y⌋, rounded once", Form: Binary, Takes: Floats, Traits: Internal | Optional},
}
