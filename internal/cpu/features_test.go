package cpu

import (
	"runtime"
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

func TestL2(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("only x86 says")
	}
	require.Zero(t, L2()%(64<<10), "%d bytes", L2())
	require.LessOrEqual(t, L2(), 64<<20)
}
