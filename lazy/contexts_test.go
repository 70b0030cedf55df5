package lazy_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

// No context is held once its step or call is done: it may be a request, with all that belongs
// to it.
func TestContextsAreLetGo(t *testing.T) {
	for _, backend := range []string{"cpu", "eval"} {
		t.Run(backend, func(t *testing.T) {
			dev := open(t, backend)
			tr := lazy.NewTrace(dev)
			f := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
				return []*lazy.Tensor{x[0].Exp().Sum(0)}
			})
			x := lazy.From(tr, []float32{1, 2, 3})
			var contexts trials.Requests
			contexts.With("MarkStepContext", func(ctx context.Context) {
				y := x.Exp().MatMul(x)
				require.NoError(t, tr.MarkStepContext(ctx, y))
				require.NoError(t, tr.Wait(t.Context()))
			})
			contexts.With("Call", func(ctx context.Context) {
				_, err := f.Call(ctx, x)
				require.NoError(t, err)
			})
			contexts.Released(t)
			runtime.KeepAlive(tr)
			runtime.KeepAlive(f)
		})
	}
}
