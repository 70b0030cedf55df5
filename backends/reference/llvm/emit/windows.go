package emit

import (
	"slices"

	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

const (
	// largestWindow is the most points of the windows that [Windows] writes out: 7×7.
	largestWindow = 49
	// mostWindowCode is how many instructions all windows of an iteration have, at most.
	mostWindowCode = 1000
)

// windowPoints are how many points are worked on at once, the first of these that there are
// registers and code for.
var windowPoints = [...]int{4, 2}

// windows makes the schedule one of the form Windows if the first stage does nothing but sum
// windows of few points, as a depthwise convolution does whose channels are last. Vectors lie
// along an axis along which all elements are side by side.
func (p *planner) windows(r *Schedule) {
	k := p.k
	if len(k.Locals) > 0 || !p.sumsWindow() {
		return
	}
	vector := -1
	for a := range k.Axes {
		if p.alongAll(a) {
			vector = a
		}
	}
	group, cut := -1, false
	for a := range k.Axes {
		switch {
		case a == vector:
		case p.shares(a):
			cut, group = cut || group >= 0, a
		default:
			cut = true
		}
	}
	if vector < 0 || group < 0 || !cut {
		return
	}
	code, sums, guards := 0, 0, false
	for s := range k.Stages {
		n := int(k.Stages[s].End - k.Stages[s].Begin)
		if s == 0 {
			n *= int(points(k.Stages[s].Axes, -1))
		}
		code += n
	}
	for _, i := range k.Instrs {
		if i.Op == kernel.Reduce {
			sums++
		}
		guards = guards || i.Mem != nil && i.Mem.Guard
	}
	if guards && !p.ascends(group) {
		return
	}
	for _, n := range windowPoints {
		if n*code <= mostWindowCode && 2*n*sums <= p.registers {
			r.Form, r.Vector, r.Group, r.Out = Windows, vector, n, []int{group}
			p.on = dependence(k, vector)
			return
		}
	}
}

// sumsWindow reports whether the first stage has axes of few points, sums what it computes,
// and other stages have no axes.
func (p *planner) sumsWindow() bool {
	all, sums := 1, false
	for s, st := range p.k.Stages {
		for _, a := range st.Axes {
			if s > 0 || a.Size < 1 || a.Size > largestWindow {
				return false
			}
			all *= int(a.Size)
		}
		for _, i := range p.k.Instrs[st.Begin:st.End] {
			switch i.Op {
			case kernel.Store:
				if s == 0 {
					return false
				}
			case kernel.Reduce:
				if s > 0 {
					return false
				}
				sums = true
			case kernel.Scan:
				return false
			}
		}
	}
	return sums && all > 1 && all <= largestWindow
}

// Instrs returns about how many instructions are written of a kernel: those of a window once for each
// of its points.
func Instrs(k *kernel.Kernel) int {
	n := len(k.Instrs)
	if len(k.Stages) == 0 {
		return n
	}
	if all := points(k.Stages[0].Axes, -1); all > 1 && all <= largestWindow {
		n += int(k.Stages[0].End-k.Stages[0].Begin) * int(all-1)
	}
	return n
}

// alongAll reports whether vectors can lie along an axis: all that moves along it does so to
// the next element, and some does.
func (p *planner) alongAll(axis int) bool {
	if n := p.k.Axes[axis].Size; n > 0 && int(n) < p.lanes || p.serialAxis(axis) {
		return false
	}
	some := false
	for s := range p.k.Stages {
		for id := p.k.Stages[s].Begin; id < p.k.Stages[s].End; id++ {
			m := p.k.Instrs[id].Mem
			if m == nil {
				continue
			}
			switch p.move(s, m, axis) {
			case unit:
				some = true
			case still:
			default:
				return false
			}
			if m.Guard && (p.k.Instrs[id].Op != kernel.Load || !guardsOthers(p.k, m, axis)) || m.Combine != kernel.Invalid || slices.ContainsFunc(m.Index, func(x kernel.Index) bool { return x.Value != kernel.None }) {
				return false
			}
		}
	}
	return some
}

// everywhere reports whether all points of an axis are inside of dimension d of what is accessed,
// which the axis alone runs along.
func everywhere(k *kernel.Kernel, m *kernel.Access, d int) bool {
	for a := range k.Axes {
		if m.Index[d].IsAxis(a) {
			return !m.Local && k.Params[m.Param].Dims[d] == k.Axes[a].Size
		}
	}
	return false
}

// guardsOthers reports whether what is accessed is inside for all points of an axis or for none.
func guardsOthers(k *kernel.Kernel, m *kernel.Access, axis int) bool {
	for d, x := range m.Index {
		if !everywhere(k, m, d) && slices.ContainsFunc(x.Terms, func(t kernel.Term) bool { return t.Axis == axis }) {
			return false
		}
	}
	return true
}

// shares reports whether points along an axis share what they load: some of what the windows
// read stays where it is along it.
func (p *planner) shares(axis int) bool {
	if n := p.k.Axes[axis].Size; n > 0 && int(n) < windowPoints[0] || p.serialAxis(axis) {
		return false
	}
	st := &p.k.Stages[0]
	return slices.ContainsFunc(p.k.Instrs[st.Begin:st.End], func(i kernel.Instr) bool {
		return i.Op == kernel.Load && p.move(0, i.Mem, axis) == still
	})
}

// windowed runs all points from lo to before hi along the vectors: one vector after the
// other, and of each all points along the axis of Out, Group at once.
func (f *function) windowed(lo, hi value.Value) {
	n := f.size(f.k.Axes[f.s.Out[0]].Size)
	iteration := func(lane value.Value, l vector.Lanes) {
		write := func(from, to value.Value, group int, inside bool, place func(i value.Value) value.Value) value.Value {
			next, _ := f.For(vector.Loop{From: from, To: to, Step: f.Index(int64(group)), Rolled: true}, nil,
				func(i value.Value, _ []value.Value) []value.Value {
					at := place(i)
					for s := range f.k.Stages {
						b := f.newBody(s, s+1)
						b.unguarded = inside
						b.enterWritten(at, group)
						b.writtenIteration(lane, l)
					}
					return nil
				})
			return next
		}
		first, end, guarded := f.insideAll(n)
		next, itself := first, func(i value.Value) value.Value { return i }
		for _, group := range []int{f.s.Group, 1} {
			next = write(next, end, group, true, itself)
		}
		if guarded { // both ends in one loop, so that they share their code
			inside := f.sub(end, first)
			write(f.Index(0), f.sub(n, inside), 1, false, func(i value.Value) value.Value {
				return f.Block.NewSelect(f.less(i, first), i, f.add(i, inside))
			})
		}
	}
	f.If(f.less(lo, hi), func() {
		next, _ := f.For(vector.Loop{From: lo, To: hi, Step: f.Index(int64(f.s.Lanes)), Rolled: true}, nil,
			func(i value.Value, _ []value.Value) []value.Value {
				iteration(i, vector.Lanes{N: f.s.Lanes})
				return nil
			})
		f.newBody(0, len(f.k.Stages)).rest(next, hi, nil, func(i value.Value, l vector.Lanes, _ []value.Value) []value.Value {
			iteration(i, l)
			return nil
		})
	})
}

// ascends reports whether what is guarded moves forwards along an axis.
func (p *planner) ascends(axis int) bool {
	for _, i := range p.k.Instrs {
		if i.Mem == nil || !i.Mem.Guard {
			continue
		}
		for _, x := range i.Mem.Index {
			if slices.ContainsFunc(x.Terms, func(t kernel.Term) bool { return t.Axis == axis && t.Factor <= 0 }) {
				return false
			}
		}
	}
	return true
}

// insideAll returns from which point on, and before which, all that windows read is inside, of n
// points along the axis that is written out; and whether something is guarded. If none are
// inside, both are n.
func (f *function) insideAll(n value.Value) (first, end value.Value, guarded bool) {
	first, end = f.Index(0), n
	all := value.Value(constant.True)
	for id := f.k.Stages[0].Begin; id < f.k.Stages[0].End; id++ {
		m := f.k.Instrs[id].Mem
		if m == nil || !m.Guard {
			continue
		}
		guarded = true
		for d, x := range m.Index {
			if everywhere(f.k, m, d) {
				continue
			}
			at, factor := value.Value(f.Index(x.Offset)), int64(0)
			least, most := int64(0), int64(0)
			for _, t := range x.Terms {
				switch {
				case t.Axis == f.s.Out[0]:
					factor += t.Factor
				case t.Axis < len(f.k.Axes):
					at = f.add(at, f.mul(f.axis[t.Axis], f.Index(t.Factor)))
				default:
					span := t.Factor * (int64(f.k.Axis(0, t.Axis).Size) - 1)
					least, most = least+min(span, 0), most+max(span, 0)
				}
			}
			size := f.size(f.k.Params[m.Param].Dims[d])
			before := f.max(f.sub(f.Index(-least), at), f.Index(0)) // elements that are missing
			there := f.max(f.sub(size, f.add(at, f.Index(most))), f.Index(0))
			if factor == 0 {
				all = f.Block.NewAnd(all, f.Block.NewAnd(f.equal(before, f.Index(0)), f.less(f.Index(0), there)))
				continue
			}
			points := func(elements value.Value) value.Value {
				return f.Block.NewUDiv(f.add(elements, f.Index(factor-1)), f.Index(factor))
			}
			first, end = f.max(first, points(before)), f.min(end, points(there))
		}
	}
	first = f.Block.NewSelect(all, f.min(first, n), n)
	return first, f.max(first, end), guarded
}

// enterWritten enters all loops but that along the vectors, written out: of the kernel's axis
// that is written out so many points from the given one on.
func (b *body) enterWritten(from value.Value, points int) {
	b.enter(0, nil)
	b.emit(0, vector.Lanes{N: 1})
	for l, a := range b.Loops {
		first, n := b.Index(0), int(b.k.Axis(b.number, a).Size)
		if l == 0 {
			first, n = from, points
		}
		b.enter(l+1, b.vectors(first, n, 1))
		b.emit(l+1, vector.Lanes{N: 1})
	}
}
