package fuse

import (
	"iter"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// The scalar ops for each point of an outer axis count where sums along the inner one are short: of
// at most mostInner elements. Vectors along the outer axis need leastOuter points.
const (
	mostInner  = 256
	leastOuter = 8
)

// hoist moves what a stage of sums computes for each point of all its axes but the last into a
// stage of its own, where the target asks for it ([Options.Hoist]). The scales of blocks that
// share one are an example. Vectors lie along the blocks there. A sum of terms that do not
// depend on the last axis is one over the other axes, times the size of the last.
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
			if h := newHoisted(n.kernel, s); h != nil {
				n.kernel = h.kernel()
			}
		}
	}
}

// hoisted is a kernel with a stage of sums that is to be split.
type hoisted struct {
	*kernel.Kernel
	at    int // the stage
	inner int // its last axis
	on    []kernel.AxisSet
	// values are handed from the new stage to the old one. They do not depend on inner.
	values []kernel.ID
	// still has the terms of sums that do not depend on inner, moving the others, by sum.
	still, moving map[kernel.ID][]kernel.ID
	sums          map[kernel.ID]kernel.ID // of still terms, in the new kernel
}

// newHoisted returns nil if there is nothing to split.
func newHoisted(k *kernel.Kernel, at int) *hoisted {
	st := &k.Stages[at]
	last := len(st.Axes) - 1
	if _, product := kernel.AsContraction(k); product {
		return nil
	}
	if last < 1 || at == len(k.Stages)-1 || len(k.Axes) == 0 || !within(st.Axes[last:], 2, mostInner) || !within(st.Axes[:last], leastOuter, localElements) {
		return nil
	}
	h := &hoisted{Kernel: k, at: at, inner: len(k.Axes) + last, on: k.Dependence(), still: map[kernel.ID][]kernel.ID{}, moving: map[kernel.ID][]kernel.ID{}, sums: map[kernel.ID]kernel.ID{}}
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
	for _, terms := range h.moving {
		for _, v := range terms {
			h.find(v, seen)
		}
	}
	slices.Sort(h.values)
	if len(h.values) == 0 && len(h.still) == 0 || len(h.moving) == 0 {
		return nil
	}
	return h
}

// localElements is the most elements of a local of the new stage.
const localElements = 4096

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

// terms takes a value of a sum apart into terms.
func (h *hoisted) terms(sum, v kernel.ID) {
	i := &h.Instrs[v]
	switch {
	case v >= h.Stages[h.at].Begin && h.on[v].Has(h.inner) && i.Op == kernel.Add && i.Type == types.F32 && !h.on[i.Args[0]].Has(h.inner) != !h.on[i.Args[1]].Has(h.inner):
		h.terms(sum, i.Args[0])
		h.terms(sum, i.Args[1])
	case h.on[v].Has(h.inner):
		h.moving[sum] = append(h.moving[sum], v)
	default:
		h.still[sum] = append(h.still[sum], v)
	}
}

// find collects the values that the new stage hands over: computed ones that what depends on the
// last axis uses, and that depend on another axis of the stage.
func (h *hoisted) find(v kernel.ID, seen map[kernel.ID]bool) {
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
		h.find(a, seen)
	}
}

// kernel returns the kernel with the stage split.
func (h *hoisted) kernel() *kernel.Kernel {
	b := withAxes(h.Name, h.Kernel)
	c := newCopier(b, h.Kernel)
	c.declare()
	for s := range h.Stages {
		if s == h.at {
			h.split(c)
			continue
		}
		b.Stage(slices.Clone(h.Stages[s].Axes)...)
		c.straight(s)
		if s == h.at+1 {
			h.total(c)
		}
		c.instrs(h.Stages[s].Begin, h.Stages[s].End)
	}
	return b.Kernel()
}

// split copies the stage, as two.
func (h *hoisted) split(c *copier) {
	b, axes := c.to, h.Stages[h.at].Axes
	outer := axes[:len(axes)-1]
	index, sizes := make([]kernel.Index, len(outer)), make([]kernel.Size, len(outer))
	for n, a := range outer {
		index[n], sizes[n] = kernel.Along(len(h.Axes)+n), a.Size
	}
	b.Stage(slices.Clone(outer)...)
	c.straight(h.at)
	h.copy(c, h.still, h.values, nil)
	locals := make([]int, len(h.values))
	for n, v := range h.values {
		locals[n] = b.Local(kernel.Local{Name: kernel.LocalName(len(h.Locals) + n), DType: h.Instrs[v].Type, Dims: sizes})
		b.StoreLocal(locals[n], c.ids[v], index...)
	}
	for sum := range h.all() {
		if terms := h.still[sum]; len(terms) > 0 {
			h.sums[sum] = b.Reduce(kernel.Add, added(c, terms))
		}
	}
	b.Stage(slices.Clone(axes)...)
	for n, v := range h.values {
		c.ids[v] = b.LoadLocal(locals[n], index...)
	}
	h.copy(c, h.moving, nil, h.values)
	for sum := range h.all() {
		if terms := h.moving[sum]; len(terms) > 0 {
			c.ids[sum] = b.Reduce(kernel.Add, added(c, terms))
		}
	}
}

// all yields the sums of the stage, in order.
func (h *hoisted) all() iter.Seq[kernel.ID] {
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

// copy copies what terms and values are computed by, in the stage that is split. The copies of
// the values in there exist.
func (h *hoisted) copy(c *copier, terms map[kernel.ID][]kernel.ID, values, there []kernel.ID) {
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

// total adds both parts of each sum, in the stage behind.
func (h *hoisted) total(c *copier) {
	b, axes := c.to, h.Stages[h.at].Axes
	for sum := range h.all() {
		still, ok := h.sums[sum]
		if !ok {
			continue
		}
		v := b.Op(kernel.Multiply, types.F32, still, b.F32(float32(axes[len(axes)-1].Size)))
		if len(h.moving[sum]) > 0 {
			v = b.Op(kernel.Add, types.F32, c.ids[sum], v)
		}
		c.ids[sum] = v
	}
}
