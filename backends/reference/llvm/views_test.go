package llvm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/viewtest"
)

// What compiled kernels compute of views that are not dense they compute where
// these lie.
func TestViewsInPlace(t *testing.T) {
	b, err := backends.Open("cpu")
	require.NoError(t, err)
	viewtest.Run(t, b)
	t.Run("sizes", func(t *testing.T) { viewtest.RunSized(t, b) })
}
