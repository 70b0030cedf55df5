package llvm

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/gemm"
)

// The dimensions of a product, by which contraction.axis lists axes.
const (
	batch_ = iota
	m_
	n_
	k_
)

// contraction is a kernel that is a product of matrices for each point of some
// outer axes, over which the host loops.
type contraction struct {
	*kernel.Contraction
	kernel *kernel.Kernel
	axis   [4]int // batch, m, n, k: -1 for those that it has not
	outer  []int
	out    int // the operand that is the product's C
	store  *kernel.Access
}

// mostOuter is how many outer axes there may be: as many as a block has words
// for.
const mostOuter = 8

// contractionOf returns the contraction that a kernel is; nil if it is none
// that package gemm can compute: a factor is computed, there are several axes
// to sum over, or an operand of the epilogue is not plainly at the place of the
// sum.
func contractionOf(k *kernel.Kernel) *contraction {
	c, ok := kernel.AsContraction(k)
	if !ok || c.A.Load == kernel.None || c.B.Load == kernel.None || len(c.K) != 1 || len(c.N) == 0 {
		return nil
	}
	r := &contraction{Contraction: c, kernel: k, axis: [4]int{-1, -1, -1, c.K[0]}, out: -1}
	for d, axes := range [][]int{c.Batch, c.M, c.N} {
		if len(axes) > 0 { // the innermost; the others are the host's
			r.axis[d] = axes[len(axes)-1]
			r.outer = append(r.outer, axes[:len(axes)-1]...)
		}
	}
	slices.Sort(r.outer)
	if len(r.outer) > mostOuter {
		return nil
	}
	for id := c.Sum + 1; int(id) < len(k.Instrs); id++ {
		in := &k.Instrs[id]
		if in.Op == kernel.SizeOf || in.Op == kernel.Reduce {
			return nil
		}
		for _, a := range in.Args {
			if a < c.Sum {
				return nil
			}
		}
		if in.Mem == nil {
			continue
		}
		if !straight(in.Mem) {
			return nil
		}
		if in.Op == kernel.Store {
			r.out, r.store = in.Mem.Param, in.Mem // the last
		}
	}
	for id := c.Sum + 1; int(id) < len(k.Instrs); id++ {
		in := &k.Instrs[id]
		if in.Mem != nil && in.Op == kernel.Load && k.Params[in.Mem.Param].Out {
			return nil
		}
		if in.Op == kernel.Store && in.Mem != r.store && in.Mem.Param == r.out {
			return nil
		}
	}
	return r
}

// straight reports whether an access is along one axis in each dimension.
func straight(m *kernel.Access) bool {
	return !m.Guard && !m.Local && m.Combine == kernel.Invalid && !slices.ContainsFunc(m.Index, func(i kernel.Index) bool {
		return i.Value != kernel.None || i.Offset != 0 || len(i.Terms) != 1 || i.Terms[0].Factor != 1
	})
}

func indexOf(list []int, x int) int { return slices.Index(list, x) }

// strideArg returns which run-time stride is that of dimension d of an operand.
func (c *contraction) strideArg(param, d int) int {
	n := 0
	for p := range c.kernel.Params {
		for e, s := range c.kernel.Params[p].Strides {
			if p == param && e == d {
				return n
			}
			if s == kernel.AnyStride {
				n++
			}
		}
	}
	return n
}

// problem returns the product for given sizes, and for each outer axis its size
// and how far, in elements, A, B and C move along it.
func (c *contraction) problem(sizes, strides []int64) (gemm.Problem, []outerAxis) {
	k := c.kernel
	table := k.StrideTable(nil, strides)
	size := func(axis int) int {
		if axis < 0 {
			return 1
		}
		return int(k.Axis(0, axis).Size.Of(sizes))
	}
	along := func(m *kernel.Access, axis int) int {
		if axis < 0 {
			return 0
		}
		return int(m.StrideAlong(axis, table[m.Param]))
	}
	a, b, to := k.Instrs[c.A.Load].Mem, k.Instrs[c.B.Load].Mem, c.store
	p := gemm.Problem{
		A: c.A.Type, B: c.B.Type, Acc: c.Type, C: k.Params[c.out].DType,
		Batch: size(c.axis[batch_]), M: size(c.axis[m_]), N: size(c.axis[n_]), K: size(c.axis[k_]),
		StrideA: [3]int{along(a, c.axis[batch_]), along(a, c.axis[m_]), along(a, c.axis[k_])},
		StrideB: [3]int{along(b, c.axis[batch_]), along(b, c.axis[k_]), along(b, c.axis[n_])},
		StrideC: [3]int{along(to, c.axis[batch_]), along(to, c.axis[m_]), along(to, c.axis[n_])},
		Overlap: true,
	}
	if !c.plain() {
		p.Epilogue = gemm.Fused[gemm.Epilogue]{Name: emit.Symbol(k), Emit: c.emit}
	}
	var outer []outerAxis
	for _, axis := range c.outer {
		outer = append(outer, outerAxis{size(axis), along(a, axis), along(b, axis), along(to, axis)})
	}
	return p, outer
}

// plain reports whether a sum is stored as it is and nothing else.
func (c *contraction) plain() bool {
	last := c.kernel.Instrs[c.Sum+1:]
	return len(last) == 1 && last[0].Op == kernel.Store && c.kernel.Params[c.out].DType == c.Type
}

// outerAxis is an axis that the host loops over.
type outerAxis struct{ size, a, b, c int }
