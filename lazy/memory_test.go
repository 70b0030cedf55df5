package lazy_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

const mib = 1 << 20

// mibs returns the dimensions of an f32 tensor of n MiB.
func mibs(n int) []int { return []int{n, mib / 4} }

// A step that does not fit says which op, where, and changes nothing.
func TestDeviceOutOfMemory(t *testing.T) {
	dev := open(t, "eval", lazy.Threads(1), lazy.MemoryLimit(40*mib))
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, mibs(8)...)
	var kept []*lazy.Tensor
	var err error
	for range 10 {
		w.Add_(lazy.Ones(tr, lazy.F32, mibs(8)...))
		x := tr.Read(w).Exp()
		if err = tr.MarkStep(x); err != nil {
			break
		}
		kept = append(kept, x)
	}
	require.ErrorIs(t, err, lazy.ErrMemory)
	require.ErrorContains(t, err, "memory_test.go:")
	require.ErrorContains(t, err, "exp(f32[8,262144])")
	require.ErrorContains(t, err, "out of memory")
	require.ErrorContains(t, err, "of the device's limit of 40.0 MiB")
	require.NotEmpty(t, kept)
	n := float32(len(kept))
	require.Equal(t, n, floats(t, w)[0], "the variable is as before the step that failed")

	// With the results gone there is room again.
	kept = nil
	w.Add_(lazy.Ones(tr, lazy.F32, mibs(8)...))
	require.NoError(t, tr.MarkStep())
	require.Equal(t, n+1, floats(t, w)[0])
}

// A step that runs asynchronously fails like any other that does.
func TestDeviceOutOfMemoryAsync(t *testing.T) {
	dev := open(t, "eval", lazy.MemoryLimit(4*mib))
	tr := lazy.NewTrace(dev)
	x := lazy.Ones(tr, lazy.F32, mibs(8)...).Neg()
	err := tr.MarkStep(x)
	if err == nil {
		_, err = x.Value()
	}
	require.ErrorIs(t, err, lazy.ErrMemory)
	require.ErrorContains(t, err, "memory_test.go:")
}

func TestHostDataOutOfMemory(t *testing.T) {
	dev := open(t, "eval", lazy.MemoryLimit(mib))
	data := make([]float32, mib)
	for name, x := range map[string]*lazy.Tensor{
		"from": lazy.From(dev, data), "variable": dev.Variable("w", lazy.F32, mib), "to": lazy.From(open(t, "eval"), data).To(dev),
	} {
		require.ErrorIs(t, x.Err(), lazy.ErrMemory, name)
		require.ErrorContains(t, x.Err(), "memory_test.go:", name)
		require.ErrorContains(t, x.Err(), "f32[1048576] takes 4.0 MiB", name)
	}
	// Borrowed data is the caller's.
	require.NoError(t, lazy.Borrow(dev, data).Err())
}

// Results that the program drops make room by themselves: no Release anywhere.
func TestDroppedResultsMakeRoom(t *testing.T) {
	dev := open(t, "eval", lazy.Threads(1), lazy.MemoryLimit(40*mib))
	tr := lazy.NewTrace(dev)
	x := lazy.From(dev, make([]float32, 8*mib/4), mibs(8)...)
	for range 50 {
		y := tr.Read(x).AddScalar(1)
		require.NoError(t, tr.MarkStep(y))
		require.Equal(t, float32(1), soa.Slice[float32](value(t, y))[0])
	}
	s := dev.MemoryStats()
	require.LessOrEqual(t, s.Peak, int64(40*mib))
	require.GreaterOrEqual(t, s.Peak, int64(16*mib))
	require.Equal(t, int64(40*mib), s.Limit)
}

func TestMemoryStats(t *testing.T) {
	dev := open(t, "eval", lazy.MemoryCacheLimit(100*mib))
	x := lazy.From(dev, make([]float32, mib), mibs(4)...)
	s := dev.MemoryStats()
	require.Equal(t, int64(4*mib), s.Live)
	require.Equal(t, int64(4*mib), s.Peak)
	require.Equal(t, int64(100*mib), s.CacheLimit)
	require.Contains(t, s.String(), "live 4.0 MiB, peak 4.0 MiB, cached 0 B of 100.0 MiB, off-heap ")
	require.Contains(t, s.String(), ", packed ")
	runtime.KeepAlive(x)
	x = nil
	require.Eventually(t, func() bool { soa.Collect(); return dev.MemoryStats().Live == 0 }, 5*time.Second, time.Millisecond)
	dev.FreeMemoryCache()
	require.Zero(t, dev.MemoryStats().Cached)
}

