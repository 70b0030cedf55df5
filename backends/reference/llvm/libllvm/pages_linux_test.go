package libllvm_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/libllvm"
)

// resident returns how many KiB are resident of what a process has mapped of a file and cannot
// write, and how many of these it has written before.
func resident(t *testing.T, file string) (all, written int) {
	f, err := os.Open("/proc/self/smaps")
	require.NoError(t, err)
	defer f.Close()
	ours := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		name, value, field := strings.Cut(line, ":")
		n := 0
		switch {
		case !field || strings.Contains(name, "-"): // 7f00-7f01 r-xp 00000000 fe:00 12 /usr/lib/libLLVM.so
			ours = strings.HasSuffix(line, " "+file) && !strings.Contains(line, " rw")
		case ours && name == "Rss":
			_, err = fmt.Sscan(value, &n)
			all += n
		case ours && name == "Anonymous":
			_, err = fmt.Sscan(value, &n)
			written += n
		}
		require.NoError(t, err)
	}
	return all, written
}

// While nothing is compiled a library holds the memory alone that the linker has written.
func TestReleasePages(t *testing.T) {
	each(t, func(t *testing.T, l *libllvm.Library) {
		object, err := compile(l, add, libllvm.Options{})
		require.NoError(t, err)
		used, written := resident(t, l.Path())
		require.Greater(t, used, written+4096)
		require.Eventually(t, func() bool { // what a test has cancelled may be under way
			l.ReleasePages()
			left, _ := resident(t, l.Path())
			return left <= written
		}, time.Minute, 10*time.Millisecond)
		again, err := compile(l, add, libllvm.Options{Background: true}) // which releases pages between its stages
		require.NoError(t, err)
		require.Equal(t, object, again)
		left, _ := resident(t, l.Path())
		require.LessOrEqual(t, left, written)
	})
}
