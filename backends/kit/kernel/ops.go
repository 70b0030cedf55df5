package kernel

import "ltc/ir/types"

// Op is what an instruction does. Those that compute have the names and the
// meaning of the StableHLO ops on one element, Erf that of chlo.erf; those of
// integers wrap. A multiply whose only use is an add or subtract of its stage
// may be rounded once with it.
type Op uint8

// The ops.
const (
	Invalid Op = iota

	Constant // Aux: the bits
	Iota     // Aux: the axis; its index as a number of Type
	SizeOf   // Aux: a Size; the number of elements as an i64
	Load     // Mem; Args: what stands for elements outside, if guarded
	Store    // Mem; Args: the value. It has none itself.
	Reduce   // Aux: Add, Multiply, Maximum, Minimum, And, Or or Xor; Args: the value

	Abs
	BitcastConvert
	Cbrt
	Ceil
	Convert
	Cosine
	CountLeadingZeros
	Erf
	Exponential
	ExponentialMinusOne
	Floor
	IsFinite
	Log
	LogPlusOne
	Logistic
	Negate
	Not
	Popcnt
	RoundNearestAfz
	RoundNearestEven
	Rsqrt
	Sign
	Sine
	Sqrt
	Tan
	Tanh

	Add
	And
	Atan2
	Divide
	Maximum
	Minimum
	Multiply
	Or
	Power
	Remainder
	ShiftLeft
	ShiftRightArithmetic
	ShiftRightLogical
	Subtract
	Xor

	CompareEQ
	CompareNE
	CompareLT
	CompareLE
	CompareGT
	CompareGE

	Select // Args: a bool, then what it chooses from
	Clamp  // Args: the lowest, the value, the highest

	numOps
)

// sort is what a row of the table says of an op's operands and value.
type sort uint8

const (
	leaf       sort = iota + 1 // said in the op's comment
	sameUnary                  // one operand of the value's type
	anyUnary                   // one operand of any type
	sameBinary                 // two operands of the value's type
	comparison                 // two operands of one type, a bool
	ternary                    // said in the op's comment
)

// class is the dtypes that an op computes on.
type class uint8

const (
	floats class = 1 << iota
	ints
	bools
	numbers = floats | ints
	bitwise = ints | bools
	all     = floats | ints | bools
)

var ops = [numOps]struct {
	name  string
	sort  sort
	class class // of the first operand; of the value, for leaves
	// costly ops take longer than a load.
	costly bool
}{
	Invalid:  {name: "invalid"},
	Constant: {"constant", leaf, all, false},
	Iota:     {"iota", leaf, numbers, false},
	SizeOf:   {"size", leaf, ints, false},
	Load:     {"load", leaf, all, false},
	Store:    {"store", leaf, all, false},
	Reduce:   {"reduce", leaf, all, false},

	Abs:                 {"abs", sameUnary, numbers, false},
	BitcastConvert:      {"bitcast_convert", anyUnary, numbers, false},
	Cbrt:                {"cbrt", sameUnary, floats, true},
	Ceil:                {"ceil", sameUnary, floats, false},
	Convert:             {"convert", anyUnary, all, false},
	Cosine:              {"cosine", sameUnary, floats, true},
	CountLeadingZeros:   {"count_leading_zeros", sameUnary, ints, false},
	Erf:                 {"erf", sameUnary, floats, true},
	Exponential:         {"exponential", sameUnary, floats, true},
	ExponentialMinusOne: {"exponential_minus_one", sameUnary, floats, true},
	Floor:               {"floor", sameUnary, floats, false},
	IsFinite:            {"is_finite", anyUnary, floats, false},
	Log:                 {"log", sameUnary, floats, true},
	LogPlusOne:          {"log_plus_one", sameUnary, floats, true},
	Logistic:            {"logistic", sameUnary, floats, true},
	Negate:              {"negate", sameUnary, numbers, false},
	Not:                 {"not", sameUnary, bitwise, false},
	Popcnt:              {"popcnt", sameUnary, ints, false},
	RoundNearestAfz:     {"round_nearest_afz", sameUnary, floats, false},
	RoundNearestEven:    {"round_nearest_even", sameUnary, floats, false},
	Rsqrt:               {"rsqrt", sameUnary, floats, true},
	Sign:                {"sign", sameUnary, numbers, false},
	Sine:                {"sine", sameUnary, floats, true},
	Sqrt:                {"sqrt", sameUnary, floats, true},
	Tan:                 {"tan", sameUnary, floats, true},
	Tanh:                {"tanh", sameUnary, floats, true},

	Add:                  {"add", sameBinary, all, false},
	And:                  {"and", sameBinary, bitwise, false},
	Atan2:                {"atan2", sameBinary, floats, true},
	Divide:               {"divide", sameBinary, numbers, true},
	Maximum:              {"maximum", sameBinary, all, false},
	Minimum:              {"minimum", sameBinary, all, false},
	Multiply:             {"multiply", sameBinary, all, false},
	Or:                   {"or", sameBinary, bitwise, false},
	Power:                {"power", sameBinary, numbers, true},
	Remainder:            {"remainder", sameBinary, numbers, true},
	ShiftLeft:            {"shift_left", sameBinary, ints, false},
	ShiftRightArithmetic: {"shift_right_arithmetic", sameBinary, ints, false},
	ShiftRightLogical:    {"shift_right_logical", sameBinary, ints, false},
	Subtract:             {"subtract", sameBinary, numbers, false},
	Xor:                  {"xor", sameBinary, bitwise, false},

	CompareEQ: {"compare_eq", comparison, all, false},
	CompareNE: {"compare_ne", comparison, all, false},
	CompareLT: {"compare_lt", comparison, all, false},
	CompareLE: {"compare_le", comparison, all, false},
	CompareGT: {"compare_gt", comparison, all, false},
	CompareGE: {"compare_ge", comparison, all, false},

	Select: {"select", ternary, bools, false},
	Clamp:  {"clamp", ternary, numbers, false},
}

// Ops returns all ops, in the order of their constants.
func Ops() []Op {
	all := make([]Op, 0, numOps-1)
	for o := Invalid + 1; o < numOps; o++ {
		all = append(all, o)
	}
	return all
}

// ParseOp returns the op with the given name.
func ParseOp(name string) (Op, bool) {
	o, ok := opByName[name]
	return o, ok
}

var opByName = func() map[string]Op {
	m := make(map[string]Op, numOps)
	for o := Invalid + 1; o < numOps; o++ {
		m[ops[o].name] = o
	}
	return m
}()

// String returns the op's name.
func (o Op) String() string { return ops[o].name }

// Computes reports whether an op's value depends on its arguments alone.
func (o Op) Computes() bool { return ops[o].sort > leaf }

// Costly reports whether computing an op again takes longer than loading its
// value.
func (o Op) Costly() bool { return ops[o].costly }

// Arity is how many arguments a computing op takes.
func (o Op) Arity() int {
	switch ops[o].sort {
	case sameUnary, anyUnary:
		return 1
	case sameBinary, comparison:
		return 2
	case ternary:
		return 3
	}
	return 0
}

// Takes reports whether an op has values of dtype d: its first operand's, or a
// leaf's own.
func (o Op) Takes(d types.DType) bool {
	c := ops[o].class
	switch {
	case d == types.Bool:
		return c&bools != 0
	case d.IsFloat():
		return c&floats != 0
	}
	return d.IsInteger() && c&ints != 0
}

// Combines reports whether a reduction or store can combine values with o.
func (o Op) Combines() bool {
	switch o {
	case Add, Multiply, Maximum, Minimum, And, Or, Xor:
		return true
	}
	return false
}
