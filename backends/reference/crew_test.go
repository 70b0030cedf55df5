package reference

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/tiles"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/soa"
)

// Every part of every launch runs once, and before do returns.
func TestCrew(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, size := range []int{1, 2, 3, 7} {
		var ran [64]atomic.Int32
		var c crew
		c.init(size, func(worker, p, n int) {
			require.Less(t, worker, size)
			if p%3 == 1 {
				runtime.Gosched()
			}
			for i := range n {
				ran[p+i].Add(1)
			}
		})
		for turn := range trials.Of(2000) {
			parts := 1 + turn%len(ran)
			c.do(parts, turn%2 == 1)
			for p := range ran {
				n := int32(0)
				if p < parts {
					n = 1
				}
				if got := ran[p].Swap(0); got != n { // half a million of them: require is slow
					require.Equal(t, n, got, "part %d of %d of launch %d", p, parts, turn)
				}
			}
			if turn%500 == 0 {
				requireNoHelpers(t, &c)
			}
		}
		requireNoHelpers(t, &c)
	}
}

// requireNoHelpers waits until helpers have ended because nothing came.
func requireNoHelpers(t *testing.T, c *crew) {
	t.Helper()
	require.Eventually(t, func() bool { return c.live.Load() == 0 }, 10*time.Second, time.Millisecond)
}

// Short launches start helpers only if they come one soon after the other for some
// time, and have help from those who are awake for other reasons.
func TestShortLaunches(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var c crew
	c.init(2, func(int, int, int) {})
	cut, start := c.short()
	require.False(t, cut || start, "the first")
	require.Eventually(t, func() bool { // a busy machine may take us the processor in between
		for range habit {
			if cut, start = c.short(); cut {
				break
			}
		}
		return cut && start
	}, 10*time.Second, time.Microsecond, "many at once")
	for range habit {
		time.Sleep(2 * soon)
		cut, start = c.short()
		require.False(t, cut || start, "now and then")
	}
	require.Eventually(t, func() bool {
		c.do(2, true)
		cut, start = c.short()
		return cut && !start
	}, 10*time.Second, time.Microsecond, "with a helper")
}

// The error of a launch is that of the first part that failed, whoever ran it.
func TestFailedParts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	l := &launcher{workers: make([]worker, 4)}
	l.crew.init(4, l.part)
	s := &compiledStep{Step: &plan.Step{}, Launch: &plan.Launch{}, sizedCode: &sizedCode{code: failing{}, parts: 64}}
	for range 200 {
		require.EqualError(t, l.launch(s, nil, nil, nil), "part 3")
		l.Forget()
	}
}

// failing is code that fails from part 3 on.
type failing struct{ kernel.Code }

func (failing) Run(c *kernel.Call) error {
	for p := c.Part; p <= c.Part+c.More; p++ {
		if p >= 3 {
			return fmt.Errorf("part %d", p)
		}
	}
	return nil
}

// A crew costs no allocations once its helpers have been there.
func TestCrewAllocates(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var c crew
	c.init(2, func(int, int, int) {})
	allocs := testing.AllocsPerRun(200, func() { c.do(2, false) })
	require.Less(t, allocs, 1.0)
}

// kernels compiles a program as kernels of tiles.
func kernels(t *testing.T, text string, threads int) *compiled {
	t.Helper()
	return kernelsBy(t, tiles.Compiler{}, text, threads)
}

func kernelsBy(t *testing.T, c kernel.Compiler, text string, threads int) *compiled {
	t.Helper()
	o := backends.Options{Threads: threads}
	p, err := backends.LoadOpen(t.Context(), backends.NewModule(text), o)
	require.NoError(t, err)
	e, err := compileKernels(t.Context(), p, o, []kernel.Compiler{c})
	require.NoError(t, err)
	return e.(*compiled)
}

