package kernel

import (
	"iter"
	"slices"
)

// Accesses returns the instructions that load from operand p or store to it.
func (k *Kernel) Accesses(p int) iter.Seq2[ID, *Instr] {
	return func(yield func(ID, *Instr) bool) {
		for id := range k.Instrs {
			if in := &k.Instrs[id]; in.Mem != nil && !in.Mem.Local && in.Mem.Param == p && !yield(ID(id), in) {
				return
			}
		}
	}
}

// Plain reports whether the elements of an access are known without data: the access has no
// guard and combines nothing, and [Index].Value is None in all its indices.
func (a *Access) Plain() bool {
	return !a.Guard && a.Combine == Invalid &&
		!slices.ContainsFunc(a.Index, func(i Index) bool { return i.Value != None })
}

// SameElement reports whether two accesses are to the same element at each point. The two
// accesses must be in one stage, or their indices must use only the kernel's axes.
func (a *Access) SameElement(b *Access) bool {
	return a.Param == b.Param && a.Local == b.Local && a.SameIndex(b)
}

// SameIndex reports whether two accesses have equal indices. The result is false if
// [Index].Value of an index is set. Unlike [Access.SameElement], SameIndex does not compare the
// operands of the accesses.
func (a *Access) SameIndex(b *Access) bool {
	return slices.EqualFunc(a.Index, b.Index, func(i, j Index) bool {
		return i.Value == None && j.Value == None && i.Offset == j.Offset && slices.Equal(i.Terms, j.Terms)
	})
}
