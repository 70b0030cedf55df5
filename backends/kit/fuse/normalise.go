package fuse

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// normal is a kernel with sizes and strides as arguments, and what they are for
// one node.
type normal struct {
	kernel   *kernel.Kernel
	operands []plan.Operand
	sizes    []int64
	strides  []int64
	moving   []plan.Moving
}

// normalise writes a node's kernel in the form that equal computations share. Operands are
// views along axes. Neighbouring axes that every operand runs along as one are one, and
// axes of a single element are gone. Sizes are arguments, but for small ones where memory
// has a layout.
func (g *Graph) normalise(n *node) normal {
	dropUnits(n)
	windows := windowStages(n.kernel)
	w := viewed(g, n)
	w.collapse()
	few := int64(0)
	if slices.ContainsFunc(n.operands, func(v plan.ValueID) bool { return g.layouts[g.root(v)] != nil }) {
		few = fewComponents
	}
	return w.symbolic(few, n.chained || placesLocals(n.kernel), windows)
}

// placesLocals reports whether a kernel accesses its locals at constant places, or by factors of
// axes, as the passes of a Fourier transform do. Its text is for the sizes that it has.
func placesLocals(k *kernel.Kernel) bool {
	return slices.ContainsFunc(k.Instrs, func(in kernel.Instr) bool {
		return in.Mem != nil && in.Mem.Local && slices.ContainsFunc(in.Mem.Index, func(i kernel.Index) bool {
			open := dims.GoIsExpr(i.Offset) || slices.ContainsFunc(i.Terms, func(t kernel.Term) bool { return dims.GoIsExpr(t.Factor) })
			return !open && (i.Offset != 0 || len(i.Terms) > 1 || len(i.Terms) == 1 && i.Terms[0].Factor != 1)
		})
	})
}

// fewComponents is the largest size of an axis that is a literal in kernels on memory
// with a layout. Components of records are few, and a block of a quantized weight has 32 elements; neither
// changes from run to run. Schedules unroll loops over them.
const fewComponents = 32

// fewCoordinates is the largest size of a stage's axis that is a literal, but in products of
// matrices. Points of space, colours and complex numbers have so many components. Schedules write
// them out, and vectors run along the points.
const fewCoordinates = 4

// fewChannels is the largest size of the last axis that is a literal in kernels that pad.
// An image of a few colours, whose channels are to be last, is one: schedules move the
// channels of a point at once.
const fewChannels = 4

// storesRecords reports whether a kernel stores neighbours along the last dimension of an operand
// by stores of their own, for one point, and those of the next point farther on.
func storesRecords(k *kernel.Kernel) bool {
	var last *kernel.Access
	for id := range k.Instrs {
		in := &k.Instrs[id]
		if in.Op != kernel.Store || in.Mem.Local || len(in.Mem.Index) == 0 {
			continue
		}
		d := len(in.Mem.Index) - 1
		i := in.Mem.Index[d]
		apart := slices.ContainsFunc(i.Terms, func(t kernel.Term) bool { return t.Factor > 1 })
		if last != nil && apart && last.Param == in.Mem.Param && slices.Equal(last.Index[d].Terms, i.Terms) && last.Index[d].Offset+1 == i.Offset {
			return true
		}
		last = in.Mem
	}
	return false
}

// pads reports whether a kernel loads from indices outside of an operand.
func pads(k *kernel.Kernel) bool {
	return slices.ContainsFunc(k.Instrs, func(i kernel.Instr) bool { return i.Op == kernel.Load && i.Mem.Guard })
}

// fewPlaces is the largest number of elements of a window whose sizes are literals.
// Schedules unroll loops over them.
const fewPlaces = 25

// windowStages reports of each stage whether it runs over windows of few elements: a load's index
// along some dimension depends on an axis of the kernel and on one of the stage.
func windowStages(k *kernel.Kernel) []bool {
	all := make([]bool, len(k.Stages))
	for s, st := range k.Stages {
		if len(st.Axes) == 0 || !dims.GoAtMost(kernel.Points(st.Axes), fewPlaces) {
			continue
		}
		all[s] = slices.ContainsFunc(k.Instrs[st.Begin:st.End], func(i kernel.Instr) bool {
			return i.Op == kernel.Load && !i.Mem.Local && slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool {
				outer, inner := false, false
				for _, t := range x.Terms {
					outer, inner = outer || t.Axis < len(k.Axes), inner || t.Axis >= len(k.Axes)
				}
				return outer && inner
			})
		})
	}
	return all
}

// views is a kernel whose operands are views.
type views struct {
	kernel   *kernel.Kernel
	operands []view
	alike    map[viewKey][]int // the operands of a key
	columns  [][]bool          // by operand of the node and dimension; see columnsOf
	keep     bool              // operands keep their dimensions
}

