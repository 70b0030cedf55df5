package alloc

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A list yields the elements that are reachable, and does not grow by those that are gone or
// not wanted.
func TestWeakList(t *testing.T) {
	type element struct {
		unwanted bool
		next     *element // without a pointer several share an allocation
	}
	var l WeakList[element]
	wanted := func(x *element) bool { return !x.unwanted }
	kept := l.New(wanted)
	for range 10 * minWeak {
		l.New(wanted).unwanted = true
		require.LessOrEqual(t, l.Len(), minWeak)
	}
	runtime.GC()
	reached := slices.DeleteFunc(slices.Collect(l.All), func(x *element) bool { return x.unwanted })
	require.Equal(t, []*element{kept}, reached)
	l.Clear()
	require.Zero(t, l.Len())
	runtime.KeepAlive(kept)
}
