package conformance

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/soa"
)

func TestReadFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.mlir")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("// \n", 1<<18)), 0o600))
	data, err := ReadFile(file)
	require.NoError(t, err)
	require.Len(t, data, 1<<20)
	_, err = ReadFile(filepath.Dir(file))
	require.Error(t, err)
	_, err = ReadFile(file + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
	limit := debug.SetMemoryLimit(1 << 20)
	_, err = ReadFile(file)
	debug.SetMemoryLimit(limit)
	require.ErrorIs(t, err, soa.ErrMemory)
	require.EqualError(t, err, file+": not enough memory: a text of 1.0 MiB")
}
