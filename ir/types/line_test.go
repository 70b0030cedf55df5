package types

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThrough(t *testing.T) {
	sizes := []int{3, 5, 11}
	for _, c := range []struct {
		numbers []int64
		want    Line
		ok      bool
	}{
		{[]int64{7, 7, 7}, Line{Base: 7}, true},
		{[]int64{5, 9, 21}, Line{Slope: 2, Base: -1}, true},
		{[]int64{-3, -5, -11}, Line{Slope: -1}, true},
		{[]int64{9, 25, 121}, Line{}, false}, // squares
		{[]int64{3, 4, 7}, Line{}, false},    // a half for each
	} {
		got, ok := Through(sizes, c.numbers)
		require.Equal(t, c.ok, ok, "%v", c.numbers)
		if !ok {
			continue
		}
		require.Equal(t, c.want, got)
		for i, n := range sizes {
			require.Equal(t, c.numbers[i], got.At(n))
		}
	}
}
