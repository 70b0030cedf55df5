package rowsort

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// usualPatience is for what no pivot divides: rows of few distinct elements.
const usualPatience = 8

// mostPending is how many parts of a row wait to be sorted at most. The larger part waits, so that
// the other one has at most half of the elements.
const mostPending = 64

// row writes i1(p, n, low, pivot, negative, flip): it sorts the keys of a row, of which low are less
// than a pivot and before all others, and leaves their elements. It returns whether it did. It gives up
// if pivots are so badly chosen that it takes too long.
func (s *sorter) row() {
	b := s.inner("row", ll.I1, s.pointer(), ll.I64, ll.I64, s.key(), s.key(), s.key())
	p, n := b.params[0], b.params[1]
	q := &parts{b, p, b.params[4], b.params[5], ir.NewAlloca(ll.NewArray(2*mostPending, ll.I64))}
	b.Block.Insts = append(b.Block.Insts, q.pending)
	log := b.sub(b.Index(64), b.Call("llvm.ctlz.i64", ll.I64, n, b.no()))
	budget := b.Block.NewMul(n, b.add(b.Block.NewMul(log, b.Index(2)), b.Index(s.patience)))
	// The part at start of size elements is next, and above words of parts wait.
	r := b.While(q.divided(b.Index(0), n, b.Index(0), budget, b.params[2], b.params[3]), func(v []value.Value) value.Value { return v[4] }, func(v []value.Value) []value.Value {
		start, size, above, budget := v[0], v[1], v[2], v[3]
		at := b.at(p, start).V
		small := b.Block.NewICmp(enum.IPredULE, size, b.Index(s.mostOfBlock()))
		return b.Either(small, func() []value.Value {
			b.call("block", at, size, q.negative, q.flip)
			return q.pop(above, budget)
		}, func() []value.Value {
			budget := b.sub(budget, size)
			enough := b.Block.NewICmp(enum.IPredSGE, budget, b.Index(0))
			return b.Either(enough, func() []value.Value {
				zero := b.ConstInt(s.t, 1, 0).V
				pivot := b.call("pivot", at, size, zero, zero)
				low := b.call("partition", at, size, pivot)
				return q.divided(start, size, above, budget, low, pivot)
			}, func() []value.Value {
				return []value.Value{start, size, b.Index(1), budget, b.no()}
			})
		})
	})
	b.Block.NewRet(b.Block.NewICmp(enum.IPredEQ, r[2], b.Index(0)))
}

// parts are the parts of a row that are to be sorted.
type parts struct {
	*builder
	p, negative, flip value.Value
	pending           *ir.InstAlloca // two words of each
}

func (q *parts) word(i value.Value) value.Value {
	return q.Block.NewGetElementPtr(ll.NewArray(2*mostPending, ll.I64), q.pending, q.Index(0), i)
}

// divided goes on with a part of which low elements are less than the pivot, and before all others.
func (q *parts) divided(start, size, above, budget, low, pivot value.Value) []value.Value {
	none := q.Block.NewICmp(enum.IPredEQ, low, q.Index(0))
	return q.Either(none, func() []value.Value { return q.equals(start, size, above, budget, pivot) }, func() []value.Value {
		high, second := q.sub(size, low), q.add(start, low)
		fewer := q.less(low, high)
		sel := func(x, y value.Value) value.Value { return q.Block.NewSelect(fewer, x, y) }
		q.Block.NewStore(sel(second, start), q.word(above)).Align = 8
		q.Block.NewStore(sel(high, low), q.word(q.add(above, q.Index(1)))).Align = 8
		return []value.Value{sel(start, second), sel(low, high), q.add(above, q.Index(2)), budget, q.yes()}
	})
}

// equals goes on with a part of which no element is less than the pivot: those that are equal to it
// are at their places once they have moved to the front.
func (q *parts) equals(start, size, above, budget, pivot value.Value) []value.Value {
	next := q.add(pivot, q.ConstInt(q.t, 1, 1).V)
	at := q.at(q.p, start).V
	all := q.Block.NewICmp(enum.IPredEQ, next, q.ConstInt(q.t, 1, 0).V)
	low := q.Either(all, func() []value.Value { return []value.Value{size} }, func() []value.Value {
		return []value.Value{q.call("partition", at, size, next)}
	})[0]
	q.call("finish", at, low, q.negative, q.flip)
	return []value.Value{q.add(start, low), q.sub(size, low), above, q.sub(budget, size), q.yes()}
}

// pop goes on with the part that waits for the shortest time, or ends the loop if there is none.
func (q *parts) pop(above, budget value.Value) []value.Value {
	none := q.Block.NewICmp(enum.IPredEQ, above, q.Index(0))
	return q.Either(none, func() []value.Value {
		return []value.Value{q.Index(0), q.Index(0), q.Index(0), budget, q.no()}
	}, func() []value.Value {
		word := func(i int64) value.Value {
			l := q.Block.NewLoad(ll.I64, q.word(q.sub(above, q.Index(i))))
			l.Align = 8
			return l
		}
		return []value.Value{word(2), word(1), q.sub(above, q.Index(2)), budget, q.yes()}
	})
}

