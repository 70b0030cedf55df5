package llvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/native"
	"ltc/internal/samples"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// tiered are programs whose kernels have stand-ins. CONST is a number of each test's own, so that
// no kernel was compiled before.
var tiered = map[string]string{
	"elementwise": `func.func @main(%x: tensor<70000xf32>) -> tensor<70000xf32> {
  %c = stablehlo.constant dense<CONST> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<70000xf32>
  %m = stablehlo.multiply %x, %b : tensor<70000xf32>
  %r = stablehlo.exponential %m : tensor<70000xf32>
  return %r : tensor<70000xf32>
}`,
	"sum": `func.func @main(%x: tensor<300x257xf32>) -> tensor<300xf32> {
  %c = stablehlo.constant dense<CONST> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<300x257xf32>
  %m = stablehlo.multiply %x, %b : tensor<300x257xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%m init: %z) applies stablehlo.add across dimensions = [1] : (tensor<300x257xf32>, tensor<f32>) -> tensor<300xf32>
  return %r : tensor<300xf32>
}`,
	"small product": tanhOfProduct("8x8"),
	"product":       tanhOfProduct("64x64"),
}

func tanhOfProduct(dims string) string {
	return strings.ReplaceAll(`func.func @main(%x: tensor<DIMSxf32>, %y: tensor<DIMSxf32>) -> tensor<DIMSxf32> {
  %c = stablehlo.constant dense<CONST> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<DIMSxf32>
  %p = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<DIMSxf32>, tensor<DIMSxf32>) -> tensor<DIMSxf32>
  %m = stablehlo.multiply %p, %b : tensor<DIMSxf32>
  %r = stablehlo.tanh %m : tensor<DIMSxf32>
  return %r : tensor<DIMSxf32>
}`, "DIMS", dims)
}

// fresh returns a text with a number of its own, and one that stands in the place of CONST.
func fresh(text string) string {
	return strings.ReplaceAll(text, "CONST", fmt.Sprintf("%.6f", 0.5+rand.Float64()/2))
}

// hold keeps code that nobody waits for from being compiled until release is called.
func hold(t *testing.T) (release func()) {
	t.Helper()
	if _, err := libllvm.Open(); err != nil {
		t.Skipf("what libLLVM compiles is tested, and there is none: %v", err)
	}
	for range cap(background()) {
		background() <- struct{}{}
	}
	release = sync.OnceFunc(func() {
		for range cap(background()) {
			<-background()
		}
	})
	t.Cleanup(release)
	return release
}

// compileFor compiles a text for a backend.
func compileFor(t *testing.T, name, text string, o backends.Options) backends.Executable {
	t.Helper()
	b, err := backends.Open(name)
	require.NoError(t, err)
	e, err := b.Compile(t.Context(), backends.NewModule(text), o)
	require.NoError(t, err)
	return e
}

// interim returns how many launches stand-ins have run, and all.
func interim(e backends.Executable) (n, all int64) {
	for _, s := range e.(backends.Profiler).Profile() {
		n, all = n+s.Interim, all+s.Runs
	}
	return n, all
}

// Stand-ins run until code is compiled. From then on the bits are those of a program that has
// waited for it.
func TestTiers(t *testing.T) {
	for name, text := range tiered {
		for _, threads := range []int{1, 2} {
			t.Run(fmt.Sprint(name, " on ", threads), func(t *testing.T) {
				text := fresh(text)
				release := hold(t)
				early := compileFor(t, "cpu", text, backends.Options{Tiers: true, Profile: true, Threads: threads})
				args := randomArgs(t, early, 1)
				run := func(e backends.Executable) soa.View {
					c := &backends.Call{Args: args()}
					require.NoError(t, e.Execute(t.Context(), c))
					return c.Results[0]
				}
				want := run(compileFor(t, "eval", text, backends.Options{}))
				near := func(got soa.View) {
					d, err := samples.Differ(got, want)
					require.NoError(t, err)
					require.LessOrEqual(t, d.Size, tolerance(types.F32, true), "%s, want %s", d.Got, d.Want)
				}
				near(run(early))
				n, all := interim(early)
				require.Positive(t, n)
				require.Equal(t, all, n)

				var late backends.Executable
				var waits sync.WaitGroup
				waits.Go(func() { // for what the first one has asked for
					late = compileFor(t, "cpu", text, backends.Options{Profile: true, Threads: threads})
				})
				release()
				require.NoError(t, early.(backends.Tiered).Finish(t.Context()))
				waits.Wait()
				got := run(early)
				near(got)
				require.Equal(t, elementBits(run(late)), elementBits(got))
				n, all = interim(early)
				require.Equal(t, all, 2*n)
				n, _ = interim(late)
				require.Zero(t, n)
			})
		}
	}
}

