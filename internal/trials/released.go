package trials

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// Requests makes contexts as of requests, with a value each, to find who keeps one.
type Requests []request

type request struct {
	of   string
	gone chan struct{} // closed when nothing holds the context
}

type requestKey struct{}

// With calls f with a context of its own, which is cancelled afterwards; of names the call.
func (r *Requests) With(of string, f func(context.Context)) {
	held, gone := new([1 << 10]byte), make(chan struct{})
	runtime.AddCleanup(held, func(gone chan struct{}) { close(gone) }, gone)
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), requestKey{}, held))
	defer cancel()
	*r = append(*r, request{of, gone})
	f(ctx)
}

// Released requires that nothing holds any of the contexts.
func (r Requests) Released(t testing.TB) {
	t.Helper()
	for _, x := range r {
		for end := time.Now().Add(time.Minute); ; {
			runtime.GC()
			select {
			case <-x.gone:
			case <-time.After(time.Millisecond):
				if time.Now().Before(end) {
					continue
				}
				t.Errorf("the context of %s is still held", x.of)
			}
			break
		}
	}
}
