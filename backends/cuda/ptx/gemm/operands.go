package gemm

import (
	"slices"

	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// elements returns the type of the factors of a contraction in strips, if it sums in f32:
// tiles compute it. Both factors may have been f16 or bf16, whose products f32 has exactly,
// so that tensor cores multiply them. Else they are of f32. Tensor cores multiply tf32
// instead, which has fewer bits, where that is allowed.
func elements(k *kernel.Kernel, c *kernel.Contraction) (types.DType, bool) {
	if c.Type != types.F32 || !sumAlone(k, c) {
		return 0, false
	}
	a, b := narrowest(k, &c.A), narrowest(k, &c.B)
	if a == b && (a == types.BF16 || a == types.F16) {
		return a, true
	}
	return types.F32, true
}

// narrowest returns the type of what a factor is converted from, or its own.
func narrowest(k *kernel.Kernel, f *kernel.Factor) types.DType {
	i := &k.Instrs[f.Value]
	if i.Op == kernel.Convert {
		if from := k.Instrs[i.Args[0]].Type; from == types.BF16 || from == types.F16 {
			return from
		}
	}
	return i.Type
}

// sumAlone reports whether the stages after the contraction's use nothing of it
// but the sum.
func sumAlone(k *kernel.Kernel, c *kernel.Contraction) bool {
	end := k.Stages[0].End
	before := func(id kernel.ID) bool { return id >= 0 && id < end && id != c.Sum }
	return !slices.ContainsFunc(k.Instrs[end:], func(i kernel.Instr) bool {
		return slices.ContainsFunc(i.Args, before) ||
			i.Mem != nil && slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool { return before(x.Value) })
	})
}

// loadOf returns the load that a factor is copied by as it lies; None if it is not. If it
// has a guard, what is outside is 0.
func loadOf(k *kernel.Kernel, f *kernel.Factor) kernel.ID {
	if f.Load != kernel.None {
		return f.Load
	}
	v := f.Value
	if i := &k.Instrs[v]; i.Op == kernel.Convert {
		v = i.Args[0]
	}
	i := &k.Instrs[v]
	if i.Op != kernel.Load || !i.Mem.Guard || i.Mem.Local || slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool { return x.Value != kernel.None }) {
		return kernel.None
	}
	if other := &k.Instrs[i.Args[0]]; other.Op != kernel.Constant || other.Aux != 0 {
		return kernel.None
	}
	return v
}

// guarded reports whether rows of A are read where there may be nothing.
func (s *Schedule) guarded() bool {
	load := loadOf(s.k, &s.c.A)
	return load != kernel.None && s.k.Instrs[load].Mem.Guard
}

// flattens reports whether there are tiles whose rows are of all axes of M. Chunks of A
// lie along K then, and these axes are several, or a guard keeps A from being read outside.
func (s *Schedule) flattens() bool {
	load := loadOf(s.k, &s.c.A)
	if load == kernel.None || body.Neighbours(s.k, load) != s.inner {
		return false
	}
	return len(s.c.M) > 1 || s.guarded()
}
