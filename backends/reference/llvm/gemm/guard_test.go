//go:build unix

package gemm

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// guarded returns n bytes that end where memory ends that can be touched, or
// begin where it begins.
func guarded(t testing.TB, n int, atEnd bool) []byte {
	page := os.Getpagesize()
	inner := (n + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, inner+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(all)) })
	require.NoError(t, syscall.Mprotect(all[:page], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(all[page+inner:], syscall.PROT_NONE))
	at := page
	if atEnd {
		at += inner - n
	}
	return all[at : at+n : at+n]
}
