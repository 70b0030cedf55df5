package ptxsim

import (
	"fmt"
	"slices"
	"sort"
	"sync"
	"unsafe"

	"ltc/internal/diag"
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
	a := apart + uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))%256
	if n := len(m.all); n > 0 {
		a += m.all[n-1].address / apart * apart
	}
	m.Map(a, b)
	return a
}

// Map adds bytes, which stay the caller's, at an address where there are none.
func (m *Memory) Map(address uint64, b []byte) {
	at := sort.Search(len(m.all), func(i int) bool { return m.all[i].address > address })
	m.all = slices.Insert(m.all, at, allocation{address, b})
}

// Unmap takes away what was added at an address.
func (m *Memory) Unmap(address uint64) {
	m.all = slices.DeleteFunc(m.all, func(a allocation) bool { return a.address == address })
}

// AccessError is an access to what is not there, or not aligned.
type AccessError struct {
	Address    uint64
	Bytes      int
	Misaligned bool
	text       string
}

func (e *AccessError) Error() string { return e.text }

func outside(a uint64, n int, format string, args ...any) *AccessError {
	return &AccessError{Address: a, Bytes: n, text: diag.Count(n, "byte") + fmt.Sprintf(format, args...)}
}

// find returns which allocation holds n bytes at an address, and where.
func (m *Memory) find(a uint64, n int) (which int, offset uint64, err *AccessError) {
	which = sort.Search(len(m.all), func(i int) bool { return m.all[i].address > a }) - 1
	if which < 0 {
		return 0, 0, outside(a, n, " at %#x, which was not allocated", a)
	}
	at := m.all[which]
	if offset = a - at.address; offset+uint64(n) > uint64(len(at.bytes)) {
		if 2*offset > apart {
			return 0, 0, outside(a, n, ", %d before allocation %d", m.beyond(which)-a, which+1)
		}
		return 0, 0, outside(a, n, " at %d of allocation %d, which has %d", offset, which, len(at.bytes))
	}
	if a%uint64(n) != 0 {
		err := outside(a, n, " at %d of allocation %d, which is not aligned", offset, which)
		err.Misaligned = true
		return 0, 0, err
	}
	return which, offset, nil
}

// find is that of the launch's memory. It looks first where the access before was.
func (b *block) find(a uint64, n int) (which int, offset uint64, err *AccessError) {
	if all := b.memory.all; b.found < len(all) {
		at := &all[b.found]
		if offset = a - at.address; offset < uint64(len(at.bytes)) && offset+uint64(n) <= uint64(len(at.bytes)) && a%uint64(n) == 0 {
			return b.found, offset, nil
		}
	}
	if which, offset, err = b.memory.find(a, n); err == nil {
		b.found = which
	}
	return which, offset, err
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

// tableBase is the address of the tables of a module, which all threads may read.
const tableBase = 1 << 62

// touches is who has accessed what of an allocation: pages of bytes, which are
// there once one of them is touched.
type touches []*touchPage

// page is how many bytes a page has. No access that is aligned spans two.
const page = 4096

type touchPage [page]touch

// touchPages are to be used again, by any launch.
var touchPages = sync.Pool{New: func() any { return new(touchPage) }}

// forget gives the pages back.
func (t touches) forget() {
	for _, p := range t {
		if p != nil {
			touchPages.Put(p)
		}
	}
}

// of returns those of n bytes at an address.
func (t *touches) of(at *allocation, a uint64, n int) []touch {
	first := at.address / page
	if *t == nil {
		*t = make(touches, (at.address+uint64(len(at.bytes)))/page-first+1)
	}
	p := &(*t)[a/page-first]
	if *p == nil {
		*p = touchPages.Get().(*touchPage)
		clear((*p)[:])
	}
	return (*p)[a%page:][:n]
}

// Access is memory that a launch has accessed.
type Access struct {
	Address uint64
	Bytes   int
	Write   bool // some thread has written all of it; none has otherwise
}

// each calls f with the longest runs of bytes that were read only, or written.
func (t touches) each(at *allocation, f func(Access)) {
	var run Access
	next := uint64(0)
	for i, p := range t {
		if p == nil {
			continue
		}
		for j := range p {
			c := &p[j]
			if c.writer.thread == 0 && c.reader.thread == 0 {
				continue
			}
			a := (at.address/page+uint64(i))*page + uint64(j)
			write := c.writer.thread != 0
			if a != next || write != run.Write || run.Bytes == 0 {
				if run.Bytes > 0 {
					f(run)
				}
				run = Access{Address: a, Write: write}
			}
			run.Bytes++
			next = a + 1
		}
	}
	if run.Bytes > 0 {
		f(run)
	}
}

// touch is who has accessed a byte.
type touch struct {
	writer, reader touched
	// Others, besides the reader, have read at the same time: of its block, of
	// other blocks.
	many, across bool
	atomic       bool // the writer's was
}

// alike reports whether all bytes have been accessed in the same way.
func alike(who []touch) bool {
	first := &who[0]
	for i := range who[1:] { // field by field: == of the structure is a call
		c := &who[1+i]
		if c.writer.thread != first.writer.thread || c.writer.epoch != first.writer.epoch ||
			c.reader.thread != first.reader.thread || c.reader.epoch != first.reader.epoch ||
			c.many != first.many || c.across != first.across || c.atomic != first.atomic {
			return false
		}
	}
	return true
}

// touched is a thread, by a number of 1 or more among all of a launch, and its epoch;
// or an agent of the block's, below 0.
type touched struct{ thread, epoch int32 }
