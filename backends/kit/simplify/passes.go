package simplify

// pass is a step from a module to a simpler one. run reports whether it changed
// anything; it depends on nothing but the module and the options.
type pass struct {
	name    string
	run     func(*state) bool
	repeats bool // until no pass changes anything
}

// passes are run in this order, those that repeat in rounds.
var passes = []pass{
	{"inline", inline, false},
	{"chlo", lowerCHLO, false},
	{"cse", cse, true},
	{"dce", dce, true},
}

// orders says which passes must come before which.
var orders = []struct{ before, after, why string }{
	{"inline", "chlo", "functions of composites hold ops of CHLO too"},
	{"inline", "cse", "two calls of one function on one operand are equal once they are inlined"},
	{"cse", "dce", "what is merged is dead then"},
}
