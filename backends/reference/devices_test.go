package reference

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
)

// The device says what makes code; without a compiler, that there is none.
func TestDeviceProperties(t *testing.T) {
	b, err := backends.Open("cpu")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"arch": runtime.GOARCH, "compiler": "none: plain Go"}, b.Devices()[0].Properties)
	require.Equal(t, map[string]string{"arch": runtime.GOARCH}, eval.New().Devices()[0].Properties)
}

// Both backends open by name, and there is one device.
func TestOpen(t *testing.T) {
	for _, name := range []string{"eval", "cpu", "cpu:0"} {
		b, err := backends.Open(name)
		require.NoError(t, err)
		require.Contains(t, name, b.Name())
	}
	_, err := backends.Open("cpu:1")
	require.ErrorContains(t, err, `open backend "cpu:1": no device "1"`)
}
