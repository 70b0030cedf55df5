package rowsort

import (
	"fmt"
	"math/bits"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// shape is a block of elements in registers that are sorted, and of others that are sorted in
// reverse and merged with these.
type shape struct{ registers, others int }

// shapes are by how many times as many registers as [unit] a block has at most.
var shapes = [...]shape{1: {4, 0}, {8, 0}, {8, 4}, {16, 0}, {16, 4}, {16, 8}, {16, 16}, {16, 16}}

const (
	unit          = 4
	mostRegisters = unit * (len(shapes) - 1)
)

// smallest is the shape of blocks of at most half a unit.
var smallest = shape{2, 0}

func (s shape) String() string { return fmt.Sprintf("block_%d_%d", s.registers, s.others) }

// mostOfBlock is how many elements a block has at most.
func (s *sorter) mostOfBlock() int64 { return int64(mostRegisters * s.lanes) }

// block writes the sort of a block of a shape, of at least so many elements: void(p, n, negative,
// flip) sorts n keys and leaves their elements.
func (s *sorter) block(of shape, least int) {
	b := s.inner(of.String(), ll.Void, s.pointer(), ll.I64, s.key(), s.key())
	p, n, k := b.params[0], b.params[1], b.keyingOf(b.params[2], b.params[3])
	at := func(r int) vector.Pointer { return b.at(p, b.Index(int64(r*s.lanes))) }
	masks := make([]value.Value, of.registers+of.others)
	load := func(first, registers int) []vector.Value {
		v := make([]vector.Value, registers)
		for i := range v {
			r := first + i
			if (r+1)*s.lanes <= least {
				v[i] = b.Load(at(r), s.lanes)
				continue
			}
			masks[r] = b.maskFrom(b.Index(int64(r*s.lanes)), n)
			some := b.LoadLanes(at(r), vector.Lanes{N: s.lanes, Mask: masks[r]})
			v[i] = b.Select(vector.Value{V: masks[r], DType: types.Bool}, some, b.ConstInt(s.t, s.lanes, -1))
		}
		return v
	}
	finish := func(first int, v []vector.Value) {
		for i, x := range v {
			b.StoreLanes(at(first+i), b.element(x, k), vector.Lanes{N: s.lanes, Mask: masks[first+i]})
		}
	}
	low := b.sorted(load(0, of.registers))
	if of.others == 0 {
		finish(0, low)
		b.Block.NewRet(nil)
		return
	}
	for r, x := range low { // there are too few registers for all
		b.Store(at(r), x)
	}
	high := b.run(newNetwork(log2(of.others), log2(s.lanes)), load(of.registers, of.others), true)
	for i, y := range high {
		r := of.registers - of.others + i
		x := b.Load(at(r), s.lanes)
		b.Store(at(r), b.op(kernel.Minimum, s.t, x, y))
		high[i] = b.op(kernel.Maximum, s.t, x, y)
	}
	finish(of.registers, b.run(newMerge(log2(of.others), log2(s.lanes)), high, false))
	for r := range low {
		low[r] = b.Load(at(r), s.lanes)
	}
	finish(0, b.run(newMerge(log2(of.registers), log2(s.lanes)), low, false))
	b.Block.NewRet(nil)
}

// blocks writes void(p, n, negative, flip), which sorts a block of any number of elements.
func (s *sorter) blocks() {
	b := s.inner("block", ll.Void, s.pointer(), ll.I64, s.key(), s.key())
	args, n := b.params, b.params[1]
	perUnit := b.Index(int64(unit * s.lanes))
	units := b.Block.NewUDiv(b.sub(b.add(n, perUnit), b.Index(1)), perUnit)
	start, none := b.Block, b.Func.NewBlock("")
	none.NewRet(nil)
	var cases []*ir.Case
	for u, of := range shapes {
		if u == 0 {
			continue
		}
		b.Block = b.Func.NewBlock("")
		cases = append(cases, ir.NewCase(constant.NewInt(ll.I64, int64(u)), b.Block))
		if u == 1 {
			few := b.Block.NewICmp(enum.IPredULE, n, b.Index(int64(smallest.registers*s.lanes)))
			b.If(few, func() { b.call(smallest.String(), args...) })
			b.If(b.Block.NewXor(few, b.yes()), func() { b.call(of.String(), args...) })
		} else {
			b.call(of.String(), args...)
		}
		b.Block.NewRet(nil)
	}
	start.NewSwitch(units, none, cases...)
}

func log2(n int) int { return bits.Len(uint(n)) - 1 }

// sorted returns the elements of registers in their order.
func (b *builder) sorted(v []vector.Value) []vector.Value {
	return b.run(newNetwork(log2(len(v)), log2(b.lanes)), v, false)
}

// run returns the elements of registers in the order that a network brings them to, or in reverse.
func (b *builder) run(n *network, v []vector.Value, falling bool) []vector.Value {
	ones := b.ConstInt(b.t, b.lanes, -1)
	lower, higher := kernel.Minimum, kernel.Maximum
	if falling {
		lower, higher = higher, lower
	}
	for _, s := range n.steps {
		switch {
		case s.exchange:
			b.exchange(v, s.register, s.lane)
		case s.inverted != nil:
			for r := range v {
				chosen := make([]int, b.lanes)
				some := false
				for i := range chosen {
					if chosen[i] = b.lanes + i; s.inverted(r, i) {
						chosen[i], some = i, true
					}
				}
				if some {
					zero := b.ConstBits(b.t, b.lanes, 0)
					v[r] = b.op(kernel.Xor, b.t, v[r], b.Pick(ones, zero, chosen))
				}
			}
		}
		for _, p := range s.pairs {
			x, y := v[p[0]], v[p[1]]
			v[p[0]], v[p[1]] = b.op(lower, b.t, x, y), b.op(higher, b.t, x, y)
		}
	}
	out := make([]vector.Value, len(v))
	for i, r := range n.order {
		out[i] = v[r]
	}
	return out
}

// exchange has a bit of the register and one of the lane change places.
func (b *builder) exchange(v []vector.Value, register, lane int) {
	low, high := make([]int, b.lanes), make([]int, b.lanes)
	for i := range b.lanes {
		if i>>lane&1 == 0 {
			low[i], high[i] = i, i|1<<lane
		} else {
			low[i], high[i] = b.lanes+i&^(1<<lane), b.lanes+i
		}
	}
	for r := range v {
		if r>>register&1 == 0 {
			x, y := v[r], v[r|1<<register]
			v[r], v[r|1<<register] = b.Pick(x, y, low), b.Pick(x, y, high)
		}
	}
}
