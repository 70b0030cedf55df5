//go:build linux && (amd64 || arm64)

package hostmem

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without fault-around an access maps one page. With it, the default, neighbours that are in the system's cache come too.
func TestSetFaultAround(t *testing.T) {
	const pages = 64
	page := os.Getpagesize()
	path, err := os.Executable()
	require.NoError(t, err)
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	mem, err := syscall.Mmap(int(f.Fd()), 0, pages*page, syscall.PROT_READ, syscall.MAP_PRIVATE)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Munmap(mem)) }()
	all := sum(mem) // which is then in the system's cache
	mapped := func() (n int) {
		Unload(mem)
		require.NotContains(t, filePages(t, mem), true)
		one := sum(mem[32*page : 32*page+1])
		for i, mapped := range filePages(t, mem) {
			require.True(t, mapped || i != 32)
			if mapped {
				n++
			}
		}
		require.Equal(t, all, one+sum(mem[:32*page])+sum(mem[32*page+1:]))
		return n
	}
	byDefault := mapped()
	if byDefault == 1 {
		t.Skip("the system has no fault-around for this file")
	}
	if watcher() < 0 {
		t.Skip("the system has no userfaultfd with asynchronous faults")
	}
	SetFaultAround(mem, false)
	require.Equal(t, 1, mapped())
	SetFaultAround(mem, true)
	require.Equal(t, byDefault, mapped())
}