// The bits do not depend on the number of threads, and there are never more
// parts than can run at once.
func TestThreadsOfTiles(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(7))
	for name, text := range map[string]string{"chain": programs.Chain(10), "mlp": programs.MLPStep(16, 28, 20, 12, 10), "dot": programs.MatMul(31, 33, 29, "f32")} {
		var want [][]float32
		for _, threads := range []int{1, 2, 3, 7, 1_000_000, 0} {
			e := kernelsBy(t, tiles.Compiler{Least: 1}, text, threads)
			switch {
			case threads == 1:
				require.Equal(t, 1, e.Parts())
			case threads > 1:
				require.LessOrEqual(t, e.Parts(), min(threads, 7))
			default:
				require.Greater(t, e.Parts(), 1, name)
			}
			c := &backends.Call{Args: arguments(e)}
			require.NoError(t, e.Execute(context.Background(), c))
			for j, r := range c.Results {
				if threads == 1 {
					want = append(want, soa.Slice[float32](r))
				} else {
					require.Equal(t, want[j], soa.Slice[float32](r), "%s: result %d on %d threads", name, j, threads)
				}
			}
		}
	}
}

// Who does not say how many threads a program may use gets all for a trace, and
// one for a program with its constants bound.
func TestThreadsByDefault(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	text := programs.MatMul(200, 200, 200, "f32")
	for threads, parts := range map[int][2]int{0: {3, 1}, 2: {2, 2}} {
		e := kernels(t, text, threads)
		require.Equal(t, parts[0], e.Parts())
		b, err := e.Bind(context.Background(), nil)
		require.NoError(t, err)
		require.Equal(t, parts[1], b.(*compiled).Parts())
		require.Equal(t, parts[0], e.Parts())
	}
	_, err := asKernels{eval.New()}.Compile(context.Background(), backends.NewModule(text), backends.Options{Threads: -1})
	require.ErrorContains(t, err, "Threads is -1")
}

// A program that takes less than waking threads would stays on one.
func TestSmallProgramsOnOneThread(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	require.Equal(t, 1, kernels(t, programs.MatMul(16, 16, 16, "f32"), 0).Parts())
	require.Equal(t, 1, kernels(t, programs.MLPStep(4, 8, 8, 8, 4), 0).Parts())
}

// On one thread a program runs on the goroutine that asks, and starts neither
// another nor a thread of the system.
func TestOneThreadStartsNothing(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // whose workers are threads, too
	e := kernels(t, programs.MLPStep(32, 64, 48, 32, 10), 1)
	c := &backends.Call{Args: arguments(e)}
	goroutines, threads := runtime.NumGoroutine(), systemThreads(t)
	for range 20 {
		c.Results = nil
		require.NoError(t, e.Execute(context.Background(), c))
		require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	}
	require.LessOrEqual(t, systemThreads(t), threads)
}

// systemThreads returns how many threads the process has; 0 where the system
// does not tell.
func systemThreads(t *testing.T) int {
	all, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Logf("threads are not counted here: %v", err)
	}
	return len(all)
}

// No two goroutines are one worker, and none works in other memory than the run's,
// when the next run is of a size for other numbers of threads while helpers are awake.
func TestCrewsOfSizes(t *testing.T) {
	const threads = 4
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	for range 50 {
		e := &compiled{threads: threads, workers: 1}
		e.Plan = exec.Plan{Program: &plan.Program{}, On: &machine}
		l := e.launcher()
		for turn := range 20 {
			e.workers = 1 + turn%threads
			e.scratch = 64 * (threads + 1 - e.workers)
			l.fit()
			s := &compiledStep{Step: &plan.Step{}, Launch: &plan.Launch{}, sizedCode: &sizedCode{code: working{scratch: l.scratch.Base(), bytes: e.scratch * e.workers}, parts: 8 * e.workers}}
			require.NoError(t, l.launch(s, nil, nil, nil))
			l.Forget()
		}
	}
}

// working is code that fails if its memory is another worker's, or not that of a run.
type working struct {
	kernel.Code
	scratch unsafe.Pointer
	bytes   int
}

func (w working) Run(c *kernel.Call) error {
	if at := uintptr(c.Scratch) - uintptr(w.scratch); at >= uintptr(w.bytes) {
		return fmt.Errorf("part %d: byte %d of %d", c.Part, int(at), w.bytes)
	}
	users := &c.Block.At[0]
	defer atomic.AddInt64(users, -1)
	if atomic.AddInt64(users, 1) != 1 {
		return fmt.Errorf("part %d: two are one worker", c.Part)
	}
	for range 1000 {
		runtime.KeepAlive(users)
	}
	runtime.Gosched()
	return nil
}
