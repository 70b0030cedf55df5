package ptxsim

import (
	"fmt"
	"sort"
	"unsafe"
)

// Memory is what a device has: allocations far apart from each other, so that
// no wrong index leads from one into another. The zero value has none.
type Memory struct{ all []allocation }

type allocation struct {
	address uint64
	bytes   []byte
}

// apart is how far allocations are from each other.
const apart = 1 << 40

// Alloc adds bytes, which stay the caller's, and returns where they begin. The
// address is aligned to up to 256 bytes as the bytes themselves are.
func (m *Memory) Alloc(b []byte) uint64 {
	a := uint64(len(m.all)+1)*apart + uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))%256
	m.all = append(m.all, allocation{a, b})
	return a
}

// find returns which allocation holds n bytes at an address, and where.
func (m *Memory) find(a uint64, n int) (which int, offset uint64, err error) {
	which = sort.Search(len(m.all), func(i int) bool { return m.all[i].address > a }) - 1
	if which < 0 {
		return 0, 0, fmt.Errorf("%d bytes at %#x, which was not allocated", n, a)
	}
	at := m.all[which]
	if offset = a - at.address; offset+uint64(n) > uint64(len(at.bytes)) {
		if 2*offset > apart {
			return 0, 0, fmt.Errorf("%d bytes, %d before allocation %d", n, m.beyond(which)-a, which+1)
		}
		return 0, 0, fmt.Errorf("%d bytes at %d of allocation %d, which has %d", n, offset, which, len(at.bytes))
	}
	if a%uint64(n) != 0 {
		return 0, 0, fmt.Errorf("%d bytes at %d of allocation %d, which is not aligned", n, offset, which)
	}
	return which, offset, nil
}

// beyond is where the allocation after one begins, or would.
func (m *Memory) beyond(which int) uint64 {
	if which+1 < len(m.all) {
		return m.all[which+1].address
	}
	return uint64(which+2) * apart
}

// sharedBase is the address of a block's memory: not 0, which a mistake makes.
const sharedBase = 1 << 20

// touch is who has accessed a byte.
type touch struct {
	writer, reader touched
	// Others, besides the reader, have read at the same time: of its block, of
	// other blocks.
	many, across bool
	atomic       bool // the writer's was
}

// touched is a thread, by a number of 1 or more among all of a launch, and how many
// barriers it had come through.
type touched struct{ thread, epoch int32 }

// concurrent reports whether what another thread has done may happen at the same
// time as what t does now.
func (t *thread) concurrent(o touched) bool {
	return o.thread != 0 && o.thread != t.number && (o.epoch == t.block.epoch || !t.ownBlock(o))
}

func (t *thread) ownBlock(o touched) bool {
	first := t.block.threads[0].number
	return o.thread >= first && o.thread < first+int32(len(t.block.threads))
}

// read notes it, and returns what races with it.
func (c *touch) read(t *thread, atomic bool) touched {
	if t.concurrent(c.writer) && !(atomic && c.atomic) {
		return c.writer
	}
	now := touched{t.number, t.block.epoch}
	switch {
	case c.reader.thread == 0 || c.reader == now:
	case !t.ownBlock(c.reader):
		c.across = true
	case c.reader.epoch != now.epoch:
		c.many = false
	case c.reader.thread != now.thread:
		c.many = true
	}
	c.reader = now
	return touched{}
}

func (c *touch) write(t *thread, atomic bool) touched {
	if t.concurrent(c.writer) && !(atomic && c.atomic) {
		return c.writer
	}
	if !atomic && (t.concurrent(c.reader) || c.across || c.many && c.reader.epoch == t.block.epoch && t.ownBlock(c.reader)) {
		return c.reader
	}
	c.writer, c.atomic = touched{t.number, t.block.epoch}, atomic
	return touched{}
}
