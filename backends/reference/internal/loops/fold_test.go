package loops

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A sum has the same bits whether or not it is made in stretches.
func TestLongSums(t *testing.T) {
	x := make([]float32, 2*Tank+13)
	for i := range x {
		x[i] = 1 / float32(i+1)
	}
	var lanes [foldLanes]float32
	for i, v := range x {
		if i < len(x)/foldLanes*foldLanes {
			lanes[i%foldLanes] += v
		} else {
			lanes[0] += v
		}
	}
	want := 3 + ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])))
	for _, done := range []chan struct{}{nil, make(chan struct{})} {
		require.Equal(t, want, foldAdd(&Budget{Done: done}, 3, x))
	}
}
