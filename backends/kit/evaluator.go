package kit

import (
	"context"

	"ltc/backends"
	"ltc/backends/reference/eval"
)

// Evaluator is the backend that runs the ops that are no kernels, and computes shapes from
// shapes.
type Evaluator interface {
	backends.Backend
	// FixSizes gives all types of a program that has just been loaded, and whose functions
	// were inlined, the sizes that follow from those of main's arguments, numbers or expressions
	// (package dims). Behind these main has others then, i32s that are the Args returned. The
	// error says what leaves a size open; it is an [eval.NotEqual] where two expressions have to
	// be the same size.
	FixSizes(ctx context.Context, p *backends.Program, shapes [][]int) (eval.Sizes, error)
}

var _ Evaluator = (*eval.Backend)(nil)

// NewEvaluator returns the evaluator of this module, package eval. Targets have it from
// here and import no other backend: a program that imports one target has what runs the
// ops that the target has no kernels for.
func NewEvaluator() Evaluator { return eval.New() }
