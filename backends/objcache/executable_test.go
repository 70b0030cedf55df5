package objcache

import (
	"os"
	"os/exec"
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

// An ID that somebody chose says nothing of the code, as one that build systems give all
// executables.
func TestExecutableWithChosenID(t *testing.T) {
	dir := t.TempDir()
	main := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(main, []byte("package main\n\nfunc main() {}\n"), 0o600))
	for flags, some := range map[string]bool{"": true, "-buildid=": false, "-buildid=redacted": false} {
		file := filepath.Join(dir, "main")
		build := exec.Command("go", "build", "-ldflags="+flags, "-o", file, main)
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOFLAGS=")
		out, err := build.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, some, buildID(file) != "", flags)
	}
}
