package llvm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/llvm/libllvm"
)

// The device cpu names the libLLVM that compiles for it.
func TestCompilerProperty(t *testing.T) {
	b, err := backends.Open("cpu")
	require.NoError(t, err)
	got := b.Devices()[0].Properties["compiler"]
	if l, err := libllvm.Open(); err == nil {
		require.Contains(t, got, l.String()+" for ")
	} else {
		require.Contains(t, got, "none: plain Go")
	}
}
