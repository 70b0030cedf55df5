package lazy

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ltc/backends"
	"ltc/ir"
	"ltc/lower"
)

// defaultPrograms is how many programs a device keeps compiled.
const defaultPrograms = 1024

// program is a compiled graph. It is shared by all traces of the device.
type program struct {
	graph   *ir.Graph // without values
	results int
	once    sync.Once
	text    string
	exec    backends.Executable
	err     error
	took    time.Duration
}

// programCache keeps a device's programs, the latest used first.
type programCache struct {
	limit int

	mu     sync.Mutex
	byHash map[uint64][]*list.Element // of *program
	recent list.List
}

// get returns the program of g, compiled.
func (c *programCache) get(d *Device, g *ir.Graph, count *counters) (*program, error) {
	p, found := c.lookup(g)
	p.once.Do(func() {
		p.err = errors.New("compile: the backend panicked") // unless compile returns
		p.err = p.compile(d)
	})
	if p.err != nil {
		return nil, p.err
	}
	if found {
		count.cached.Add(1)
	} else {
		count.compiled(p)
	}
	return p, nil
}

// lookup returns the entry of g, made if it is new.
func (c *programCache) lookup(g *ir.Graph) (p *program, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.byHash[g.Hash()] {
		if p := e.Value.(*program); ir.Equal(p.graph, g) {
			c.recent.MoveToFront(e)
			return p, true
		}
	}
	if c.byHash == nil {
		c.byHash = map[uint64][]*list.Element{}
	}
	p = &program{graph: g.Clone(), results: len(g.Results)}
	c.byHash[g.Hash()] = append(c.byHash[g.Hash()], c.recent.PushFront(p))
	if c.recent.Len() > c.limit {
		c.evict(c.recent.Back())
	}
	return p, false
}

func (c *programCache) evict(e *list.Element) {
	h := c.recent.Remove(e).(*program).graph.Hash()
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

func (p *program) compile(d *Device) error {
	start := time.Now()
	p.text = lower.Text(p.graph, true)
	if checking {
		if err := lower.Check(p.graph, p.text); err != nil {
			return err
		}
	}
	exec, err := d.backend.Compile(context.Background(), backends.NewModule(p.text), d.options)
	if err != nil {
		return fmt.Errorf("%scompile for %s: %w", p.firstLine(err), d.name, err)
	}
	if exec == nil {
		return fmt.Errorf("compile for %s: the backend gave neither an executable nor an error", d.name)
	}
	p.exec, p.took = exec, time.Since(start)
	return nil
}

// firstLine is the user's line of the first op that an error of the backend's
// compiler is about.
func (p *program) firstLine(err error) string {
	if lacking, ok := errors.AsType[*backends.UnsupportedError](err); ok && len(lacking.Ops) > 0 {
		return lower.PlaceAt(p.text, lacking.Ops[0].Pos)
	}
	return ""
}

// explain adds to a failure at run time the line of the op that failed.
func (p *program) explain(err error) error {
	failed, ok := errors.AsType[*backends.RunError](err)
	if !ok || failed.Op < 0 {
		return fmt.Errorf("run: %w", err)
	}
	at := lower.Place(p.text, failed.Op)
	return fmt.Errorf("%srun: %w", at, failed.Reason)
}
