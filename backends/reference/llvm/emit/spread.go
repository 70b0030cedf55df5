package emit

import (
	"slices"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
)

// spread makes q the problem of all points of M and N. Strides do not locate its rows, its
// columns and the elements of its sums.
func (p *Product) spread(q *gemm.Problem, sizes []int64) {
	k, c := p.Kernel, p.Contraction
	q.N, q.K = 1, 1
	for _, a := range c.N {
		q.N *= int(k.Axis(0, a).Size.Of(sizes))
	}
	for _, a := range c.M {
		q.M *= int(k.Axis(0, a).Size.Of(sizes))
	}
	for _, a := range c.K {
		q.K *= int(k.Axis(0, a).Size.Of(sizes))
	}
}

// along returns how many elements an access moves for a step of an axis.
func (p *Product) along(id kernel.ID, axis int, table [][]int64) int64 {
	m := p.Kernel.Instrs[id].Mem
	return m.StrideAlong(axis, table[m.Param])
}

// Along returns how many elements A, B and C move for a step of an axis, given the
// strides of the kernel's operands ([kernel.Kernel.StrideTable]).
func (p *Product) Along(axis int, table [][]int64) [3]int64 {
	return [3]int64{p.along(p.Contraction.A.Source, axis, table), p.along(p.Contraction.B.Source, axis, table), p.along(p.Store, axis, table)}
}

// countOn makes the axes of M those of a row: as many points behind what Outer's
// words say.
func (p *Product) countOn(f *function, row value.Value) {
	m := p.Contraction.M
	for i := len(m) - 1; i > 0; i-- {
		n := f.size(p.Kernel.Axes[m[i]].Size)
		f.axis[m[i]] = f.Block.NewAdd(f.axis[m[i]], f.Block.NewURem(row, n))
		row = f.quotient(row, n)
	}
	f.axis[m[0]] = f.Block.NewAdd(f.axis[m[0]], row)
}

// Follows reports whether columns can count the points of an axis of N together with those of
// the axes of N behind it, which have n points. Columns are counted along the last axis, beyond
// its end. So all that the epilogue loads and stores must lie as far from one point to the next
// as along that axis, and nothing else may depend on the points.
func (p *Product) Follows(axis int, n int64, table [][]int64) bool {
	k := p.Kernel
	counts := func(a int) bool { return a >= axis && slices.Contains(p.Contraction.N, a) }
	for id := int(k.Stages[0].End); id < len(k.Instrs); id++ {
		i := &k.Instrs[id]
		switch {
		case i.Op == kernel.Iota && counts(int(i.Aux)):
			return false
		case i.Mem == nil:
		case i.Mem.Local, i.Mem.Guard && slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool {
			return slices.ContainsFunc(x.Terms, func(t kernel.Term) bool { return counts(t.Axis) })
		}):
			return false
		case slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool { return x.Value != kernel.None }):
			return false
		case i.Mem.StrideAlong(axis, table[i.Mem.Param]) != n*i.Mem.StrideAlong(p.N, table[i.Mem.Param]):
			return false
		}
	}
	return true
}
