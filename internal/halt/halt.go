// Package halt ends long work when a context does, from within functions that return no
// error. Its central type is [Watch].
//
// The package imports only the standard library.
package halt

import "context"

// Watch looks at a context for work that one goroutine does. A nil Watch looks at none.
type Watch struct {
	ctx context.Context
	n   int
}

// every is how many pieces of work are done between two looks. A piece takes
// microseconds.
const every = 64

// On returns what looks at ctx; nil if that never ends.
func On(ctx context.Context) *Watch {
	if ctx.Done() == nil {
		return nil
	}
	return &Watch{ctx: ctx}
}

// Look is called once for each piece of work, such as an op of a module. When the
// context is done it does not return: the panic ends in [Watch.Catch].
func (w *Watch) Look() {
	if w == nil {
		return
	}
	if w.n++; w.n%every == 0 && w.ctx.Err() != nil {
		panic(halted{w})
	}
}

// halted is what Look panics with.
type halted struct{ by *Watch }

// Catch is to be deferred by the function around the work. It makes err the context's
// cause if Look has ended the work; other panics go on.
func (w *Watch) Catch(err *error) {
	if w == nil {
		return
	}
	switch r := recover().(type) {
	case nil:
	case halted:
		if r.by != w {
			panic(r)
		}
		*err = context.Cause(w.ctx)
	default:
		panic(r)
	}
}

// Closed reports whether done, of a context, is closed; false for nil.
func Closed(done <-chan struct{}) bool {
	if done == nil {
		return false
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}
