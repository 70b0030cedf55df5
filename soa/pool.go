package soa

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

	"ltc/ir/types"
)

// Pooled is the size in bytes from which on a [Pool] keeps buffers. Smaller
// ones cost the collector little, and are counted nowhere.
const Pooled = 64 << 10

// PooledBytes returns what a value of type t takes of a pool: 0 when it is too
// small to be kept in one.
func PooledBytes(t types.Type) int64 {
	if n := t.Bytes(); n >= Pooled {
		return int64(classSize(n))
	}
	return 0
}

// Pool is an allocator that keeps blocks for the next who asks: fresh memory
// costs a page fault and a zero for every page. Blocks are Go memory and come
// back by themselves, when the collector finds that nothing reaches them: no
// view, and no slice that somebody made of one. Blocks not asked for within
// seconds are given up. Its methods may be called from any goroutine.
type Pool struct {
	limit  int64
	poison bool

	mu      sync.Mutex
	classes map[int]*class     // by size
	out     map[uintptr]*class // blocks that are handed out, which this does not keep
	stats   PoolStats
	trimmed time.Time
}

// PoolStats says what a pool has. Sizes are bytes.
type PoolStats struct {
	Live   int64 // handed out, and not yet known to be unreachable
	Cached int64 // kept for the next who asks
	Peak   int64 // the most that Live has been
	Limit  int64 // the most that Cached may be
	Reused int64 // blocks that were handed out again
	Fresh  int64 // blocks that were not
}

// class is the blocks of one size.
type class struct {
	size int
	free []*byte
	low  int         // the fewest free since the last trim
	back func(*byte) // finalizer of a block that is handed out
}

// NewPool returns a pool that keeps up to limit bytes for later. With poison,
// blocks that are handed out again are full of NaNs, so that a program that
// takes them for zeros is found.
func NewPool(limit int64, poison bool) *Pool {
	p := &Pool{limit: limit, poison: poison, classes: map[int]*class{}, out: map[uintptr]*class{}, trimmed: time.Now()}
	p.stats.Limit = limit
	runtime.SetFinalizer(&collected{weak.Make(p)}, (*collected).tick)
	return p
}

// collected hears of every collection.
type collected struct{ pool weak.Pointer[Pool] }

func (c *collected) tick() {
	if p := c.pool.Value(); p != nil {
		p.age()
		runtime.SetFinalizer(c, (*collected).tick)
	}
}

// Make returns a dense view of memory for t, whose contents are undefined.
func (p *Pool) Make(t types.Type) View {
	v, _ := p.make(t)
	return v
}

// Zeroed returns a dense view of zeros.
func (p *Pool) Zeroed(t types.Type) View {
	v, used := p.make(t)
	if used {
		Zero(v)
	}
	return v
}

// make also reports whether the memory has been used before.
func (p *Pool) make(t types.Type) (v View, used bool) {
	n := t.Bytes()
	if n < Pooled {
		return Make(t), false
	}
	block, used := p.get(classSize(n))
	b := Buffer{mem: unsafe.Slice(block, n)}
	if used && p.poison {
		for i := range b.mem {
			b.mem[i] = 0xff
		}
	}
	return b.View(t), used
}

// get returns a block of a class's size.
func (p *Pool) get(size int) (block *byte, used bool) {
	c, block := p.cached(size)
	if block == nil && press(size) {
		c, block = p.cached(size)
	}
	used = block != nil
	if !used {
		// Larger than what Go packs into spans, so aligned to a page.
		mem := make([]byte, size)
		hugeHeap(mem)
		block = unsafe.SliceData(mem)
		countPooled(size)
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

// cached returns a block that was used before; nil if there is none.
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

// Recycle takes back the block that v, of a type as it was asked for, lies in, before the
// collector finds that nothing reaches it, and while it is still in the caches. The caller
// knows that nobody looks at the elements any more. It reports whether the memory is the
// pool's; if not, all is as it was.
func (p *Pool) Recycle(v View) bool {
	at := uintptr(v.base)
	p.mu.Lock()
	c := p.out[at]
	p.mu.Unlock()
	if c == nil || c.size != classSize(v.Type.Bytes()) {
		return false
	}
	block := (*byte)(v.base)
	runtime.SetFinalizer(block, nil)
	p.put(c, block)
	return true
}

// put takes back a block that nothing reaches.
func (p *Pool) put(c *class, block *byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.out, uintptr(unsafe.Pointer(block)))
	p.stats.Live -= int64(c.size)
	if !reusable || p.stats.Cached+int64(c.size) > p.limit {
		countPooled(-c.size)
		return
	}
	p.stats.Cached += int64(c.size)
	c.free = append(c.free, block)
}

// age runs after every collection. Of the blocks that nobody asked for in the
// last second it gives up half, and all when memory is short.
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

// scarce reports whether the process is about to reach GOMEMLIMIT.
func scarce() bool {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return false
	}
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64()-s[1].Value.Uint64()) > limit/10*8
}

// drop gives up n blocks of c, the longest unused first.
func (p *Pool) drop(c *class, n int) {
	clear(c.free[:n])
	c.free = append(c.free[:0:0], c.free[n:]...)
	p.stats.Cached -= int64(n * c.size)
	countPooled(-n * c.size)
}

// Trim gives up all blocks that are kept for later.
func (p *Pool) Trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.classes {
		p.drop(c, len(c.free))
		c.low = 0
	}
}

// Stats returns what the pool has now.
func (p *Pool) Stats() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

// classSize rounds n up to a multiple of an eighth of its power of two: at most
// an eighth of a block lies idle.
func classSize(n int) int {
	step := 1 << max(bits.Len(uint(n-1))-4, 0)
	return (n + step - 1) &^ (step - 1)
}
