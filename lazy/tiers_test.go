package lazy_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/lazy"
)

// tieredBackend is eval with executables that count how often they were finished.
type tieredBackend struct{ backends.Backend }

type tieredExecutable struct{ backends.Executable }

// asked counts the programs that were compiled with tiers, and finished those that were waited
// for.
var asked, finished atomic.Int64

func (b tieredBackend) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	if o.Tiers {
		asked.Add(1)
	}
	e, err := b.Backend.Compile(ctx, m, o)
	return tieredExecutable{e}, err
}

func (tieredExecutable) Finish(context.Context) error {
	finished.Add(1)
	return nil
}

// Steps do not wait for code that is compiled meanwhile; Warmup and Close do.
func TestTiers(t *testing.T) {
	asked.Store(0)
	finished.Store(0)
	b, err := backends.Open("eval")
	require.NoError(t, err)
	gates.Store("tiers", tieredBackend{b})
	defer gates.Delete("tiers")
	dev := open(t, "flaky:tiers", lazy.Tiers())
	tr := lazy.NewTrace(dev)
	require.NoError(t, tr.MarkStep(ones(tr, 2).AddScalar(1)))
	require.EqualValues(t, 1, asked.Load())
	require.Zero(t, finished.Load())
	require.NoError(t, tr.Warmup(ones(tr, 2).AddScalar(1)), "compiled already")
	require.EqualValues(t, 1, asked.Load())
	require.EqualValues(t, 1, finished.Load())
	tr.Discard()
	f := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{x[0].Exp()} })
	require.NoError(t, f.Warmup(t.Context(), lazy.From(tr, []float32{1, 2}, 2)))
	require.EqualValues(t, 2, asked.Load())
	require.EqualValues(t, 2, finished.Load())
	require.NoError(t, dev.Close())
	require.EqualValues(t, 4, finished.Load())

	tr = lazy.NewTrace(open(t, "flaky:tiers"))
	require.NoError(t, tr.MarkStep(ones(tr, 2)))
	require.EqualValues(t, 2, asked.Load())
}
