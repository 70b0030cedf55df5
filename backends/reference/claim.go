package reference

import (
	"context"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
)

// Claim reports for which work the backend has code itself, as [kit.Options.Claim] asks.
// That is a sort by any comparator of scalars. Factors of Cholesky and triangular systems
// are of f32 and f64. No work needs memory but for scratch.
func Claim(w plan.Work) (work []types.Type, ok bool) {
	switch w := w.(type) {
	case *plan.Sort:
		return nil, w.Shape()[w.Dim] <= mostSorted
	case *plan.Triangular:
		return nil, (w.DType == types.F32 || w.DType == types.F64) && w.N <= mostRows
	}
	return nil, false
}

// mostRows is how many rows a matrix has at most that is factored: memory for one of more is
// not even counted.
const mostRows = 1 << 24

// claimedCode is code of work that was claimed. It is for one size.
type claimedCode interface {
	kernel.Code
	// work is what a run takes, in elements that an op computes.
	work() int
}

// claimedCodes returns the code of the steps of a program that were claimed, nil for others.
func claimedCodes(ctx context.Context, p *plan.Program, compilers []kernel.Compiler) ([]kernel.Code, error) {
	all := make([]kernel.Code, len(p.Steps))
	for i := range p.Steps {
		switch w := p.Steps[i].Work.(type) {
		case *plan.Sort:
			if orders, ok := ordersOf(w); ok && len(orders) <= mostOrders {
				code, err := newSortCode(ctx, w, orders, compilers)
				if err != nil {
					return nil, err
				}
				all[i] = code
				continue
			}
			code, err := newMergeCode(ctx, w, compilers)
			if err != nil {
				return nil, err
			}
			all[i] = code
		case *plan.Triangular:
			code, err := newTriangularCode(ctx, w.Triangular, compilers)
			if err != nil {
				return nil, err
			}
			all[i] = code
		}
	}
	return all, nil
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
