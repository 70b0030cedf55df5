package toytarget

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"ltc/ir/types"
	"ltc/soa"
)

// memory is the memory of a device. Its addresses are none of the host's, and its blocks are
// far apart: following an address on the host, or running past a block, is an error.
type memory struct {
	mu     sync.Mutex
	last   uintptr              // number of the block made last
	blocks map[uintptr][]uint64 // by number
}

// Block n begins at the address first + n·apart.
const (
	apart = 1 << 36
	first = 1 << 60
)

// Make returns fresh memory, which is freed after its last view is gone.
func (m *memory) Make(t types.Type) (soa.View, error) {
	if err := t.Check(); err != nil {
		return soa.View{}, err
	}
	if err := soa.Fits(t.Bytes()); err != nil {
		return soa.View{}, err
	}
	m.mu.Lock()
	m.last++
	block := m.last
	m.blocks[block] = make([]uint64, t.Bytes()/8+1)
	m.mu.Unlock()
	b := soa.OfRemote(m, first+block*apart, t.Bytes())
	runtime.AddCleanup(b, m.free, block)
	return b.View(t), nil
}

func (m *memory) free(block uintptr) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.blocks, block)
}

// host returns where n bytes at an address are for the interpreter.
func (m *memory) host(at uintptr, n int) (unsafe.Pointer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.blocks[(at-first)/apart]
	if at < first || b == nil || n < 0 || int((at-first)%apart)+n > 8*len(b) {
		return nil, fmt.Errorf("%v has no memory from %#x to %#x", m, at, at+uintptr(n))
	}
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), int((at-first)%apart)), nil
}

// Read implements [soa.Remote].
func (m *memory) Read(dst []byte, at uintptr) error {
	p, err := m.host(at, len(dst))
	if err == nil {
		copy(dst, unsafe.Slice((*byte)(p), len(dst)))
	}
	return err
}

// Write implements [soa.Remote].
func (m *memory) Write(at uintptr, src []byte) error {
	p, err := m.host(at, len(src))
	if err == nil {
		copy(unsafe.Slice((*byte)(p), len(src)), src)
	}
	return err
}

func (m *memory) String() string { return "toy" }
