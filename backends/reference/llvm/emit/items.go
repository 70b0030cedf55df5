package emit

import (
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
)

// items runs the items from From to To: points of the axes that are cut and,
// of each, pieces of those along the vectors.
func (f *function) items() {
	from, to := f.word(wordFrom), f.word(wordTo)
	if f.s.Shared < 0 {
		f.cut(f.abreast(from, to), to, func(value.Value) { f.serials(f.s.Serial, f.point) })
		return
	}
	n := f.size(f.k.Axes[f.s.Shared].Size)
	piece := f.Index(f.s.Piece)
	if len(f.s.Cut) == 0 {
		lo, hi := f.mul(from, piece), f.min(f.mul(to, piece), n)
		f.serials(f.s.Serial, func() { f.run(lo, hi) })
		return
	}
	f.If(f.less(from, to), func() {
		pieces := f.ceil(n, f.s.Piece)
		first, last := f.Block.NewUDiv(from, pieces), f.Block.NewUDiv(f.sub(to, f.Index(1)), pieces)
		start := f.mul(f.sub(from, f.mul(first, pieces)), piece)
		end := f.min(f.mul(f.sub(to, f.mul(last, pieces)), piece), n)
		f.cut(first, f.add(last, f.Index(1)), func(row value.Value) {
			lo := f.choose(f.equal(row, first), start, f.Index(0))
			hi := f.choose(f.equal(row, last), end, n)
			f.serials(f.s.Serial, func() { f.run(lo, hi) })
		})
	})
}

// cut runs body for the points from the given number to before the other of
// the axes that are cut, in row-major order.
func (f *function) cut(from, to value.Value, body func(row value.Value)) {
	all := f.s.Cut
	n := len(all)
	if n == 0 {
		body(from)
		return
	}
	// All but the outermost axis are carried along: a division is slow.
	var start []value.Value
	f.If(f.less(from, to), func() {
		rest := from
		start = make([]value.Value, n)
		for i := n - 1; i > 0; i-- {
			size := f.size(f.k.Axes[all[i]].Size)
			q := value.Value(f.Block.NewUDiv(rest, size))
			start[i] = f.sub(rest, f.mul(q, size))
			rest = q
		}
		start[0] = rest
		one := f.Index(1)
		f.For(vector.Loop{From: from, To: to, Step: one, Rolled: true}, start, func(row value.Value, at []value.Value) []value.Value {
			for i, a := range all {
				f.axis[a] = at[i]
			}
			body(row)
			next := make([]value.Value, n)
			carry := value.Value(nil)
			for i := n - 1; i >= 0; i-- {
				if carry == nil {
					next[i] = f.add(at[i], one)
				} else {
					next[i] = f.choose(carry, f.add(at[i], one), at[i])
				}
				if i > 0 {
					over := value.Value(f.equal(next[i], f.size(f.k.Axes[all[i]].Size)))
					next[i] = f.choose(over, f.Index(0), next[i])
					carry = over
				}
			}
			return next
		})
	})
}

// serials runs body for all points of some of the kernel's axes, in order.
func (f *function) serials(list []int, body func()) {
	if len(list) == 0 {
		body()
		return
	}
	f.loop(f.size(f.k.Axes[list[0]].Size), func(i value.Value) {
		f.axis[list[0]] = i
		f.serials(list[1:], body)
	})
}

// loop runs body for i = 0, 1, … below n.
func (f *function) loop(n value.Value, body func(i value.Value)) {
	f.For(vector.Loop{From: f.Index(0), To: n, Step: f.Index(1), Rolled: true}, nil, func(i value.Value, _ []value.Value) []value.Value {
		body(i)
		return nil
	})
}