// manyColumns is from how many on the places along a dimension that a kernel names
// one by one are places of one operand, instead of an operand each. Fields of
// records, which lie side by side in memory with a layout, are so from two on.
const manyColumns = 4

// columnsOf returns along which dimensions a node accesses an operand at so many
// places.
func (g *Graph) columnsOf(n *node) [][]bool {
	k := n.kernel
	all := make([][]bool, len(k.Params))
	accesses := make([][]*kernel.Access, len(k.Params))
	for id := range k.Instrs {
		if m := k.Instrs[id].Mem; m != nil && !m.Local {
			accesses[m.Param] = append(accesses[m.Param], m)
		}
	}
	for p := range all {
		all[p] = make([]bool, len(k.Params[p].Dims))
		lies, laid := g.position(n.operands[p]), g.layouts[g.root(n.operands[p])] != nil
		for d := range all[p] {
			var at []int64
			for _, m := range accesses[p] {
				if !m.Plain() || len(m.Index[d].Terms) > 0 || dims.GoIsExpr(m.Index[d].Offset) {
					at = nil
					break
				}
				if x := m.Index[d].Offset; len(at) < manyColumns && !slices.Contains(at, x) {
					at = append(at, x)
				}
			}
			all[p][d] = len(at) >= manyColumns || laid && lies.strides[d].Is(1) && len(at) > 1
		}
	}
	return all
}

// view is a value as an operand: how far from its first element that of the
// operand is, and how far apart neighbours are along each dimension.
type view struct {
	value   plan.ValueID
	offset  plan.Linear
	strides []plan.Linear
	whole   bool // it keeps the value's dimensions
	table   bool // the last dimension is of a table
}

func (v *view) equal(w *view) bool {
	return v.value == w.value && v.whole == w.whole && v.table == w.table && v.offset.Equal(w.offset) && slices.EqualFunc(v.strides, w.strides, plan.Linear.Equal)
}

// viewed gives each plain access an operand of its own, whose dimensions are
// axes: transposes, slices and broadcasts are strides then. Accesses that are
// guarded or at a computed place keep the operand's own dimensions. So do all of a kernel that
// places locals or stores records: schedules see what lies side by side in an operand.
func viewed(g *Graph, n *node) *views {
	k := n.kernel
	b := withAxes(k.Name, k)
	for _, l := range k.Locals {
		l.Dims = slices.Clone(l.Dims)
		b.Local(l)
	}
	w := &views{columns: g.columnsOf(n), alike: map[viewKey][]int{}, keep: placesLocals(k) || storesRecords(k)}
	c := newCopier(b, k)
	for s := range k.Stages {
		st := &k.Stages[s]
		b.Stage(slices.Clone(st.Axes)...)
		c.identity(s)
		entries := map[string]kernel.ID{}
		for id := st.Begin; id < st.End; id++ {
			in := &k.Instrs[id]
			if in.Mem == nil || in.Mem.Local {
				c.literal(id)
				continue
			}
			op := *in
			op.Args = make([]kernel.ID, len(in.Args))
			for j, a := range in.Args {
				op.Args[j] = c.ids[a]
			}
			op.Mem = w.access(g, n, b, c, s, in.Mem, entries)
			c.ids[id] = b.Emit(op)
		}
	}
	w.kernel = b.Kernel()
	return w
}

// access returns an access of n as one to a view. entries are the loads from
// tables so far in the stage.
func (w *views) access(g *Graph, n *node, b *kernel.Builder, c *copier, s int, m *kernel.Access, entries map[string]kernel.ID) *kernel.Access {
	p := n.kernel.Params[m.Param]
	lies := g.position(n.operands[m.Param])
	to, v := *m, view{value: n.operands[m.Param], table: lies.table != plan.None, whole: !m.Plain() || w.keep}
	to.Index = nil
	param := kernel.Param{DType: p.DType, Out: p.Out}
	if v.whole {
		for d := range m.Index {
			if lies.entries != nil && lies.entries[d] != 0 {
				continue
			}
			param.Dims = append(param.Dims, p.Dims[d])
			to.Index = append(to.Index, b.Literal(c.index(m.Index[d])))
			v.strides = append(v.strides, lies.strides[d])
		}
	} else {
		axes := make([]plan.Linear, len(n.kernel.Axes)+len(n.kernel.Stages[s].Axes))
		along := make([]bool, len(axes))
		for d, i := range m.Index {
			if w.columns[m.Param][d] && (lies.entries == nil || lies.entries[d] == 0) {
				param.Dims = append(param.Dims, p.Dims[d])
				to.Index = append(to.Index, i)
				v.strides = append(v.strides, lies.strides[d])
				continue
			}
			v.offset = v.offset.Plus(lies.strides[d], i.Offset)
			for _, t := range i.Terms {
				sum := axes[t.Axis].Plus(lies.strides[d], t.Factor)
				axes[t.Axis], along[t.Axis] = sum, !along[t.Axis] || !sum.Is(0)
			}
		}
		for a, stride := range axes {
			if along[a] {
				param.Dims = append(param.Dims, n.kernel.Axis(s, a).Size)
				to.Index = append(to.Index, kernel.Along(a))
				v.strides = append(v.strides, stride)
			}
		}
	}
	if v.table {
		param.Dims = append(param.Dims, kernel.Size(g.values[lies.table].typ.Shape[0]))
		to.Index = append(to.Index, kernel.ByValue(w.entry(n, b, s, m, lies, entries)))
		v.strides = append(v.strides, plan.Linear{N: 1})
	}
	to.Param = w.param(b, param, v)
	return &to
}

