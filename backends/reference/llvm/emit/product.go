package emit

import (
	"slices"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// Product is a kernel that package gemm computes: a contraction of two operands,
// with what follows as its epilogue.
type Product struct {
	Kernel      *kernel.Kernel
	Contraction *kernel.Contraction
	// Store is that of what the epilogue returns. Others it does itself.
	Store kernel.ID
	// Batch, M and N are the axes of the matrices, -1 if there is none: the last
	// of the contraction's groups. Outer are the others: for each of their points
	// there is a product.
	Batch, M, N int
	Outer       []int
	// Spread says that the sum runs over several axes: a window of an image. Batch
	// and M are -1 then, and all their axes Outer. A row of the matrix counts the
	// points of M's last axes, or of all of them, whose words of Outer are 0. A column
	// counts those of N's last axes likewise: along N alone, beyond its end.
	Spread bool
	// Border says that a window's B has a border of 0, which is not in memory. Strides and [Product.Locate]
	// are of what is.
	Border   bool
	epilogue gemm.Fused[gemm.Epilogue]
	// prologue has those of A and B, if they are computed as they are packed.
	prologue [2]gemm.Fused[gemm.Prologue]
}

// AsProduct returns the product that a verified kernel is, if it is one that
// package gemm has kernels for.
func AsProduct(k *kernel.Kernel, m gemm.Machine) (*Product, bool) {
	c, ok := kernel.AsContraction(k)
	if !ok {
		return nil, false
	}
	border := c.B.Bordered && len(c.K) > 1 && c.B.Type == c.Type
	if border {
		c.B.Source = c.B.Value
	}
	if c.A.Source == kernel.None || c.B.Source == kernel.None || !supported(k) {
		return nil, false
	}
	p := &Product{Kernel: k, Contraction: c, Store: kernel.None, Batch: last(c.Batch), M: last(c.M), N: last(c.N), Border: border}
	if len(c.K) > 1 {
		if c.A.Load == kernel.None || c.B.Load == kernel.None && !border || len(c.M) == 0 || len(c.N) == 0 {
			return nil, false
		}
		p.Spread, p.Batch, p.M = true, -1, -1
	}
	for a := range k.Axes {
		if a != p.Batch && a != p.M && a != p.N {
			p.Outer = append(p.Outer, a)
		}
	}
	if len(p.Outer) > maxOuter || !p.finds() {
		return nil, false
	}
	plans := func() bool {
		problem := p.Problem(make([]int64, k.Sizes), make([]int64, k.StrideArgs()))
		_, err := gemm.New(problem, m)
		return err == nil && (!p.Spread || problem.StrideC[2] == 1) // lanes of an epilogue are no rows
	}
	p.prologues(c.A.Load == kernel.None, c.B.Load == kernel.None && !border)
	bytes := func(f kernel.Factor) bool { return f.Type.IsInteger() && f.Type.Size() == 1 }
	if bytes(c.A) == bytes(c.B) && plans() { // bytes meet bytes
		return p, true
	}
	if p.Spread {
		return nil, false
	}
	// Elements of which there is no product are converted as they are packed.
	p.prologues(!p.sums(c.A), !p.sums(c.B))
	return p, plans()
}

// ComputesBytes reports whether a factor is computed as a byte. Products of bytes are much
// faster than those of larger integers, and take loaded ones alone.
func (p *Product) ComputesBytes() bool {
	k := p.Kernel
	return slices.ContainsFunc([]kernel.Factor{p.Contraction.A, p.Contraction.B}, func(f kernel.Factor) bool {
		v := &k.Instrs[f.Value]
		if f.Load != kernel.None || v.Op != kernel.Convert {
			return false
		}
		from := k.Instrs[v.Args[0]].Type
		return from.IsInteger() && from.Size() == 1
	})
}

// sums reports whether a factor is loaded as what is multiplied.
func (p *Product) sums(f kernel.Factor) bool { return f.Load == f.Value }

// maxOuter is how many axes may be outside of the matrices: as many as a block
// has words for.
const maxOuter = 8

func last(axes []int) int {
	if len(axes) == 0 {
		return -1
	}
	return axes[len(axes)-1]
}

// finds looks for the store of what the epilogue returns, and for what
// epilogues cannot do.
func (p *Product) finds() bool {
	k := p.Kernel
	plan := &planner{k: k, on: k.Dependence(), stripAxis: -1}
	for a := range k.Axes {
		if plan.serialAxis(a) {
			return false
		}
	}
	for id := k.Stages[0].End; int(id) < len(k.Instrs); id++ {
		i := &k.Instrs[id]
		if i.Op != kernel.Store || i.Mem.Guard || i.Mem.Combine != kernel.Invalid || slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool { return x.Value != kernel.None }) {
			continue
		}
		apart := true
		for a := range k.Axes {
			apart = apart && plan.apart(k.StageOf(id), i.Mem, a, false)
		}
		if apart {
			p.Store = id
		}
	}
	if p.Store == kernel.None {
		return false
	}
	// Without an epilogue sums are converted as they are stored.
	rest := k.Instrs[k.Stages[0].End:]
	v := k.Instrs[p.Store].Args[0]
	plain := len(rest) == 1 && v == p.Contraction.Sum ||
		len(rest) == 2 && k.Instrs[v].Op == kernel.Convert && k.Instrs[v].Args[0] == p.Contraction.Sum
	if !plain {
		p.epilogue = gemm.Fused[gemm.Epilogue]{Name: Symbol(k), Emit: p.emit}
	}
	return true
}

