package memory

import (
	"math"
	"math/bits"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
	"unsafe"
	"weak"

	"ltc/internal/hostmem"
	"ltc/ir/types"
	"ltc/soa"
)

// Pooled is the least size in bytes of the blocks that a [Pool] reuses. It allocates smaller
// values from Go and does not count them.
const Pooled = hostmem.HeapFrom

// PooledBytes returns the size of the block that a pool uses for a value of type t; 0 if the
// value is smaller than [Pooled].
func PooledBytes(t types.Type) int64 {
	if n := t.Bytes(); n >= Pooled {
		return int64(classSize(n))
	}
	return 0
}

// Pool is an allocator that keeps released blocks for later requests, since fresh memory
// costs page faults and zeroing. Blocks are Go memory. A block returns to the pool when the
// garbage collector finds that no view and no slice reaches it. Blocks that are not reused
// within seconds are freed. Any goroutine may call the methods.
type Pool struct {
	limit  int64
	poison bool

	mu      sync.Mutex
	classes map[int]*class     // by size
	out     map[uintptr]*class // blocks in use, by address, which does not keep them
	stats   PoolStats
	trimmed time.Time
}

// PoolStats has the counters of a pool.
type PoolStats struct {
	Live   int64 // bytes in use, or not yet known to be unreachable
	Cached int64 // bytes kept for later requests
	Peak   int64 // the maximum of Live so far
	Limit  int64 // the maximum of Cached
	Reused int64 // number of requests that got a kept block
	Fresh  int64 // number of requests that got fresh memory
}

// class holds the kept blocks of one size.
type class struct {
	size int
	free []*byte
	low  int         // the minimum of len(free) since the last age
	back func(*byte) // finalizer of the blocks in use
}

// NewPool returns a pool that keeps up to limit bytes for later requests. With poison, reused
// blocks are filled with NaNs, to find programs that expect zeros.
func NewPool(limit int64, poison bool) *Pool {
	p := &Pool{limit: limit, poison: poison, classes: map[int]*class{}, out: map[uintptr]*class{}, trimmed: time.Now()}
	p.stats.Limit = limit
	runtime.SetFinalizer(&collected{weak.Make(p)}, (*collected).tick)
	return p
}

// collected has a finalizer, tick, that runs after every garbage collection.
type collected struct{ pool weak.Pointer[Pool] }

func (c *collected) tick() {
	if p := c.pool.Value(); p != nil {
		p.age()
		runtime.SetFinalizer(c, (*collected).tick)
	}
}

// Make returns a dense view of type t with undefined contents. It panics as
// [soa.Make] does.
func (p *Pool) Make(t types.Type) soa.View {
	v, _ := p.make(t)
	return v
}

// Zeroed returns a dense view of type t, filled with zeros.
func (p *Pool) Zeroed(t types.Type) soa.View {
	v, used := p.make(t)
	if used {
		soa.Zero(v)
	}
	return v
}

// Mapped is Zeroed in memory off the Go heap, in small pages, if the view has at least Pooled bytes and the system has
// such memory. The pool counts the memory and does not reuse it.
func (p *Pool) Mapped(t types.Type) (soa.View, error) {
	n := t.Bytes()
	if n < Pooled {
		return soa.Make(t), nil
	}
	b, err := soa.OffHeap(n)
	if err != nil {
		return soa.View{}, err
	}
	if v := b.View(t); v.OffHeap() {
		hostmem.AdviseSparse(b.Bytes())
	}
	size := int64(classSize(n)) // as the limit counts it
	p.count(size)
	runtime.AddCleanup(b, func(p *Pool) { p.count(-size) }, p)
	return b.View(t), nil
}

// count adds a mapping, which may be negative, to the bytes in use.
func (p *Pool) count(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n > 0 {
		p.stats.Fresh++
	}
	p.stats.Live += n
	p.stats.Peak = max(p.stats.Peak, p.stats.Live)
}

