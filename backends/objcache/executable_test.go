package objcache

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// Executables with a build ID have one of their own.
func TestExecutable(t *testing.T) {
	require.Equal(t, runtime.GOOS == "linux", Executable() != "")
	require.Empty(t, buildID(filepath.Join(t.TempDir(), "none")))
	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte("#!/bin/sh\n"), 0o700))
	require.Empty(t, buildID(text))
	if tool := filepath.Join(runtime.GOROOT(), "bin", "go"); Executable() != "" && buildID(tool) != "" {
		require.NotEqual(t, Executable(), buildID(tool))
	}
}