// Problem returns the problem of one point of the outer axes, given sizes and
// run-time strides.
func (p *Product) Problem(sizes, strides []int64) gemm.Problem {
	return p.ProblemIn(sizes, p.Kernel.StrideTable(nil, strides))
}

// ProblemIn is Problem, given the strides of the kernel's operands
// ([kernel.Kernel.StrideTable]). It allocates nothing.
func (p *Product) ProblemIn(sizes []int64, table [][]int64) gemm.Problem {
	k, c := p.Kernel, p.Contraction
	size := func(axis int) int {
		if axis < 0 {
			return 1
		}
		return int(k.Axis(0, axis).Size.Of(sizes))
	}
	at := p.Strides(table)
	q := gemm.Problem{
		Signed: [2]bool{c.A.Type == types.I8 && p.prologue[0].Name == "", c.B.Type == types.I8 && p.prologue[1].Name == ""},
		A:      p.element(0, c.A), B: p.element(1, c.B), Acc: c.Type, C: k.Instrs[p.Store].Type,
		Batch: size(p.Batch), M: size(p.M), N: size(p.N), K: size(c.K[0]),
		StrideA: at.A, StrideB: at.B, StrideC: at.C,
		PrologueA: p.prologue[0], PrologueB: p.prologue[1], Epilogue: p.epilogue, Overlap: p.overlaps(),
	}
	if p.Spread {
		p.spread(&q, sizes)
	}
	return q
}

// Strides returns those of the problem, given the strides of the kernel's operands
// ([kernel.Kernel.StrideTable]). It allocates nothing.
func (p *Product) Strides(table [][]int64) gemm.Strides {
	c := p.Contraction
	along := func(id kernel.ID, axis int) int {
		if axis < 0 {
			return 0
		}
		m := p.Kernel.Instrs[id].Mem
		return int(m.StrideAlong(axis, table[m.Param]))
	}
	return gemm.Strides{
		A: [3]int{along(c.A.Source, p.Batch), along(c.A.Source, p.M), along(c.A.Source, c.K[0])},
		B: [3]int{along(c.B.Source, p.Batch), along(c.B.Source, c.K[0]), along(c.B.Source, p.N)},
		C: [3]int{along(p.Store, p.Batch), along(p.Store, p.M), along(p.Store, p.N)},
	}
}

