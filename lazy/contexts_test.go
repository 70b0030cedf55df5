package lazy_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// No context is held once its step or call is done: it may be a request, with all that belongs
// to it.
func TestContextsAreLetGo(t *testing.T) {
	type key struct{}
	type request struct{ data [1 << 10]byte }
	for _, backend := range []string{"cpu", "eval"} {
		t.Run(backend, func(t *testing.T) {
			dev := open(t, backend)
			tr := lazy.NewTrace(dev)
			f := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
				return []*lazy.Tensor{x[0].Exp().Sum(0)}
			})
			x := lazy.From(tr, []float32{1, 2, 3})
			calls := map[string]func(context.Context){
				"MarkStepContext": func(ctx context.Context) {
					y := x.Exp().MatMul(x)
					require.NoError(t, tr.MarkStepContext(ctx, y))
					require.NoError(t, tr.Wait(t.Context()))
				},
				"Call": func(ctx context.Context) {
					_, err := f.Call(ctx, x)
					require.NoError(t, err)
				},
			}
			released := map[string]chan struct{}{}
			for name, call := range calls {
				r, done := new(request), make(chan struct{})
				runtime.AddCleanup(r, func(done chan struct{}) { close(done) }, done)
				ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, r))
				call(ctx)
				cancel()
				released[name] = done
			}
			for name, done := range released {
				ended := false
				for deadline := time.Now().Add(time.Minute); !ended && time.Now().Before(deadline); {
					runtime.GC()
					select {
					case <-done:
						ended = true
					case <-time.After(time.Millisecond):
					}
				}
				require.True(t, ended, "the context of %s is still held", name)
			}
			runtime.KeepAlive(tr)
			runtime.KeepAlive(f)
		})
	}
}
