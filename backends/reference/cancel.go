package reference

import (
	"context"
	"errors"

	"ltc/backends"
	"ltc/mlir"
)

// A run whose context can be cancelled has a tank of fuel. Steps, and the
// loops within those that can take long, use it up by the work they do; when it
// is empty the run looks at the context, and fills it again or ends. A context
// without Done channel costs a comparison with nil.

// Work is counted in elements that an op as cheap as an addition computes: the
// fuel of a tank burns for less than a millisecond, that of a tank of
// transcendental functions for some.
const (
	tank     = 1 << 18
	stepWork = 64      // of any step, beside what it does with elements
	mostWork = 1 << 56 // sums and products of work end there
)

// longWork is what a run whose caller wants to cancel it may do without looking:
// about 20 ms of additions.
const longWork = 1 << 24

// errStopped is what a loop within an op returns when due has told it to end.
var errStopped = errors.New("stopped")

// due notes that work was done, and reports whether the run is cancelled: then
// the op returns at once, whatever its results are.
func (f *frame) due(work int) bool { return f.ws.done != nil && f.ws.spend(work) }

// stop is due for loops that end with an error.
func (f *frame) stop(work int) error {
	if f.due(work) {
		return errStopped
	}
	return nil
}

// spend is due where the run can be cancelled.
func (ws *workspace) spend(work int) bool {
	ws.fuel -= work
	return ws.fuel < 0 && ws.cancelled()
}

// cancelled looks at the context. Once it is done the tank stays empty.
func (ws *workspace) cancelled() bool {
	select {
	case <-ws.done:
		ws.fuel = -1
		return true
	default:
		ws.fuel = tank
		return false
	}
}

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

// times and added count work.
func times(a, b int) int {
	if n := product(a, b); n >= 0 {
		return min(n, mostWork)
	}
	return mostWork
}

func added(a, b int) int { return min(a+b, mostWork) }

// workOf sums the work of steps.
func workOf(steps []step) int {
	n := 0
	for i := range steps {
		n = added(n, steps[i].work)
	}
	return n
}

// elements is the work of an op that looks at each element once.
func (o *site) elements() int {
	n := stepWork
	for _, x := range o.in {
		n = added(n, x.n)
	}
	for _, x := range o.out {
		n = added(n, x.n)
	}
	return n
}
