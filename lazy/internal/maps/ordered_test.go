package maps

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A map has no key twice, whatever comes and goes, and its holes
// are no more than what is in it, or was.
func TestOrdered(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	all := make([]int, 100)
	var r Ordered[*int, *string]
	var want []*int
	for i := range 20_000 {
		x := &all[rng.IntN(len(all))]
		if rng.IntN(2) == 0 {
			r.Drop(x)
			want = slices.DeleteFunc(want, func(y *int) bool { return x == y })
		} else {
			r.Put(x, nil)
			if !slices.Contains(want, x) {
				want = append(want, x)
			}
		}
		if i%5_000 == 4_999 {
			r, want = r.Emptied(), nil
		}
		var got []*int
		for y := range r.All {
			got = append(got, y)
		}
		require.Equal(t, len(want), r.Len())
		require.True(t, slices.Equal(want, got))
		require.LessOrEqual(t, len(r.all), 2*len(all)+minHoles+1)
	}
	for range 1000 { // one that is kept and released for ever
		r.Put(&all[0], nil)
		r.Drop(&all[0])
	}
	require.LessOrEqual(t, len(r.all), 2*len(all)+minHoles+1)
}
