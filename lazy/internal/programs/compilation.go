package programs

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

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
