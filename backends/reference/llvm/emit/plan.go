package emit

import (
	"math"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// Plan decides how a machine runs a kernel that has passed [kernel.Verify].
func Plan(k *kernel.Kernel, m vector.Machine) *Schedule {
	p := &planner{k: k, on: k.Dependence(), lanes: lanesOf(k, m), registers: m.Registers(), masks: m.Masks(types.F32), stripAxis: -1}
	return p.plan()
}

// lanesOf returns how many elements a vector has: as many as a register holds
// of the narrowest type that is computed with. Half floats are computed with as
// f32; bytes count only where nothing is wider.
func lanesOf(k *kernel.Kernel, m vector.Machine) int {
	size := 0
	for i := range k.Instrs {
		t := k.Instrs[i].Type
		n := t.Size()
		if t.IsFloat() {
			n = max(n, 4)
		}
		switch {
		case t == types.I64 && (k.Instrs[i].Op == kernel.Constant || k.Instrs[i].Op == kernel.SizeOf):
		case n == 1 && size > 0, t == types.Bool && k.Instrs[i].Mem == nil:
		case size <= 1 || n < size:
			size = n
		}
	}
	if size == 0 {
		size = 4
	}
	return m.Bits() / 8 / size
}

type planner struct {
	k         *kernel.Kernel
	on        []kernel.AxisSet
	lanes     int
	registers int  // for vectors
	masks     bool // of elements of 4 bytes
	stripAxis int  // that of strips, while one is considered; else -1
	own       bool // stages have axes of their own, or there are locals
	// written says that all axes of stages are written out, and those of out.
	written bool
	out     kernel.AxisSet
}

// What sizes are taken for that only the launch knows.
const (
	usual = 1024
	// The cost of an element or an op, in ops on a vector.
	gathered, scattered, slow = 1.5, 2, 12
	// The cost of beginning and ending a run along the vectors.
	around = 12
	// mostWritten is how many points are written out, at most, and mostCode how many
	// instructions all of them.
	mostWritten, mostCode = 16, 400
)

func (p *planner) plan() *Schedule {
	k := p.k
	if len(k.Axes) > maxAxes {
		return nil
	}
	own := len(k.Locals) > 0
	for s := range k.Stages {
		if own = own || len(k.Stages[s].Axes) > 0; len(k.Axes)+len(k.Stages[s].Axes) > maxAxes {
			return nil
		}
	}
	r := &Schedule{Form: Rows, Lanes: p.lanes, Vector: -1, Shared: -1, Across: -1}
	form := Strips
	if p.own = own; !own {
		form = Points
	}
	best := p.rows()
	if form == Points && len(k.Axes) > 0 {
		best = 1e300
	}
	for a := range k.Axes {
		if p.serialAxis(a) {
			continue
		}
		p.stripAxis = a
		if c := p.columns(a); c <= best {
			best, r.Form, r.Vector = c, form, a
		}
		p.stripAxis = -1
	}
	p.stripAxis = r.Vector
	if !k.Scans() {
		p.writeOut(r, best)
		p.windows(r)
	}
	r.Shared = r.Vector
	if r.Form == Points {
		p.tiles(r)
	}
	if r.Form == Points {
		for s := range k.Stages {
			r.Fields = append(r.Fields, p.fields(s, k.Stages[s].Begin, k.Stages[s].End, r.Vector)...)
		}
	}
	for a := range k.Axes {
		switch {
		case a == r.Vector, a == r.Across, slices.Contains(r.Out, a):
		case p.serialAxis(a):
			r.Serial = append(r.Serial, a)
		default:
			r.Cut = append(r.Cut, a)
		}
	}
	p.stages(r)
	if r.Form != Windows {
		p.stream(r)
	}
	if r.Form == Rows {
		p.ahead(r)
		r.Stages[0].Abreast = p.rowsAtOnce(r)
		p.rowsBeside(r)
	}
	if r.Form == Strips {
		p.on = dependence(k, r.Vector)
		p.keep(r)
		p.stage(r)
		p.block(r)
	}
	for s := range k.Stages {
		axis := r.Vector
		if r.Form == Rows {
			axis = r.Stages[s].Vector
		}
		c, reductions := p.work(s, axis)
		r.per = append(r.per, c+reductions)
	}
	r.touched = p.touches()
	return r
}

// touches returns what stages load and store of operands, by operand.
func (p *planner) touches() (all []touched) {
	for param := range p.k.Params {
		for s := range p.k.Stages {
			n := 0
			for id := p.k.Stages[s].Begin; id < p.k.Stages[s].End; id++ {
				if m := p.k.Instrs[id].Mem; m != nil && !m.Local && m.Param == param {
					n++
				}
			}
			if n > 0 {
				all = append(all, touched{param, s, n})
			}
		}
	}
	return all
}

// across returns the axis along which the neighbours lie of what a load takes
// from far apart along an axis, if squares of it can be transposed; else -1.
func (p *planner) across(s int, id kernel.ID, axis int) int {
	i := &p.k.Instrs[id]
	if i.Op != kernel.Load || i.Mem.Local || i.Mem.Guard || p.own || axis >= len(p.k.Axes) {
		return -1
	}
	for _, x := range i.Mem.Index {
		if x.Value != kernel.None {
			return -1
		}
	}
	for a := range p.k.Axes {
		if a != axis && p.move(s, i.Mem, a) == unit && !p.serialAxis(a) {
			return a
		}
	}
	return -1
}

// tiles makes the schedule of points one of tiles, if there are loads to be
// transposed: along the axis that most of them lie along.
func (p *planner) tiles(r *Schedule) {
	by := make([][]kernel.ID, len(p.k.Axes))
	size := 1
	for s := range p.k.Stages {
		for id := p.k.Stages[s].Begin; id < p.k.Stages[s].End; id++ {
			i := &p.k.Instrs[id]
			if i.Op != kernel.Load || p.move(s, i.Mem, r.Vector) != strided || p.k.Params[i.Mem.Param].Out {
				continue
			}
			if a := p.across(s, id, r.Vector); a >= 0 {
				by[a] = append(by[a], id)
				size = max(size, i.Type.Size())
			}
		}
	}
	for a, list := range by {
		if len(list) > len(r.Tiled) {
			r.Form, r.Across, r.Shared, r.Tiled = Tiles, a, a, list
		}
	}
	r.tile = tileSide
	if size > 4 {
		r.tile = tileSide / 2
	}
}

// keep finds what stages of strips leave to later ones: what is reduced, and
// what differs along the strip.
func (p *planner) keep(r *Schedule) {
	k := p.k
	used := make([]bool, len(k.Instrs))
	for s := range k.Stages {
		begin := k.Stages[r.iterationOf(s)].Begin
		for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
			i := &k.Instrs[id]
			for _, a := range i.Args {
				used[a] = used[a] || a < begin
			}
			if i.Mem == nil {
				continue
			}
			for _, x := range i.Mem.Index {
				if x.Value != kernel.None {
					used[x.Value] = used[x.Value] || x.Value < begin
				}
			}
		}
	}
	for id := range k.Instrs {
		i := &k.Instrs[id]
		if i.Op == kernel.Scan || i.Op == kernel.Reduce && r.Stages[k.StageOf(kernel.ID(id))].Held == 0 || used[id] && p.on[id].Has(r.Vector) {
			r.kept = append(r.kept, kernel.ID(id))
			r.column += int64(i.Type.Size())
		}
	}
}

