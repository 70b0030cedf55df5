package emit

import (
	"slices"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// writeOut makes the schedule one of the form Written if that costs less than
// best: vectors along one axis of the kernel's, and of the others those written
// out along which elements lie near.
func (p *planner) writeOut(r *Schedule, best float64) {
	k := p.k
	strip, axis, out := p.stripAxis, -1, kernel.AxisSet(0)
	p.written = true
	for a := range k.Axes {
		if p.serialAxis(a) {
			continue
		}
		p.stripAxis = a
		if p.out = p.beside(a); p.out == 0 && !p.own || !p.few() {
			continue
		}
		if c := p.columns(a); c < best || c == best && axis >= 0 { // elements of later axes are nearer
			best, axis, out = c, a, p.out
		}
	}
	p.stripAxis = axis
	if p.written, p.out = axis >= 0, out; axis < 0 {
		p.stripAxis = strip
		return
	}
	r.Form, r.Vector = Written, axis
	p.on = dependence(k, axis)
	for a := range k.Axes {
		if out.Has(a) {
			r.Out = append(r.Out, a)
		}
	}
	for s := range k.Stages {
		for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
			if k.Instrs[id].Mem == nil {
				continue
			}
			if a := p.record(s, id, axis); a >= 0 {
				r.Records = append(r.Records, Record{id, a})
			}
		}
	}
}

// beside returns the kernel's axes of few points along which an operand moves whose
// elements are far apart along the given one. There are none if the kernel has locals:
// there is one local for each point along the vectors, and all points that are written out
// would share it.
func (p *planner) beside(axis int) kernel.AxisSet {
	all := kernel.AxisSet(0)
	if len(p.k.Locals) > 0 {
		return all
	}
	for a := range p.k.Axes {
		if n := p.k.Axes[a].Size; a == axis || n < 2 || n > mostWritten || p.serialAxis(a) {
			continue
		}
		one := kernel.AxisRange(a, a+1)
		p.out = one
		for s := range p.k.Stages {
			for id := p.k.Stages[s].Begin; id < p.k.Stages[s].End; id++ {
				if m := p.k.Instrs[id].Mem; m != nil && !m.Local && p.near(s, m, axis) {
					all |= one
				}
			}
		}
	}
	return all
}

// few reports whether what is written out are few points in each stage, and little
// code in all.
func (p *planner) few() bool {
	n := int64(1)
	for a := range p.k.Axes {
		if p.out.Has(a) {
			n *= int64(p.k.Axes[a].Size)
		}
	}
	code := int64(0)
	for s := range p.k.Stages {
		all := n
		for _, a := range p.k.Stages[s].Axes {
			if a.Size < 1 || a.Size > mostWritten {
				return false
			}
			all *= int64(a.Size)
		}
		if code += all * int64(p.k.Stages[s].End-p.k.Stages[s].Begin); all > mostWritten || code > mostCode {
			return false
		}
	}
	return true
}

// record returns the axis that is written out along which the elements lie side by
// side that a load or store of stage s accesses, if they are far apart along the
// vectors; else -1.
func (p *planner) record(s int, id kernel.ID, axis int) int {
	i := &p.k.Instrs[id]
	m := i.Mem
	if m.Local || m.Guard || m.Combine != kernel.Invalid || i.Type.Size() == 1 || p.move(s, m, axis) != strided {
		return -1
	}
	n := len(p.k.Axes) + len(p.k.Stages[s].Axes)
	for a := n - 1; a >= 0; a-- {
		if a == axis || a < len(p.k.Axes) && !p.out.Has(a) || p.move(s, m, a) != unit {
			continue
		}
		on := kernel.AxisSet(0)
		for _, x := range m.Index {
			if x.Value != kernel.None {
				on |= p.depends(s, x.Value)
			}
		}
		if !on.Has(a) && !on.Has(axis) {
			return a
		}
	}
	return -1
}

// near reports whether what an access of stage s is to, one by one along the
// vectors, lies near for other points that are written out.
func (p *planner) near(s int, m *kernel.Access, axis int) bool {
	if p.move(s, m, axis) != strided {
		return false
	}
	for a := range len(p.k.Axes) + len(p.k.Stages[s].Axes) {
		if (p.out.Has(a) || a >= len(p.k.Axes)) && p.move(s, m, a) != still {
			return true
		}
	}
	return false
}

// transposes returns what a record costs for each of its elements.
func (p *planner) transposes(s int, id kernel.ID, axis int) float64 {
	return p.transposed(int(p.k.Axis(s, p.record(s, id, axis)).Size), p.k.Instrs[id].Op)
}

// transposed returns what to load or store n elements that lie side by side, of as many records
// as lanes, costs for each of the n.
func (p *planner) transposed(n int, op kernel.Op) float64 {
	steps, pieces := 0, 0
	for _, c := range chunks(n, p.lanes, true) {
		pieces++
		for w := c.width; w > 1; w /= 2 {
			steps = max(steps, 1) + 1
		}
	}
	each := float64(p.lanes*pieces) / float64(n)
	if op == kernel.Store {
		each *= 1.5
	}
	return each + float64(steps)/2
}

