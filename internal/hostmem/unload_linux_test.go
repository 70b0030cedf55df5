package hostmem

import (
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// residentText returns how many pages of the code at some address are in memory, of n.
func residentText(t *testing.T, n int) (resident int) {
	f, err := os.Open("/proc/self/pagemap")
	require.NoError(t, err)
	defer f.Close()
	begin := strings.Fields // a function of the executable
	page := uintptr(os.Getpagesize())
	pages, ok := pageEntries(f, **(**uintptr)(unsafe.Pointer(&begin))&^(page-1), n)
	require.True(t, ok)
	for _, e := range pages {
		if e&pagePresent != 0 {
			resident++
		}
	}
	return resident
}

// Pages of code leave the memory, and those that run come back.
func TestUnloadExecutable(t *testing.T) {
	const pages = 64
	begin := strings.Fields
	page := uintptr(os.Getpagesize())
	code := unsafe.Slice((*byte)(pointer(**(**uintptr)(unsafe.Pointer(&begin))&^(page-1))), pages*page)
	sum := 0
	for i := range code {
		sum += int(code[i])
	}
	require.Equal(t, pages, residentText(t, pages))
	UnloadExecutable()
	require.Less(t, residentText(t, pages), pages)
	again := 0
	for i := range code {
		again += int(code[i])
	}
	require.Equal(t, sum, again)
	require.Equal(t, pages, residentText(t, pages))
}