// longestStaged is how many elements along the axis of a stage are transposed for
// each iteration, at most: with those of an iteration's vectors what caches near a core hold.
const longestStaged = 512

// stage finds what strips transpose for each iteration.
func (p *planner) stage(r *Schedule) {
	for s, t := range r.Stages {
		if t.Held == 0 {
			continue
		}
		n := p.k.Axis(s, t.Loops[0]).Size
		if n < 0 || n > longestStaged {
			continue
		}
		for id := p.k.Stages[s].Begin; id < p.k.Stages[s].End; id++ {
			i := &p.k.Instrs[id]
			if i.Op == kernel.Load && !i.Mem.Local && !i.Mem.Guard && i.Type != types.Bool && p.move(s, i.Mem, r.Vector) == strided && p.move(s, i.Mem, t.Loops[0]) == unit && (p.masks || n >= 16) &&
				!slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool { return x.Value != kernel.None }) {
				r.Staged = append(r.Staged, id)
			}
		}
	}
}

func (p *planner) serialAxis(a int) bool {
	for s := range p.k.Stages {
		if p.serial(s, a, false) {
			return true
		}
	}
	return false
}

// work returns the cost of a point of stage s when vectors lie along an axis, in
// ops on vectors, and the number of reductions; axis -1 stands for scalars.
func (p *planner) work(s, axis int) (cost, reductions float64) {
	lanes := float64(p.lanes)
	fields, far := p.rowFields(s, axis), axis == p.stripAxis && p.farLocals()
	for id := p.k.Stages[s].Begin; id < p.k.Stages[s].End; id++ {
		i := &p.k.Instrs[id]
		switch {
		case len(fields) > 0 && i.Mem != nil && fieldsOf(fields, id) != nil:
			f := fieldsOf(fields, id)
			cost += p.transposed(int(f.To-f.From), i.Op) * float64(f.To-f.From) / float64(len(f.IDs))
		case i.Op == kernel.Load && i.Mem.Local && axis < 0 && p.k.Carries(s): // waits for the store of the point before
			cost += slow
		case i.Mem != nil && axis < 0:
			cost++
		case i.Mem != nil:
			each := gathered
			if i.Op == kernel.Store {
				each = scattered
			}
			switch how := p.move(s, i.Mem, axis); {
			case i.Mem.Local && far:
				cost += 8
			case how == still:
				cost += 0.25
			case how == unit:
				cost++
			case p.backward(i.Mem, axis):
				cost += 2
			case !p.written && axis < len(p.k.Axes) && p.blocked(s, id, axis):
				cost += 3
			case p.written && p.record(s, id, axis) >= 0:
				cost += p.transposes(s, id, axis)
			case !p.written && p.across(s, id, axis) >= 0: // whole vectors, however few of them there are
				cost += 3 * max(1, lanes/length(p.k.Axes[p.across(s, id, axis)]))
			case p.written && p.near(s, i.Mem, axis):
				cost += each * lanes / 2
			default:
				cost += each * lanes
			}
		case i.Op == kernel.Reduce:
			cost++
			reductions++
		case i.Op == kernel.Scan && axis == len(p.k.Axes): // lanes combine by distances of 1, 2, 4, …
			cost += 2 * (1 + math.Log2(lanes))
			reductions++
		case i.Op == kernel.Scan:
			cost++
			reductions++
		case i.Op == kernel.Constant:
		case i.Op.Costly():
			cost += slow
		default:
			cost++
		}
	}
	return cost, reductions
}

