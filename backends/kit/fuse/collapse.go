package fuse

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
)

// dropUnits takes away axes of a single element.
func dropUnits(n *node) {
	k := n.kernel
	b := kernel.NewBuilder(k.Name)
	c := newCopier(b, k)
	c.declare()
	outer := make([]kernel.Index, len(k.Axes))
	for x, a := range k.Axes {
		if outer[x] = kernel.At(0); a.Size != 1 {
			outer[x] = kernel.Along(b.Axis(a.Name, a.Size))
		}
	}
	for s := range k.Stages {
		st := &k.Stages[s]
		c.axes = slices.Clone(outer)
		var own []kernel.Axis
		for _, a := range st.Axes {
			if a.Size == 1 {
				c.axes = append(c.axes, kernel.At(0))
				continue
			}
			c.axes = append(c.axes, kernel.Along(b.ParallelAxes()+len(own)))
			own = append(own, a)
		}
		b.Stage(own...)
		for id := st.Begin; id < st.End; id++ {
			in := &k.Instrs[id]
			one := func(with kernel.Op) kernel.ID { // what is left of an element by itself
				v := c.ids[in.Args[0]]
				if with == kernel.Add && in.Type.IsFloat() {
					v = b.Op(kernel.Add, in.Type, v, b.Bits(in.Type, 0)) // -0 becomes 0, from which sums start
				}
				return v
			}
			if in.Op == kernel.Reduce && len(own) == 0 {
				c.ids[id] = one(kernel.Op(in.Aux))
				continue
			} else if in.Op == kernel.Scan && len(own) == 0 {
				if with, exclusive := kernel.AsScan(in.Aux); exclusive {
					c.ids[id] = b.Bits(in.Type, kernel.Neutral(with, in.Type))
				} else {
					c.ids[id] = one(with)
				}
				continue
			}
			c.instr(id)
		}
	}
	n.kernel = b.Kernel()
	compact(n)
}

// collapse makes one axis of two neighbours that every operand which runs
// along one of them runs along as if they were one.
func (w *views) collapse() {
	k := w.kernel
	for x := len(k.Axes) - 2; x >= 0; x-- {
		if w.joined(x, 0, len(k.Stages)) {
			w.join(x, 0, len(k.Stages))
			k.Axes[x].Size = dims.Mul(k.Axes[x].Size, k.Axes[x+1].Size)
			k.Axes = slices.Delete(k.Axes, x+1, x+2)
		}
	}
	for s := range k.Stages {
		st := &k.Stages[s]
		for i := len(st.Axes) - 2; i >= 0; i-- {
			if x := len(k.Axes) + i; w.joined(x, s, s+1) {
				w.join(x, s, s+1)
				st.Axes[i].Size = dims.Mul(st.Axes[i].Size, st.Axes[i+1].Size)
				st.Axes = slices.Delete(st.Axes, i+1, i+2)
			}
		}
	}
}

// joined reports whether axes x and x+1 can be one in the stages from first on,
// before last.
func (w *views) joined(x, first, last int) bool {
	k := w.kernel
	at := map[int]int{} // by parameter: the dimension that runs along x
	for s := range k.Stages {
		for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
			in := &k.Instrs[id]
			here := s >= first && s < last
			if here && in.Op == kernel.Iota && (int(in.Aux) == x || int(in.Aux) == x+1) {
				return false
			}
			m := in.Mem
			if m == nil {
				continue
			}
			d, e := dimAlong(m, x), dimAlong(m, x+1)
			if !here {
				d, e = -1, -1
			}
			if m.Local || !m.Plain() {
				if d >= 0 || e >= 0 {
					return false
				}
				continue
			}
			if d >= 0 && !m.Index[d].IsAxis(x) || e >= 0 && !m.Index[e].IsAxis(x+1) {
				return false
			}
			if was, ok := at[m.Param]; ok && was != d {
				return false
			}
			at[m.Param] = d
			if d < 0 && e < 0 {
				continue
			}
			strides := w.operands[m.Param].strides
			if d < 0 || e != d+1 || !strides[d].Equal(plan.Linear{}.Plus(strides[e], int64(k.Axis(s, x+1).Size))) {
				return false
			}
		}
	}
	return true
}

// dimAlong returns the first dimension whose index uses an axis; -1 if none
// does.
func dimAlong(m *kernel.Access, axis int) int {
	return slices.IndexFunc(m.Index, func(i kernel.Index) bool {
		return slices.ContainsFunc(i.Terms, func(t kernel.Term) bool { return t.Axis == axis })
	})
}

// join makes axis x what x and x+1 were. The caller mends the list of axes.
func (w *views) join(x, first, last int) {
	k := w.kernel
	done := map[int]bool{}
	for s := first; s < last; s++ {
		size := dims.Mul(k.Axis(s, x).Size, k.Axis(s, x+1).Size)
		for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
			in := &k.Instrs[id]
			if in.Op == kernel.Iota && int(in.Aux) > x+1 {
				in.Aux--
			}
			m := in.Mem
			if m == nil {
				continue
			}
			if d := dimAlong(m, x); d >= 0 {
				m.Index = slices.Delete(m.Index, d, d+1) // that of x+1 becomes the one of both
				if p := &k.Params[m.Param]; !done[m.Param] {
					done[m.Param] = true
					p.Dims = slices.Delete(slices.Clone(p.Dims), d, d+1)
					p.Dims[d] = size
					v := &w.operands[m.Param]
					v.strides = slices.Delete(slices.Clone(v.strides), d, d+1)
				}
			}
			for d := range m.Index {
				terms := slices.Clone(m.Index[d].Terms)
				for t := range terms {
					if terms[t].Axis > x {
						terms[t].Axis--
					}
				}
				m.Index[d].Terms = terms
			}
		}
	}
}
