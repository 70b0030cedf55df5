package llvm

import (
	"context"
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
)

var _ kernel.Binder = (*product)(nil)

// Bind packs B, if it does not change and would be packed in each run: neither
// what it is loaded from nor what it is computed with.
func (p *product) Bind(mem []unsafe.Pointer, alloc func(bytes int) unsafe.Pointer) kernel.Code {
	f := &p.factors[1]
	if p.packed != nil || !p.plan.Packs() || !p.same(p.of.Contraction.B, mem) {
		return p
	}
	problem := p.plan.Problem
	problem.PackedB = true
	plan, err := gemm.New(problem, p.units.machine)
	if err != nil {
		return p
	}
	// The units are those of the plan at hand: none is compiled.
	b := *p
	b.plan = plan
	if b.Product, err = p.units.bind(context.Background(), plan); err != nil {
		return p
	}
	b.packed = alloc(plan.PackedBytes())
	b.made = &kernel.Block{Mem: unsafe.SliceData(mem), Sizes: unsafe.SliceData(p.sizes), Strides: unsafe.SliceData(p.strides)}
	b.Pack(0, 1, gemm.Operands{B: unsafe.Add(mem[f.Param], f.Origin), PackedB: b.packed, PrologueB: unsafe.Pointer(b.made)})
	return &b
}

// same reports whether a factor is the same in all runs, of which mem has the
// operands that do not change, and for all points of the outer axes.
func (p *product) same(f kernel.Factor, mem []unsafe.Pointer) bool {
	k := p.of.Kernel
	outer := func(x kernel.Index) bool {
		return slices.ContainsFunc(x.Terms, func(t kernel.Term) bool { return slices.Contains(p.of.Outer, t.Axis) })
	}
	for _, id := range f.Body {
		switch i := &k.Instrs[id]; {
		case i.Op == kernel.Load && (mem[i.Mem.Param] == nil || slices.ContainsFunc(i.Mem.Index, outer)),
			i.Op == kernel.Iota && slices.Contains(p.of.Outer, int(i.Aux)):
			return false
		}
	}
	return true
}