// farLocals reports whether the locals of the narrowest strip are more than caches near a core
// hold.
func (p *planner) farLocals() bool {
	bytes := int64(0)
	for l := range p.k.Locals {
		n := int64(p.k.Locals[l].DType.Size())
		for _, d := range p.k.Locals[l].Dims {
			if d < 0 {
				return false
			}
			n *= int64(d)
		}
		bytes += n
	}
	return stripsPiece*bytes > 4*stripBytes
}

// points returns how many points axes have, but for one of them.
func points(all []kernel.Axis, but int) float64 {
	n := 1.0
	for i, a := range all {
		if i != but {
			n *= length(a)
		}
	}
	return n
}

func length(a kernel.Axis) float64 {
	if a.Size < 0 {
		return usual
	}
	return float64(a.Size)
}

// vectors returns how many vectors an axis takes.
func (p *planner) vectors(a kernel.Axis) float64 {
	n, lanes := length(a), float64(p.lanes)
	if n < lanes {
		return 1
	}
	return (n + lanes - 1) / lanes
}

// columns returns the cost of a point of the kernel's when vectors lie along
// one of its axes.
func (p *planner) columns(axis int) float64 {
	total := 0.0
	for s := range p.k.Stages {
		c, reductions := p.work(s, axis)
		if p.written { // sums stay in registers
			reductions = 0
		}
		total += (c + reductions) * points(p.k.Stages[s].Axes, -1)
	}
	a := p.k.Axes[axis]
	return (total*p.vectors(a) + around) / max(length(a), 1)
}

// rows returns the cost of a point of the kernel's when vectors lie along axes
// of stages.
func (p *planner) rows() float64 {
	total := 0.0
	for s := range p.k.Stages {
		c, _ := p.row(s)
		total += c
	}
	return total
}

// row returns the cost of stage s and the best axis of its own for vectors.
func (p *planner) row(s int) (best float64, axis int) {
	own := p.k.Stages[s].Axes
	c, _ := p.work(s, -1)
	best, axis = c*points(own, -1), -1
	for i := len(own) - 1; i >= 0; i-- {
		a := len(p.k.Axes) + i
		if p.serial(s, a, true) {
			continue
		}
		c, reductions := p.work(s, a)
		c = c*points(own, i)*p.vectors(own[i]) + 12*reductions
		if p.narrow(s, a, reductions) < p.lanes {
			c *= 0.6
		}
		if axis < 0 || c < best {
			best, axis = c, a
		}
	}
	return best, axis
}

