package emit

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// quotients returns the divisions of the innermost loop by what is the same for
// all of it, if they are much of what it does: a division of vectors takes as
// long as ten multiplications.
func (b *body) quotients() []kernel.ID {
	var all []kernel.ID
	cost, _ := b.work(b.number, b.Vector)
	for id := b.begin; id < b.end; id++ {
		i := &b.k.Instrs[id]
		if i.Op != kernel.Divide || i.Type != types.F32 && i.Type != types.F64 || b.level(id) < b.last() {
			continue
		}
		by := i.Args[1]
		if b.k.Instrs[by].Op != kernel.Constant && (by < b.begin || b.level(by) == 0) {
			all, cost = append(all, id), cost-slow
		}
	}
	if cost > 14 {
		return nil
	}
	return all
}

// inverted writes loops twice if they divide by what is the same for all: with
// multiplications for divisors whose inverses are normal numbers, and as they
// are.
func (b *body) inverted(loops func() []value.Value) []value.Value {
	all := b.quotients()
	if len(all) == 0 || b.Lanes == 1 {
		return loops()
	}
	var ok value.Value
	inverse := map[kernel.ID]vector.Value{}
	for _, id := range all {
		i := &b.k.Instrs[id]
		by := b.arg(i.Args[1], 0, 1, vector.Lanes{N: 1})
		size, err := b.Unary(kernel.Abs, by)
		size = checked(size, err)
		reach := 126
		if i.Type == types.F64 {
			reach = 1022
		}
		low, high := b.Const(i.Type, 1, math.Ldexp(1, -reach)), b.Const(i.Type, 1, math.Ldexp(1, reach))
		within := value.Value(b.Block.NewAnd(b.Block.NewFCmp(enum.FPredOGE, size.V, low.V), b.Block.NewFCmp(enum.FPredOLE, size.V, high.V)))
		if ok != nil {
			within = b.Block.NewAnd(ok, within)
		}
		ok = within
		inverse[id] = b.binary(kernel.Divide, b.Const(i.Type, 1, 1), by)
	}
	return b.Either(ok, func() []value.Value {
		b.inverse = inverse
		defer func() { b.inverse = nil }()
		return loops()
	}, loops)
}
