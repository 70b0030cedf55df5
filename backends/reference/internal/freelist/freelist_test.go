package freelist

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// An allocation has the first free range that it fits in, and ranges that meet become one: what a
// list of bytes says.
func TestList(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var l List
	taken := make([]bool, 1<<12)
	sizes := map[int]int{} // of what is taken, by offset
	for range 4000 {
		if offsets := slices.Sorted(maps.Keys(sizes)); len(offsets) > 20 || len(offsets) > 0 && r.IntN(2) == 0 {
			at := offsets[r.IntN(len(offsets))]
			l.Give(at, sizes[at])
			mark(taken[at:][:sizes[at]], false)
			delete(sizes, at)
			continue
		}
		n := 1 + r.IntN(64)
		want := 0
		for slices.Contains(taken[want:][:n], true) {
			want++
		}
		require.Equal(t, want, l.Take(n))
		mark(taken[want:][:n], true)
		sizes[want] = n
	}
}

func mark(taken []bool, to bool) {
	for i := range taken {
		taken[i] = to
	}
}
