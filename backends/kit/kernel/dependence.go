package kernel

import (
	"cmp"
	"slices"
)

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
// accesses, but for the offset, and that index differs from point to point by more than offsets
// do: see [Kernel.DistinctIndex].
func (k *Kernel) DistinctElements(p, axis int) bool {
	deps := k.Dependence()
	for d := range k.Params[p].Strides {
		var first *Access
		var low, high int64 // offsets
		same := true
		for _, in := range k.Accesses(p) {
			x := k.indexAlong(in.Mem, d)
			if first == nil {
				first, low, high = in.Mem, x.Offset, x.Offset
			}
			low, high = min(low, x.Offset), max(high, x.Offset)
			x.Offset = k.indexAlong(first, d).Offset
			same = same && sameIndex(x, k.indexAlong(first, d))
		}
		spread, ok := sum(high, -low)
		if first != nil && same && ok && k.distinctIndex(first, d, axis, spread, deps) {
			return true
		}
	}
	return false
}

// DistinctIndex reports whether the index of an access along dimension d differs between points
// that differ in the axis, whatever other axes they differ in. The index is then a sum of axes,
// of which that one is a digit, and a part that is the same at all points. DistinctIndex returns
// false for a dimension of stride 0. Deps is the result of [Kernel.Dependence].
func (k *Kernel) DistinctIndex(m *Access, d, axis int, deps []AxisSet) bool {
	return k.distinctIndex(m, d, axis, 0, deps)
}

// distinctIndex reports whether indices differ by more than spread.
func (k *Kernel) distinctIndex(m *Access, d, axis int, spread int64, deps []AxisSet) bool {
	if !m.Local && k.Params[m.Param].Strides[d] == ZeroStride {
		return false
	}
	x := k.indexAlong(m, d)
	return (x.Value == None || deps[x.Value] == 0) && k.digit(x.Terms, axis, spread)
}

// mostFactor bounds the factors of several terms. No axis is so long that such a term wraps.
const mostFactor = 1 << 31

// digit reports whether sums of the terms differ by more than spread between points that differ in
// an axis. Of the factors in ascending order, that of the axis and larger ones are each larger
// than spread and all that smaller terms add up to. The size of the axis of the largest factor
// does not matter, and those of the others are literals.
func (k *Kernel) digit(terms []Term, axis int, spread int64) bool {
	if len(terms) == 0 {
		return false
	}
	byFactor := slices.SortedFunc(slices.Values(terms), func(a, b Term) int { return cmp.Compare(magnitude(a.Factor), magnitude(b.Factor)) })
	reach, found := spread, false
	for i, t := range byFactor {
		factor := magnitude(t.Factor)
		found = found || t.Axis == axis
		switch {
		case found && factor <= uint64(reach), len(terms) > 1 && factor > mostFactor:
			return false
		case i == len(terms)-1:
			return found
		case t.Axis >= len(k.Axes):
			return false
		}
		size := k.Axes[t.Axis].Size
		if _, open := size.Sym(); open {
			return false
		}
		step, fits := times(int64(factor), max(int64(size)-1, 0))
		var fits1 bool
		if reach, fits1 = sum(reach, step); !fits || !fits1 {
			return false
		}
	}
	return found
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
