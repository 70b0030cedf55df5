package programs

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/shapeinfer"
)

// most is how many compiled programs a cache keeps at most, however small they are.
const most = 8192

// ErrPanicked is the error of a compilation that has not returned.
var ErrPanicked = errors.New("compile: the backend panicked or ended its goroutine with runtime.Goexit")

// Compiler makes the programs of a [Cache].
type Compiler interface {
	// Compile compiles p.Graph. An error is of this attempt: the program is dropped.
	Compile(ctx context.Context, p *Program) error
	// Located reports whether programs of equal graphs are two if other lines recorded them.
	Located(*ir.Graph) bool
	// Evicted hears of a program that was dropped for want of room, which takes so many bytes.
	Evicted(p *Program, bytes int64)
}

// Cache keeps compiled programs within a limit. The one used longest ago is dropped first;
// one that takes more than the limit runs, and is compiled again the next time.
type Cache struct {
	Compiler Compiler
	Limit    int64     // in bytes
	Families *Families // nil: all sizes are numbers

	mu     sync.Mutex
	bytes  int64
	byHash map[uint64][]*list.Element // of *Program
	recent list.List                  // the latest used first
}

// Get returns the program of g, compiled, and whether it was found so. The error is the
// cause of ctx if that is done before. at, which may be nil if there are no families, is asked for
// the line that g is compiled for.
func (c *Cache) Get(ctx context.Context, g *ir.Graph, at func() callsite.Site) (p *Program, found bool, err error) {
	for {
		if p, found = c.lookup(g, at); p.finished() {
			err = p.err
		} else {
			err = c.compile(ctx, p)
		}
		if err == nil || ctx.Err() != nil {
			return p, found, err
		}
		switch {
		case !p.finished():
			return p, found, err
		case p.lost():
		case p.Open != nil: // sizes as numbers may do
			c.Families.refused(p.Open, err)
		default:
			return p, found, err
		}
	}
}

// GetOpen is Get of a program whose sizes are open. Graphs that are instances of it have it from
// then on, until the families are forgotten. The error may be that the backend does not compile it.
func (c *Cache) GetOpen(ctx context.Context, o *shapeinfer.Open) (p *Program, found bool, err error) {
	p, found, err = c.get(ctx, func() *Program { return newProgram(o.Graph, o) }, o.Graph)
	if err == nil {
		c.Families.Add(o)
	}
	return p, found, err
}

// GetStatic is Get of a program whose sizes are numbers.
func (c *Cache) GetStatic(ctx context.Context, g *ir.Graph) (*Program, error) {
	p, _, err := c.get(ctx, func() *Program { return newProgram(g, nil) }, g)
	return p, err
}

// get returns the entry of g, compiled; if it is new, program makes it.
func (c *Cache) get(ctx context.Context, program func() *Program, g *ir.Graph) (p *Program, found bool, err error) {
	for {
		c.mu.Lock()
		p = c.entry(g)
		if found = p != nil; !found {
			p = c.added(program())
		}
		c.mu.Unlock()
		if err = c.compile(ctx, p); err == nil || ctx.Err() != nil || !p.finished() || !p.lost() {
			return p, found, err
		}
	}
}

// compile compiles p or waits for whoever does. It is apart from Get since a closure
// that a found program does not need would be allocated there.
func (c *Cache) compile(ctx context.Context, p *Program) error {
	return p.wait(ctx, func(ctx context.Context) (err error) {
		err = ErrPanicked // unless Compile returns
		defer func() { c.compiled(p, err) }()
		if err = c.Compiler.Compile(ctx, p); err == nil {
			p.likely = likely(p.Graph)
			if p.Open != nil {
				c.Families.report(p.Open, nil)
			}
		}
		return err
	})
}

