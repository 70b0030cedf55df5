package alloc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Elements are zero, and none is given twice.
func TestSlab(t *testing.T) {
	var s Slab[int]
	given := map[*int]bool{}
	for range 20 {
		x := s.Next(8)
		require.Zero(t, *x)
		*x = 1
		given[x] = true
	}
	require.Len(t, given, 20)
}
