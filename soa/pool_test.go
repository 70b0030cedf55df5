package soa

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
)

var big = types.Of(types.F32, 1<<20)

func TestClassSize(t *testing.T) {
	for n, want := range map[int]int{
		Pooled: Pooled, Pooled + 1: Pooled + Pooled/8, 64 << 20: 64 << 20, 64<<20 + 1: 72 << 20, 1000000: 1 << 20, 100_000: 106496,
	} {
		got := classSize(n)
		require.Equal(t, want, got, n)
		require.GreaterOrEqual(t, got, n)
		require.Less(t, got, n+n/8+1, n)
	}
}

// What nothing reaches comes back; what anything reaches, if only a slice into
// its middle, does not.
func TestPoolReusesWhatNothingReaches(t *testing.T) {
	if !reusable {
		t.Skip("the race detector is on: pools do not reuse memory")
	}
	p := NewPool(1<<30, false)
	v := p.Make(big)
	base := uintptr(v.Base())
	require.Zero(t, base%alignment)
	inner := Slice[float32](v)[1000:1010]
	inner[3] = 7
	v = View{}
	for range 3 {
		Collect()
		require.Equal(t, int64(4<<20), p.Stats().Live)
		other := p.Make(big)
		require.NotEqual(t, base, uintptr(other.Base()))
		Slice[float32](other)[1003] = -1
		runtime.KeepAlive(other)
	}
	require.Equal(t, float32(7), inner[3])
	inner = nil
	waitFor(t, func() bool { return p.Stats().Live == 0 })
	require.Positive(t, p.Stats().Cached)
	seen := map[uintptr]bool{}
	kept := []View{}
	for p.Stats().Cached > 0 {
		v := p.Make(big)
		seen[uintptr(v.Base())], kept = true, append(kept, v)
	}
	require.True(t, seen[base], "the block was handed out again")
	require.Positive(t, p.Stats().Reused)
	runtime.KeepAlive(kept)
}

func TestPoolZeroes(t *testing.T) {
	for _, poison := range []bool{false, true} {
		p := NewPool(1<<30, poison)
		dirty := func() {
			s := Slice[uint32](p.Make(types.Of(types.U32, 1<<20)))
			for i := range s {
				s[i] = 9
			}
		}
		dirty()
		waitFor(t, func() bool { return p.Stats().Live == 0 })
		for _, x := range Slice[float32](p.Zeroed(big)) {
			if x != 0 {
				t.Fatal("not zero")
			}
		}
		if poison && reusable {
			waitFor(t, func() bool { return p.Stats().Live == 0 })
			require.NotEqual(t, p.Make(big).at0(), p.Make(big).at0(), "NaN")
		}
	}
}

func (v View) at0() float32 { return *(*float32)(v.base) }

func TestPoolKeepsToItsLimit(t *testing.T) {
	p := NewPool(9<<20, false)
	for range 8 {
		p.Make(big)
	}
	waitFor(t, func() bool { return p.Stats().Live == 0 })
	s := p.Stats()
	require.LessOrEqual(t, s.Cached, int64(9<<20))
	require.GreaterOrEqual(t, s.Peak, int64(4<<20))
	if reusable {
		require.Equal(t, int64(8<<20), s.Cached)
	}
	p.Trim()
	require.Zero(t, p.Stats().Cached)

	// What nobody asks for goes.
	p.Make(big)
	waitFor(t, func() bool { return p.Stats().Live == 0 })
	waitFor(t, func() bool {
		p.mu.Lock()
		p.trimmed = time.Time{}
		p.mu.Unlock()
		return p.Stats().Cached == 0
	})
}

func TestSmallBuffersAreNotPooled(t *testing.T) {
	p := NewPool(1<<30, false)
	p.Make(types.Of(types.F32, 100))
	require.Zero(t, p.Stats().Live)
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for range 200 {
		if done() {
			return
		}
		Collect()
		time.Sleep(time.Millisecond)
	}
	t.Fatal("it did not come about")
}