// lookup returns the entry of g, made if it is new. It may be that of a graph which g is an
// instance of.
func (c *Cache) lookup(g *ir.Graph, at func() callsite.Site) (p *Program, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.entry(g); p != nil {
		return p, true
	}
	if c.Families == nil || c.Compiler.Located(g) {
		return c.added(newProgram(g, nil)), false
	}
	c.mu.Unlock() // graphs are compared without it
	open := c.Families.open(g, at)
	c.mu.Lock()
	if open != nil {
		if p := c.entry(open.Graph); p != nil {
			return p, true
		}
		return c.added(newProgram(open.Graph, open)), false
	}
	if p := c.entry(g); p != nil { // of another goroutine, meanwhile
		return p, true
	}
	return c.added(newProgram(g, nil)), false
}

func (c *Cache) added(p *Program) *Program {
	if c.byHash == nil {
		c.byHash = map[uint64][]*list.Element{}
	}
	p.element = c.recent.PushFront(p)
	c.byHash[p.Graph.Hash()] = append(c.byHash[p.Graph.Hash()], p.element)
	return p
}

// entry returns the entry of g, which is then the one used last; nil if there is none. The
// caller holds the lock.
func (c *Cache) entry(g *ir.Graph) *Program {
	located := c.Compiler.Located(g)
	for _, e := range c.byHash[g.Hash()] {
		if p := e.Value.(*Program); ir.Equal(p.Graph, g) && (!located || sameLines(p.Graph, g)) {
			c.recent.MoveToFront(e)
			return p
		}
	}
	return nil
}

// Find returns the program of g if it is compiled, or once a compilation under way has
// ended. It compiles nothing, and returns nil if there is no such program. The error is the
// cause of ctx if that is done before, or of the compilation.
func (c *Cache) Find(ctx context.Context, g *ir.Graph) (*Program, error) {
	for {
		p := c.there(g)
		if p == nil || !p.isBegun() {
			return nil, nil
		}
		if !p.finished() {
			select {
			case <-p.done:
			case <-ctx.Done():
				return nil, notCompiled(ctx)
			}
		}
		if p.err == nil {
			return p, nil
		}
		if !p.lost() { // else it is dropped, and somebody may compile it again
			return nil, p.err
		}
	}
}

// there returns the entry of g, or of a graph which g is an instance of; nil if there is none.
func (c *Cache) there(g *ir.Graph) *Program {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.entry(g); p != nil || c.Families == nil {
		return p
	}
	c.mu.Unlock() // graphs are compared without it
	open := c.Families.find(g, g.Outline())
	c.mu.Lock()
	if open == nil {
		return nil
	}
	return c.entry(open.Graph)
}

// sameLines reports whether equal graphs were recorded by the same lines.
func sameLines(a, b *ir.Graph) bool {
	return slices.EqualFunc(a.Nodes, b.Nodes, func(a, b *ir.Node) bool { return a.Loc == b.Loc })
}

// drop removes an entry. Who holds its program goes on using it.
func (c *Cache) drop(e *list.Element) {
	p := c.recent.Remove(e).(*Program)
	p.element = nil
	c.bytes -= p.bytes
	h := p.Graph.Hash()
	if c.byHash[h] = slices.DeleteFunc(c.byHash[h], func(x *list.Element) bool { return x == e }); len(c.byHash[h]) == 0 {
		delete(c.byHash, h)
	}
}

// Used notes the use of a program that was not looked up.
func (c *Cache) Used(p *Program) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.element != nil {
		c.recent.MoveToFront(p.element)
	}
}

// compiled accounts for p. A program that could not be compiled is dropped at once:
// the backend may have recovered when it is asked for again.
func (c *Cache) compiled(p *Program, err error) {
	size := p.Bytes()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case p.element == nil: // dropped by another while it compiled
	case err != nil:
		c.drop(p.element)
	default:
		c.grow(p, size)
	}
}

// Grew accounts for what p takes more since the last time.
func (c *Cache) Grew(p *Program, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.element != nil {
		c.grow(p, bytes)
	}
}

// grow accounts for what p takes more, and drops the programs used longest ago while there
// are too many, or too many bytes.
func (c *Cache) grow(p *Program, bytes int64) {
	p.bytes += bytes
	c.bytes += bytes
	for (c.bytes > c.Limit || c.recent.Len() > most) && c.recent.Len() > 0 {
		c.evict()
	}
}

