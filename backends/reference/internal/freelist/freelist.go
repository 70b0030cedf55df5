// Package freelist has the free ranges of an arena that grows as needed. Allocations are first fit.
// Its central type is [List].
//
// The package imports only the standard library.
package freelist

// List has the free ranges of an arena; the zero value is one of which nothing is taken. Each
// call takes time in the logarithm of their number.
type List struct{ root *hole }

// Take takes n bytes of the first free range that has them, and returns their offset.
func (l *List) Take(n int) (offset int) {
	if l.root == nil {
		l.root = &hole{size: whole, most: whole}
	}
	l.root, offset = l.root.take(n)
	return offset
}

// Give gives back n bytes at offset, which were taken.
func (l *List) Give(offset, n int) { l.root = l.root.give(offset, n) }

// whole is more than any arena is.
const whole = 1 << 62

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