func (b *builder) yes() value.Value { return b.ConstInt(types.Bool, 1, 1).V }
func (b *builder) no() value.Value  { return b.ConstInt(types.Bool, 1, 0).V }

// finish writes void(p, n, negative, flip): it leaves the elements of n keys.
func (s *sorter) finish() {
	b := s.inner("finish", ll.Void, s.pointer(), ll.I64, s.key(), s.key())
	p, k := b.params[0], b.keyingOf(b.params[2], b.params[3])
	b.sweep(b.params[1], nil, func(i value.Value, _ []value.Value, registers int, mask value.Value) []value.Value {
		for r := range registers {
			l, at := vector.Lanes{N: s.lanes, Mask: mask}, b.at(p, b.add(i, b.Index(int64(r*s.lanes))))
			b.StoreLanes(at, b.element(b.LoadLanes(at, l), k), l)
		}
		return nil
	})
	b.Block.NewRet(nil)
}

// rows writes the kernel.
func (s *sorter) rows(name string) {
	b := &builder{s.module.Kernel(name), s, nil}
	from, to := b.ArgPointer(0, s.t), b.ArgPointer(1, s.t)
	n, rows := b.ArgIndex(2), b.ArgIndex(3)
	word := func(i int) value.Value {
		w := b.ArgIndex(i)
		if s.t.Size() < 8 {
			return b.Block.NewTrunc(w, s.key())
		}
		return w
	}
	negative, flip := word(4), word(5)
	k, special := b.keyingOf(negative, flip), b.keyingOf(word(6), word(7))
	sign, infinity := special.negative, special.flip
	checks := b.Block.NewICmp(enum.IPredNE, b.ArgIndex(8), b.Index(0))
	// load returns the keys of registers of elements, and sets the lanes of special ones in found.
	load := func(in, i, found value.Value, registers int, mask value.Value) ([]vector.Value, value.Value) {
		v := make([]vector.Value, registers)
		for r := range v {
			x := b.LoadLanes(b.at(in, b.add(i, b.Index(int64(r*s.lanes)))), vector.Lanes{N: s.lanes, Mask: mask})
			size := b.op(kernel.And, s.t, x, b.op(kernel.Xor, s.t, sign, b.ConstInt(s.t, s.lanes, -1)))
			nan, zero := b.op(kernel.CompareGT, types.Bool, size, infinity), b.op(kernel.CompareEQ, types.Bool, x, sign)
			found = b.Block.NewOr(found, b.Block.NewOr(nan.V, zero.V))
			v[r] = b.keyOf(x, k)
		}
		return v, found
	}
	small := b.Block.NewICmp(enum.IPredULE, n, b.Index(s.mostOfBlock()))
	r := b.While([]value.Value{b.Index(0), b.Index(0)}, func(v []value.Value) value.Value {
		return b.Block.NewAnd(b.less(v[0], rows), b.Block.NewICmp(enum.IPredEQ, v[1], b.Index(0)))
	}, func(v []value.Value) []value.Value {
		first := b.Block.NewMul(v[0], n)
		in, out := b.At(from, first).V, b.At(to, first).V
		none := b.ConstInt(types.Bool, s.lanes, 0).V
		next := func(found value.Value, sort func() value.Value) []value.Value {
			stop := b.Block.NewAnd(checks, b.Any(vector.Value{V: found, DType: types.Bool}))
			return b.Either(stop, func() []value.Value { return []value.Value{v[0], b.Index(Special)} }, func() []value.Value {
				ok := sort()
				return []value.Value{b.Block.NewSelect(ok, b.add(v[0], b.Index(1)), v[0]), b.Block.NewSelect(ok, b.Index(0), b.Index(Unsorted))}
			})
		}
		return b.Either(small, func() []value.Value {
			c := b.sweep(n, []value.Value{none}, func(i value.Value, c []value.Value, registers int, mask value.Value) []value.Value {
				v, found := load(in, i, c[0], registers, mask)
				for r, x := range v {
					b.StoreLanes(b.at(out, b.add(i, b.Index(int64(r*s.lanes)))), x, vector.Lanes{N: s.lanes, Mask: mask})
				}
				return []value.Value{found}
			})
			return next(c[0], func() value.Value {
				b.call("block", out, n, negative, flip)
				return b.yes()
			})
		}, func() []value.Value {
			pivot := b.call("pivot", in, n, negative, flip)
			all := b.Splat(vector.Value{V: pivot, DType: s.t}, s.lanes)
			c := b.sweep(n, []value.Value{b.Index(0), n, none}, func(i value.Value, c []value.Value, registers int, mask value.Value) []value.Value {
				v, found := load(in, i, c[2], registers, mask)
				lower, upper := c[0], c[1]
				for _, x := range v {
					lower, upper = b.split(out, lower, upper, x, all, mask)
				}
				return []value.Value{lower, upper, found}
			})
			return next(c[2], func() value.Value { return b.call("row", out, n, c[0], pivot, negative, flip) })
		})
	})
	stopped := b.Block.NewOr(b.Block.NewShl(r[0], b.Index(statusBits)), r[1])
	status := b.Block.NewSelect(b.Block.NewICmp(enum.IPredEQ, r[1], b.Index(0)), b.Index(0), stopped)
	b.Block.NewRet(b.Block.NewTrunc(status, ll.I32))
}
