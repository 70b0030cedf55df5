package trials

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// again.txt has every package with tests, once, and configurations that there are.
func TestEveryPackageIsListedOnce(t *testing.T) {
	text, err := os.ReadFile("again.txt")
	require.NoError(t, err)
	var listed []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		require.GreaterOrEqual(t, len(fields), 2, "a package and its configurations, or once: %s", line)
		if slices.Contains(fields[1:], "once") {
			require.Len(t, fields, 2, "%s", line)
		}
		for _, c := range fields[1:] {
			require.Contains(t, []string{"race", "nollvm", "simd", "once"}, c, "%s", line)
		}
		listed = append(listed, fields[0])
	}
	require.True(t, slices.IsSorted(listed), "sort the lines of internal/trials/again.txt")

	module, err := exec.Command("go", "list", "-m").Output()
	require.NoError(t, err)
	list := exec.Command("go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}", "./...")
	list.Dir = "../.."
	out, err := list.Output()
	require.NoError(t, err)
	var want []string
	for _, p := range strings.Fields(string(out)) {
		want = append(want, strings.TrimPrefix(p, strings.TrimSpace(string(module))+"/"))
	}
	slices.Sort(want)
	require.Equal(t, want, listed, "internal/trials/again.txt lists every package with tests: say in which configurations CI runs a new one again, or once")
}
