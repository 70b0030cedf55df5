package native

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

// arena is the memory of images. It takes address space from the system in chunks. The
// first half of a chunk is for code and the second for constants: neighbours then have
// the same protection, and a chunk costs about four mappings for any number of images.
// An image has whole pages, since no page may be writable while
// code of another image in it runs.
type arena struct {
	mu     sync.Mutex
	chunks []*chunk
	live   int // bytes that images have
	fresh  int // bytes that images took since a collection was asked for
}

// images is the arena of all images of the process.
var images arena

// halfBytes is the size of half a chunk.
const halfBytes = 2 << 20

// mostShared is the size from which code, or constants, has a chunk of its own.
const mostShared = halfBytes / 8

// chunk is one piece of address space.
type chunk struct {
	mem        []byte
	code, rest half
}

// half is memory for pages of one protection.
type half struct {
	mem  []byte
	used []uint64 // a bit a page
	free int      // pages
}

// span is the memory of one image. It is writable until it is sealed.
type span struct {
	chunk      *chunk
	code, rest []byte
}

// take returns memory for an image: zeroed, writable, and of no other image until
// it is given back. Sizes are of whole pages.
func (a *arena) take(code, rest int) (*span, error) {
	s, err := a.find(code, rest)
	if err != nil {
		return nil, err
	}
	for _, mem := range [][]byte{s.code, s.rest} {
		if err := makeWritable(mem); err != nil {
			a.give(s)
			return nil, err
		}
	}
	return s, nil
}

// find finds memory for an image in the chunks that there are, or in a new one.
func (a *arena) find(code, rest int) (*span, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if code <= mostShared && rest <= mostShared {
		for _, c := range a.chunks {
			if s := c.find(code, rest); s != nil {
				a.count(code + rest)
				return s, nil
			}
		}
	}
	h := halfBytes
	if code > mostShared || rest > mostShared {
		h = 0
	}
	c, err := newChunk(max(code, h), max(rest, h))
	if err != nil {
		return nil, err
	}
	a.chunks = append(a.chunks, c)
	a.count(code + rest)
	return c.find(code, rest), nil
}

// count notes that images take n bytes more. Images that nobody can reach are found
// by the garbage collector, which does not know of this memory: it is asked when as
// much has come as half of all, and that is not little.
func (a *arena) count(n int) {
	const little = 32 << 20
	a.live += n
	if a.fresh += n; a.fresh > max(little, a.live/2) {
		a.fresh = 0
		go runtime.GC()
	}
}

// give takes back the memory of an image that nobody can call any more. The system
// gets the pages. An empty chunk goes, too, unless it is the only empty one: then it
// serves the next image.
func (a *arena) give(s *span) {
	emptied := empty(s.code) == nil && empty(s.rest) == nil
	a.mu.Lock()
	defer a.mu.Unlock()
	a.live -= len(s.code) + len(s.rest)
	if !emptied { // pages locked into memory: they would not be fresh
		return
	}
	c := s.chunk
	c.code.give(s.code)
	c.rest.give(s.rest)
	if !c.empty() {
		return
	}
	if alone := len(c.mem) == 2*halfBytes && !slices.ContainsFunc(a.chunks, func(o *chunk) bool { return o != c && o.empty() }); alone {
		return
	}
	if release(c.mem) == nil { // the system may have no mapping left to split one
		a.chunks = slices.DeleteFunc(a.chunks, func(o *chunk) bool { return o == c })
	}
}

func newChunk(code, rest int) (*chunk, error) {
	mem, err := reserve(code + rest)
	if err != nil {
		return nil, err
	}
	return &chunk{mem: mem, code: newHalf(mem[:code:code]), rest: newHalf(mem[code:])}, nil
}

func newHalf(mem []byte) half {
	pages := len(mem) / pageSize
	return half{mem: mem, used: make([]uint64, (pages+63)/64), free: pages}
}

// find finds memory in a chunk; nil if there is none.
func (c *chunk) find(code, rest int) *span {
	at, ok := c.code.find(code / pageSize)
	if !ok {
		return nil
	}
	to, ok := c.rest.find(rest / pageSize)
	if !ok {
		return nil
	}
	return &span{c, c.code.take(at, code), c.rest.take(to, rest)}
}

func (c *chunk) empty() bool { return c.code.empty() && c.rest.empty() }

func (h *half) empty() bool { return h.free == len(h.mem)/pageSize }

// find returns the first of n free pages side by side.
func (h *half) find(n int) (at int, ok bool) {
	if n > h.free {
		return 0, false
	}
	run := 0
	for p := 0; p < len(h.mem)/pageSize && run < n; p++ {
		switch word := h.used[p/64]; {
		case word == ^uint64(0):
			p, run = p|63, 0
		case word>>(p%64)&1 != 0:
			p += bits.TrailingZeros64(^(word >> (p % 64))) - 1
			run = 0
		default:
			if run++; run == 1 {
				at = p
			}
		}
	}
	return at, run >= n
}

// take marks pages as used, from one on, and returns their memory.
func (h *half) take(at, bytes int) []byte {
	h.mark(at, bytes/pageSize)
	from := at * pageSize
	return h.mem[from : from+bytes : from+bytes]
}

// give marks pages as free.
func (h *half) give(mem []byte) {
	if len(mem) > 0 {
		h.mark(int(blockOf(mem).addr-blockOf(h.mem).addr)/pageSize, -len(mem)/pageSize)
	}
}

// mark marks n pages as used, or -n as free.
func (h *half) mark(at, n int) {
	h.free -= n
	for p := at; p < at+max(n, -n); p++ {
		h.used[p/64] ^= 1 << (p % 64)
	}
}
