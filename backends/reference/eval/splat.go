package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
	"ltc/soa"
)

// A splat is a constant all of whose elements are equal, however many they are.
// Its slot holds one block of them, which all splats of that element share. Ops
// that go over their elements in blocks, or only give them another shape, take
// it as it is; others get it written out, in memory that they have for as long
// as they run.

// blockElements is how many elements such an op takes at a time: few enough for
// the block of a splat to stay in the first-level cache.
const blockElements = 1 << 12

// mostSplats is how many bytes of constants there are when scalars that are
// broadcast still become splats; the blocks of many different ones take more
// memory than those of them that are alive at once.
const mostSplats = 64 << 20

// splat returns a slot for n elements that all are the given one.
func (b *builder) splat(element []byte, n int) (int, error) {
	size := len(element)
	if n*size <= 64 {
		return b.constant(slices.Repeat(element, n))
	}
	block := b.splats[string(element)]
	if block == nil {
		if err := b.reserve(size * blockElements); err != nil {
			return -1, err
		}
		block = aligned(slices.Repeat(element, blockElements))
		b.splats[string(element)] = block
	}
	return b.newSlot(slot{kind: constant, constant: block, splat: true}), nil
}

// constant returns a slot with a copy of data.
func (b *builder) constant(data []byte) (int, error) {
	if err := b.reserve(len(data)); err != nil {
		return -1, err
	}
	return b.newSlot(slot{kind: constant, constant: aligned(data)}), nil
}

// reserve counts bytes that the executable will hold, and returns an error
// when there is no memory for all of them.
func (c *compiler) reserve(bytes int) error {
	if err := soa.Fits(loops.Added(c.held, bytes)); err != nil {
		return fmt.Errorf("with what the program's other constants and tables take: %w", err)
	}
	c.held += bytes
	return nil
}

// stride returns how many bytes apart the elements of an operand lie for one
// who takes blockElements at a time: none for a splat, whose block is read
// again and again.
func (b *builder) stride(x operand) int {
	if b.code.slots[x.slot].splat {
		return 0
	}
	return x.dt.Size()
}

// dense writes out those operands that are splats of more than a block.
func (b *builder) dense(o *site) {
	for i, x := range o.in {
		if !b.compact(x) {
			continue
		}
		from := x.slot
		to, fill, size := b.scratch(o, x.bytes()), loops.Fill(x.dt), x.dt.Size()
		o.in[i].slot = to
		b.emitRange(x.n, func(f *frame, i, n int) { fill(unsafe.Add(f.p[to], i*size), f.p[from], n) })
	}
}

// compact reports whether x is a splat of more elements than its slot holds.
func (b *builder) compact(x operand) bool {
	return b.code.slots[x.slot].splat && x.n > blockElements
}

// takesSplats reports whether the op's preparation can take splats as they are.
func (o *site) takesSplats() bool {
	code := o.op.Code
	if len(o.out) == 0 || slices.ContainsFunc(o.out, func(t tensor) bool { return t.q != nil }) {
		return false
	}
	switch {
	case slices.ContainsFunc(o.in, func(x operand) bool { return x.q != nil }):
		return false // it is converted first
	case opTable[code].splats:
		return true
	}
	return len(o.in) == 1 && loops.Unary(code, o.in[0].dt) != nil || len(o.in) == 2 && loops.Binary(code, o.in[0].dt) != nil
}

// handOn returns the values that a terminator names, none of them a splat.
func (b *builder) handOn(op *mlir.Op) []operand {
	s := &site{op: op, pos: b.pos}
	for _, v := range op.Operands {
		parts, _ := b.read(v)
		s.in = append(s.in, parts...)
	}
	outer := b.site
	b.site = s
	b.dense(s)
	b.site = outer
	return s.in
}