// What users still hold is never handed out again: the slice of a result keeps
// its elements, whatever happens after.
func TestSlicesOfResultsAreNotReused(t *testing.T) {
	dev := open(t, "eval", lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	var held [][]float32
	for i := range 20 {
		y := lazy.Full(tr, lazy.F32, float64(i), mibs(1)...).Exp().Log()
		require.NoError(t, tr.MarkStep(y))
		if i%4 == 0 {
			held = append(held, soa.Slice[float32](value(t, y))[1000:1010])
		}
		soa.Collect()
	}
	for i, s := range held {
		for _, x := range s {
			require.InDelta(t, float64(4*i), float64(x), 1e-4)
		}
	}
}

func TestReleaseGivesUpTheValue(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	x := lazy.From(dev, make([]float32, mib), mibs(4)...)
	y := tr.Read(x).AddScalar(1).Keep()
	z := y.MulScalar(2)
	require.NoError(t, tr.MarkStep(z))
	y.Release()
	x.Release()
	for _, gone := range []*lazy.Tensor{x, y} {
		_, err := gone.Value()
		require.ErrorIs(t, err, lazy.ErrReleased)
		require.ErrorContains(t, err, "memory_test.go:")
		require.ErrorIs(t, tr.Read(gone).Err(), lazy.ErrReleased)
		require.ErrorIs(t, gone.AddScalar(1).Err(), lazy.ErrReleased)
		gone.Release() // again
	}
	require.Equal(t, float32(2), floats(t, z)[0])
	require.NoError(t, tr.MarkStep(), "nothing is kept")

	// What was recorded before still reads it.
	a := lazy.From(tr, []float32{1, 2})
	b := a.Neg()
	a.Release()
	require.NoError(t, tr.MarkStep(b))
	require.Equal(t, []float32{-1, -2}, floats(t, b))

	// Variables are let be.
	w := dev.Variable("w", lazy.F32, 2)
	w.Release()
	require.Equal(t, []float32{0, 0}, floats(t, w))
	(*lazy.Tensor)(nil).Release()
}

// Memory that is used again is full of NaNs under LTC_CHECK=1 (TestWithChecks
// runs this again): no result depends on what was there before.
func TestResultsDoNotDependOnUsedMemory(t *testing.T) {
	dev := open(t, "eval", lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	x := lazy.From(dev, make([]float32, mib/4), mibs(1)...)
	for range 10 {
		y := tr.Read(x)
		roots := []*lazy.Tensor{
			y.AddScalar(0), lazy.Concatenate(0, y, y), y.Transpose(1, 0), y.Sum(0), lazy.Zeros(tr, lazy.F32, mibs(1)...), y.Max(1),
			lazy.Iota(tr, lazy.F32, 0, mibs(1)...).MulScalar(0),
		}
		require.NoError(t, tr.MarkStep(roots...))
		for i, r := range roots {
			for _, e := range floats(t, r) {
				if e != 0 {
					t.Fatalf("root %d has %v", i, e)
				}
			}
		}
		w := dev.Variable("w", lazy.F32, mibs(1)...)
		require.Zero(t, floats(t, w)[12345])
		soa.Collect()
	}
}

// Live values by the line that made them.
func TestLiveTensorsAreListedByLine(t *testing.T) {
	dev := open(t, "eval", lazy.TrackLive())
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 1000).Init(lazy.Constant(1))
	x := lazy.From(tr, make([]float32, 500))
	var losses []*lazy.Tensor
	for range 30 {
		w.Add_(tr.Read(w).MulScalar(0.5))
		loss := tr.Read(w).Sum()
		require.NoError(t, tr.MarkStep(loss))
		losses = append(losses, loss)
	}
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Neg() })
	y, err := f.Call(context.Background(), x)
	require.NoError(t, err)
	r := dev.LiveTensors()
	require.Len(t, r.Lines, 4, r.String())
	bytes, count := int64(0), 0
	for _, l := range r.Lines {
		require.True(t, strings.HasPrefix(l.Site, "memory_test.go:"), l.Site)
		each := map[string]int64{"variable": 4000, "value": 2000}[l.Kind]
		switch {
		case l.Kind == "result" && l.Count == 30: // the losses
			each = 4
		case l.Kind == "result": // of f
			each = 2000
		}
		if l.Kind != "variable" { // of which a version or two may be waiting in the trace
			require.Contains(t, []int{1, 30}, l.Count)
		}
		require.Equal(t, each*int64(l.Count), l.Bytes)
		bytes, count = bytes+l.Bytes, count+l.Count
	}
	require.Equal(t, count, r.Count)
	require.Equal(t, bytes, r.Bytes)
	require.Equal(t, "variable", r.Lines[0].Kind, "the most bytes come first")
	require.True(t, r.Lines[3].Types[0].Equal(types.Of(types.F32)))
	require.Regexp(t, `^\d+ live tensors, .*KiB\n +\d.* KiB +\d × variable memory_test\.go:\d+  f32\[1000\]\n`, r.String())
	require.Contains(t, r.String(), "30 × result   memory_test.go:")

	require.Len(t, losses, 30)
	losses = slices.Clone(losses[:5])
	require.NoError(t, tr.MarkStep(tr.Read(w).Sum()))
	require.Eventually(t, func() bool {
		for _, l := range dev.LiveTensors().Lines {
			if l.Kind == "result" && l.Count == 30 {
				return false
			}
		}
		return true
	}, 5*time.Second, time.Millisecond)
	runtime.KeepAlive([]any{losses, x, y})
	runtime.KeepAlive(w)
	require.Empty(t, open(t, "eval").LiveTensors().Lines, "off")
}

