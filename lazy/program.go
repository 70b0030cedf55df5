package lazy

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/lazy/internal/metrics"
	"ltc/lower"
	"ltc/soa"
)

// program is a compiled graph. It is shared by all traces of the device.
type program struct {
	graph   *ir.Graph // without values
	results int
	compiling
	text   string
	exec   runner
	took   time.Duration
	likely time.Duration // how long a run takes, judged by the graph
	runs   atomic.Int64  // how long they took, in ns; 0 before the first

	small [][]int // the strides of results whose memory comes from a slab, else nil

	dev     *Device
	bytes   int64         // what it takes in the cache, once it is known
	code    int64         // the executable's share of that
	element *list.Element // in the cache; nil when it was dropped
}

// programCache keeps a device's programs, the latest used first.
type programCache struct {
	limit int64 // in bytes
	// guarded reports whether the lines of a program matter; nil: none of any.
	guarded func(*ir.Graph) bool

	mu     sync.Mutex
	bytes  int64
	byHash map[uint64][]*list.Element // of *program
	recent list.List
}

// get returns the program of g, compiled. The error is the cause of ctx if that is
// done before. at is asked for the user's line only when a compile happens.
func (c *programCache) get(ctx context.Context, d *Device, g *ir.Graph, count *counters, at func() callsite.Site) (*program, error) {
	p, found, err := c.compile(ctx, d, g, (*program).compile)
	if err != nil {
		return nil, err
	}
	if found {
		d.count(metrics.CachedCompile, count)
	} else {
		d.compiled(p, count, at())
	}
	return p, nil
}

// errCompilePanicked is the error of a compilation that has not returned.
var errCompilePanicked = errors.New("compile: the backend panicked or ended its goroutine with runtime.Goexit")

// compile returns the program of g, which by compiles unless it was found
// compiled.
func (c *programCache) compile(ctx context.Context, d *Device, g *ir.Graph, by func(*program, context.Context, *Device) error) (p *program, found bool, err error) {
	for {
		if p, found = c.lookup(g); p.finished() {
			err = p.err
		} else {
			err = c.compileNow(ctx, d, p, by)
		}
		if err == nil || ctx.Err() != nil || !p.finished() || !p.lost() {
			return p, found, err
		}
	}
}

// compileNow compiles p or waits for whoever does. It is apart from compile since a
// closure that a found program does not need would be allocated there.
func (c *programCache) compileNow(ctx context.Context, d *Device, p *program, by func(*program, context.Context, *Device) error) error {
	return p.wait(ctx, func(ctx context.Context) (err error) {
		err = errCompilePanicked // unless by returns
		defer func() { c.compiled(d, p, err) }()
		err = by(p, ctx, d)
		return err
	})
}

// lookup returns the entry of g, made if it is new.
func (c *programCache) lookup(g *ir.Graph) (p *program, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := c.guarded != nil && c.guarded(g)
	for _, e := range c.byHash[g.Hash()] {
		if p := e.Value.(*program); ir.Equal(p.graph, g) && (!lines || sameLines(p.graph, g)) {
			c.recent.MoveToFront(e)
			return p, true
		}
	}
	if c.byHash == nil {
		c.byHash = map[uint64][]*list.Element{}
	}
	p = &program{graph: g.Clone(), results: len(g.Results), compiling: compiling{done: make(chan struct{})}}
	p.small = smallResults(p.graph)
	p.element = c.recent.PushFront(p)
	c.byHash[g.Hash()] = append(c.byHash[g.Hash()], p.element)
	return p, false
}

// smallResults returns the strides of the results that are to lie in slabs; nil
// for those that take over memory or are large.
func smallResults(g *ir.Graph) [][]int {
	strides := make([][]int, len(g.Results))
	for i, r := range g.Results {
		if g.Alias[i] < 0 && r.Type.Bytes() <= soa.SlabMost {
			strides[i] = soa.Dense(r.Type.Shape)
		}
	}
	return strides
}

// drop removes an entry. Who holds its program goes on using it.
func (c *programCache) drop(e *list.Element) {
	p := c.recent.Remove(e).(*program)
	p.element = nil
	c.bytes -= p.bytes
	h := p.graph.Hash()
	kept := c.byHash[h][:0]
	for _, x := range c.byHash[h] {
		if x != e {
			kept = append(kept, x)
		}
	}
	if c.byHash[h] = kept; len(kept) == 0 {
		delete(c.byHash, h)
	}
}