// narrow returns how many lanes vectors along an axis of stage s have: fewer than those of a
// register where a short axis fills no more, since some machines need time for masked lanes.
func (p *planner) narrow(s, axis int, reductions float64) int {
	n, lanes := int(p.k.Axis(s, axis).Size), p.lanes
	if n < 1 || reductions > 0 || len(p.k.Locals) == 0 || p.k.Stages[s].Scanned() != kernel.FreeAxis {
		return lanes
	}
	for lanes > 4 && 2*n <= lanes {
		lanes /= 2
	}
	return lanes
}

// stages decides how each stage runs.
func (p *planner) stages(r *Schedule) {
	if r.Form == Points || r.Form == Tiles {
		cost := 0.0
		for s := range p.k.Stages {
			c, _ := p.work(s, r.Vector)
			cost += c
		}
		r.Piece = pointsPiece
		r.Stages = []Stage{{Vector: r.Vector, Lanes: p.lanes, Unroll: p.unrolled(cost), Rows: 1}}
		if r.Form == Tiles {
			r.Piece, r.Stages[0].Loops = r.tile, []int{r.Across}
		}
		return
	}
	switch r.Form {
	case Strips:
		r.Piece = stripsPiece
	case Written, Windows:
		r.Piece = pointsPiece
	}
	for s := range p.k.Stages {
		t := Stage{Vector: r.Vector, Lanes: p.lanes, Unroll: 1, Rows: 1, Loops: slices.Clone(r.Out)}
		if r.Form == Rows {
			_, t.Vector = p.row(s)
			r.Fields = append(r.Fields, p.rowFields(s, t.Vector)...)
		}
		for i := range p.k.Stages[s].Axes {
			if a := len(p.k.Axes) + i; a != t.Vector {
				t.Loops = append(t.Loops, a)
			}
		}
		if t.Vector < 0 {
			t.Lanes = 1
			if n := len(t.Loops); n > 0 { // the innermost, one by one
				t.Vector, t.Loops = t.Loops[n-1], t.Loops[:n-1]
			}
			r.Stages = append(r.Stages, t)
			continue
		}
		c, reductions := p.work(s, t.Vector)
		switch {
		case r.Form == Strips && p.holds(s, t):
			t.Held, t.Unroll = p.held(int(reductions))
		case r.Form == Strips && s > 0 && len(t.Loops) == 0 && (r.Stages[s-1].Held > 0 || r.Stages[s-1].Along):
			t.Along, t.Unroll = true, r.Stages[s-1].Unroll
		case r.Form == Rows:
			t.Unroll = p.unrolled(c)
			t.Lanes = p.narrow(s, t.Vector, reductions)
			t.Paced = t.Unroll > 1 && p.registers > 16 && p.paces(s, t.Vector)
			if p.insertsLanes(s, t.Vector) {
				t.Lanes, t.Unroll, t.Paced = min(t.Lanes, stridedLanes), 1, false
			} else {
				p.whole(s, &t)
			}
		case r.Form == Strips && len(t.Loops) > 0 && (reductions > 0 && c <= 12 || reductions == 0 && r.holds()) && p.k.Stages[s].Scanned() == kernel.FreeAxis && !p.serial(s, t.Loops[len(t.Loops)-1], true):
			t.Rows = 4
		}
		r.Stages = append(r.Stages, t)
	}
}

// An axis of at most mostWhole vectors is written out, a power of two, whose sums combine in pairs.
// wholeRows is how many vectors of several iterations of the loop around it are written out: the
// distances of their operands are computed once.
const mostWhole, wholeRows = 8, 2

// whole makes a stage of Rows one of whole vectors if a few of them are as long as the axis that they
// lie along, with a loop around. The blocks of quantized weights are such axes.
func (p *planner) whole(s int, t *Stage) {
	n := int(p.k.Axis(s, t.Vector).Size)
	unroll := n / t.Lanes
	if unroll < 1 || n%t.Lanes != 0 || unroll&(unroll-1) != 0 || unroll > mostWhole || len(t.Loops) == 0 || !p.reduces(s) || p.k.Stages[s].Scanned() != kernel.FreeAxis {
		return
	}
	st := &p.k.Stages[s]
	if slices.ContainsFunc(p.k.Instrs[st.Begin:st.End], func(i kernel.Instr) bool {
		return i.Op == kernel.Store || i.Op == kernel.Reduce && isExtreme(&i) || i.Op == kernel.Divide
	}) {
		return
	}
	t.Whole, t.Paced, t.Unroll, t.Rows = true, false, unroll, max(wholeRows/unroll, 1)
}

