package emit

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// OrderOf returns the order in which the code of a schedule rounds and sums floats. It is nil for
// code that scans floats or combines them with stored ones, that multiplies an invariant float instead of
// summing it, or that sums whole vectors with separate sums for Rows iterations.
func OrderOf(k *kernel.Kernel, s *Schedule, m vector.Machine) *kernel.Order {
	if slices.ContainsFunc(k.Instrs, func(i kernel.Instr) bool {
		return i.Type.IsFloat() && (i.Op == kernel.Scan || i.Mem != nil && i.Mem.Combine != kernel.Invalid)
	}) {
		return nil
	}
	f := newFunction(vector.NewModule(m).Kernel("order"), k, s)
	f.contract()
	o := &kernel.Order{Fused: f.fuse, Stages: make([]kernel.StageOrder, len(k.Stages))}
	for n := range o.Stages {
		o.Stages[n].Vector = -1
		if s.Form != Rows || s.Stages[n].Vector < 0 {
			continue
		}
		b := f.newBody(n, n+1)
		if slices.ContainsFunc(b.reduce, b.still) || len(b.reduce) > 0 && b.sumsOf() != b.Unroll {
			return nil
		}
		o.Stages[n] = kernel.StageOrder{Vector: b.Vector, Lanes: b.Lanes, Unroll: b.Unroll, Masked: b.masks()}
		if b.Lanes > 1 {
			o.Stages[n].Inverse = b.quotients()
		}
	}
	return o
}

// EpilogueOrder returns the order of the stages of a product but for the first, whose sums package
// gemm forms; nil as [OrderOf].
func (p *Product) EpilogueOrder(m vector.Machine) *kernel.Order {
	k := p.Kernel
	return OrderOf(k, &Schedule{Form: Points, Vector: -1, Stages: make([]Stage, len(k.Stages))}, m)
}
