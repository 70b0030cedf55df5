package reference

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
)

// The first candidates are before all others after partition, however they lay.
func TestPartition(t *testing.T) {
	trials.Sequential(t)
	r := rand.New(rand.NewPCG(1, 9))
	for _, n := range []int{1, 2, 3, 5, 8, 17, 70} {
		for kind := range 5 {
			c := make([]candidate, n)
			for i := range c {
				key := []uint64{uint64(i), uint64(n - i), 7, r.Uint64N(5), uint64(min(i, n-i))}[kind]
				c[i] = candidate{key, uint64(i)}
			}
			sorted := slices.SortedFunc(slices.Values(c), candidate.compare)
			for first := range n + 1 {
				got := slices.Clone(c)
				partition(got, first)
				slices.SortFunc(got[:first], candidate.compare)
				slices.SortFunc(got[first:], candidate.compare)
				require.Equal(t, sorted, got, "%d of %d, kind %d", first, n, kind)
			}
		}
	}
}

// A selection has the first of what it is offered, in any order of offers.
func TestSelection(t *testing.T) {
	trials.Sequential(t)
	r := rand.New(rand.NewPCG(1, 10))
	for _, keep := range []int{1, 2, fewKept, fewKept + 1, 100} {
		for range 20 {
			s := newSelection(make([]uint64, 4*keep), keep, last)
			var all []candidate
			for i := range 300 {
				all = append(all, candidate{r.Uint64N(40), uint64(i)})
			}
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for _, c := range all {
				s.add(c)
			}
			s.finish()
			slices.SortFunc(all, candidate.compare)
			require.Equal(t, all[:keep], s.found)
		}
	}
}
