package reference

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// The device says what makes code; without a compiler, that there is none.
func TestDeviceProperties(t *testing.T) {
	b, err := open("cpu", "")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"arch": runtime.GOARCH, "compiler": "none: plain Go"}, b.Devices()[0].Properties)
	require.Equal(t, map[string]string{"arch": runtime.GOARCH}, New().Devices()[0].Properties)
}