// entry returns the entry of the table that an access needs.
func (w *views) entry(n *node, b *kernel.Builder, s int, m *kernel.Access, lies position, entries map[string]kernel.ID) kernel.ID {
	v := view{value: lies.table}
	param, axes := kernel.Param{DType: types.I64}, make([]int64, len(n.kernel.Axes)+len(n.kernel.Stages[s].Axes))
	for d, i := range m.Index {
		v.offset.N = dims.GoAdd(v.offset.N, dims.GoMul(i.Offset, lies.entries[d]))
		for _, t := range i.Terms {
			axes[t.Axis] = dims.GoAdd(axes[t.Axis], dims.GoMul(t.Factor, lies.entries[d]))
		}
	}
	key := fmt.Sprint(lies.table, v.offset.N, axes)
	if id, ok := entries[key]; ok {
		return id
	}
	var index []kernel.Index
	for a, stride := range axes {
		if stride != 0 {
			param.Dims = append(param.Dims, n.kernel.Axis(s, a).Size)
			index = append(index, kernel.Along(a))
			v.strides = append(v.strides, plan.Linear{N: stride})
		}
	}
	entries[key] = b.Emit(kernel.Instr{Op: kernel.Load, Type: types.I64, Mem: &kernel.Access{Param: w.param(b, param, v), Index: index}})
	return entries[key]
}

// param returns the parameter for a view, one for each that is the same.
func (w *views) param(b *kernel.Builder, p kernel.Param, v view) int {
	key := viewKey{v.value, v.offset.N, v.whole}
	for _, i := range w.alike[key] {
		if w.operands[i].equal(&v) && slices.Equal(b.Params()[i].Dims, p.Dims) && b.Params()[i].Out == p.Out {
			return i
		}
	}
	w.alike[key] = append(w.alike[key], len(w.operands))
	w.operands = append(w.operands, v)
	return b.Param(p)
}

// viewKey is what views must share to be equal, and of which few that differ do.
type viewKey struct {
	value  plan.ValueID
	offset int64
	whole  bool
}

// symbolic makes sizes and strides arguments, and names operands by their
// order. Axes of up to few elements keep their sizes. In a kernel of rows, whose
// text says how many columns they have, or of passes, only the sizes of the kernel's axes and of
// operands are arguments. The axes of stages that run over windows keep their sizes, too.
func (w *views) symbolic(few int64, rows bool, windows []bool) normal {
	m := &symbols{from: w, normal: normal{kernel: w.kernel}, few: few, rows: rows, windows: windows}
	m.axes()
	m.memory()
	m.strided()
	m.kernel.Sizes = len(m.sizes)
	m.kernel.Name = "k"
	return m.normal
}

// symbols makes sizes and strides of a kernel its arguments.
type symbols struct {
	from *views
	normal
	few     int64
	rows    bool
	windows []bool          // by stage
	runs    [][]kernel.Size // the sizes of all axes of each stage, the kernel's first
}

// sym returns a size as an argument, or as it is if it is small.
func (m *symbols) sym(s kernel.Size) kernel.Size {
	if !dims.GoIsExpr(s) && int64(s) <= m.few {
		return s
	}
	m.sizes = append(m.sizes, int64(s))
	return kernel.Sym(len(m.sizes) - 1)
}

