package fuse

import (
	"iter"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// Hoisting pays where the inner axis has at most mostInner points and the outer ones have at least leastOuter. The
// values that it hands over are kept in locals of at most localElements elements.
const (
	mostInner     = 256
	leastOuter    = 8
	localElements = 4096
)

// hoist is loop-invariant code motion out of the last axis of a stage of sums, where the target asks for it
// ([Options.Hoist]). Invariant values, such as the scale of a block, are computed in a stage of their own over the
// outer axes, with vectors along the blocks. A sum of invariant terms is one over the outer axes, times the size
// of the last.
func hoist(g *Graph) {
	if !g.o.Hoist {
		return
	}
	for _, n := range g.nodes {
		g.Look()
		if n.kernel == nil || n.chained || n.updates || n.onto {
			continue
		}
		for s := len(n.kernel.Stages) - 1; s >= 0; s-- {
			if h := newStageSplit(n.kernel, s); h != nil {
				n.kernel = h.kernel()
			}
		}
	}
}

// stageSplit is a kernel with a stage of sums that is split: loop-invariant values and sums come first.
type stageSplit struct {
	*kernel.Kernel
	at    int // the stage
	inner int // its last axis
	on    []kernel.AxisSet
	// values are handed from the new stage to the old one. They do not depend on inner.
	values []kernel.ID
	// invariant has the terms of sums that do not depend on inner, varying the others, by sum.
	invariant, varying map[kernel.ID][]kernel.ID
	sums               map[kernel.ID]kernel.ID // of invariant terms, in the new kernel
}

// newStageSplit returns nil if there is nothing to split.
func newStageSplit(k *kernel.Kernel, at int) *stageSplit {
	st := &k.Stages[at]
	last := len(st.Axes) - 1
	if _, product := kernel.AsContraction(k); product {
		return nil
	}
	if last < 1 || at == len(k.Stages)-1 || len(k.Axes) == 0 || !within(st.Axes[last:], 2, mostInner) || !within(st.Axes[:last], leastOuter, localElements) {
		return nil
	}
	h := &stageSplit{
		Kernel: k, at: at, inner: len(k.Axes) + last, on: k.Dependence(),
		invariant: map[kernel.ID][]kernel.ID{}, varying: map[kernel.ID][]kernel.ID{}, sums: map[kernel.ID]kernel.ID{},
	}
	for id := st.Begin; id < st.End; id++ {
		switch i := &k.Instrs[id]; i.Op {
		case kernel.Store, kernel.Scan:
			return nil
		case kernel.Load:
			if i.Mem.Guard || !i.Mem.Local && k.Params[i.Mem.Param].Out {
				return nil
			}
		case kernel.Reduce:
			if kernel.Op(i.Aux) != kernel.Add || i.Type != types.F32 {
				return nil
			}
			h.terms(id, i.Args[0])
		}
	}
	seen := map[kernel.ID]bool{}
	for _, terms := range h.varying {
		for _, v := range terms {
			h.collect(v, seen)
		}
	}
	slices.Sort(h.values)
	if len(h.values) == 0 && len(h.invariant) == 0 || len(h.varying) == 0 {
		return nil
	}
	return h
}

// within reports whether axes without an order have a number of points that is known, from least to most.
func within(axes []kernel.Axis, least, most int64) bool {
	for _, a := range axes {
		if a.Kind != kernel.FreeAxis || a.Size <= 0 || dims.IsExpr(int64(a.Size)) {
			return false
		}
	}
	n := kernel.Points(axes)
	return least <= n && n <= most
}

// terms divides the terms of a sum's operand v into invariant and varying ones.
func (h *stageSplit) terms(sum, v kernel.ID) {
	i := &h.Instrs[v]
	switch {
	case v >= h.Stages[h.at].Begin && h.on[v].Has(h.inner) && i.Op == kernel.Add && i.Type == types.F32 && !h.on[i.Args[0]].Has(h.inner) != !h.on[i.Args[1]].Has(h.inner):
		h.terms(sum, i.Args[0])
		h.terms(sum, i.Args[1])
	case h.on[v].Has(h.inner):
		h.varying[sum] = append(h.varying[sum], v)
	default:
		h.invariant[sum] = append(h.invariant[sum], v)
	}
}

// collect adds the invariant values that v uses to values: computed ones that depend on an outer axis of the stage.
func (h *stageSplit) collect(v kernel.ID, seen map[kernel.ID]bool) {
	if seen[v] || v < h.Stages[h.at].Begin {
		return
	}
	seen[v] = true
	i := &h.Instrs[v]
	if !h.on[v].Has(h.inner) {
		outer := kernel.AxisRange(len(h.Axes), h.inner)
		if h.on[v]&outer != 0 && i.Op != kernel.Load && i.Op != kernel.Iota {
			h.values = append(h.values, v)
		}
		return
	}
	for _, a := range i.Args {
		h.collect(a, seen)
	}
}

// kernel returns the kernel with the stage split.
func (h *stageSplit) kernel() *kernel.Kernel {
	b := withAxes(h.Name, h.Kernel)
	c := newCopier(b, h.Kernel)
	c.declare()
	for s := range h.Stages {
		if s == h.at {
			h.split(c)
			continue
		}
		axes := h.Stages[s].Axes
		if s == h.at+1 && len(axes) > 0 { // later stages may use the sums, too
			b.Stage()
			h.addInvariant(c)
		}
		b.Stage(slices.Clone(axes)...)
		c.straight(s)
		if s == h.at+1 && len(axes) == 0 {
			h.addInvariant(c)
		}
		c.instrs(h.Stages[s].Begin, h.Stages[s].End)
	}
	return b.Kernel()
}

// split copies the stage as two: one of the invariant values and sums, and one of the varying terms.
func (h *stageSplit) split(c *copier) {
	b, axes := c.to, h.Stages[h.at].Axes
	outer := axes[:len(axes)-1]
	index, sizes := make([]kernel.Index, len(outer)), make([]kernel.Size, len(outer))
	for n, a := range outer {
		index[n], sizes[n] = kernel.Along(len(h.Axes)+n), a.Size
	}
	b.Stage(slices.Clone(outer)...)
	c.straight(h.at)
	h.copy(c, h.invariant, h.values, nil)
	locals := make([]int, len(h.values))
	for n, v := range h.values {
		locals[n] = b.Local(kernel.Local{Name: kernel.LocalName(len(h.Locals) + n), DType: h.Instrs[v].Type, Dims: sizes})
		b.StoreLocal(locals[n], c.ids[v], index...)
	}
	for sum := range h.all() {
		if terms := h.invariant[sum]; len(terms) > 0 {
			h.sums[sum] = b.Reduce(kernel.Add, added(c, terms))
		}
	}
	b.Stage(slices.Clone(axes)...)
	for n, v := range h.values {
		c.ids[v] = b.LoadLocal(locals[n], index...)
	}
	h.copy(c, h.varying, nil, h.values)
	for sum := range h.all() {
		if terms := h.varying[sum]; len(terms) > 0 {
			c.ids[sum] = b.Reduce(kernel.Add, added(c, terms))
		}
	}
}

// all yields the sums of the stage, in order.
func (h *stageSplit) all() iter.Seq[kernel.ID] {
	return func(yield func(kernel.ID) bool) {
		st := &h.Stages[h.at]
		for id := st.Begin; id < st.End; id++ {
			if h.Instrs[id].Op == kernel.Reduce && !yield(id) {
				return
			}
		}
	}
}

// added adds copied terms.
func added(c *copier, terms []kernel.ID) kernel.ID {
	v := c.ids[terms[0]]
	for _, t := range terms[1:] {
		v = c.to.Op(kernel.Add, types.F32, v, c.ids[t])
	}
	return v
}

// copy copies the instructions of the split stage that compute terms and values. The values in there have been
// copied.
func (h *stageSplit) copy(c *copier, terms map[kernel.ID][]kernel.ID, values, there []kernel.ID) {
	st := &h.Stages[h.at]
	needed := make([]bool, st.End-st.Begin)
	need := func(v kernel.ID) {
		if v >= st.Begin && !slices.Contains(there, v) {
			needed[v-st.Begin] = true
		}
	}
	for _, v := range values {
		need(v)
	}
	for _, all := range terms {
		for _, v := range all {
			need(v)
		}
	}
	for id := st.End - 1; id >= st.Begin; id-- {
		if !needed[id-st.Begin] {
			continue
		}
		i := &h.Instrs[id]
		for _, a := range i.Args {
			need(a)
		}
		if i.Mem != nil {
			for _, x := range i.Mem.Index {
				if x.Value != kernel.None {
					need(x.Value)
				}
			}
		}
	}
	for id := st.Begin; id < st.End; id++ {
		if needed[id-st.Begin] {
			c.instr(id)
		}
	}
}

// addInvariant adds the invariant part of each sum to the varying one, in a stage without axes.
func (h *stageSplit) addInvariant(c *copier) {
	b, axes := c.to, h.Stages[h.at].Axes
	for sum := range h.all() {
		invariant, ok := h.sums[sum]
		if !ok {
			continue
		}
		v := b.Op(kernel.Multiply, types.F32, invariant, b.F32(float32(axes[len(axes)-1].Size)))
		if len(h.varying[sum]) > 0 {
			v = b.Op(kernel.Add, types.F32, c.ids[sum], v)
		}
		c.ids[sum] = v
	}
}
