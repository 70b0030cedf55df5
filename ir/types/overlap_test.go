package types

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
)

func TestOverlaps(t *testing.T) {
	for _, c := range []struct {
		sizes   Shape
		strides []int
		but     int
		want    bool
	}{
		{Shape{}, nil, -1, false},
		{Shape{3, 4}, []int{4, 1}, -1, false},
		{Shape{3, 4}, []int{1, 3}, -1, false},
		{Shape{3, 4}, []int{-4, 1}, -1, false},
		{Shape{3, 4}, []int{4, -1}, -1, false},
		{Shape{3, 4}, []int{0, 1}, -1, true},
		{Shape{1, 4}, []int{0, 1}, -1, false},
		{Shape{0, 4}, []int{0, 0}, -1, false},
		{Shape{3, 4}, []int{0, 1}, 0, false},
		{Shape{2, 2}, []int{1, 1}, -1, true},
		{Shape{2, 2}, []int{1, -1}, -1, true}, // 0 and 1-1
		{Shape{3, 4}, []int{3, 1}, -1, true},
		{Shape{2, 3}, []int{3, 2}, -1, false}, // 0, 2, 4, 3, 5 and 7
		{Shape{3, 3}, []int{3, 2}, -1, false}, // 6 of the first and of the second need four
		{Shape{3, 4}, []int{3, 2}, -1, true},  // 2·3 and 3·2
		{Shape{2, 2, 2, 2, 2, 2, 2, 2, 2}, []int{256, 128, 64, 32, 16, 8, 4, 2, 1}, -1, false},
		{Shape{2, 2, 2, 2, 2, 2, 2, 2, 2}, []int{256, 128, 64, 32, 16, 8, 4, 2, 2}, -1, true},
	} {
		require.Equal(t, c.want, Overlaps(c.sizes, c.strides, c.but), "%v %v %d", c.sizes, c.strides, c.but)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range trials.Of(2000) {
		sizes, strides, but := make(Shape, rng.IntN(5)), make([]int, 4), rng.IntN(5)-1
		for i := range sizes {
			sizes[i], strides[i] = 1+rng.IntN(4), rng.IntN(41)-20
		}
		if but >= len(sizes) {
			but = -1
		}
		if got, want := Overlaps(sizes, strides[:len(sizes)], but), repeats(sizes, strides, but); got != want {
			require.Equal(t, want, got, "%v %v %d", sizes, strides[:len(sizes)], but)
		}
	}
	shape, strides := Shape{64, 3, 5}, []int{1, 0, 64}
	require.Zero(t, testing.AllocsPerRun(100, func() { Overlaps(shape, strides, 1) }))
}

// repeats is Overlaps by a look at all places.
func repeats(sizes Shape, strides []int, but int) bool {
	places, n := map[int]bool{0: true}, 1
	for i, d := range sizes {
		if i == but {
			continue
		}
		n *= d
		more := map[int]bool{}
		for p := range places {
			for k := range d {
				more[p+k*strides[i]] = true
			}
		}
		places = more
	}
	return len(places) < n
}

// Windows of very many places are decided exactly where a search is short, and count as
// overlapping where it is not.
func TestOverlapsOfLargeWindows(t *testing.T) {
	require.False(t, Overlaps(Shape{1 << 20, 3, 5}, []int{15, 5, 1}, -1))
	require.False(t, Overlaps(Shape{1000, 1000}, []int{1000, 1001}, -1))
	require.True(t, Overlaps(Shape{1003, 1003}, []int{1001, 1002}, -1))
	w := Window{Shape{2048, 2048}, []int{3 * 2048, 3}, -1, 4}
	require.False(t, w.Meets(w, 4))
	require.False(t, w.Meets(w, -8))
	require.False(t, w.Meets(w, 6))
	require.True(t, w.Meets(w, 9))
	require.True(t, w.Meets(w, 12))
	dense := Window{Shape{2048, 3}, []int{3 * 2048, 1}, -1, 4}
	require.True(t, w.Meets(dense, 0))
	require.False(t, Window{Shape{2048, 2047}, []int{3 * 2048, 3}, -1, 4}.Meets(dense, 12*2047))
	hard := Window{Shape{300, 300, 300, 300}, []int{100003, 100019, 100043, 100049}, -1, 1}
	require.True(t, Overlaps(hard.Sizes, hard.Strides, -1))
	hard.Meets(hard, 7) // it ends
}
