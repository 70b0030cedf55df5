package modes

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The state tells all combinations of flags apart, and is the same for the same combination.
func TestState(t *testing.T) {
	var flags [8]Flag
	of := map[uint64]int{}
	for range 2 {
		for set := range 1 << len(flags) {
			for i := range flags {
				flags[i].Set(set>>i&1 == 1)
				require.Equal(t, set>>i&1 == 1, flags[i].On())
			}
			was, known := of[State()]
			require.True(t, !known || was == set, "%b and %b", was, set)
			of[State()] = set
		}
	}
	require.Len(t, of, 1<<len(flags))
	before := State()
	flags[0].Set(true)
	require.Equal(t, before, State(), "it is on")
	require.Zero(t, testing.AllocsPerRun(100, func() { State() }))
}

// A copy of a flag changes the state by another number.
func TestCopy(t *testing.T) {
	var a Flag
	off := State()
	a.Set(true)
	b := a
	a.Set(false)
	require.Equal(t, off, State())
	require.True(t, b.On())
	b.Set(false)
	require.NotEqual(t, off, State())
	b.Set(true)
	require.Equal(t, off, State(), "as it was made")
}

func TestGoroutines(t *testing.T) {
	var f Flag
	off := State()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 100 {
				f.Set(i%2 == 0)
			}
			f.Set(false)
		})
	}
	wg.Wait()
	f.Set(false)
	require.Equal(t, off, State())
}