func (m *symbols) axes() {
	k := m.kernel
	m.runs = make([][]kernel.Size, len(k.Stages))
	digits := lowDigits(k)
	_, contracts := kernel.AsContraction(k)
	coordinates := len(k.Axes) > 0 && !contracts
	for i := range k.Axes {
		a := &k.Axes[i]
		if a.Name = kernel.AxisName(i); dims.GoIsExpr(a.Size) || !digits[i] && (i == 0 || i < len(k.Axes)-1 || a.Size > fewChannels || !pads(k)) {
			a.Size = m.sym(a.Size)
		}
	}
	for s := range k.Stages {
		for _, a := range k.Axes {
			m.runs[s] = append(m.runs[s], a.Size)
		}
		for i := range k.Stages[s].Axes {
			a := &k.Stages[s].Axes[i]
			a.Name = kernel.StageAxisName(i)
			if open := dims.GoIsExpr(a.Size); open || !m.rows && !m.windows[s] && (a.Size > fewCoordinates || !coordinates) {
				a.Size = m.stageSize(s, *a)
			}
			m.runs[s] = append(m.runs[s], a.Size)
		}
	}
}

// lowDigits returns of each axis of a kernel whether a store's index has a term of it and one of a
// larger factor. That factor, which is in the kernel's text, says how many elements the axis may
// have: with its size, [kernel.Kernel.DistinctIndex] proves that points store to different places.
func lowDigits(k *kernel.Kernel) []bool {
	low := make([]bool, len(k.Axes))
	for id := range k.Instrs {
		in := &k.Instrs[id]
		if in.Op != kernel.Store || in.Mem.Local {
			continue
		}
		for _, x := range in.Mem.Index {
			for _, t := range x.Terms {
				larger := func(u kernel.Term) bool { return u.Factor > t.Factor }
				if t.Axis < len(k.Axes) && t.Factor > 0 && slices.ContainsFunc(x.Terms, larger) {
					low[t.Axis] = true
				}
			}
		}
	}
	return low
}

// stageSize returns the size of a stage's axis: that of an earlier stage's axis
// in the same place, if it has the same number of elements.
func (m *symbols) stageSize(s int, a kernel.Axis) kernel.Size {
	for t := range s {
		for _, b := range m.kernel.Stages[t].Axes {
			if b.Size.Of(m.sizes) == int64(a.Size) {
				return b.Size
			}
		}
	}
	return m.sym(a.Size)
}

// memory gives operands and locals their dimensions, by the first access to each.
func (m *symbols) memory() {
	k := m.kernel
	params, locals := make([]bool, len(k.Params)), make([]bool, len(k.Locals))
	for s := range k.Stages {
		for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
			a := k.Instrs[id].Mem
			switch {
			case a == nil:
				if i := &k.Instrs[id]; i.Op == kernel.SizeOf {
					i.Aux = int64(m.sym(kernel.Size(i.Aux)))
				}
			case !a.Local && !params[a.Param]:
				params[a.Param] = true
				m.along(s, a, k.Params[a.Param].Dims)
			case a.Local && (!m.rows || !dims.Static(k.Locals[a.Param].Dims)) && !locals[a.Param]:
				locals[a.Param] = true
				m.along(s, a, k.Locals[a.Param].Dims)
			}
		}
	}
}

// along gives what is accessed its dimensions: an operand that is a view has the sizes
// of the axes that it runs along. So has one that windows read with a border along other axes:
// schedules see where all is inside.
func (m *symbols) along(s int, a *kernel.Access, sizes []kernel.Size) {
	view := a.Plain() || a.Guard && m.windows[s] || !a.Local && m.from.operands[a.Param].table && !m.from.operands[a.Param].whole
	for d, i := range a.Index {
		if a.Local && m.rows && !dims.GoIsExpr(sizes[d]) {
			continue
		}
		if view && len(i.Terms) == 1 && i.IsAxis(i.Terms[0].Axis) && m.runs[s][i.Terms[0].Axis].Of(m.sizes) == int64(sizes[d]) {
			sizes[d] = m.runs[s][i.Terms[0].Axis]
		} else {
			sizes[d] = m.sym(sizes[d])
		}
	}
}

// strided names operands, and makes arguments of strides other than 0 and 1.
func (m *symbols) strided() {
	params := m.kernel.Params
	for i := range params {
		p := &params[i]
		p.Name = operandName(i, p.Out)
		p.Strides = make([]kernel.Stride, len(p.Dims))
		v := &m.from.operands[i]
		for d, s := range v.strides {
			switch {
			case v.table && d == len(v.strides)-1:
				p.Strides[d] = kernel.TableStride
			case s.Is(1):
				p.Strides[d] = kernel.UnitStride
			case s.Is(0):
				p.Strides[d] = kernel.ZeroStride
			default:
				if len(s.By) > 0 {
					m.moving = append(m.moving, plan.Moving{At: len(m.strides), Operand: i, By: s.By})
				}
				m.strides = append(m.strides, s.N)
			}
		}
		m.operands = append(m.operands, plan.Operand{Value: v.value, Offset: v.offset.N, By: v.offset.By})
	}
}

func operandName(i int, out bool) string {
	if out {
		return fmt.Sprintf("y%d", i)
	}
	return fmt.Sprintf("x%d", i)
}
