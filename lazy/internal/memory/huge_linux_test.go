package memory

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// Memory that is large asks for huge pages, and of the heap what a pool keeps: the
// system says so of the mapping that it lies in.
func TestLargeMemoryAsksForHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the system has no huge pages: ", err)
	}
	const n = 16 << 20
	off, err := soa.OffHeap(n)
	require.NoError(t, err)
	for name, v := range map[string]soa.View{
		"New":     soa.New(n).View(types.Of(types.U8, n)),
		"Pool":    NewPool(1<<30, false).Make(types.Of(types.U8, n)),
		"pooled":  NewPool(1<<30, false).Make(types.Of(types.U8, Pooled)),
		"OffHeap": off.View(types.Of(types.U8, n)),
	} {
		require.True(t, advised(t, uintptr(v.Base())+uintptr(v.Type.Bytes()/2)), name)
		soa.KeepAlive(v)
	}
}

// Mapped memory takes as many pages as are written, and is unmapped when nothing reaches it.
func TestMappedMemoryTakesWrittenPages(t *testing.T) {
	const n = 64 << 20
	p := NewPool(1<<30, false)
	v, err := p.Mapped(types.Of(types.U8, n))
	require.NoError(t, err)
	require.True(t, v.OffHeap())
	require.EqualValues(t, n, p.Stats().Live)
	require.False(t, advised(t, uintptr(v.Base())+n/2))
	before := resident(t, uintptr(v.Base()))
	mem := unsafe.Slice((*byte)(v.Base()), n)
	require.Zero(t, mem[n/2])
	for i := 0; i < n; i += 4 << 20 {
		mem[i] = 1
	}
	soa.KeepAlive(v)
	require.LessOrEqual(t, resident(t, uintptr(v.Base()))-before, 2*n/(4<<20)*os.Getpagesize())
	soa.KeepAlive(v)
	v = soa.View{}
	waitFor(t, func() bool { return p.Stats().Live == 0 })
	require.Zero(t, p.Stats().Cached)
}

// resident returns how many bytes of the mapping at an address have pages.
func resident(t *testing.T, p uintptr) int {
	text, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	within := false
	for line := range strings.Lines(string(text)) {
		var from, to uintptr
		var kib int
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			within = from <= p && p < to
		}
		if n, _ := fmt.Sscanf(line, "Rss: %d kB", &kib); n == 1 && within {
			return kib << 10
		}
	}
	t.Fatalf("no mapping has address %x", p)
	return 0
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
