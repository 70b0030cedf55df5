package explain

import "slices"

// Kind is what makes a program another than those compiled before: an index into [Kinds].
type Kind int

// The kinds.
const (
	Equal Kind = iota
	Shape
	DType
	Attribute
	Constant
	Number
	Argument
	ExtraOp
	MissingOp
	OtherOp
	Wiring
	Roots
	Donation
	Random
	Read
	NewLine
	Evicted
	Lines
	Options
	Backend
	NumKinds
)

// Row is what a kind is called, when a program is of it, and what to do.
type Row struct {
	Name  string // in reports and logs
	Cause string // what has happened, as a clause of documentation
	Do    string // what to do, unless the case has better advice
}

const sameOps = "record the same ops in each step: choose values with Where instead of an if, and give loops one number of iterations"

// otherIterations is the advice for a loop whose number of iterations is an attribute.
const otherIterations = "give For its number of iterations as an integer scalar: NewScalar once, and Set before each step; such a loop has no gradient: where one is needed, keep the number the same, and leave the state as it is by Where"

// constantOfBody is the advice for a constant of a loop or a branch: what its numbers were in the step before
// is not known while the function records it.
const constantOfBody = "nothing for a number of an op: the third value makes it an argument, but for NumbersAsConstants; make a Const an argument: Scalar or NewScalar once, and Set before each step"

// Kinds has a row for each kind.
var Kinds = [NumKinds]Row{
	Equal:     {"equal", "the programs do not differ", "nothing to change: the programs are equal"},
	Shape:     {"shape", "a dimension or a rank changes", "bring it to one rank"},
	DType:     {"dtype", "a dtype changes", "bring it to one dtype: Convert the data before the step"},
	Attribute: {"attribute", "an attribute changes, as an axis or the start of a Slice", "attributes are part of the program: keep them the same, or choose by an argument, as Gather does by indices and Where by a mask"},
	Constant:  {"constant", "a constant changes: of Const, with NumbersAsConstants, or one that a loop counts", "make the number an argument: Scalar or NewScalar once, and Set before each step"},
	Number:    {"number", "a number of an op varies from step to step, and becomes an argument", "nothing to change: numbers of this line are arguments from now on, and other values compile nothing"},
	Argument:  {"argument", "a value is a constant in one step and an argument in another", "if each step hands it on to the next, it begins as a constant, which the first program has in it: begin with host data instead (From), an argument in every step"},
	ExtraOp:   {"extra op", "a step records an op more", sameOps},
	MissingOp: {"missing op", "a step records an op less", sameOps},
	OtherOp:   {"other op", "a step records another op", sameOps},
	Wiring:    {"wiring", "an op takes other operands, or in another order", "give the op the same operands in each step: choose between two values with Where"},
	Roots:     {"roots", "MarkStep gets other roots, or Keep another tensor", "give MarkStep the same roots in each step, and Keep the same tensors"},
	Donation:  {"donation", "a variable is assigned in one step and not in another, or other memory is donated", "assign the same variables and donate the same tensors in each step: to leave a variable as it is, assign it a choice by Where between its new value and its old one"},
	Random:    {"random", "random numbers are drawn in one step and not in another", "draw random numbers in every step or in none: to switch them off, choose by Where, or give DropoutOf a rate of 0"},
	Read:      {"read", "a tensor is read before MarkStep", "give the tensor to MarkStep as a root and read it afterwards"},
	NewLine:   {"new line", "a line compiles its first program", "nothing to change: each line compiles its programs once; Warmup compiles them before they are needed"},
	Evicted:   {"eviction", "the program was dropped from the cache", "raise ProgramCacheLimit or LTC_PROGRAM_CACHE_BYTES"},
	Lines:     {"lines", "other lines record the same program, and the device checks data", "record the program from one function, or do without CheckNaNs: its errors name lines, so that each has a program of its own"},
	Options:   {"options", "a device with other options compiles the program", "open one device and share it, or give both the same options"},
	Backend:   {"backend", "a device of another backend compiles the program", "nothing to change: each backend compiles its own programs; Warmup compiles them before they are needed"},
}

// String returns the kind's name.
func (k Kind) String() string {
	if k < 0 || k >= NumKinds {
		return "unknown"
	}
	return Kinds[k].Name
}

// ops reports whether programs that differ by the kind have other ops or operands.
func (k Kind) ops() bool { return slices.Contains([]Kind{ExtraOp, MissingOp, OtherOp, Wiring}, k) }
