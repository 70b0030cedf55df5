package soa

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFits(t *testing.T) {
	require.NoError(t, Fits(1<<20))
	require.ErrorIs(t, Fits(1<<50), ErrMemory)
	require.ErrorIs(t, Fits(-1), ErrMemory)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	require.EqualError(t, Fits(3<<30), "not enough memory: 3.0 GiB are needed, there are 1.0 GiB")
}
