package simplify

import "ltc/backends/kit/simplify/program"

// pass is a step from a module to a simpler one. run reports whether it changed
// anything; it depends on nothing but the module and the options.
type pass struct {
	name string
	run  func(*state) bool
	when when
}

// when says how often a pass runs.
type when uint8

const (
	once       when = iota // in the first round
	repeatedly             // in rounds, until no pass changes anything
	last                   // after all rounds
)

// passes are run in this order.
var passes = []pass{
	{"hosted", hosted, once},
	{"inline", inline, once},
	{"quantized", quantized, repeatedly},
	{"chlo", lowerCHLO, once},
	{"literals", literals, once},
	{"standard", standard, repeatedly},
	{"complex", complexes, repeatedly},
	{"control", func(s *state) bool { return program.ControlFlow(s.Program) }, repeatedly},
	{"cse", func(s *state) bool { return program.CSE(s.Program) }, repeatedly},
	{"fold", fold, repeatedly},
	{"convert", convert, repeatedly},
	{"select", choose, repeatedly},
	{"algebra", algebra, repeatedly},
	{"convolution", convolutions, repeatedly},
	{"parts", parts, repeatedly},
	{"broadcast", broadcast, repeatedly},
	{"reshape", reshape, repeatedly},
	{"refine", refine, repeatedly},
	{"transpose", transpose, repeatedly},
	{"layout", layout, repeatedly},
	{"slice", sliced, repeatedly},
	{"dot", dots, repeatedly},
	{"reduce", reduce, repeatedly},
	{"dce", func(s *state) bool { return program.DCE(s.Program) }, repeatedly},
	{"channelsfirst", channelsFirst, last},
	{"splitk", splitK, last},
}

// orders says which passes must come before which.
var orders = []struct{ before, after, why string }{
	{"hosted", "inline", "a body that is inlined no longer has the name of its composite"},
	{"inline", "chlo", "functions of composites hold ops of CHLO too"},
	{"inline", "quantized", "what functions do to quantized elements is done where they are called"},
	{"quantized", "chlo", "what CHLO stands for is known for plain numbers"},
	{"quantized", "standard", "an op on integers or floats has a standard form"},
	{"inline", "cse", "two calls of one function on one operand are equal once they are inlined"},
	{"chlo", "standard", "what CHLO stands for is not in its standard form"},
	{"chlo", "literals", "what CHLO stands for has constants"},
	{"literals", "standard", "a splat is known by how it is written"},
	{"chlo", "complex", "what CHLO stands for has complex numbers"},
	{"standard", "complex", "there are fewer ops on complex numbers then"},
	{"complex", "control", "a loop need not carry an imaginary part that never changes"},
	{"cse", "fold", "what is merged is evaluated once"},
	{"fold", "algebra", "a constant is known by what it is, not by what computes it"},
	{"convert", "algebra", "a precision that is reduced twice is known before it is ops on bits"},
	{"standard", "convolution", "one whose padding is an operand is a convolution once that is known"},
	{"convolution", "parts", "what is padded by nothing is left as it is"},
	{"convolution", "dot", "windows of one element are products"},
	{"select", "algebra", "logic is what is left of choices between true and false"},
	{"broadcast", "reshape", "a broadcast that repeats nothing is a reshape"},
	{"broadcast", "refine", "a broadcast of what has no dimensions of 1 can be reshaped"},
	{"reshape", "refine", "of two reshapes in a row a domain sees one"},
	{"refine", "dot", "products take in what is reshaped around a domain"},
	{"refine", "reduce", "and so do reductions"},
	{"parts", "slice", "a slice of a slice, or of what was put together, is one of what is computed"},
	{"slice", "dot", "a slice of one element leaves dimensions of 1, which products do without"},
	{"reshape", "dot", "of two reshapes in a row a product sees the last"},
	{"transpose", "layout", "of two transposes in a row a region sees one"},
	{"layout", "dot", "transposes are next to the products that take them in then"},
	{"layout", "reduce", "and to reductions"},
	{"transpose", "dot", "transposes come down to products, which take them in"},
	{"transpose", "reduce", "transposes come down to reductions, which take them in"},
	{"dot", "reduce", "a product whose only use is a transpose can be exchanged; a reduction of that would be another"},
	{"reduce", "dce", "what nobody reads any more is dead then"},
	{"dot", "splitk", "the first dimension of a matrix is known to be contracted then"},
	{"transpose", "channelsfirst", "transposes that meet no inverse are left around convolutions then"},
}
