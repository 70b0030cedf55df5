package cpu

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFeatures(t *testing.T) {
	require.True(t, slices.IsSorted(Features()))
	for _, f := range Features() {
		require.True(t, Has(f), f)
	}
	require.False(t, Has("avx1024"))
}