// make also reports whether the memory has been used before.
func (p *Pool) make(t types.Type) (v soa.View, used bool) {
	n := t.Bytes()
	if n < Pooled {
		return soa.Make(t), false
	}
	block, used := p.get(classSize(n))
	mem := unsafe.Slice(block, n)
	if used && p.poison {
		for i := range mem {
			mem[i] = 0xff
		}
	}
	return soa.Wrap(mem).View(t), used
}

// get returns a block of the size of a class, and whether it was used before.
func (p *Pool) get(size int) (block *byte, used bool) {
	c, block := p.cached(size)
	if block == nil && hostmem.Press(size) {
		c, block = p.cached(size)
	}
	used = block != nil
	if !used {
		// Go aligns memory of this size to a page.
		mem := make([]byte, size)
		hostmem.AdviseHeap(mem)
		block = unsafe.SliceData(mem)
		hostmem.AddPooled(size)
	}
	runtime.SetFinalizer(block, c.back)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out[uintptr(unsafe.Pointer(block))] = c
	if used {
		p.stats.Reused++
	} else {
		p.stats.Fresh++
	}
	p.stats.Live += int64(size)
	p.stats.Peak = max(p.stats.Peak, p.stats.Live)
	return block, used
}

// cached returns the class of a size, and a kept block of it; nil if there is none.
func (p *Pool) cached(size int) (*class, *byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.classes[size]
	if c == nil {
		c = &class{size: size}
		c.back = func(block *byte) { p.put(c, block) }
		p.classes[size] = c
	}
	k := len(c.free) - 1
	if k < 0 {
		return c, nil
	}
	block := c.free[k]
	c.free[k], c.free = nil, c.free[:k]
	c.low = min(c.low, k)
	p.stats.Cached -= int64(size)
	return c, block
}

// Recycle returns the block of v to the pool at once, without waiting for the garbage
// collector, so that it is reused while it is in the CPU's caches. V must have the size that
// was requested, and the caller must not use its memory any more. Recycle does nothing and
// reports false if the memory is not the pool's.
func (p *Pool) Recycle(v soa.View) bool {
	at := uintptr(v.Base())
	p.mu.Lock()
	c := p.out[at]
	p.mu.Unlock()
	if c == nil || c.size != classSize(v.Type.Bytes()) {
		return false
	}
	block := (*byte)(v.Base())
	runtime.SetFinalizer(block, nil)
	p.put(c, block)
	return true
}

// put returns an unreachable block to the pool.
func (p *Pool) put(c *class, block *byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.out, uintptr(unsafe.Pointer(block)))
	p.stats.Live -= int64(c.size)
	if !reusable || p.stats.Cached+int64(c.size) > p.limit {
		hostmem.AddPooled(-c.size)
		return
	}
	p.stats.Cached += int64(c.size)
	c.free = append(c.free, block)
}

// age runs after every garbage collection. It frees half of the blocks that were not needed
// in the last second, and all kept blocks if memory is scarce.
func (p *Pool) age() {
	if scarce() {
		p.Trim()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.trimmed) < time.Second {
		return
	}
	p.trimmed = time.Now()
	for _, c := range p.classes {
		p.drop(c, (c.low+1)/2)
		c.low = len(c.free)
	}
}

// scarce reports whether the process uses more than 80 % of GOMEMLIMIT.
func scarce() bool {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return false
	}
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64()-s[1].Value.Uint64()) > limit/10*8
}

// drop frees n kept blocks of c, the longest unused first.
func (p *Pool) drop(c *class, n int) {
	clear(c.free[:n])
	c.free = append(c.free[:0:0], c.free[n:]...)
	p.stats.Cached -= int64(n * c.size)
	hostmem.AddPooled(-n * c.size)
}

// Trim frees all blocks that are kept for later requests.
func (p *Pool) Trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.classes {
		p.drop(c, len(c.free))
		c.low = 0
	}
}

// Stats returns the current counters.
func (p *Pool) Stats() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

// classSize rounds n up to a multiple of an eighth of the largest power of two that is not
// above n. At most an eighth of a block is unused.
func classSize(n int) int {
	step := 1 << max(bits.Len(uint(n-1))-4, 0)
	return (n + step - 1) &^ (step - 1)
}