func TestLiveTensorsByEnvironment(t *testing.T) {
	t.Setenv("LTC_LIVE", "1")
	dev := open(t, "eval")
	x := lazy.From(dev, []float32{1})
	require.Equal(t, 1, dev.LiveTensors().Count)
	runtime.KeepAlive(x)
}

// 150 goroutines, as in gotorch's thread, none of which frees anything.
func TestMemoryOfManyGoroutinesIsFreed(t *testing.T) {
	dev := open(t, "eval")
	w := dev.Variable("w", lazy.F32, 64, 64).Init(lazy.Normal(0, 0.1))
	round := func() {
		var wait sync.WaitGroup
		for g := range 150 {
			wait.Go(func() {
				tr := lazy.NewTrace(dev)
				for range 3 {
					x := lazy.Full(tr, lazy.F32, float64(g), 64, 64).MatMul(w)
					if err := tr.MarkStep(x); err != nil {
						t.Error(err)
						return
					}
					if _, err := x.Value(); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wait.Wait()
	}
	round()
	before, goroutines := liveHeap(), runtime.NumGoroutine()
	for range 2 {
		round()
	}
	after := liveHeap()
	require.Less(t, after, before+before/5+mib, "the heap was %d bytes, is %d", before, after)
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+2 }, 5*time.Second, time.Millisecond)
	runtime.KeepAlive(w)
}

// liveHeap returns the bytes of the heap that are reachable.
func liveHeap() uint64 {
	var m runtime.MemStats
	for range 3 {
		soa.Collect()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Memory off the Go heap that was released is an error of what takes a view of it, and
// of the step when it was released since.
func TestViewOfReleasedMemory(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	memory := func() (*soa.Buffer, soa.View) {
		b, err := soa.OffHeap(4096)
		require.NoError(t, err)
		return b, b.View(types.Of(types.F32, 8))
	}
	b, v := memory()
	b.Release()
	require.ErrorContains(t, lazy.FromView(tr, v).Err(), "from_view(): f32[8]: its memory was released")

	b, v = memory()
	y := lazy.FromView(tr, v).Sum(0)
	b.Release()
	_, err := lazy.ToSlice[float32](y)
	require.ErrorContains(t, err, "its memory was released")
}

// A mapped variable is off the Go heap and zero, and steps write a part of it in place.
func TestMappedVariable(t *testing.T) {
	dev := open(t, "cpu", lazy.MemoryLimit(16*mib))
	v := dev.MappedVariable("cache", lazy.F32, mibs(8)...)
	require.NoError(t, v.Err())
	require.Equal(t, int64(8*mib), dev.MemoryStats().Live)
	require.ErrorIs(t, dev.MappedVariable("more", lazy.F32, mibs(9)...).Err(), lazy.ErrMemory)
	tr := lazy.NewTrace(dev)
	for i := range 3 {
		v.Assign(tr.Read(v).DynamicUpdateSlice(lazy.Full(tr, lazy.F32, 1, 1, 1), lazy.Const(tr, lazy.I32, float64(i)), lazy.Const(tr, lazy.I32, 0)))
		require.NoError(t, tr.MarkStep())
		require.Equal(t, float64(i+1), sumOf(t, v))
	}
	require.Equal(t, int64(8*mib), dev.MemoryStats().Live)
	view := value(t, v)
	require.True(t, view.OffHeap())
}

// sumOf returns the sum of the elements of a variable.
func sumOf(t *testing.T, v *lazy.Tensor) (sum float64) {
	all, err := lazy.ToSlice[float32](v)
	require.NoError(t, err)
	for _, x := range all {
		sum += float64(x)
	}
	return sum
}