func (p *program) compile(ctx context.Context, d *Device) error {
	start := time.Now()
	p.dev = d
	var err error
	if p.text, err = lower.TextContext(ctx, p.graph, true); err != nil {
		return err
	}
	if checking {
		if err := lower.Check(p.graph, p.text); err != nil {
			return err
		}
	}
	exec, err := d.withRoom(func() (runner, error) { return p.build(ctx, d) })
	if err != nil {
		if n := beyondMemory(p.graph); n != nil {
			return nodeError(n, ErrMemory, fmt.Sprintf("its result %v: %v; make it smaller, or compute it in parts", n.Type, soa.Fits(n.Type.Bytes())))
		}
	}
	if op, ok := err.(*OpError); ok { // of an op compiled alone
		return op
	}
	if err != nil {
		return fmt.Errorf("%scompile for %s: %w", p.firstLine(err), d.name, p.placed(err))
	}
	e := newMetered(exec, d, p)
	if p.code, err = codeBytes(e.whole, len(p.text)); err != nil {
		return fmt.Errorf("compile for %s: %w", d.name, err)
	}
	if e.whole != nil {
		if e.grown, err = e.whole.Grown(); err != nil {
			return fmt.Errorf("compile for %s: %w", d.name, err)
		}
	}
	if e.guards, err = newGuards(ctx, d, p.graph); err != nil {
		return fmt.Errorf("compile for %s: what checks indices: %w", d.name, err)
	}
	p.exec, p.took, p.likely = e, time.Since(start), likely(p.graph)
	return nil
}

// firstLine is the user's line of the first op that an error of the backend's
// compiler is about.
func (p *program) firstLine(err error) string {
	if e, ok := errors.AsType[*backends.FallbackError](err); ok && !e.Whole() { // which begins with it
		return e.Ops[0].Line + ": "
	}
	if lacking, ok := errors.AsType[*backends.UnsupportedError](err); ok && len(lacking.Ops) > 0 {
		return lower.PlaceAt(p.text, lacking.Ops[0].Pos)
	}
	return ""
}

// placed adds the user's lines of all ops that the backend lacks to its error.
func (p *program) placed(err error) error {
	lacking, ok := err.(*backends.UnsupportedError)
	if !ok {
		return err
	}
	more := *lacking
	more.Ops = slices.Clone(lacking.Ops)
	for i := range more.Ops {
		o := &more.Ops[i]
		if at := strings.TrimSuffix(lower.PlaceAt(p.text, o.Pos), ": "+o.Op+": "); at != "" {
			o.Reason += ", recorded at " + at
		}
	}
	return &more
}

// explain adds to a failure at run time the line of the op that failed.
func (p *program) explain(err error) error {
	if op, ok := err.(*OpError); ok { // of an op run alone, or memory
		return op
	}
	failed, ok := errors.AsType[*backends.RunError](err)
	if !ok || failed.Op < 0 {
		return fmt.Errorf("run: %w", err)
	}
	at := lower.Place(p.text, failed.Op)
	return fmt.Errorf("%srun: %w", at, failed.Reason)
}

// likely judges how long a run of g takes before there has been one: 100 ns an
// op, 1 ns an element of its operands and result, 1 ns a multiplication.
func likely(g *ir.Graph) time.Duration { return likelyOf(g, map[*ir.Graph]time.Duration{}) }

// likelyOf is likely; known has that of bodies, which composites may share.
func likelyOf(g *ir.Graph, known map[*ir.Graph]time.Duration) time.Duration {
	if took, ok := known[g]; ok {
		return took
	}
	total := 0.0
	for _, n := range g.Nodes {
		if n.Op == ir.OpParameter || n.Op == ir.OpResult {
			continue
		}
		size := float64(n.Type.Elements())
		for _, t := range n.Results() {
			size += float64(t.Elements())
		}
		total += 100 + size
		for _, x := range n.In {
			total += float64(x.Type.Elements())
		}
		if n.Op == ir.OpMatMul {
			total += size * float64(n.In[0].Type.Shape[n.In[0].Type.Rank()-1])
		}
		for _, body := range n.Body.Graphs() {
			total += float64(likelyOf(body, known))
		}
	}
	known[g] = time.Duration(min(total, float64(time.Hour)))
	return known[g]
}

// estimate returns how long the next run is likely to take.
func (p *program) estimate() time.Duration {
	if past := p.runs.Load(); past > 0 {
		return time.Duration(past)
	}
	return p.likely
}

// measured notes how long a run took: the estimate goes a quarter of the way.
func (p *program) measured(took time.Duration) {
	if past := p.runs.Load(); past > 0 {
		took = time.Duration(past) + (took-time.Duration(past))/4
	}
	p.runs.Store(max(int64(took), 1))
}

// runsInline reports whether programs run on the goroutine that asks for them,
// however long they take: goroutines are not wanted, or cost more than a run.
func (d *Device) runsInline() bool {
	return d.options.Threads == 1 || d.backend.Immediate()
}
