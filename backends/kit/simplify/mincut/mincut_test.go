package mincut_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/simplify/mincut"
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
		n := mincut.New()
		for range nodes - 2 {
			n.Node()
		}
		for _, a := range arcs {
			n.Arc(a[0], a[1], int64(a[2]))
		}
		cost, near, ok := n.Cut(func() {})
		require.True(t, ok)
		require.Equal(t, least, cost, "seed %d", seed)
		require.Equal(t, least, costOf(func(n int) bool { return near[n] }), "seed %d", seed)
		for n := range near {
			require.Equal(t, all>>n&1 == 1, near[n], "seed %d, node %d", seed, n)
		}
	}
}

// A network whose paths have more lengths than are looked at is given up, and the cut can be
// given up between two lengths.
func TestTooManyLengths(t *testing.T) {
	for lengths, want := range map[int]bool{100: true, 200: false} {
		n := mincut.New()
		last := mincut.Source
		for range lengths { // each node is one arc further, and has an arc to the sink
			v := n.Node()
			n.Arc(last, v, mincut.Unlimited)
			n.Arc(v, mincut.Sink, 1)
			last = v
		}
		looks := 0
		cost, _, ok := n.Cut(func() { looks++ })
		require.Equal(t, want, ok, "%d lengths", lengths)
		if want {
			require.EqualValues(t, lengths, cost)
			require.Equal(t, lengths, looks)
		}
	}
}