// Constants that are bound are packed for the final code, while stand-ins read them in place.
func TestTiersOfBoundPrograms(t *testing.T) {
	text := strings.Replace(fresh(tiered["product"]), "%y: tensor<64x64xf32>", "%y: tensor<64x64xf32> {ltc.constant}", 1)
	release := hold(t)
	early := compileFor(t, "cpu", text, backends.Options{Tiers: true})
	args := randomArgs(t, early, 1)()
	bind := func(e backends.Executable) backends.Executable {
		b, err := e.Bind(t.Context(), map[int]soa.View{1: args[1]})
		require.NoError(t, err)
		return b
	}
	run := func(e backends.Executable) soa.View {
		c := &backends.Call{Args: args}
		require.NoError(t, e.Execute(t.Context(), c))
		return c.Results[0]
	}
	bound := bind(early)
	first := run(bound)
	release()
	require.NoError(t, bound.(backends.Tiered).Finish(t.Context()))
	want := run(bind(compileFor(t, "cpu", text, backends.Options{})))
	require.Equal(t, elementBits(want), elementBits(run(bound)))
	d, err := samples.Differ(first, want)
	require.NoError(t, err)
	require.LessOrEqual(t, d.Size, tolerance(types.F32, true))
}

// What is computed once of constants that are bound is computed by the final code.
func TestTiersComputeNothingThatIsKept(t *testing.T) {
	text := fresh(`func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32> {ltc.constant}) -> tensor<64xf32> {
  %c = stablehlo.constant dense<CONST> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %m = stablehlo.multiply %y, %b : tensor<64xf32>
  %e = stablehlo.exponential %m : tensor<64xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %w = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %r = stablehlo.multiply %x, %w : tensor<64xf32>
  return %r : tensor<64xf32>
}`)
	release := hold(t)
	early := compileFor(t, "cpu", text, backends.Options{Tiers: true})
	args := randomArgs(t, early, 1)()
	bind := func(ctx context.Context, e backends.Executable) (backends.Executable, error) {
		return e.Bind(ctx, map[int]soa.View{1: args[1]})
	}
	ended, end := context.WithCancel(t.Context())
	end()
	_, err := bind(ended, early)
	require.ErrorIs(t, err, context.Canceled)
	release()
	var got [2][]uint64
	for i, e := range []backends.Executable{early, compileFor(t, "cpu", text, backends.Options{})} {
		b, err := bind(t.Context(), e)
		require.NoError(t, err)
		c := &backends.Call{Args: args}
		require.NoError(t, b.(backends.Tiered).Finish(t.Context()))
		require.NoError(t, b.Execute(t.Context(), c))
		got[i] = elementBits(c.Results[0])
	}
	require.Equal(t, got[1], got[0])
}

// A loop runs stand-ins, and is a chain of machine code when it runs again. Launches that are
// under way when code gets ready are not mixed.
func TestTiersOfLoops(t *testing.T) {
	text := strings.ReplaceAll(strings.Replace(largeLoop, "    %s = stablehlo.subtract %b, %x", `    %k = stablehlo.constant dense<CONST> : tensor<f32>
    %l = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<f32>) -> tensor<Nxf32>
    %m = stablehlo.maximum %b, %l : tensor<Nxf32>
    %s = stablehlo.subtract %m, %x`, 1), "Nx", "70000x")
	for _, threads := range []int{1, 2} {
		text := fresh(text)
		release := hold(t)
		e := compileFor(t, "cpu", text, backends.Options{Tiers: true, Threads: threads})
		args := randomArgs(t, e, 1)
		want := &backends.Call{Args: args()}
		require.NoError(t, compileFor(t, "eval", text, backends.Options{}).Execute(t.Context(), want))
		run := func(t assert.TestingT) {
			c := &backends.Call{Args: args()}
			if assert.NoError(t, e.Execute(context.Background(), c)) {
				assert.True(t, bytes.Equal(memoryOf(want.Results[0]), memoryOf(c.Results[0])), "other bits than the evaluator's")
			}
		}
		run(t)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				for range 20 {
					run(t)
				}
			})
		}
		release()
		require.NoError(t, e.(backends.Tiered).Finish(t.Context()))
		all.Wait()
		run(t)
	}
}

// Runs allocate nothing, neither of stand-ins nor of what has replaced them.
func TestTiersAllocateNothing(t *testing.T) {
	if trials.Race {
		t.Skip("under the race detector sync.Pool drops values on purpose, so that runs allocate")
	}
	for _, name := range []string{"sum", "product"} {
		release := hold(t)
		e := compileFor(t, "cpu", fresh(tiered[name]), backends.Options{Tiers: true, Threads: 1})
		args := randomArgs(t, e, 1)()
		c := &backends.Call{Args: args, Results: []soa.View{soa.Make(e.Signature().Results[0].Type)}}
		run := func() {
			if err := e.Execute(context.Background(), c); err != nil {
				panic(err)
			}
		}
		run() // what is put off begins, and allocates until libLLVM is to compile it
		require.Eventually(t, func() bool { return trials.Allocs(20, run) == 0 }, time.Minute, 10*time.Millisecond, name)
		release()
		require.NoError(t, e.(backends.Tiered).Finish(t.Context()))
		require.Zero(t, trials.LeastAllocs(20, run), name)
	}
}

