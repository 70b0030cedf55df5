package soa_test

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// A file that was mapped may change once the buffer is released, and does not by
// what uses a view too late.
func TestReleasedFile(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("files stay mapped here")
	}
	path := filepath.Join(t.TempDir(), "f")
	const n = 1 << 16
	other, err := soa.CreateShared(path, n)
	require.NoError(t, err)
	other.Bytes()[n-1] = 7
	mapped, err := soa.MapFile(path)
	require.NoError(t, err)
	shared, err := soa.OpenShared(path, true)
	require.NoError(t, err)
	late := []soa.View{mapped.View(types.Of(types.U8, n)), shared.View(types.Of(types.U8, n))}
	mapped.Release()
	shared.Release()
	soa.With(late[1], func(s []byte) { s[0] = 9 })
	require.EqualValues(t, 7, other.Bytes()[n-1])
	require.Zero(t, other.Bytes()[0])
	other.Release()
	require.NoError(t, os.Truncate(path, 0))
	for _, v := range late {
		soa.With(v, func(s []byte) { require.Zero(t, s[n-1]) })
	}
}

// Memory that is not there is an error, and no fault of who writes it.
func TestSharedMemoryIsFull(t *testing.T) {
	const dir = "/dev/shm"
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil || s.Blocks == 0 || s.Blocks > math.MaxInt/2/uint64(s.Bsize) {
		t.Skip("no file system in memory whose size is known")
	}
	path := filepath.Join(dir, "ltc-test-full")
	_, err := soa.CreateShared(path, int(s.Blocks+1)*int(s.Bsize))
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoFileExists(t, path)
}
