package lazy

import (
	"errors"
	"fmt"
	"log/slog"
	"unsafe"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/ir"
	"ltc/lazy/internal/metrics"
	"ltc/soa"
)

// mostPrograms is how many compiled programs a device keeps at most, however small
// they are.
const mostPrograms = 8192

// ProgramCacheLimit sets the most bytes that the device's compiled programs may
// take, instead of the environment variable LTC_PROGRAM_CACHE_BYTES. The program
// used longest ago is dropped first; one that takes more than the limit runs,
// and is compiled again the next time. A device keeps 8192 programs at most.
func ProgramCacheLimit(bytes int64) Option {
	return func(d *Device) { d.programs.limit, d.ops.limit = max(bytes, 0), max(bytes, 0) }
}

// ProgramCacheStats says what a device's compiled programs take.
type ProgramCacheStats struct {
	Programs     int
	Bytes, Limit int64
}

// String prints the sizes on one line.
func (s ProgramCacheStats) String() string {
	return fmt.Sprintf("%s, %s of %s", plural(int64(s.Programs), "program"), soa.Size(s.Bytes), soa.Size(s.Limit))
}

// ProgramCacheStats returns what the device's compiled programs take now.
func (d *Device) ProgramCacheStats() ProgramCacheStats {
	if !d.opens() {
		return ProgramCacheStats{}
	}
	c := &d.programs
	c.mu.Lock()
	defer c.mu.Unlock()
	return ProgramCacheStats{c.recent.Len(), c.bytes, c.limit}
}

// used notes the use of a program that was found without lookup.
func (c *programCache) used(p *program) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.element != nil {
		c.recent.MoveToFront(p.element)
	}
}

// compiled accounts for p. A program that could not be compiled is dropped at once:
// the backend may have recovered when it is asked for again.
func (c *programCache) compiled(d *Device, p *program, err error) {
	size := p.size()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case p.element == nil: // dropped by another while it compiled
		return
	case err != nil:
		c.drop(p.element)
		return
	}
	p.bytes = size
	c.bytes += size
	c.fit(d)
}

// grew accounts for what p takes more, whose executable is e, since the last time.
func (c *programCache) grew(d *Device, p *program, e *metered) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := max(e.grown.Load(), 0)
	more := now - e.known.Swap(now)
	if p.element == nil {
		return
	}
	p.bytes += more
	c.bytes += more
	c.fit(d)
}

// fit drops the programs used longest ago while there are too many, or too many bytes.
func (c *programCache) fit(d *Device) {
	for (c.bytes > c.limit || c.recent.Len() > mostPrograms) && c.recent.Len() > 0 {
		c.evict(d)
	}
}

// evict drops the program used longest ago.
func (c *programCache) evict(d *Device) {
	oldest := c.recent.Back().Value.(*program)
	c.drop(oldest.element)
	d.metrics.Add(metrics.ProgramEvicted, 1)
	d.log(slog.LevelDebug, "program dropped", slog.Int("ops", len(oldest.graph.Nodes)), slog.Int64("bytes", oldest.bytes))
}

// shrink drops programs until there are n.
func (c *programCache) shrink(d *Device, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.recent.Len() > n {
		c.evict(d)
	}
}

// len returns how many programs there are.
func (c *programCache) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recent.Len()
}

// withRoom compiles a program. Where the system has no room left for code, the older
// half of all programs is dropped and it is compiled again, then without all others.
func (d *Device) withRoom(compile func() (runner, error)) (runner, error) {
	e, err := compile()
	for _, part := range [...]int{2, 0} {
		if !errors.Is(err, backends.ErrExhausted) {
			break
		}
		for _, c := range [...]*programCache{&d.programs, &d.ops} {
			keep := 1 // the one that is compiled
			if part > 0 {
				keep = c.len() / part
			}
			c.shrink(d, keep)
		}
		soa.Collect()
		e, err = compile()
	}
	return e, err
}

// size returns what the program takes in memory: graph, text, and executable.
func (p *program) size() int64 {
	const besides = 512 // entries of lists and maps
	n := besides + int64(unsafe.Sizeof(*p)) + graphBytes(p.graph) + int64(len(p.text))
	if _, ok := p.exec.(*metered); ok {
		n += p.code
	}
	return n
}

// codeBytes returns what an executable takes: what its backend says, or an
// estimate. The evaluator holds of a program about six times the text.
func codeBytes(e *border.Executable, text int) (int64, error) {
	const perByteOfText = 6
	if e == nil {
		return perByteOfText * int64(text), nil
	}
	n, err := e.ResidentBytes()
	if n < 0 {
		n = perByteOfText * text
	}
	return int64(n), err
}

// graphBytes estimates what a graph takes. Bodies of composites, which the
// device keeps anyway, count as nothing.
func graphBytes(g *ir.Graph) int64 {
	n := int64(unsafe.Sizeof(*g))
	for _, x := range g.Nodes {
		n += int64(unsafe.Sizeof(*x)) + int64(unsafe.Sizeof(x))*int64(1+cap(x.In))
		n += int64(unsafe.Sizeof(ir.Attr{})) * int64(cap(x.Attrs))
		n += int64(unsafe.Sizeof(0)) * int64(cap(x.Type.Shape))
	}
	return n
}
