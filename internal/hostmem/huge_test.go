package hostmem

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestLargePagesCoverMemory(t *testing.T) {
	mem := make([]byte, 4*HugePage)
	base := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	first := int(-base & (HugePage - 1)) // where the first huge page begins
	for _, from := range []int{0, first, first + 1, first + HugePage/2} {
		for _, n := range []int{2 * HugePage, 2*HugePage + 1, 2*HugePage + HugePage/2} {
			if from+n > len(mem) {
				continue
			}
			part := mem[from : from+n]
			at := base + uintptr(from)
			in, end := hugePages(part)
			require.Zero(t, in%HugePage)
			require.Zero(t, end%HugePage)
			require.GreaterOrEqual(t, in, at)
			require.LessOrEqual(t, end, at+uintptr(n))
			require.Greater(t, int(end-in), n-2*HugePage)
			around, last := hugePagesAround(part)
			require.Zero(t, around%HugePage)
			require.Zero(t, last%HugePage)
			require.LessOrEqual(t, around, at)
			require.GreaterOrEqual(t, last, at+uintptr(n))
			require.Less(t, int(last-around), n+2*HugePage)
		}
	}
}
