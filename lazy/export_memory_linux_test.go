package lazy_test

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
)

// peak returns the most memory that the process has had, in bytes.
func peak(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			require.NoError(t, err)
			return kib << 10
		}
	}
	t.Skip("the system does not say how much memory the process has had")
	return 0
}

// Export copies each constant once, for however many sizes it traces the function.
func TestExportTakesTheConstantsOnce(t *testing.T) {
	if trials.Race {
		t.Skip("the race detector remembers who wrote each word")
	}
	const side = 4096 // 64 MiB
	dev := open(t, "eval")
	w := dev.Variable("w", lazy.F32, side, side)
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.MatMul(w) })
	_, err := lazy.NewTrace(dev).Read(w).Sum().Item() // it has memory
	require.NoError(t, err)
	for _, rows := range []int{8, lazy.AnySize} {
		debug.FreeOSMemory()
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // forgets the peak until now
			t.Skip(err)
		}
		before := peak(t)
		x, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, rows, side)}}, "y")
		require.NoError(t, err)
		require.Len(t, x.Constants, 1)
		took, size := peak(t)-before, side*side*4
		require.Less(t, took, size*13/10, "%d rows: %.2f times the constants", rows, float64(took)/float64(size))
	}
}
