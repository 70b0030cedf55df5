package reference

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/tiles"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// panicking is a compiler whose code panics when it is told to.
type panicking struct {
	at      atomic.Int64 // the code panics in the call of Run that counts this down to 0
	running atomic.Int64 // calls of Run that have not returned
	ready   atomic.Bool  // else Prepare panics
}

func (p *panicking) Compile(ctx context.Context, kernels []*kernel.Kernel) ([]kernel.Code, error) {
	codes, err := tiles.Compiler{Least: 1}.Compile(ctx, kernels)
	for i := range codes {
		codes[i] = &panickingCode{codes[i], p}
	}
	return codes, err
}

type panickingCode struct {
	kernel.Code
	by *panicking
}

func (c *panickingCode) Run(call *kernel.Call) error {
	c.by.running.Add(1)
	defer c.by.running.Add(-1)
	if c.by.at.Add(-1) == 0 {
		panic("no code here")
	}
	return c.Code.Run(call)
}

func (c *panickingCode) Prepare(context.Context, []int64, []int64, kernel.Code) (kernel.Code, error) {
	if !c.by.ready.Load() {
		panic("not prepared")
	}
	return c, nil
}

// loopOfKernels runs a kernel in parts in each iteration.
const loopOfKernels = `func.func public @main(%w: tensor<64x64xf32>, %n: tensor<i32>) -> tensor<64x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %w) : tensor<i32>, tensor<64x64xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %x = stablehlo.multiply %v, %w : tensor<64x64xf32>
      stablehlo.return %j, %x : tensor<i32>, tensor<64x64xf32>
    }
  return %r#1 : tensor<64x64xf32>
}`

// A panic of code, on the caller's goroutine or a helper's, is an error of the run that names the
// kernel. No worker is left behind, and the executable runs as before.
func TestPanicsOfCode(t *testing.T) {
	runs := 2000
	if trials.Race {
		runs = 200
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for name, text := range map[string]string{"mlp": programs.MLPStep(16, 28, 20, 12, 10), "loop": loopOfKernels} {
		t.Run(name, func(t *testing.T) {
			p := new(panicking)
			p.ready.Store(true)
			e := kernelsBy(t, p, text, 2)
			args := func() []soa.View {
				all := arguments(e)
				if name == "loop" {
					soa.Slice[int32](all[1])[0] = 3
				}
				return all
			}
			c := &backends.Call{Args: args()}
			p.at.Store(1 << 32)
			require.NoError(t, e.Execute(t.Context(), c))
			launches := 1<<32 - p.at.Load()
			want, random, failed := c.Results, rand.New(rand.NewPCG(1, 2)), 0
			for run := range runs {
				p.at.Store(1 + random.Int64N(2*launches))
				c := &backends.Call{Args: args()}
				err := e.Execute(t.Context(), c)
				require.Zero(t, p.running.Load(), "run %d: workers are left", run)
				if p.at.Load() > 0 || err == nil {
					require.NoError(t, err)
					for j := range want {
						require.Equal(t, soa.Slice[float32](want[j]), soa.Slice[float32](c.Results[j]))
					}
					continue
				}
				failed++
				var op *backends.RunError
				require.ErrorAs(t, err, &op)
				require.Positive(t, op.Op)
				require.Regexp(t, `(kernel \w+|the step) panicked in code of type \*reference\.(panickingCode|launcher): no code here\n`, err.Error())
				require.ErrorContains(t, err, "panic_test.go:", "the stack")
			}
			require.Greater(t, failed, runs/10)
		})
	}
}

// One executable fails in many goroutines at once, and none disturbs another.
func TestPanicsOfCodeInManyRuns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	p := new(panicking)
	p.ready.Store(true)
	e := kernelsBy(t, p, programs.MLPStep(16, 28, 20, 12, 10), 2)
	var wait sync.WaitGroup
	var failed atomic.Int64
	for g := range 4 {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(3, uint64(g)))
			for range 200 {
				p.at.Store(1 + random.Int64N(100))
				if err := e.Execute(t.Context(), &backends.Call{Args: arguments(e)}); err != nil {
					failed.Add(1)
				}
			}
		})
	}
	wait.Wait()
	require.Positive(t, failed.Load())
	require.Zero(t, p.running.Load())
}

// A run whose code panics after a result of the caller's was written says that it has written.
func TestPanicAfterWrites(t *testing.T) {
	text := `func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  %0 = stablehlo.add %w, %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}`
	p := new(panicking)
	p.ready.Store(true)
	e := kernelsBy(t, p, text, 1)
	p.at.Store(1)
	w := soa.Make(types.Of(types.F32, 4))
	err := e.Execute(t.Context(), &backends.Call{Args: []soa.View{w}, Results: make([]soa.View, 1)})
	require.ErrorIs(t, err, backends.ErrWritten)
	require.ErrorContains(t, err, "op 1: the run had begun to write over memory of its caller: kernel ")
	require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{w}, Results: make([]soa.View, 1)}))
}

// Code is prepared by several goroutines: a panic there is an error of Compile.
func TestPanicsOfPrepare(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for range 100 {
		o := backends.Options{Threads: 2}
		m, err := backends.LoadOpen(t.Context(), backends.NewModule(programs.MLPStep(16, 28, 20, 12, 10)), o)
		require.NoError(t, err)
		_, err = compileKernels(t.Context(), m, o, []kernel.Compiler{new(panicking)})
		require.ErrorContains(t, err, "panicked in code of type *reference.panickingCode: not prepared\n")
	}
}

// What keeps panics from ending the process costs nanoseconds, and no memory.
func BenchmarkGuardedCode(b *testing.B) {
	l := &launcher{workers: make([]worker, 1)}
	s, c := &compiledStep{sizedCode: new(sizedCode)}, new(kernel.Call)
	var code kernel.Code = idle{}
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := code.Run(c); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("guarded", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := l.runCode(s, code, c); err != nil {
				b.Fatal(err)
			}
		}
	})
}

type idle struct{ kernel.Code }

//go:noinline
func (idle) Run(*kernel.Call) error { return nil }
