package memory

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

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
