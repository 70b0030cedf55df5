package kernel

// Separable reports whether points that differ in the given axis of the kernel are known to
// access different elements of each operand that the kernel stores to. Such points can run at
// the same time and in any order, with the same results.
func (k *Kernel) Separable(axis int) bool {
	for p := range k.Params {
		if k.Params[p].Out && !k.DistinctElements(p, axis) {
			return false
		}
	}
	return true
}

// DistinctElements reports whether points that differ in an axis of the kernel access different
// elements of operand p. The result is true if some dimension has the same index in all
// accesses, and that index differs from point to point: see [Kernel.DistinctIndex].
func (k *Kernel) DistinctElements(p, axis int) bool {
	deps := k.Dependence()
	for d := range k.Params[p].Strides {
		var first *Access
		apart := true
		for _, in := range k.Accesses(p) {
			m := in.Mem
			if first == nil {
				first = m
			}
			apart = apart && k.DistinctIndex(m, d, axis, deps) && sameIndex(k.indexAlong(m, d), k.indexAlong(first, d))
		}
		if apart && first != nil {
			return true
		}
	}
	return false
}

// DistinctIndex reports whether the index of an access along dimension d differs between points
// that differ in the axis. The index is then a multiple of the axis plus a part that is the same
// at all points. DistinctIndex returns false for a dimension of stride 0. Deps is the result of
// [Kernel.Dependence].
func (k *Kernel) DistinctIndex(m *Access, d, axis int, deps []AxisSet) bool {
	if !m.Local && k.Params[m.Param].Strides[d] == ZeroStride {
		return false
	}
	x := k.indexAlong(m, d)
	return len(x.Terms) == 1 && x.Terms[0].Axis == axis && (x.Value == None || deps[x.Value] == 0)
}

// indexAlong returns the index of an access along a dimension. For a dimension with a
// table it returns the index at which the table is read, since different entries of a
// table are different columns.
func (k *Kernel) indexAlong(m *Access, d int) Index {
	x := m.Index[d]
	if m.Local || k.Params[m.Param].Strides[d] != TableStride {
		return x
	}
	if t := k.Instrs[x.Value].Mem; t != nil && !t.Local && len(t.Index) == 1 {
		return t.Index[0]
	}
	return x
}

// AxisSet is a set of axes of a stage. Bit i stands for axis i, where the kernel's axes are
// numbered first and then the stage's own. A stage has at most 64 axes, those of the kernel
// included.
type AxisSet uint64

// AxisRange returns the axes with numbers in [from, to).
func AxisRange(from, to int) AxisSet { return 1<<to - 1<<from }

// Has reports whether an axis is in s.
func (s AxisSet) Has(axis int) bool { return s>>axis&1 == 1 }

// Dependence returns, by instruction, the axes of its stage along which its value may vary. For a
// store, it returns the axes along which its value or its element may vary. A value that a later
// stage uses varies along the kernel's axes alone.
func (k *Kernel) Dependence() []AxisSet {
	shared := AxisRange(0, len(k.Axes))
	deps, locals := make([]AxisSet, len(k.Instrs)), make([]AxisSet, len(k.Locals))
	carried := k.Carried()
	for l := range carried {
		if carried[l] { // what is stored follows the load
			locals[l] = shared
		}
	}
	for s := range k.Stages {
		begin := k.Stages[s].Begin
		carries := carried != nil && k.Carries(s)
		of := func(id ID) AxisSet {
			if id < begin {
				return deps[id] & shared
			}
			return deps[id]
		}
		for id := begin; id < k.Stages[s].End; id++ {
			i := &k.Instrs[id]
			var set AxisSet
			for _, a := range i.Args {
				set |= of(a)
			}
			if i.Op == Iota {
				set |= 1 << i.Aux
			}
			if i.Mem != nil {
				for _, x := range i.Mem.Index {
					if x.Value != None {
						set |= of(x.Value)
					}
					for _, t := range x.Terms {
						set |= 1 << t.Axis
					}
				}
				if i.Mem.Local && i.Op == Load {
					if set |= locals[i.Mem.Param]; carries && carried[i.Mem.Param] {
						set |= 1 << len(k.Axes)
					}
				} else if i.Mem.Local {
					locals[i.Mem.Param] |= set & shared
				}
			}
			switch i.Op {
			case Reduce:
				set &= shared
			case Scan:
				set |= 1 << len(k.Axes)
			}
			deps[id] = set
		}
	}
	return deps
}
