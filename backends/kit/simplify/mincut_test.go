package simplify_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/simplify"
)

// A minimum cut costs what the cheapest of all cuts does, and has no more nodes than need be
// on the side of the source.
func TestMinCut(t *testing.T) {
	const nodes = 8
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		arcs := make([][3]int, 4+r.IntN(20))
		for i := range arcs {
			arcs[i] = [3]int{r.IntN(nodes), r.IntN(nodes), r.IntN(5)}
		}
		costOf := func(near func(int) bool) (sum int64) {
			for _, a := range arcs {
				if near(a[0]) && !near(a[1]) {
					sum += int64(a[2])
				}
			}
			return sum
		}
		least, all := int64(math.MaxInt64), 0
		for side := range 1 << nodes {
			if side&3 != 1 {
				continue // the source is near, the sink is not
			}
			cost := costOf(func(n int) bool { return side>>n&1 == 1 })
			switch {
			case cost < least:
				least, all = cost, side
			case cost == least:
				all &= side
			}
		}
		cost, near := simplify.MinCut(nodes, arcs)
		require.Equal(t, least, cost, "seed %d", seed)
		require.Equal(t, least, costOf(func(n int) bool { return near[n] }), "seed %d", seed)
		for n := range near {
			require.Equal(t, all>>n&1 == 1, near[n], "seed %d, node %d", seed, n)
		}
	}
}
