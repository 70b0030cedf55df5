package kernel

// Chainer is a [Code] whose launches can follow each other without Go code in between.
type Chainer interface {
	Code
	// NewChain returns a chain of so many launches, which are to be set.
	NewChain(launches int) Chain
}

// Chain is a sequence of launches, each of one part, that may form loops. Code that a compiler
// has made runs it. One goroutine at a time uses a chain.
type Chain interface {
	// Set makes launch i a run of code for c, which has all parts. It reports whether that is
	// possible: the code must be of the compiler that made the chain, and the launch short. The
	// chain ends after the launch if it leaves false in test, unless that is nil, or if next is
	// [ChainEnds]; else launch next follows. C, its memory and code must last as long as the chain runs.
	Set(i int, code Code, c *Call, test *bool, next int) bool
	// Run runs the launch first and those that follow, for about so many nanoseconds. It
	// returns the launch to go on with, and whether the chain has ended: that launch is then
	// the last one that ran. So it is if there is an error: the check of the launch failed.
	Run(first int, nanoseconds int64) (at int, ended bool, err error)
}

// ChainEnds is the next launch where a [Chain] ends.
const ChainEnds = -1
