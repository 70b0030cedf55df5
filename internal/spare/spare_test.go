package spare

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
)

// What is kept outlives collections of garbage, and lending it allocates nothing.
func TestKept(t *testing.T) {
	made := 0
	p := New(2, func() *int { made++; return new(int) })
	a, b := p.Get(), p.Get()
	require.NotSame(t, a, b)
	p.Put(a)
	p.Put(b)
	require.Zero(t, trials.Allocs(5, func() {
		runtime.GC()
		x, y := p.Get(), p.Get()
		if x == y {
			t.Error("lent twice")
		}
		p.Put(x)
		p.Put(y)
	}))
	require.Equal(t, 2, made)
}

// What is given back beyond that is lent as well, until it is collected.
func TestRest(t *testing.T) {
	for _, keep := range []int{0, 1} {
		made := 0
		p := New(keep, func() *[64]byte { made++; return new([64]byte) })
		for range 3 {
			x, y := p.Get(), p.Get()
			require.NotSame(t, x, y)
			p.Put(x)
			p.Put(y)
		}
		if !trials.Race {
			require.Equal(t, 2, made)
		}
		for range 3 {
			runtime.GC()
		}
		before := made
		p.Get()
		require.Equal(t, before+1-keep, made, "%d kept", keep)
	}
}

// No two goroutines have the same at once.
func TestGoroutines(t *testing.T) {
	p := New(2, func() *int { return new(int) })
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				x := p.Get()
				if *x++; *x != 1 {
					t.Error("lent twice")
				}
				runtime.Gosched()
				*x--
				p.Put(x)
			}
		})
	}
	wg.Wait()
}
