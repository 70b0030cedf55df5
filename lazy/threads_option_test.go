package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// A number of threads that no backend takes is an error where the device is
// opened, not where its first program is compiled.
func TestOpenThreads(t *testing.T) {
	_, err := lazy.Open("null", lazy.Threads(-1))
	require.EqualError(t, err, `open "null": Threads(-1): want a number of threads, or 0 for as many as the backend likes`)
	_, err = lazy.Open("null", lazy.Threads(0))
	require.NoError(t, err)
}
