package emit

import (
	"slices"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

const (
	// largestWindow is the most points of the windows that [Windows] writes out: 7×7.
	largestWindow = 49
	// mostWindowCode is how many instructions all windows of a turn have, at most.
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
	code, sums := 0, 0
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
			if m.Guard || m.Combine != kernel.Invalid || slices.ContainsFunc(m.Index, func(x kernel.Index) bool { return x.Value != kernel.None }) {
				return false
			}
		}
	}
	return some
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
	turn := func(i value.Value, l vector.Lanes) {
		next := f.Index(0)
		for _, group := range []int{f.s.Group, 1} {
			from := next
			next, _ = f.For(vector.Loop{From: from, To: n, Step: f.Index(int64(group)), Rolled: true}, nil,
				func(at value.Value, _ []value.Value) []value.Value {
					for s := range f.k.Stages {
						b := f.newBody(s, s+1)
						b.enterWritten(at, group)
						b.writtenTurn(i, l)
					}
					return nil
				})
		}
	}
	f.If(f.less(lo, hi), func() {
		next, _ := f.For(vector.Loop{From: lo, To: hi, Step: f.Index(int64(f.s.Lanes)), Rolled: true}, nil,
			func(i value.Value, _ []value.Value) []value.Value {
				turn(i, vector.Lanes{N: f.s.Lanes})
				return nil
			})
		f.newBody(0, len(f.k.Stages)).rest(next, hi, nil, func(i value.Value, l vector.Lanes, _ []value.Value) []value.Value {
			turn(i, l)
			return nil
		})
	})
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