// evict drops the program used longest ago.
func (c *Cache) evict() {
	oldest := c.recent.Back().Value.(*Program)
	c.drop(oldest.element)
	c.Compiler.Evicted(oldest, oldest.bytes)
}

// Shrink drops programs until there are n.
func (c *Cache) Shrink(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.recent.Len() > n {
		c.evict()
	}
}

// Size returns how many programs there are, and what they take.
func (c *Cache) Size() (programs int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recent.Len(), c.bytes
}

// Compiled returns the programs that have been compiled, the latest used first.
func (c *Cache) Compiled() []*Program {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []*Program
	for e := c.recent.Front(); e != nil; e = e.Next() {
		if p := e.Value.(*Program); p.bytes > 0 {
			all = append(all, p)
		}
	}
	return all
}

// Recent returns the n programs that were used last, compiled or not, the latest first.
func (c *Cache) Recent(n int) []*Program {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]*Program, 0, min(n, c.recent.Len()))
	for e := c.recent.Front(); e != nil && len(all) < n; e = e.Next() {
		all = append(all, e.Value.(*Program))
	}
	return all
}

// compilation is the compilation of one program, which any number of callers wait
// for, each until its own context is done.
//
// A caller whose context can end compiles on another goroutine, so that it returns
// at once when that happens. The compilation is cancelled when nobody waits for it
// any more. If it succeeds all the same, because the backend does not look at its
// context, the program is there for the next caller.
type compilation struct {
	done chan struct{} // closed at the end
	over atomic.Bool   // done is about to be closed
	err  error         // of the compilation, to be read after done

	mu        sync.Mutex
	begun     bool
	waiting   int
	cancel    context.CancelFunc // nil if the first caller's context never ends, and after the end
	abandoned bool               // cancelled, since nobody waited
}

// finished reports whether the compilation has ended.
func (c *compilation) finished() bool {
	return c.over.Load() // a channel takes longer, in each step that is found
}

// isBegun reports whether the compilation has begun.
func (c *compilation) isBegun() bool {
	if c.finished() {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun
}

// wait runs compile, unless somebody has begun it, and returns its error, or the
// cause of ctx if that is done first.
func (c *compilation) wait(ctx context.Context, compile func(context.Context) error) error {
	if c.finished() {
		return c.err
	}
	if ctx.Err() != nil {
		return notCompiled(ctx)
	}
	c.mu.Lock()
	first := !c.begun
	c.begun = true
	c.waiting++
	if first && ctx.Done() == nil {
		c.mu.Unlock()
		c.run(ctx, compile)
		return c.err
	}
	if first {
		var work context.Context
		work, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
		go c.apart(work, compile)
	}
	c.mu.Unlock()
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting--; c.waiting == 0 && c.cancel != nil {
		c.abandoned = true
		c.cancel()
	}
	return notCompiled(ctx)
}

// notCompiled is the error of a caller that did not wait for its program.
func notCompiled(ctx context.Context) error {
	return fmt.Errorf("the program was not compiled: %w", context.Cause(ctx))
}

func (c *compilation) run(ctx context.Context, compile func(context.Context) error) {
	defer func() { c.over.Store(true); close(c.done) }()
	c.err = ErrPanicked // unless compile returns
	c.err = compile(ctx)
}

// apart is run on a goroutine of its own, where a panic would end the process: it
// becomes the error.
func (c *compilation) apart(ctx context.Context, compile func(context.Context) error) {
	defer c.release()
	c.run(ctx, func(ctx context.Context) (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("%w: %v\n%s", ErrPanicked, r, debug.Stack())
			}
		}()
		return compile(ctx)
	})
}

// release drops the context of the compilation, which has ended: it is somebody's request.
func (c *compilation) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancel()
	c.cancel = nil
}

// lost reports whether the compilation, which has ended, failed because those who
// waited for it had left: whoever still needs the program compiles it again.
func (c *compilation) lost() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.abandoned && c.err != nil
}
