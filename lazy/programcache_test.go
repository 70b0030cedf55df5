package lazy_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/lazy"
)

// counting is a backend that counts compiles, and says what its executables
// take, unless that is 0.
type counting struct {
	backends.Backend
	compiles atomic.Int32
	resident int
}

func (c *counting) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	c.compiles.Add(1)
	e, err := c.Backend.Compile(ctx, m, o)
	if err != nil || c.resident == 0 {
		return e, err
	}
	return residentExecutable{e, c.resident}, nil
}

type residentExecutable struct {
	backends.Executable
	bytes int
}

func (e residentExecutable) ResidentBytes() int { return e.bytes }

// It has no programs for several sizes: what compiles is what the test says.
func openCounting(t *testing.T, resident int, opts ...lazy.Option) (*lazy.Device, *counting) {
	b, err := backends.Open("null")
	require.NoError(t, err)
	c := &counting{Backend: b, resident: resident}
	return openOn(t, c, append(opts, lazy.StaticShapes())...), c
}

// openOn opens a device of a backend that is not registered.
func openOn(t *testing.T, b backends.Backend, opts ...lazy.Option) *lazy.Device {
	t.Helper()
	gates.Store(t.Name(), b)
	defer gates.Delete(t.Name())
	return open(t, "flaky:"+t.Name(), opts...)
}

// program runs the n-th of programs of about equal size.
func program(t *testing.T, tr *lazy.Trace, n int) {
	t.Helper()
	x := lazy.From(tr, make([]float32, n+1))
	require.NoError(t, tr.MarkStep(x.Exp()))
	require.NoError(t, tr.Wait(t.Context()))
}

// The cache is bounded in bytes, and what was used longest ago goes first.
func TestProgramCacheDropsTheLeastRecentlyUsed(t *testing.T) {
	d, c := openCounting(t, 1<<20, lazy.ProgramCacheLimit(3<<20+100<<10))
	tr := lazy.NewTrace(d)
	for i := range 3 {
		program(t, tr, i)
	}
	require.Equal(t, 3, d.ProgramCacheStats().Programs)
	require.Greater(t, d.ProgramCacheStats().Bytes, int64(3<<20), "text and graph count, too")
	program(t, tr, 0) // used again
	program(t, tr, 3) // 1 goes
	require.Equal(t, int64(1), counter(d, "ProgramEvicted"))
	require.Equal(t, int64(4), counter(d, "UncachedCompile"))
	program(t, tr, 0)
	program(t, tr, 2)
	require.Equal(t, int32(4), c.compiles.Load())
	program(t, tr, 1)
	require.Equal(t, int32(5), c.compiles.Load())
	s := d.ProgramCacheStats()
	require.LessOrEqual(t, s.Bytes, s.Limit)
}

// A program that is larger than the cache runs, and is compiled each time.
func TestProgramsLargerThanTheCacheRun(t *testing.T) {
	t.Setenv("LTC_PROGRAM_CACHE_BYTES", "1KiB")
	d, c := openCounting(t, 1<<20)
	tr := lazy.NewTrace(d)
	tr.Reuse(false) // which holds on to the program
	for range 3 {
		program(t, tr, 7)
	}
	require.Equal(t, int32(3), c.compiles.Load())
	require.Equal(t, lazy.ProgramCacheStats{Limit: 1024}, d.ProgramCacheStats())
	require.Equal(t, int64(3), counter(d, "ProgramEvicted"))
}

// Without a backend's word the text tells; 1,000 programs of a limited cache
// take no more than it allows.
func TestProgramCacheStaysWithinItsLimit(t *testing.T) {
	d, _ := openCounting(t, 0, lazy.ProgramCacheLimit(100<<10))
	tr := lazy.NewTrace(d)
	for i := range 1000 {
		program(t, tr, i)
		s := d.ProgramCacheStats()
		require.LessOrEqual(t, s.Bytes, s.Limit)
	}
	s := d.ProgramCacheStats()
	require.Greater(t, s.Programs, 3)
	require.Equal(t, int64(1000-s.Programs), counter(d, "ProgramEvicted"))
}

// Goroutines that ask for one program at once get one compile.
func TestGoroutinesShareOneCompile(t *testing.T) {
	d, c := openCounting(t, 0)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			tr := lazy.NewTrace(d)
			for i := range 20 {
				x := lazy.From(tr, make([]float32, i+1))
				if err := tr.MarkStep(x.Exp()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, int32(20), c.compiles.Load())
}

// tired is a backend whose first compile fails.
type tired struct {
	backends.Backend
	woken bool
}

func (b *tired) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	if !b.woken {
		b.woken = true
		return nil, errFlaky
	}
	return b.Backend.Compile(ctx, m, o)
}

// A backend that failed to compile a program is asked again.
func TestFailedCompilesAreNotKept(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	tr := lazy.NewTrace(openOn(t, &tired{Backend: b}))
	x := lazy.From(tr, []float32{1})
	require.ErrorIs(t, tr.MarkStep(x.Neg()), errFlaky)
	y := x.Neg()
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, []float32{-1}, floats(t, y))

	d := openOn(t, &tired{Backend: b})
	f := lazy.Func(d, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Neg() })
	_, err = f.Call(t.Context(), lazy.From(d, []float32{1}))
	require.ErrorIs(t, err, errFlaky)
	y, err = f.Call(t.Context(), lazy.From(d, []float32{1}))
	require.NoError(t, err)
	require.Equal(t, []float32{-1}, floats(t, y))
}

