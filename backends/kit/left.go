package kit

// runner says who runs an op that is no kernel and is not replaced by other ops.
type runner uint8

const (
	byEvaluator runner = iota // the evaluator, as a step
	byTarget                  // a target that claims it; where none does, the evaluator
	byNobody                  // nobody: it is refused, but in tests that import ltc/internal/test/interpreter
)

// leftRow says why an op is no kernel, and who runs it.
type leftRow struct {
	runner
	because string
	by      string // which targets have code for it
	// host says that the op belongs on the host, so that there is nothing to warn of.
	host bool
}

// reason is what a step of the evaluator says of the op.
func (r *leftRow) reason() string {
	if r.runner == byTarget {
		return r.because + "; a target that has code for it runs it as a step of its own: " + r.by
	}
	return r.because
}

// The rows of ops that are no kernels.
var (
	otherProcesses = leftRow{runner: byNobody, host: true, because: "processes meet in it, and a program runs in one"}
	aboutProcesses = leftRow{runner: byNobody, host: true, because: "asks which of several processes runs it, and a program runs in one"}
	worldOutside   = leftRow{runner: byNobody, host: true, because: "moves data to or from the world outside, which a program reaches by its arguments, its results and functions of the host"}
	ordersEffects  = leftRow{host: true, because: "tokens say in which order effects happen, and are no tensors"}
	functionOfHost = leftRow{host: true, because: "it is a function of the host, or a `shape_assertion` of more than one comparison of sizes, which ends a run with its message"}
	sharedDraws    = leftRow{because: "its numbers come from a generator that all runs share"}
	oneAfterOther  = leftRow{runner: byTarget, because: "an element of the result depends on those before it, so that no axis is parallel but the batch's", by: "`cpu` has for `f32` and `f64`"}
	wholeRows      = leftRow{runner: byTarget, because: "where an element goes depends on all others", by: "`cpu` has for all, `cuda` for most where no size is open"}
)

// Reasons in whose place a step gives that in its op's row, if that has one: see [why].
const (
	noKernel   = "there is no kernel for it"
	noElements = "elements that kernels do not have"
)

// partial says when an op, or with whole set a program, is left to the
// evaluator though kernels are made of others like it.
type partial struct {
	reason string // what leave is called with
	whole  bool
	ops    string
	when   string
}

// partly lists all that leave is called with, by the file it stands in.
var partly = []partial{
	{"%s calls its main", true, "`func.call`", "the function is main"},
	{"%s is the evaluator's", true, "`interpreter.…`", "the program is watched: what the ops of its text give is to be told, and kernels compute others"},
	{"%v", true, "all", "a type that no memory between steps has: tuples, tokens, futures, tensors of sizes that the text leaves open (but see docs/model.md: sizes of main's arguments), and elements of types that the evaluator does not have either"},
	{noKernel, false, "those that the evaluator runs, and those replaced by other ops", "always, or where no other ops stand for them"},
	{noElements, false, "all but those that change nothing but the shape", "an operand, a result, or what a region uses from outside is of floats of 8 bits and less other than f8E4M3FN and f8E5M2, of tf32, or of integers of less than 8 bits. Or it is of f8E4M3FN, f8E5M2 or quantized numbers, and the pass `quantized` of package simplify does not write the op on what stores them. It leaves numbers of less than 8 bits, quantized ones that stand for floats of 8 bits and less, ops with several results, and bodies that do not choose an extreme. Between steps all of these lie as what stores them, or as wider numbers of the same value. Or it is of complex numbers, and the pass `complex` of package simplify writes no ops on their parts for it: `atan2`, `cbrt`, functions of f64 parts but `exponential`, `sign` and `sqrt`, `sort`, and a `reduce` or `scatter` that combines elements by other ops than `add` and, of a `reduce`, `multiply`. Between steps complex numbers lie as their parts"},
	{"a constant that is not dense<…>", false, "`constant`", "`dense_resource` and sparse elements"},
	{"another number of operands", false, "elementwise ops", "another number of operands or results than the op of a kernel has"},
	{"elements of type %v", false, "elementwise ops, `convolution`, `dot_general`, `iota`, `reduce`, `reduce_window`, `scatter`", "a type that the op of a kernel does not compute on, such as bools in `iota` and `dot_general`"},
	{"a transform of length %v", false, "`fft`", "longer than 1,048,576 elements along a dimension, or without elements"},
	{"elements of another size", false, "`bitcast_convert`", "the result has more or fewer dimensions than the operand"},
	{"its comparator uses what is outside of it", false, "`sort`, by a target that has code for it", "its region uses values of the program around it"},
	{"its comparator is no kernel of scalars", false, "`sort`, by a target that has code for it", "its region has other ops than elementwise ones and constants"},
	{"a sort that the target has no code for", false, "`sort`, by a target that has code for it", "the target says so: `cpu` has code for all but rows of more than 2³¹-1 elements; of `cuda` see docs/design/cuda.md"},
	{"it reduces several values at once", false, "`reduce`", "several results that are not an extreme and its index, NaN before all else and ties by the least or the first index"},
	{"the indices that it searches may be in any order", false, "`reduce`", "of two equal elements the first one's index counts, and the indices are no `iota` along the one dimension"},
	{"it searches for a float besides its index", false, "`reduce`", "the extreme itself is used, too: of zeros of either sign and of NaNs the body chooses one"},
	{"windows of several values at once", false, "`reduce_window`", "several results, unless it is a scan"},
	{"its body is not one op that kernels reduce with", false, "`reduce`, `reduce_window`", "a body other than one of add, multiply, maximum, minimum, and, or, xor; a `reduce_window` that is a scan may have any of elementwise ops and constants, where the initial value combined with itself is itself"},
	{"a scan whose body computes no element by itself", false, "`chlo.scan`", "its body has an op that kernels do not have for its types"},
	{"a window in another form", false, "`convolution`", "the pass `convolution` of package simplify could not bring it into its normal form, as with elements that are no numbers"},
	{"slices without elements", false, "`gather`", "a slice of no element in a dimension that the result has not: an error"},
	{"indices of type %v", false, "`gather`, `scatter`", "indices that are no integers of 8 to 64 bits"},
	{"it scatters several values at once", false, "`scatter`", "several results"},
	{"its body is not one op that kernels combine with", false, "`scatter`", "a body other than one of add, multiply, maximum, minimum, and, or, xor, or the update itself"},
	{"its windows have too many elements", false, "`select_and_scatter`", "more than 64 to a window, or windows that overlap so that more than 64 have an element"},
	{"its bodies use what is outside of them", false, "`select_and_scatter`", "a region uses values of the program around it"},
	{"its bodies are no kernels of scalars", false, "`select_and_scatter`", "a region has other ops than elementwise ones and constants"},
	{"its bodies have too many ops", false, "`select_and_scatter`", "more than 1,024 instructions for all elements of a window, or for all windows that have one"},
	{"results of another type", false, "`reduce` of two values, `reduce_window`, `scatter`, `select_and_scatter`", "the results are wider than the operands"},
}
