package kit

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
)

// normal is a kernel with sizes and strides as arguments, and what they are for
// one node.
type normal struct {
	kernel   *kernel.Kernel
	operands []Operand
	sizes    []int64
	strides  []int64
}

// normalise writes a node's kernel in the form that equal computations share:
// operands are views along axes, neighbouring axes that every operand runs
// along as one are one, axes of a single element are gone, and sizes are
// arguments.
func (g *graph) normalise(n *node) normal {
	dropUnits(n)
	w := viewed(g, n)
	w.collapse()
	return w.symbolic()
}

// views is a kernel whose operands are views: how far apart, in elements,
// neighbours are along each of their dimensions.
type views struct {
	kernel   *kernel.Kernel
	operands []Operand
	strides  [][]int64
	whole    []bool // operands that keep their own dimensions
}

// viewed gives each plain access an operand of its own, whose dimensions are
// axes: transposes, slices and broadcasts are strides then. Accesses that are
// guarded or at a computed place keep the operand's own dimensions.
func viewed(g *graph, n *node) *views {
	k := n.kernel
	b := kernel.NewBuilder(k.Name)
	for _, a := range k.Axes {
		b.Axis(a.Name, a.Size)
	}
	for _, l := range k.Locals {
		b.Local(l)
	}
	w := &views{}
	c := newCopier(b, k)
	for s := range k.Stages {
		st := &k.Stages[s]
		b.Stage(st.Axes...)
		c.identity(s)
		for id := st.Begin; id < st.End; id++ {
			in := &k.Instrs[id]
			if in.Mem == nil || in.Mem.Local {
				c.instr(id)
				continue
			}
			op := *in
			op.Args = make([]kernel.ID, len(in.Args))
			for j, a := range in.Args {
				op.Args[j] = c.ids[a]
			}
			op.Mem = w.access(g, n, b, c, s, in.Mem)
			c.ids[id] = b.Emit(op)
		}
	}
	w.kernel = b.Kernel()
	return w
}

// access returns an access of n as one to a view.
func (w *views) access(g *graph, n *node, b *kernel.Builder, c *copier, s int, m *kernel.Access) *kernel.Access {
	v := n.operands[m.Param]
	p := n.kernel.Params[m.Param]
	dense := denseStrides(p.Dims)
	if g.values[v].splat != nil {
		clear(dense)
	}
	to := *m
	if plain(m) {
		view := kernel.Param{DType: p.DType, Out: p.Out}
		var strides []int64
		offset := int64(0)
		var terms []kernel.Term
		for d, i := range m.Index {
			offset += i.Offset * dense[d]
			for _, t := range i.Terms {
				terms = addTerm(terms, kernel.Term{Axis: t.Axis, Factor: t.Factor * dense[d]})
			}
		}
		to.Index = nil
		for _, t := range terms {
			view.Dims = append(view.Dims, n.kernel.Axis(s, t.Axis).Size)
			strides = append(strides, t.Factor)
			to.Index = append(to.Index, kernel.Along(t.Axis))
		}
		to.Param = w.param(b, view, Operand{v, offset}, strides, false)
		return &to
	}
	to.Index = make([]kernel.Index, len(m.Index))
	for d := range m.Index {
		to.Index[d] = c.index(m.Index[d])
	}
	p.Strides, p.Dims = nil, slices.Clone(p.Dims)
	to.Param = w.param(b, p, Operand{v, 0}, dense, true)
	return &to
}

// plain reports whether an access is to the same places whatever the data.
func plain(m *kernel.Access) bool {
	return !m.Guard && m.Combine == kernel.Invalid &&
		!slices.ContainsFunc(m.Index, func(i kernel.Index) bool { return i.Value != kernel.None })
}

// param returns the parameter for a view, one for each that is the same.
func (w *views) param(b *kernel.Builder, p kernel.Param, o Operand, strides []int64, whole bool) int {
	for i := range w.operands {
		if w.operands[i] == o && w.whole[i] == whole && slices.Equal(w.strides[i], strides) && slices.Equal(b.Params()[i].Dims, p.Dims) && b.Params()[i].Out == p.Out {
			return i
		}
	}
	w.operands = append(w.operands, o)
	w.whole = append(w.whole, whole)
	w.strides = append(w.strides, strides)
	return b.Param(p)
}

// denseStrides returns the strides, in elements, of a dense operand.
func denseStrides(dims []kernel.Size) []int64 {
	strides := make([]int64, len(dims))
	n := int64(1)
	for d, s := range slices.Backward(dims) {
		strides[d] = n
		n *= int64(s)
	}
	return strides
}

// symbolic makes sizes and strides arguments, and names operands by their
// order.
func (w *views) symbolic() normal {
	k := w.kernel
	r := normal{kernel: k, operands: w.operands}
	sym := func(s kernel.Size) kernel.Size {
		r.sizes = append(r.sizes, int64(s))
		return kernel.Sym(len(r.sizes) - 1)
	}
	// An operand that is a view has the sizes of the axes it runs along.
	sizes := make([][]kernel.Size, len(k.Stages))
	for i := range k.Axes {
		k.Axes[i].Name, k.Axes[i].Size = axisName(i), sym(k.Axes[i].Size)
	}
	for s := range k.Stages {
		for _, a := range k.Axes {
			sizes[s] = append(sizes[s], a.Size)
		}
		for i := range k.Stages[s].Axes {
			a := &k.Stages[s].Axes[i]
			a.Name, a.Size = stageAxisName(i), stageSize(&r, k, s, *a, sym)
			sizes[s] = append(sizes[s], a.Size)
		}
	}
	done := make([]bool, len(k.Params))
	local := make([]bool, len(k.Locals))
	for s := range k.Stages {
		for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
			m := k.Instrs[id].Mem
			if m == nil {
				continue
			}
			dims, set := []kernel.Size(nil), &done
			at := m.Param
			if m.Local {
				dims, set = k.Locals[at].Dims, &local
			} else {
				dims = k.Params[at].Dims
			}
			if (*set)[at] {
				continue
			}
			(*set)[at] = true
			for d, i := range m.Index {
				if plain(m) && len(i.Terms) == 1 && i.IsAxis(i.Terms[0].Axis) && r.sizes[symOf(sizes[s][i.Terms[0].Axis])] == int64(dims[d]) {
					dims[d] = sizes[s][i.Terms[0].Axis]
				} else {
					dims[d] = sym(dims[d])
				}
			}
		}
	}
	for i := range k.Params {
		p := &k.Params[i]
		p.Name = operandName(i, p.Out)
		p.Strides = make([]kernel.Stride, len(p.Dims))
		for d, s := range w.strides[i] {
			switch s {
			case 1:
				p.Strides[d] = kernel.UnitStride
			case 0:
				p.Strides[d] = kernel.ZeroStride
			default:
				r.strides = append(r.strides, s)
			}
		}
	}
	k.Sizes = len(r.sizes)
	k.Name = "k"
	return r
}

func symOf(s kernel.Size) int { i, _ := s.Sym(); return i }

// stageSize returns the size of a stage's axis: that of an earlier stage's axis
// in the same place, if it has the same number of elements.
func stageSize(r *normal, k *kernel.Kernel, s int, a kernel.Axis, sym func(kernel.Size) kernel.Size) kernel.Size {
	for t := range s {
		for _, b := range k.Stages[t].Axes {
			if r.sizes[symOf(b.Size)] == int64(a.Size) {
				return b.Size
			}
		}
	}
	return sym(a.Size)
}

func operandName(i int, out bool) string {
	if out {
		return fmt.Sprintf("y%d", i)
	}
	return fmt.Sprintf("x%d", i)
}
