package gemm

import (
	"fmt"

	"github.com/llir/llvm/ir"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// line is the bytes of a cache line.
const line = 64

// strip emits the innermost kernel: h rows of A times panels of B into a strip
// of C, h rows of panels·columns sums. Strides are in bytes.
//
//	void strip<h>(steps, a, aRow, b, bStep, bPanel, c, cRow, panels, more, soon, soonRow, lines, drip, next, nextLines, far, prologue, batch, column, left, first)
//	void strip<h>(steps, a, aRow, b, bStep, bPanel, c, cRow, panels, more, soon, soonRow, lines, drip, next, nextLines, far, offsets)
//
// A's units of a row are next to each other; B's units of a step are a row of
// the panel, bStep from one to the next. Sums are added to what C holds if more
// is not 0, else stored. steps may be 0, panels not.
//
// Later operands are prefetched, a little at a time, as a burst keeps others from the
// caches. Each panel prefetches so many lines of each of h rows of A, soonRow apart, from
// soon on, so many lines from next on, and the strip of C below. Each step prefetches the
// lines of drip from soon on, and B's row far from the one at hand.
//
// Kernels that apply B's prologue are given its operands, the place in B of what is at hand
// and how many columns there are from there on. Kernels that read B from the copy of an [image]
// are given [panelVectors] as panels, and the offsets of elements of k. Others have no such
// parameters.
//
// The last panel may lack columns if edge is set.
func (m *module) strip(c *core, h int, edge bool) *ir.Func {
	names := []string{"steps", "a", "aRow", "b", "bStep", "bPanel", "c", "cRow", "panels", "more", "soon", "soonRow", "lines", "drip", "next", "nextLines", "far"}
	switch {
	case c.prologue != nil:
		names = append(names, "prologue", "batch", "column", "left", "first")
	case c.image:
		names = append(names, "offsets")
	}
	params := make([]*ir.Param, len(names))
	for i, n := range names {
		var t ll.Type = ll.I64
		if len(n) == 1 || n == "soon" || n == "next" || n == "prologue" || n == "offsets" {
			t = ll.I8Ptr
		}
		params[i] = ir.NewParam(n, t)
	}
	name := "strip"
	if edge {
		name = "edge"
	}
	f := m.function(fmt.Sprint(name, h), ll.Void, params...)
	steps, a, aRow, b, bStep, bPanel := params[0], params[1], params[2], params[3], params[4], params[5]
	out, outRow, panels, more := params[6], params[7], params[8], params[9]
	soon, soonRow, lines, drip, following, followingLines, far := params[10], params[11], params[12], params[13], params[14], params[15], params[16]
	k := &tile{fn: f, core: c, h: h, aRow: aRow, aRow3: f.mul(aRow, i64(3))}
	k.starts = append(k.starts, a)
	for r := perPointer; r < h; r += perPointer {
		k.starts = append(k.starts, f.off(k.starts[len(k.starts)-1], f.mul(aRow, i64(perPointer))))
	}
	below := f.mul(outRow, i64(h))
	some, adds := f.some(steps), f.some(more)
	start := []value.Value{b, out, soon, following}
	if c.prologue != nil {
		k.place.apply = c.prologue(f.Builder, params[17])
		k.k = params[21]
		start = append(start, params[19], params[20])
	}
	f.repeat(panels, start, func(at []value.Value) []value.Value {
		if c.prologue != nil {
			left := at[5]
			if !edge {
				left = nil
			}
			k.place = f.placeOf(c, k.place.apply, params[18], at[4], left)
		}
		rows := make([]value.Value, h)
		for r := range rows {
			rows[r] = at[1]
			if r > 0 {
				rows[r] = f.off(rows[r-1], outRow)
			}
			for at := 0; at < c.rowBytes(); at += line {
				f.prefetch(f.off(rows[r], i64(at)), true, 3)
				f.prefetch(f.off(f.off(rows[r], below), i64(at)), true, 1)
			}
		}
		after := f.count(followingLines, i64(1), at[3:4], func(_ value.Value, at []value.Value) []value.Value {
			f.prefetch(at[0], false, 1)
			return []value.Value{f.off(at[0], i64(line))}
		})
		next := f.count(lines, i64(1), at[2:3], func(_ value.Value, at []value.Value) []value.Value {
			p := at[0]
			for range h {
				f.prefetch(p, false, 1)
				p = f.off(p, soonRow)
			}
			return []value.Value{f.off(at[0], i64(line))}
		})
		var sums []value.Value
		var soon value.Value
		if c.image {
			sums, soon = k.imageProduct(steps, at[0], params[17], next[0], drip)
		} else {
			sums, soon = k.product(some, steps, at[0], bStep, next[0], drip, far)
		}
		k.out(rows, sums, adds)
		next = []value.Value{f.off(at[0], bPanel), f.off(at[1], i64(c.rowBytes())), soon, after[0]}
		if c.prologue != nil {
			next = append(next, f.add(at[4], i64(c.columns())), f.sub(at[5], i64(c.columns())))
		}
		return next
	})
	f.Block.NewRet(nil)
	return f.Func
}

// perPointer is how many rows of A one pointer reaches: the row itself, and by
// what an address can add, once, twice or four times the stride, and once three
// strides.
const perPointer = 5

// tile is a block of results in registers.
type tile struct {
	*fn
	core        *core
	h           int
	aRow, aRow3 value.Value
	starts      []value.Value // of rows 0, 5, 10
	k           value.Value   // the first element of k, if the core has a prologue
	place       panelPlace    // of the panel at hand, likewise
}

// product returns the h·vecs vectors of sums, a row behind the other.
func (k *tile) product(some, steps, b, bStep, soon, drip, far value.Value) (sums []value.Value, after value.Value) {
	first := k.first(&b)
	before, body, end := k.Block, k.Func.NewBlock(""), k.Func.NewBlock("")
	before.NewCondBr(some, body, end)
	k.Block = body
	start := append(append([]value.Value{b}, k.starts...), first...)
	start = append(start, soon)
	all := len(start) - 1
	if k.k != nil {
		start = append(start, k.k)
	}
	last := k.repeat(steps, start, func(at []value.Value) []value.Value {
		n := 1 + len(k.starts)
		if k.k != nil {
			k.place.k = at[all+1]
		}
		next := append(k.advance(at[:n], bStep), k.step(at[:n], at[n:all])...)
		k.prefetch(at[all], false, 1)
		for j := 0; j < k.core.panelRow(); j += line {
			k.prefetch(k.off(k.off(at[0], far), i64(j)), false, k.core.farCache())
		}
		next = append(next, k.off(at[all], drip))
		if k.k != nil {
			next = append(next, k.add(at[all+1], i64(1)))
		}
		return next
	})
	k.Block.NewBr(end)
	join := func(i int, from value.Value) value.Value {
		return end.NewPhi(ir.NewIncoming(from, before), ir.NewIncoming(last[i], k.Block))
	}
	sums = make([]value.Value, len(first))
	for i := range sums {
		sums[i] = join(1+len(k.starts)+i, first[i])
	}
	after = join(all, soon)
	k.Block = end
	return sums, after
}

// first returns what the sums begin with, and moves b behind it.
func (k *tile) first(b *value.Value) []value.Value {
	c := k.core
	sums := make([]value.Value, k.h*c.vecs)
	for i := range sums {
		switch {
		case !c.offset:
			sums[i] = zero(vec(c.lanesOf(i%c.vecs), c.lane))
		case i < c.vecs:
			sums[i] = k.load(c.vector(), k.off(*b, i64(i*c.lanes*c.laneSize())), c.laneSize())
		default:
			sums[i] = sums[i-c.vecs]
		}
	}
	if c.offset {
		*b = k.off(*b, i64(c.panelRow()))
	}
	return sums
}

// advance hides the pointers of a step and returns those of the next; at holds
// the hidden ones after it.
func (k *tile) advance(at []value.Value, bStep value.Value) []value.Value {
	next := make([]value.Value, len(at))
	for i, p := range at {
		at[i] = k.opaque(p)
		next[i] = k.off(at[i], i64(k.core.laneSize()))
	}
	next[0] = k.off(at[0], bStep)
	return next
}

// step adds one unit of k.
func (k *tile) step(at, sums []value.Value) []value.Value {
	return k.multiplied(at[1:], sums, k.units(k.core, at[0], k.place))
}

// multiplied adds the products of a unit of each row and some vectors of B.
func (k *tile) multiplied(rows, sums, bs []value.Value) []value.Value {
	c := k.core
	next := make([]value.Value, len(sums))
	for r := range k.h {
		a := k.load(c.unit, k.reach(rows[r/perPointer], k.aRow, k.aRow3, r%perPointer), 1)
		for j, b := range bs {
			next[r*c.vecs+j] = c.mac(k.fn, sums[r*c.vecs+j], k.splat(c.lanesOf(j), a), b)
		}
	}
	return next
}

// reach is the address of row r, which is less than perPointer, from a pointer to row 0.
func (f *fn) reach(p, stride, stride3 value.Value, r int) value.Value {
	switch r {
	case 0:
		return p
	case 1:
		return f.off(p, stride)
	case 2:
		return f.index(ll.I16, p, stride)
	case 3:
		return f.off(p, stride3)
	}
	return f.index(ll.I32, p, stride)
}

// out stores the results, or adds them to what is there.
func (k *tile) out(rows, sums []value.Value, adds value.Value) {
	c := k.core
	each := func(do func(v, p value.Value)) {
		for i, v := range sums {
			do(v, k.off(rows[i/c.vecs], i64(i%c.vecs*c.lanes*c.laneSize())))
		}
	}
	k.either(adds, func() {
		each(func(v, p value.Value) {
			k.store(c.plus(k.fn, k.load(v.Type(), p, c.laneSize()), v), p, c.laneSize())
		})
	}, func() {
		each(func(v, p value.Value) { k.store(v, p, c.laneSize()) })
	})
}
