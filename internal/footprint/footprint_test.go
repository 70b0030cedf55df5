package footprint

import (
	"context"
	"reflect"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

type node struct {
	name string
	next *node
	data []int64
	any  any
	by   map[string]*node
	rest *owner
}

type owner struct{ data []byte }

func (*owner) Name() string { return "" }

type counted struct{ data []byte }

func (*counted) ResidentBytes() int { return 12345 }

// Of counts what is reached, once, whatever the ways to it.
func TestOfCountsWhatIsReachedOnce(t *testing.T) {
	size := int(reflect.TypeFor[node]().Size())
	require.Equal(t, 0, New().Of(7))
	require.Equal(t, 0, New().Of((*node)(nil)))
	require.Equal(t, 3, New().Of("abc"))
	require.Equal(t, 80, New().Of(make([]int64, 3, 10)))
	n := &node{}
	require.Equal(t, size, New().Of(n))
	n.next = n
	require.Equal(t, size, New().Of(n))
	n.any = n
	require.Equal(t, size, New().Of(n))
	n.next, n.any = &node{data: make([]int64, 2)}, [2]int64{}
	require.Equal(t, 2*size+16+16, New().Of(n))
	n.rest = &owner{make([]byte, 1000)}
	require.Equal(t, 2*size+32+24+1000, New().Of(n))
	require.Equal(t, 2*size+32, New(reflect.TypeFor[owner]()).Of(n))
	require.Equal(t, 2*size+32, New(reflect.TypeFor[interface{ Name() string }]()).Of(n))
	n.next.any, n.rest = &counted{data: make([]byte, 100)}, nil
	require.Equal(t, 2*size+32+24+100, New().Of(n))
	require.Equal(t, 2*size+32+1+12345, New(reflect.TypeFor[*counted]()).Of(n))
	says := New(reflect.TypeFor[resident]()) // fields and elements of an interface that is shared are asked, too
	require.Equal(t, 1+12345, says.Of(struct{ by resident }{&counted{}}))
	require.Equal(t, 2*(1+12345)+2*16, says.Of([]resident{&counted{}, &counted{}}))
}

// Contexts are their owners', who may change what they hold at any time.
func TestOfEntersNoContext(t *testing.T) {
	type request struct{ by context.Context }
	r := &request{context.WithValue(t.Context(), request{}, make([]byte, 1000))}
	require.Equal(t, int(reflect.TypeFor[request]().Size()), New().Of(r))
}

// Of agrees with what the garbage collector has to keep.
func TestOfIsWhatTheHeapHas(t *testing.T) {
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	all := &node{by: map[string]*node{}}
	for i := range 20_000 {
		n := &node{name: string(make([]byte, 16+i%50)), data: make([]int64, i%40), next: all.next}
		all.next, all.by[n.name+string(rune(i))] = n, n
	}
	took := heap() - before
	require.InEpsilon(t, took, New().Of(all), 0.15)
	runtime.KeepAlive(all)
}

func TestObjectsAreFoundUntilTheyAreCleared(t *testing.T) {
	var o objects
	for range 3 {
		for i := range uintptr(5000) {
			x, found := o.at(16 * i)
			require.False(t, found)
			x.set(i, o.round)
		}
		for i := range uintptr(5000) {
			x, found := o.at(16 * i)
			require.True(t, found)
			require.Equal(t, i, x.bytes())
		}
		o.clear()
	}
}
