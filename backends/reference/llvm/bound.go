package llvm

import (
	"context"
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
)

var _ kernel.Binder = (*product)(nil)

// Bind packs B, if it does not change and would be packed in each run.
func (p *product) Bind(mem []unsafe.Pointer, alloc func(bytes int) unsafe.Pointer) kernel.Code {
	f := &p.factors[1]
	from := mem[f.Param]
	if from == nil || p.packed != nil || !p.plan.Packs() || slices.ContainsFunc(f.Steps, func(n int64) bool { return n != 0 }) {
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
	b.Pack(0, 1, gemm.Operands{B: unsafe.Add(from, f.Origin), PackedB: b.packed})
	return &b
}
