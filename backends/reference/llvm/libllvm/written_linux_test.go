//go:build amd64 || arm64

package libllvm

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Pages that the linker has written are kept: they are relocated, and the file has others.
func TestWrittenPagesAreKept(t *testing.T) {
	const mappings = `00010000-00012000 r--p 00000000 fe:00 12   /lib/libLLVM.so
Rss:                   8 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd mr mw me
00012000-00015000 r-xp 00002000 fe:00 12   /lib/libLLVM.so
Anonymous:             0 kB
Swap:                  0 kB
00015000-00016000 r--p 00005000 fe:00 12   /lib/libLLVM.so
Anonymous:             4 kB
Swap:                  0 kB
00016000-00017000 r--p 00006000 fe:00 12   /lib/libLLVM.so
Anonymous:             0 kB
Swap:                  4 kB
00017000-00018000 rw-p 00007000 fe:00 12   /lib/libLLVM.so
Anonymous:             0 kB
Swap:                  0 kB
00018000-00019000 r--p 00000000 fe:00 13   /lib/libc.so
Anonymous:             0 kB
Swap:                  0 kB
`
	of := func(smaps, file string) (all [][2]uintptr) {
		for _, p := range unwrittenOf(strings.NewReader(smaps), file) {
			from := uintptr(unsafe.Pointer(unsafe.SliceData(p)))
			all = append(all, [2]uintptr{from, from + uintptr(len(p))})
		}
		return all
	}
	require.Equal(t, [][2]uintptr{{0x10000, 0x12000}, {0x12000, 0x15000}}, of(mappings, "/lib/libLLVM.so"))
	require.Empty(t, of(mappings, "/lib/libLLVM.so.1"))
	// QEMU's user mode says of every mapping that nothing of it is resident.
	require.Empty(t, of(strings.ReplaceAll(mappings, " 4 kB", " 0 kB"), "/lib/libLLVM.so"))
	require.Empty(t, of(strings.ReplaceAll(mappings, "Anonymous", "Name"), "/lib/libc.so"))
}
