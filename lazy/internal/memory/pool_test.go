package memory

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
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
	require.Zero(t, base%64)
	inner := soa.Slice[float32](v)[1000:1010]
	inner[3] = 7
	v = soa.View{}
	for range 3 {
		soa.Collect()
		require.Equal(t, int64(4<<20), p.Stats().Live)
		other := p.Make(big)
		require.NotEqual(t, base, uintptr(other.Base()))
		soa.Slice[float32](other)[1003] = -1
		runtime.KeepAlive(other)
	}
	require.Equal(t, float32(7), inner[3])
	inner = nil
	waitFor(t, func() bool { return p.Stats().Live == 0 })
	require.Positive(t, p.Stats().Cached)
	seen := map[uintptr]bool{}
	kept := []soa.View{}
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
			s := soa.Slice[uint32](p.Make(types.Of(types.U32, 1<<20)))
			for i := range s {
				s[i] = 9
			}
		}
		dirty()
		waitFor(t, func() bool { return p.Stats().Live == 0 })
		for _, x := range soa.Slice[float32](p.Zeroed(big)) {
			if x != 0 {
				t.Fatal("not zero")
			}
		}
		if poison && reusable {
			waitFor(t, func() bool { return p.Stats().Live == 0 })
			require.NotEqual(t, first(p.Make(big)), first(p.Make(big)), "NaN")
		}
	}
}

func first(v soa.View) float32 { return *(*float32)(v.Base()) }

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
		soa.Collect()
		time.Sleep(time.Millisecond)
	}
	t.Fatal("it did not come about")
}

// fill64 stands for a program that writes 64 MiB.
func fill64(v soa.View) {
	s := soa.Slice[float32](v)
	for i := range s {
		s[i] = 1
	}
}

var results soa.View

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
		results = soa.Make(t)
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
	require.False(t, p.Recycle(soa.Make(typ)), "of the heap")
	require.False(t, p.Recycle(NewPool(1<<30, false).Make(typ)), "of another pool")
	part, err := w.Slice(0, 0, 8, 1)
	require.NoError(t, err)
	require.False(t, p.Recycle(part), "a part of a block")
	require.Equal(t, int64(1<<17), p.Stats().Live)
}

// A view of a block knows where the block ends, as other views know of their memory.
func TestPooledViewsKnowTheirBounds(t *testing.T) {
	v := NewPool(0, false).Make(types.Of(types.F32, Pooled/4))
	require.NoError(t, v.Check())
	for _, c := range []struct{ dim, stride int }{{1 << 16, 1}, {4, 1 << 40}, {4, -1 << 40}, {1 << 40, 1 << 40}, {2, -1 << 63}, {3, -(1 << 16)}} {
		w := v
		w.Type.Shape, w.Strides = types.Shape{c.dim}, []int{c.stride}
		require.ErrorContains(t, w.Check(), "reaches outside of its memory", "%v", c)
		require.ErrorContains(t, soa.Copy(soa.Make(types.Of(types.F32, 0)), w), "types differ", "%v", c)
		if w.Type.Elements() <= 1<<16*2 {
			require.ErrorContains(t, soa.Copy(soa.Make(w.Type), w), "reaches outside of its memory", "%v", c)
			require.ErrorContains(t, soa.Copy(w, soa.Make(w.Type)), "reaches outside of its memory", "%v", c)
		}
	}
}