// element is the dtype that a problem has for factor n: what a prologue is given,
// or what is multiplied, but bytes have no sign there, the problem says it.
func (p *Product) element(n int, f kernel.Factor) types.DType {
	switch {
	case p.prologue[n].Name != "":
		return p.Kernel.Instrs[f.Source].Type
	case f.Type == types.I8:
		return types.U8
	}
	return f.Type
}

// Nominal returns the problem that many launches are like: of large matrices,
// whose elements are neighbours where the kernel says so.
func (p *Product) Nominal() gemm.Problem {
	return p.Problem(slices.Repeat([]int64{512}, p.Kernel.Sizes), slices.Repeat([]int64{1 << 20}, p.Kernel.StrideArgs()))
}

// overlaps reports whether what the epilogue loads may lie where sums are
// stored: it is at the same place, in an operand that can share memory.
func (p *Product) overlaps() bool {
	k := p.Kernel
	c := k.Instrs[p.Store].Mem
	for n := int(k.Stages[0].End); n < len(k.Instrs); n++ {
		i := &k.Instrs[n]
		if i.Op == kernel.Load && slices.EqualFunc(i.Mem.Index, c.Index, func(x, y kernel.Index) bool {
			return slices.Equal(x.Terms, y.Terms) && x.Value == y.Value && x.Offset == y.Offset
		}) {
			return true
		}
	}
	return false
}

// Factor is an operand of a product, or C. It has the number of the kernel's operand. It
// says where the access is, in elements, at the first point of all axes and for a step
// along each of the outer axes.
type Factor struct {
	Param  int
	Origin int64
	Steps  []int64
}

// Locate writes A, B and C to all, given the strides of the kernel's operands, in
// memory that is used again.
func (p *Product) Locate(all *[3]Factor, table [][]int64) {
	for n, id := range [3]kernel.ID{p.Contraction.A.Source, p.Contraction.B.Source, p.Store} {
		m := p.Kernel.Instrs[id].Mem
		all[n].Param, all[n].Origin = m.Param, m.Origin(table[m.Param])
		all[n].Steps = all[n].Steps[:0]
		for _, a := range p.Outer {
			all[n].Steps = append(all[n].Steps, m.StrideAlong(a, table[m.Param]))
		}
	}
}

// emit is the epilogue: all stages but the first, on some neighbours. It is
// handed a [kernel.Block] whose At says where it is along the outer axes.
func (p *Product) emit(b *vector.Builder, sum vector.Value, operands value.Value, at gemm.Tile) vector.Value {
	k := p.Kernel
	along := Stage{Vector: p.N, Lanes: at.Lanes.N, Unroll: 1, Rows: 1}
	if at.AlongM {
		along.Vector = p.M
	}
	s := &Schedule{Form: Points, Lanes: at.Lanes.N, Vector: along.Vector, Stages: slices.Repeat([]Stage{along}, len(k.Stages))}
	f := newFunction(b, k, s)
	f.args = f.PointerTo(operands, types.I64)
	f.begin()
	for i, a := range p.Outer {
		f.axis[a] = f.word(wordAt + i)
	}
	if p.Spread {
		p.countOn(f, at.M)
	}
	for _, x := range []struct {
		axis int
		at   value.Value
	}{{p.Batch, at.Batch}, {p.M, at.M}, {p.N, at.N}} {
		if x.axis >= 0 {
			f.axis[x.axis] = x.at
		}
	}
	e := f.newBody(1, len(k.Stages))
	e.result = p.Store
	f.vals[p.Contraction.Sum] = []vector.Value{sum}
	e.enter(0, nil)
	e.emit(0, vector.Lanes{N: 1})
	if e.last() > 0 {
		e.enter(e.last(), []place{{f.axis[along.Vector], 0}})
		e.emit(e.last(), at.Lanes)
	}
	return e.taken
}
