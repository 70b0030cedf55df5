package eval

import (
	"cmp"
	"slices"
)

// layout gives every planned slot its place in the arena: first fit among what
// is in use at the same time. It takes n·log n steps, however many slots are.
func (c *code) layout() {
	free := &hole{size: wholeArena, most: wholeArena}
	var byEnd []int // planned slots by the end of their use
	for s := range c.slots {
		if c.slots[s].kind == planned && c.slots[s].bytes > 0 {
			byEnd = append(byEnd, s)
		}
	}
	slices.SortStableFunc(byEnd, func(a, b int) int { return cmp.Compare(c.slots[a].last, c.slots[b].last) })
	taken := make([]bool, len(c.slots)) // slots whose memory is another's now
	for s := range c.slots {            // in the order of their definition
		sl := &c.slots[s]
		if sl.kind != planned || sl.bytes == 0 {
			continue
		}
		for ; c.slots[byEnd[0]].last < sl.def; byEnd = byEnd[1:] {
			if old := byEnd[0]; !taken[old] {
				free = free.give(c.slots[old].offset, align(c.slots[old].bytes))
			}
		}
		if old := c.reusable(sl, taken); old >= 0 {
			sl.offset, taken[old] = c.slots[old].offset, true
		} else {
			free, sl.offset = free.take(align(sl.bytes))
		}
		c.arena = max(c.arena, align(sl.offset+sl.bytes))
	}
	c.arenaAll += c.arena
	c.slotsAll += len(c.slots)
	c.depth++
}

// reusable returns the first slot in memory that dies where sl is defined and
// that it may write over; -1 if there is none.
func (c *code) reusable(sl *slot, taken []bool) int {
	best := -1
	for _, s := range sl.reuse {
		o := &c.slots[s]
		if o.kind == planned && o.last == sl.def && !taken[s] && (best < 0 || o.offset < c.slots[best].offset) {
			best = s
		}
	}
	return best
}

func align(n int) int { return (n + 63) &^ 63 }

// wholeArena is more than any arena is.
const wholeArena = 1 << 62

// hole is a free range of an arena and the root of a treap of such ranges: a
// tree by offset, a heap by priority (Seidel and Aragon, Randomized search
// trees, 1996).
type hole struct {
	offset, size int
	most         int // the size of the largest in the tree
	left, right  *hole
}

// priority is a number that looks random, but is the same in every compile.
func (h *hole) priority() uint64 {
	x := uint64(h.offset+h.size) * 0x9E3779B97F4A7C15
	return (x ^ x>>32) * 0xD6E8FEB86659FD93
}

func (h *hole) update() {
	h.most = h.size
	if h.left != nil {
		h.most = max(h.most, h.left.most)
	}
	if h.right != nil {
		h.most = max(h.most, h.right.most)
	}
}

// take takes n bytes of the first hole that has them.
func (h *hole) take(n int) (rest *hole, offset int) {
	switch {
	case h.left != nil && h.left.most >= n:
		h.left, offset = h.left.take(n)
	case h.size >= n:
		offset = h.offset
		h.offset, h.size = h.offset+n, h.size-n
		if h.size == 0 {
			return join(h.left, h.right), offset
		}
	default:
		h.right, offset = h.right.take(n)
	}
	h.update()
	return h, offset
}

// give adds n bytes at offset, and makes one hole of neighbours.
func (h *hole) give(offset, n int) *hole {
	low, high := h.split(offset)
	var before, after *hole
	if low, before = low.cutLast(); before != nil && before.offset+before.size == offset {
		offset, n = before.offset, before.size+n
	} else {
		low = join(low, before)
	}
	if high, after = high.cutFirst(); after != nil && offset+n == after.offset {
		n += after.size
	} else {
		high = join(after, high)
	}
	return join(join(low, &hole{offset: offset, size: n, most: n}), high)
}

// split returns the holes below an offset and the others.
func (h *hole) split(offset int) (low, high *hole) {
	switch {
	case h == nil:
		return nil, nil
	case h.offset < offset:
		h.right, high = h.right.split(offset)
		low = h
	default:
		low, h.left = h.left.split(offset)
		high = h
	}
	h.update()
	return low, high
}

func (h *hole) cutFirst() (rest, first *hole) {
	if h == nil || h.left == nil {
		return h.cut()
	}
	h.left, first = h.left.cutFirst()
	h.update()
	return h, first
}

func (h *hole) cutLast() (rest, last *hole) {
	if h == nil || h.right == nil {
		return h.cut()
	}
	h.right, last = h.right.cutLast()
	h.update()
	return h, last
}

// cut takes the root, which has at most one child, off its tree.
func (h *hole) cut() (rest, root *hole) {
	if h == nil {
		return nil, nil
	}
	rest = join(h.left, h.right)
	h.left, h.right = nil, nil
	h.update()
	return rest, h
}

// join makes one tree of two, of which all of low lies below all of high.
func join(low, high *hole) *hole {
	switch {
	case low == nil:
		return high
	case high == nil:
		return low
	case low.priority() > high.priority():
		low.right = join(low.right, high)
		low.update()
		return low
	}
	high.left = join(low, high.left)
	high.update()
	return high
}
