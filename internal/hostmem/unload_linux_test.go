package hostmem

import (
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// filePages is [FilePages], of systems that tell.
func filePages(t *testing.T, mem []byte) []bool {
	t.Helper()
	pages, ok := FilePages(mem)
	if !ok {
		t.Skip("the system does not tell which pages are in memory")
	}
	require.Len(t, pages, len(mem)/os.Getpagesize())
	return pages
}

// sum reads all bytes.
func sum(mem []byte) (n int) {
	for _, b := range mem {
		n += int(b)
	}
	return n
}

// Pages of code leave the memory, and those that run come back.
func TestUnloadExecutable(t *testing.T) {
	const pages = 64
	begin := strings.Fields // a function of the executable
	page := uintptr(os.Getpagesize())
	code := unsafe.Slice((*byte)(pointer(**(**uintptr)(unsafe.Pointer(&begin))&^(page-1))), pages*page)
	before := sum(code)
	require.NotContains(t, filePages(t, code), false)
	unloadExecutable()
	require.Contains(t, filePages(t, code), false)
	require.Equal(t, before, sum(code))
	require.NotContains(t, filePages(t, code), false)
}
