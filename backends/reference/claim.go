package reference

import (
	"context"
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/internal/loops"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// Claim reports for which work the backend has code itself, as [kit.Options.Claim] asks.
// That is a sort by any comparator of scalars. Factors of Cholesky and triangular systems
// are of f32 and f64. Of composites that is quantized.dot, of dense operands. No work needs memory but for scratch. A size that is an expression is
// compared with the most when a run brings it.
func Claim(w plan.Work) (work []types.Type, ok bool) {
	switch w := w.(type) {
	case *plan.Sort:
		return nil, w.Shape()[w.Dim] <= mostSorted
	case *plan.Triangular:
		return nil, (w.DType == types.F32 || w.DType == types.F64) && w.N <= mostRows
	case *plan.Composite:
		_, ok := plan.BlockDotOf(w)
		return nil, ok
	}
	return nil, false
}

// leastSorted is how many elements a row has whose sort is worth waking a thread for, leastFactored
// how many rows a matrix has. Tests make both less.
var leastSorted, leastFactored = 1 << 12, 64

// runsAlone reports whether work runs on one thread, and for long: a loop whose iterations are
// launches, a sort of one row, the factor of one matrix.
func runsAlone(w plan.Work) bool {
	switch w := w.(type) {
	case *plan.Loop:
		return w.Cond.LastFallible < 0 && w.Body.LastFallible < 0
	case *plan.Sort:
		rows := 1
		for d, size := range w.Shape() {
			if d != w.Dim {
				rows = loops.Times(rows, dims.Typical(size))
			}
		}
		return rows == 1 && dims.Typical(w.Shape()[w.Dim]) >= leastSorted
	case *plan.Triangular:
		return !w.Solve && dims.Typical(w.Count) == 1 && dims.Typical(w.N) >= leastFactored
	}
	return false
}

// mostRows is how many rows a matrix has at most that is factored: memory for one of more is
// not even counted.
const mostRows = 1 << 24

// claimedCode is code of work that was claimed, of which [claimedCode.fit] makes code for sizes.
type claimedCode interface {
	kernel.Code
	// work is what a run takes, in elements that an op computes.
	work() int
	// fit returns code for the sizes of w, which is the work that was claimed. Last is nil, or
	// what fit returned before and is no longer used: fit may reuse it and return it, so that
	// fitting again allocates nothing. The error wraps [plan.ErrOtherSizes] for sizes beyond
	// what the code counts.
	fit(ctx context.Context, w plan.Work, last kernel.Code) (claimedCode, error)
}

// claimedCodes returns the code of the steps of a program that were claimed, nil for others. Sizes
// of the program may be expressions.
func claimedCodes(ctx context.Context, p *plan.Program, compilers []kernel.Compiler) ([]kernel.Code, error) {
	all := make([]kernel.Code, len(p.Steps))
	for i := range p.Steps {
		code, err := claimedCodeOf(ctx, p.Steps[i].Work, compilers)
		if err != nil {
			return nil, err
		}
		if code != nil {
			all[i] = code
		}
	}
	return all, nil
}

// claimedCodeOf returns the code of work; nil if it was not claimed.
func claimedCodeOf(ctx context.Context, w plan.Work, compilers []kernel.Compiler) (claimedCode, error) {
	switch w := w.(type) {
	case *plan.Sort:
		if orders, ok := ordersOf(w); ok && len(orders) <= mostOrders {
			return newSortCode(w, orders, compilers), nil
		}
		return newMergeCode(ctx, w, compilers)
	case *plan.Triangular:
		return newTriangularCode(ctx, w.Triangular, compilers)
	case *plan.Composite:
		d, ok := plan.BlockDotOf(w)
		if !ok {
			return nil, fmt.Errorf("composite %s has no code", w.Name)
		}
		return newBlockDotCode(ctx, d, compilers)
	}
	return nil, nil
}

// tooLarge is the error of [claimedCode.fit] for more rows or elements than code counts.
func tooLarge(n, most int) error {
	return fmt.Errorf("%w: %d is more than %d", plan.ErrOtherSizes, n, most)
}

// launchOf returns the launch of work that was claimed, and the sizes of elements.
func launchOf(args, outs []plan.HostArg) (l *plan.Launch, sizes []int) {
	l = new(plan.Launch)
	for _, a := range slices.Concat(args, outs) {
		l.Operands = append(l.Operands, plan.Operand{Value: a.Value})
		sizes = append(sizes, a.Type.DType.Size())
	}
	return l, sizes
}
