package types

import (
	"testing"

	"github.com/stretchr/testify/require"
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
	shape, strides := Shape{64, 3, 5}, []int{1, 0, 64}
	require.Zero(t, testing.AllocsPerRun(100, func() { Overlaps(shape, strides, 1) }))
}
