package lazy_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference"
	"ltc/lazy"
	"ltc/soa"
)

// flaky is the evaluator, with failures on demand.
type flaky struct {
	backends.Backend
	failures atomic.Int32 // runs that are to fail
	copied   atomic.Int64 // what executables say that they have copied
}

var theFlaky flaky

var errFlaky = errors.New("the device fell off")

func init() {
	backends.Register("flaky", func(instance string) (backends.Backend, error) {
		if g, ok := gates.Load(instance); ok {
			return g.(backends.Backend), nil
		}
		b, err := backends.Open("eval")
		theFlaky.Backend = b
		return &theFlaky, err
	})
}

func (f *flaky) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	e, err := f.Backend.Compile(ctx, m, o)
	return flakyExecutable{e}, err
}

type flakyExecutable struct{ backends.Executable }

func (e flakyExecutable) CopiedBytes() int64 { return theFlaky.copied.Load() }

func (e flakyExecutable) Execute(ctx context.Context, c *backends.Call) error {
	if theFlaky.failures.Add(-1) >= 0 {
		return &backends.RunError{Op: 2, Reason: errFlaky}
	}
	theFlaky.failures.Store(0)
	return e.Executable.Execute(ctx, c)
}

// What devices log is shown by the tests that look at it, which bring a logger.
func TestMain(m *testing.M) {
	slog.SetLogLoggerLevel(slog.LevelError)
	m.Run()
}

func open(t testing.TB, name string, opts ...lazy.Option) *lazy.Device {
	t.Helper()
	d, err := lazy.Open(name, opts...)
	require.NoError(t, err)
	return d
}

// floats reads an f32 tensor.
func floats(t testing.TB, x *lazy.Tensor) []float32 {
	t.Helper()
	v, err := lazy.ToSlice[float32](x)
	require.NoError(t, err)
	return v
}

func value(t testing.TB, x *lazy.Tensor) soa.View {
	t.Helper()
	v, err := x.Value()
	require.NoError(t, err)
	return v
}