// A device keeps a limited number of programs, however little each takes.
func TestProgramCacheKeepsALimitedNumber(t *testing.T) {
	trials.Sequential(t)
	d, _ := openCounting(t, 1, lazy.ProgramCacheLimit(1<<40), lazy.NumbersAsConstants())
	tr := lazy.NewTrace(d)
	const most = 8192
	for i := range most + 10 {
		x := lazy.From(tr, []float32{1})
		require.NoError(t, tr.MarkStep(x.AddScalar(float64(i))))
	}
	require.Equal(t, most, d.ProgramCacheStats().Programs)
	require.Equal(t, int64(10), counter(d, "ProgramEvicted"))
}

// crowded is a backend whose compiles need others' programs to go.
type crowded struct {
	backends.Backend
	refuses int // so many times
}

func (b *crowded) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	if b.refuses > 0 {
		b.refuses--
		return nil, fmt.Errorf("map: %w", backends.ErrExhausted)
	}
	return b.Backend.Compile(ctx, m, o)
}

// Where the system has no room for code, programs are dropped, the older half first,
// and it is compiled again; if that does not help it is the step's error.
func TestProgramsMakeRoomForOthers(t *testing.T) {
	for refuses, left := range []int{5, 2, 1} {
		b, err := backends.Open("eval")
		require.NoError(t, err)
		c := &crowded{Backend: b}
		for _, options := range [][]lazy.Option{nil, {lazy.OpByOp()}} {
			d := openOn(t, c, options...)
			tr := lazy.NewTrace(d)
			for i := range 4 {
				program(t, tr, i)
			}
			c.refuses = refuses
			y := lazy.From(tr, []float32{1, 2}).Neg()
			require.NoError(t, tr.MarkStep(y))
			require.Equal(t, []float32{-1, -2}, floats(t, y))
			if options == nil {
				require.Equal(t, left, d.ProgramCacheStats().Programs)
			}
		}
	}
	b, err := backends.Open("eval")
	require.NoError(t, err)
	c := &crowded{Backend: b, refuses: 3}
	tr := lazy.NewTrace(openOn(t, c))
	x := lazy.From(tr, []float32{1})
	err = tr.MarkStep(x.Neg())
	require.ErrorIs(t, err, backends.ErrExhausted)
	require.ErrorIs(t, err, lazy.ErrMemory)
	y := x.Neg()
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, []float32{-1}, floats(t, y))
}

// growing is a backend whose programs take more after each run, until they are full.
type growing struct {
	backends.Backend
	by, most int64
}

func (b *growing) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	e, err := b.Backend.Compile(ctx, m, o)
	return &growingExecutable{Executable: e, b: b}, err
}

type growingExecutable struct {
	backends.Executable
	b     *growing
	grown atomic.Int64
}

func (e *growingExecutable) ResidentBytes() int   { return 1 << 20 }
func (e *growingExecutable) Grown() *atomic.Int64 { return &e.grown }

func (e *growingExecutable) Execute(ctx context.Context, c *backends.Call) error {
	if e.grown.Load() < e.b.most {
		e.grown.Add(e.b.by)
	}
	return e.Executable.Execute(ctx, c)
}

// What a program takes more after its first run counts, and others give way to it.
func TestProgramCacheCountsWhatProgramsGrowBy(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	d := openOn(t, &growing{Backend: b, by: 1 << 20, most: 3 << 20}, lazy.ProgramCacheLimit(7<<20))
	tr := lazy.NewTrace(d)
	program(t, tr, 1)
	before := d.ProgramCacheStats().Bytes
	program(t, tr, 1)
	require.Equal(t, int64(1<<20), d.ProgramCacheStats().Bytes-before)
	program(t, tr, 2) // 2 MiB
	require.Equal(t, 2, d.ProgramCacheStats().Programs)
	program(t, tr, 2)
	require.Equal(t, 2, d.ProgramCacheStats().Programs)
	program(t, tr, 2) // 4 MiB, and no room for the other's 3
	require.Equal(t, 1, d.ProgramCacheStats().Programs)
	require.Equal(t, int64(1), counter(d, "ProgramEvicted"))
	full := d.ProgramCacheStats().Bytes
	program(t, tr, 2)
	require.Equal(t, full, d.ProgramCacheStats().Bytes, "it is full")
}

// A program that grows beyond the limit runs, and is dropped.
func TestProgramThatGrowsBeyondTheCacheIsDropped(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	d := openOn(t, &growing{Backend: b, by: 8 << 20, most: 8 << 20}, lazy.ProgramCacheLimit(7<<20))
	tr := lazy.NewTrace(d)
	for range 3 {
		program(t, tr, 1)
		require.Equal(t, lazy.ProgramCacheStats{Limit: 7 << 20}, d.ProgramCacheStats())
	}
}
