package cuda

import (
	"context"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/ir/types"
	"ltc/soa"
)

// called is what a step of the host of the program interrupted does besides copying.
var called atomic.Pointer[func()]

func init() {
	err := backends.RegisterHost("cuda.test.called", func(_ context.Context, c *backends.HostCall) error {
		if f := called.Load(); f != nil {
			(*f)()
		}
		return soa.Copy(c.Results[0], c.Args[0])
	})
	if err != nil {
		panic(err)
	}
}

// interrupted has a step of the host between products, beside two that it does not wait for,
// and gives its last to a donated argument.
const interrupted = `func.func public @main(%a: tensor<8x8xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %p, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.custom_call @cuda.test.called(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}`

func during(t *testing.T, f func()) {
	called.Store(&f)
	t.Cleanup(func() { called.Store(nil) })
}

// The host's memory that a run has made sure of, for its results, stays when another copy
// that needs more finds none: what is donated would be written by a run that fails.
func TestStagesStay(t *testing.T) {
	aboutFake(t)
	b, f := backend(t, cudafake.Options{})
	e := compile(t, b, interrupted, backends.Options{})
	large := soa.Make(types.Of(types.U8, 300<<10))
	to, err := b.dev.home.Alloc(300 << 10)
	require.NoError(t, err)
	during(t, func() {
		for range 2 {
			f.Fail("cuMemHostAlloc", 0, driver.OutOfMemory)
		}
		require.ErrorIs(t, b.dev.home.Upload(to, 0, large), driver.OutOfMemory)
	})
	require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{there(t, b, soa.Make(types.Of(types.F32, 8, 8)))}}))
	require.NoError(t, b.dev.home.Free(to))
}

// Who has a context that ended compiles, binds, loads and runs nothing, and is told its
// cause.
func TestEnded(t *testing.T) {
	b, _ := backend(t, cudafake.Options{})
	e := compile(t, b, update, backends.Options{})
	artifact, err := e.Artifact()
	require.NoError(t, err)
	ended, end := context.WithCancelCause(t.Context())
	end(errEnough)
	_, err = b.Compile(ended, backends.NewModule(update), backends.Options{})
	require.Equal(t, errEnough, err)
	_, err = b.Load(ended, backends.NewModule(update), backends.Options{}, artifact)
	require.Equal(t, errEnough, err)
	_, err = e.Bind(ended, map[int]soa.View{2: soa.Make(types.Of(types.F32))})
	require.Equal(t, errEnough, err)
	require.Equal(t, errEnough, e.Execute(ended, &backends.Call{Args: updateArgs()}))
	late, stop := context.WithDeadlineCause(t.Context(), time.Now().Add(-time.Second), errEnough)
	defer stop()
	require.Equal(t, errEnough, e.Execute(late, &backends.Call{Args: updateArgs()}))
}

// A run that is cancelled on its way has written nothing of the caller's. When it returns,
// nothing of it runs any more, or its queue keeps the memory that it uses: the program may
// be dropped.
func TestCancelledRun(t *testing.T) {
	for seed := range uint64(6) {
		b, _ := backend(t, cudafake.Options{Seed: seed})
		for _, queued := range []bool{false, true} {
			e := compile(t, b, interrupted, backends.Options{})
			a := soa.Make(types.Of(types.F32, 8, 8))
			for i := range 8 {
				soa.Slice[float32](a)[9*i] = 2
			}
			on := there(t, b, a)
			ctx, end := context.WithCancelCause(t.Context())
			during(t, func() { end(errEnough) })
			c := &backends.Call{Args: []soa.View{on}}
			if queued {
				c.Queue = queue(t, b.dev)
			}
			require.Equal(t, errEnough, e.Execute(ctx, c))
			require.True(t, c.Results[1].IsZero())
			e = nil
			for range 3 {
				runtime.GC()
				time.Sleep(time.Millisecond) // the collector's cleanups run
			}
			require.Equal(t, floats(t, a), floats(t, on))
			if queued {
				require.NoError(t, c.Queue.Wait(t.Context()))
			}
			during(t, func() {})
			e = compile(t, b, interrupted, backends.Options{})
			require.NoError(t, e.Execute(t.Context(), c))
			require.Equal(t, float32(32), floats(t, c.Results[0])[63])
		}
	}
}

// The driver cannot be stopped while it compiles. Who has a context that ends meanwhile
// does not wait for it, and what it has made in the end is unloaded. The driver is asked
// again by the next that needs the kernels: of the program, and of one for views.
func TestCompilingEndsWithTheContext(t *testing.T) {
	aboutFake(t)
	b, f := backend(t, cudafake.Options{})
	interrupt := func(do func(context.Context) error) {
		t.Helper()
		ctx, end := context.WithCancelCause(t.Context())
		begun, release := make(chan struct{}), make(chan struct{})
		f.Before("cuModuleLoadDataEx", func() { close(begun); <-release })
		failed := make(chan error)
		go func() { failed <- do(ctx) }()
		<-begun
		end(errEnough)
		require.ErrorIs(t, <-failed, errEnough)
		unloaded := f.Calls("cuModuleUnload")
		close(release)
		require.Eventually(t, func() bool { return f.Calls("cuModuleUnload") > unloaded }, 10*time.Second, time.Millisecond)
	}
	interrupt(func(ctx context.Context) error {
		_, err := b.Compile(ctx, backends.NewModule(strided), backends.Options{})
		return err
	})
	const exponential = "func.func public @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n  %0 = stablehlo.exponential %x : tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n}"
	for _, text := range []string{exponential, strings.ReplaceAll(exponential, "2x3", "?x3")} {
		e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		x, _ := matrix(t, b, 1, rand.New(rand.NewPCG(1, 1)))
		run := func(ctx context.Context) error { return e.Execute(ctx, &backends.Call{Args: []soa.View{x}}) }
		interrupt(run)
		loaded := f.Calls("cuModuleLoadDataEx")
		require.NoError(t, run(t.Context()))
		require.Equal(t, loaded+1, f.Calls("cuModuleLoadDataEx"), text)
		require.NoError(t, run(t.Context()))
		require.Equal(t, loaded+1, f.Calls("cuModuleLoadDataEx"), text)
	}
}