// stridedLanes is the most lanes of a vector of strided loads of elements narrower than 32 bits. Machines
// have no gather instruction for these: lanes are inserted one by one, and a remainder is scalar.
const stridedLanes = 8

// insertsLanes reports whether stage s has strided loads along an axis, of elements narrower than 32 bits.
func (p *planner) insertsLanes(s, axis int) bool {
	st := &p.k.Stages[s]
	return axis >= 0 && slices.ContainsFunc(p.k.Instrs[st.Begin:st.End], func(i kernel.Instr) bool {
		return i.Op == kernel.Load && i.Type.Size() < 4 && p.move(s, i.Mem, axis) == strided
	})
}

// holds reports whether a stage so far keeps sums in registers: what the others loop over
// is in memory that is near, and functions of some of it are interleaved.
func (r *Schedule) holds() bool {
	return slices.ContainsFunc(r.Stages, func(t Stage) bool { return t.Held > 0 })
}

// holds reports whether a stage of strips sums more than it loads along the
// vectors, or loads all of it from what is near: its sums are in registers then.
func (p *planner) holds(s int, t Stage) bool {
	if len(t.Loops) != 1 {
		return false
	}
	sums, loads, near := 0, 0, true
	for id := p.k.Stages[s].Begin; id < p.k.Stages[s].End; id++ {
		switch i := &p.k.Instrs[id]; {
		case i.Op == kernel.Store:
			return false
		case i.Op == kernel.Reduce:
			sums++
		case i.Op == kernel.Load && (i.Mem.Local || p.move(s, i.Mem, t.Vector) != still):
			loads++
			near = near && i.Mem.Local
		}
	}
	return sums > 0 && loads > 0 && (near || sums > loads)
}

// held returns how many of so many sums are kept in registers at once, and of how
// many vectors each: what is multiplied needs some registers, too.
func (p *planner) held(sums int) (held, unroll int) {
	all := p.registers * 3 / 4
	rounds := (2*sums + all - 1) / all
	held = (sums + rounds - 1) / rounds
	for unroll = 1; unroll*2*held <= all && unroll*2*p.lanes <= stripsPiece; unroll *= 2 {
		continue
	}
	return held, unroll
}

// iterationOf returns the first stage that runs in the same iterations as stage s.
func (r *Schedule) iterationOf(s int) int {
	for r.Stages[s].Along {
		s--
	}
	return s
}

// paces reports whether a stage only sums what it loads, along the vectors, from
// memory that no other stage has brought near.
func (p *planner) paces(s, axis int) bool {
	st := &p.k.Stages[s]
	loads := make([]bool, len(p.k.Params))
	for id := range p.k.Instrs {
		i, here := &p.k.Instrs[id], kernel.ID(id) >= st.Begin && kernel.ID(id) < st.End
		switch {
		case i.Op == kernel.Load && !i.Mem.Local:
			if !here || i.Mem.Guard || p.move(s, i.Mem, axis) != unit {
				return false
			}
			loads[i.Mem.Param] = true
		case here && i.Mem != nil, here && i.Op == kernel.Reduce && isExtreme(i):
			return false
		}
	}
	return slices.Contains(loads, true) && p.reduces(s)
}

// isExtreme reports whether a reduction is to the largest or the smallest.
func isExtreme(i *kernel.Instr) bool {
	return kernel.Op(i.Aux) == kernel.Maximum || kernel.Op(i.Aux) == kernel.Minimum
}

// unrolled returns how many vectors hide the latency of a body of that cost: where
// functions of some are interleaved, one function with a few ops around it is of four.
func (p *planner) unrolled(cost float64) int {
	most := 14.0
	if interleavesFunctions(p.registers) {
		most = slow + 10
	}
	switch {
	case cost <= most:
		return 4
	case cost <= 60:
		return 2
	}
	return 1
}

func (p *planner) reduces(s int) bool {
	st := p.k.Stages[s]
	return slices.ContainsFunc(p.k.Instrs[st.Begin:st.End], func(i kernel.Instr) bool { return i.Op == kernel.Reduce })
}