// chunk is a number of elements that lie side by side, which are moved as so many
// as width, a power of two, some of these masked.
type chunk struct{ first, n, width int }

// chunks divides n elements into those that are moved at once: up to most. Without
// masks each is a power of two.
func chunks(n, most int, masks bool) []chunk {
	var all []chunk
	for at := 0; at < n; {
		left := min(n-at, most)
		w := 1
		for 2*w <= left {
			w *= 2
		}
		// The last quarter of a wider one would be worth it, and so would the last
		// half of a small one.
		if masks && w < left && (left > w+w/2 || w <= 2) {
			w *= 2
		}
		all = append(all, chunk{at, min(left, w), w})
		at += min(left, w)
	}
	return all
}

// written runs all points from lo to before hi along the vectors.
func (f *function) written(lo, hi value.Value) {
	f.If(f.less(lo, hi), func() {
		var all []*body
		for s := range f.k.Stages {
			b := f.newBody(s, s+1)
			b.enter(0, nil)
			b.emit(0, vector.Lanes{N: 1})
			for l, a := range b.Loops {
				at := make([]place, f.k.Axis(s, a).Size)
				for i := range at {
					at[i] = place{f.Index(0), int64(i)}
				}
				b.enter(l+1, at)
				b.emit(l+1, vector.Lanes{N: 1})
			}
			all = append(all, b)
		}
		past := f.pastAll(all, lo)
		iteration := func(i value.Value, l vector.Lanes) {
			locals := slices.Clone(f.locals)
			for n := range f.locals {
				f.locals[n] = f.at(locals[n], f.sub(f.Index(0), i))
			}
			for _, b := range all {
				b.writtenIteration(i, l)
			}
			f.locals = locals
		}
		next, _ := f.For(vector.Loop{From: lo, To: hi, Step: f.Index(int64(f.s.Lanes)), Rolled: true}, nil,
			func(i value.Value, _ []value.Value) []value.Value {
				for _, b := range all {
					b.defers = past != nil
				}
				iteration(i, vector.Lanes{N: f.s.Lanes})
				for _, b := range all {
					b.flush(past)
					b.defers = false
				}
				return nil
			})
		f.newBody(0, len(f.k.Stages)).rest(next, hi, nil, func(i value.Value, l vector.Lanes, _ []value.Value) []value.Value {
			iteration(i, l)
			return nil
		})
	})
}

// writtenIteration writes a stage for one vector of points.
func (b *body) writtenIteration(at value.Value, l vector.Lanes) {
	b.enter(b.last(), []place{{at, 0}})
	b.emit(b.last(), l)
	vars := b.vars[b.last()]
	points := b.vars[len(b.s.Out)] // of the kernel's axes
	for _, id := range b.reduce {
		i := &b.k.Instrs[id]
		sums := make([]vector.Value, points)
		for o := range sums {
			sum := b.ConstBits(i.Type, l.N, kernel.Neutral(kernel.Op(i.Aux), i.Type))
			for v := o * vars / points; v < (o+1)*vars/points; v++ {
				sum = b.combine(id, sum.V, v, vars, vector.Lanes{N: l.N})
			}
			sums[o] = sum
		}
		b.vals[id] = sums
	}
}

// pastAll returns whether stores go past the caches: where they can and all of
// them are to aligned vectors, from the given point on. It is nil if there are no
// such stores.
func (f *function) pastAll(all []*body, lo value.Value) value.Value {
	if len(f.s.Stream) == 0 {
		return nil
	}
	past := f.streamed
	for _, b := range all {
		for id := b.begin; id < b.end; id++ {
			i := &b.k.Instrs[id]
			if i.Mem == nil || i.Op != kernel.Store || !b.streams(i.Mem) {
				continue
			}
			b.enter(b.last(), []place{{lo, 0}})
			vars := b.vars[b.last()]
			record, count := b.recordOf(id)
			for v := range vars {
				if count > 0 && b.within(v, vars, record) > 0 {
					continue
				}
				p, _, stride, _ := b.address(id, v, vars, vector.Lanes{N: 1})
				off := b.Block.NewAnd(b.function.address(p), b.Index(int64(b.Lanes*i.Type.Size()-1)))
				past = b.Block.NewAnd(past, b.equal(off, b.Index(0)))
				if count > 0 {
					past = b.Block.NewAnd(past, b.equal(stride, b.Index(int64(count))))
				}
			}
		}
	}
	return past
}

// recordOf returns the axis along which the elements of a load or store lie side by
// side, and how many they are; 0 if it is no record.
func (b *body) recordOf(id kernel.ID) (axis, n int) {
	at := slices.IndexFunc(b.s.Records, func(r Record) bool { return r.ID == id })
	if at < 0 {
		return -1, 0
	}
	axis = b.s.Records[at].Axis
	return axis, int(b.k.Axis(b.number, axis).Size)
}

// within returns where a variant of vars is along an axis that is written out.
func (b *body) within(v, vars, axis int) int {
	return v / b.inner(vars, axis) % len(b.place[axis])
}

// inner returns how many variants there are for one point of an axis of Loops and
// those outside of it.
func (b *body) inner(vars, axis int) int { return vars / b.vars[slices.Index(b.Loops, axis)+1] }
