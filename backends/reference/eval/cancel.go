package eval

import (
	"context"
	"errors"

	"ltc/backends"
	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
)

// due notes that work was done, and reports whether the run is cancelled: then
// the op returns at once, whatever its results are.
func (f *frame) due(work int) bool { return f.ws.Due(work) }

// stop is due for loops that end with an error.
func (f *frame) stop(work int) error {
	if f.due(work) {
		return errStopped
	}
	return nil
}

// stepWork is the work of any step, beside what it does with elements.
const stepWork = 64

// errStopped is what a loop within an op returns when due has told it to end.
var errStopped = errors.New("stopped")

// halt returns the error of a cancelled run: its op is the first to see it,
// which is the innermost. As with any RunError, whoever has the text says more.
func (ws *workspace) halt(op *mlir.Op) error {
	if ws.halted == nil {
		ws.halted = &backends.RunError{Op: op.Ordinal, Reason: context.Cause(ws.ctx)}
	}
	return ws.halted
}

// failed adds the op's position to err; an inner op's stays.
func (ws *workspace) failed(op *mlir.Op, err error) error {
	if errors.Is(err, errStopped) {
		return ws.halt(op)
	}
	return runError(op.Ordinal, err)
}

// runError adds an op's position to err; an inner op's stays.
func runError(ordinal int, err error) error {
	var re *backends.RunError
	if errors.As(err, &re) {
		return err
	}
	return &backends.RunError{Op: ordinal, Reason: err}
}

// workOf sums the work of steps.
func workOf(steps []step) int {
	n := 0
	for i := range steps {
		n = loops.Added(n, steps[i].work)
	}
	return n
}

// elements is the work of an op that looks at each element once.
func (o *site) elements() int {
	n := stepWork
	for _, x := range o.in {
		n = loops.Added(n, x.n)
	}
	for _, x := range o.out {
		n = loops.Added(n, x.n)
	}
	return n
}
