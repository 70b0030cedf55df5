package emit

import (
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
)

// spread makes q the problem of all points of M. Strides do not locate its rows and
// the elements of its sums.
func (p *Product) spread(q *gemm.Problem, sizes []int64) {
	k, c := p.Kernel, p.Contraction
	q.K = 1
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
