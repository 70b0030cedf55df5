package soa

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
)

func TestHugePages(t *testing.T) {
	mem := make([]byte, 4*hugePage)
	base := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	first := int(-base & (hugePage - 1)) // where the first huge page begins
	for _, from := range []int{0, first, first + 1, first + hugePage/2} {
		for _, n := range []int{2 * hugePage, 2*hugePage + 1, 2*hugePage + hugePage/2} {
			if from+n > len(mem) {
				continue
			}
			part := mem[from : from+n]
			at := base + uintptr(from)
			in, end := hugePages(part)
			require.Zero(t, in%hugePage)
			require.Zero(t, end%hugePage)
			require.GreaterOrEqual(t, in, at)
			require.LessOrEqual(t, end, at+uintptr(n))
			require.Greater(t, int(end-in), n-2*hugePage)
			around, last := hugePagesAround(part)
			require.Zero(t, around%hugePage)
			require.Zero(t, last%hugePage)
			require.LessOrEqual(t, around, at)
			require.GreaterOrEqual(t, last, at+uintptr(n))
			require.Less(t, int(last-around), n+2*hugePage)
		}
	}
}

// Memory that is large asks for huge pages, and of the heap what a pool keeps: the
// system says so of the mapping that it lies in.
func TestLargeMemoryAsksForHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the system has no huge pages: ", err)
	}
	const n = 16 << 20
	off, err := OffHeap(n)
	require.NoError(t, err)
	for name, v := range map[string]View{
		"New":     New(n).View(types.Of(types.U8, n)),
		"Pool":    NewPool(1<<30, false).Make(types.Of(types.U8, n)),
		"pooled":  NewPool(1<<30, false).Make(types.Of(types.U8, Pooled)),
		"OffHeap": off.View(types.Of(types.U8, n)),
	} {
		require.True(t, advised(t, uintptr(v.Base())+uintptr(v.Type.Bytes()/2)), name)
		KeepAlive(v)
	}
}

// advised reports whether huge pages are asked for at an address.
func advised(t *testing.T, p uintptr) bool {
	text, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	within := false
	for line := range strings.Lines(string(text)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			within = from <= p && p < to
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && within {
			return slices.Contains(strings.Fields(flags), "hg")
		}
	}
	return false
}