func TestOffHeapIsUnmappedAfterItsLastView(t *testing.T) {
	if !canMap {
		t.Skip("this system does not map memory")
	}
	none := func() bool { live, _ := OffHeapStats(); return live == 0 }
	waitFor(t, none) // memory of other tests is still on its way back
	b, err := OffHeap(1 << 20)
	require.NoError(t, err)
	v := b.ViewAt(64, types.Of(types.F32, 4, 4))
	b = nil
	row, err := v.Slice(0, 1, 2, 1)
	require.NoError(t, err)
	require.True(t, row.OffHeap())
	src, err := Borrow([]float32{1, 2, 3, 4}, types.Of(types.F32, 1, 4))
	require.NoError(t, err)
	require.NoError(t, Copy(row, src))
	table, err := NewTable(0, row, row)
	require.NoError(t, err)
	v, row = View{}, View{}
	for range 3 {
		Collect()
	}
	live, peak := OffHeapStats()
	require.EqualValues(t, 1<<20, live)
	require.GreaterOrEqual(t, peak, live)
	dense := Make(table.Type)
	require.NoError(t, Copy(dense, table))
	require.Equal(t, []float32{1, 2, 3, 4, 1, 2, 3, 4}, Slice[float32](dense))
	table = View{}
	waitFor(t, none)
}

func TestOffHeapHasNoSlices(t *testing.T) {
	if !canMap {
		t.Skip("this system does not map memory")
	}
	b, err := OffHeap(64)
	require.NoError(t, err)
	v := b.View(types.Of(types.I32, 2))
	With(v, func(s []int32) { s[1] = 5 })
	With(v, func(s []int32) { require.Equal(t, []int32{0, 5}, s) })
	require.PanicsWithValue(t, "soa: slice of i32[2] off the Go heap; use With, or copy it to a buffer of New", func() { Slice[int32](v) })
	empty, err := OffHeap(0)
	require.NoError(t, err)
	require.Empty(t, empty.Bytes())
	_, err = OffHeap(1 << 60)
	require.ErrorIs(t, err, ErrMemory)
}

// Off-heap bytes bring a collection about, which nothing else here does.
func TestOffHeapBytesDriveCollection(t *testing.T) {
	if !canMap {
		t.Skip("this system does not map memory")
	}
	Collect()
	before, _ := OffHeapStats()
	var most int64
	for range 100 {
		b, err := OffHeap(16 << 20)
		require.NoError(t, err)
		*(*byte)(unsafe.Pointer(unsafe.SliceData(b.Bytes()))) = 1
		live, _ := OffHeapStats()
		most = max(most, live-before)
	}
	require.Less(t, most, int64(400<<20), "of 1600 MiB mapped")
}

// fill64 stands for a program that writes 64 MiB.
func fill64(v View) {
	s := Slice[float32](v)
	for i := range s {
		s[i] = 1
	}
}

var results View

func BenchmarkResult64MiBPool(b *testing.B) {
	p := NewPool(1<<30, false)
	t := types.Of(types.F32, 16<<20)
	b.SetBytes(64 << 20)
	for b.Loop() {
		results = p.Make(t)
		fill64(results)
	}
}

func BenchmarkResult64MiBFresh(b *testing.B) {
	t := types.Of(types.F32, 16<<20)
	b.SetBytes(64 << 20)
	for b.Loop() {
		results = Make(t)
		fill64(results)
	}
}

// A block that is given back is the next to be handed out, with no collection
// between; what is not the pool's is let be.
func TestPoolRecycle(t *testing.T) {
	if !reusable {
		t.Skip("pools hand nothing out again under the race detector")
	}
	p := NewPool(1<<30, false)
	typ := types.Of(types.F32, 1<<15)
	v := p.Make(typ)
	require.Equal(t, int64(1<<17), p.Stats().Live)
	require.True(t, p.Recycle(v))
	require.Zero(t, p.Stats().Live)
	require.False(t, p.Recycle(v), "given back already")
	w := p.Make(typ)
	require.Equal(t, v.Base(), w.Base())
	require.False(t, p.Recycle(Make(typ)), "of the heap")
	require.False(t, p.Recycle(NewPool(1<<30, false).Make(typ)), "of another pool")
	part, err := w.Slice(0, 0, 8, 1)
	require.NoError(t, err)
	require.False(t, p.Recycle(part), "a part of a block")
	require.Equal(t, int64(1<<17), p.Stats().Live)
}