// A stand-in stays where there is no code to replace it, and what went wrong is logged.
func TestTierWithoutCode(t *testing.T) {
	s := compilers(t)[0]
	failure := errors.New("no room")
	asked := make(chan struct{}) // closed when units may be compiled
	s.units.compile = func(context.Context, gemm.Unit) (native.Kernel, error) {
		<-asked
		return native.Kernel{}, failure
	}
	var told atomic.Value
	s.units.failed = func(err error) { told.Store(err) }
	k, err := kernel.Parse(`kernel k(x: i32[64, 64] strides [*, 1], y: i32[64, 64] strides [*, 1], out z: i32[64, 64] strides [*, 1]) {
  for i < 64
  for j < 64
  stage l < 64 {
    %0 = load x[i, l]
    %1 = load y[l, j]
    %2 = multiply %0, %1 : i32
    %3 = reduce add %2
  }
  stage {
    store z[i, j], %3
  }
}`)
	require.NoError(t, err)
	require.NoError(t, kernel.Verify(k))
	ctx := kernel.WithTiers(t.Context(), &kernel.Tiers{Inexact: true, Cost: func(*kernel.Kernel) (float64, bool) { return 0, true }})
	codes, err := s.Compile(ctx, []*kernel.Kernel{k})
	require.NoError(t, err)
	prepared, err := codes[0].(kernel.Preparer).Prepare(ctx, nil, []int64{64, 64, 64}, nil)
	require.NoError(t, err)
	waits := prepared.(kernel.Tier)
	early, final := waits.Now()
	require.False(t, final)
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, waits.Finish(ended), context.Canceled)
	close(asked)
	require.NoError(t, waits.Finish(t.Context()))
	late, final := waits.Now()
	require.True(t, final)
	require.Same(t, early, late)
	require.ErrorIs(t, told.Load().(error), failure)
}

// A kernel whose stand-in would take longer than compiling it has none.
func TestKernelsWithoutStandIn(t *testing.T) {
	for _, c := range []struct {
		cost  float64
		known bool
		want  kernel.Code
	}{{0, true, &tier{}}, {1e12, true, &code{}}, {0, false, &code{}}} {
		s := compilers(t)[0]
		ctx := kernel.WithTiers(t.Context(), &kernel.Tiers{Inexact: true, Cost: func(*kernel.Kernel) (float64, bool) { return c.cost, c.known }})
		release := hold(t)
		codes, err := s.Compile(ctx, []*kernel.Kernel{workload(t, "tanh")})
		release()
		require.NoError(t, err)
		require.IsType(t, c.want, codes[0])
		codes, err = s.Compile(t.Context(), []*kernel.Kernel{workload(t, "tanh")})
		require.NoError(t, err)
		require.IsType(t, &code{}, codes[0])
	}
}

// Stand-ins run a program of an open size, for each size.
func TestTiersOfOpenSizes(t *testing.T) {
	text := fresh(`func.func @main(%x: tensor<?x100xf32>) -> tensor<?xf32> {
  %c = stablehlo.constant dense<CONST> : tensor<f32>
  %m = chlo.broadcast_multiply %x, %c : (tensor<?x100xf32>, tensor<f32>) -> tensor<?x100xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%m init: %z) applies stablehlo.add across dimensions = [1] : (tensor<?x100xf32>, tensor<f32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}`)
	release := hold(t)
	early := compileFor(t, "cpu", text, backends.Options{Tiers: true, Profile: true})
	run := func(e backends.Executable, n int) soa.View {
		x, err := samples.Make(types.Of(types.F32, n, 100), "rand:1")
		require.NoError(t, err)
		c := &backends.Call{Args: []soa.View{x}}
		require.NoError(t, e.Execute(t.Context(), c))
		return c.Results[0]
	}
	var first []soa.View
	for n := 1; n < 40; n += 7 {
		first = append(first, run(early, n))
	}
	n, all := interim(early)
	require.Positive(t, n)
	require.Equal(t, all, n)
	release()
	require.NoError(t, early.(backends.Tiered).Finish(t.Context()))
	late := compileFor(t, "cpu", text, backends.Options{})
	for i, was := range first {
		want := run(late, 1+7*i)
		require.Equal(t, elementBits(want), elementBits(run(early, 1+7*i)))
		d, err := samples.Differ(was, want)
		require.NoError(t, err)
		require.LessOrEqual(t, d.Size, tolerance(types.F32, true))
	}
	now, _ := interim(early)
	require.Equal(t, n, now)
}

// What compiling in the background leaves is collected once it is some MiB; elsewhere the runtime decides.
func TestCollect(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	cycles := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumGC
	}
	background := context.WithValue(t.Context(), backgroundKey{}, true)
	runtime.GC()
	before := cycles()
	collect(background)
	require.Equal(t, before, cycles(), "there is little to collect")
	runtime.KeepAlive(make([]byte, 2*leastGarbage))
	collect(t.Context())
	require.Equal(t, before, cycles())
	collect(background)
	require.Equal(t, before+1, cycles())
}
