package toytarget

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"ltc/ir/types"
	"ltc/soa"
)

// memory is that of a device. Blocks are apart at addresses that are none of the host's, so
// that who follows one, or leaves a block, is found out.
type memory struct {
	mu     sync.Mutex
	last   uintptr // block that was made
	blocks map[uintptr][]uint64
}

// apart is how far blocks are apart, the first of which is at first.
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
		return nil, fmt.Errorf("%v has no %d bytes at %#x", m, n, at)
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
