package lazy_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testNames are the tests of the whole module.
func testNames(t *testing.T) map[string]bool {
	names := map[string]bool{}
	test := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	require.NoError(t, filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "out") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(file)
		for _, m := range test.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
		return err
	}))
	return names
}

// testsListed is how many tests docs/lazy-tensor-core.md lists. Tests are named after what
// they show, so that only their number says whether one was lost.
const testsListed = 163

// Each row of docs/lazy-tensor-core.md names tests that exist or says what it waits for.
// No test goes from the page unseen.
func TestRowsHaveTests(t *testing.T) {
	page, err := os.ReadFile("../docs/lazy-tensor-core.md")
	require.NoError(t, err)
	names, listed := testNames(t), map[string]bool{}
	word := regexp.MustCompile("`(Test\\w+)`")
	rows := 0
	for _, line := range strings.Split(string(page), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		if !strings.HasPrefix(line, "| ") || strings.HasSuffix(line, "| shown by |") {
			continue
		}
		rows++
		found := word.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(found) == 0 {
			require.Contains(t, line, "| waits for ", "the row names no test")
		}
		for _, m := range found {
			require.True(t, names[m[1]], "%s: there is no such test", m[1])
			listed[m[1]] = true
		}
	}
	require.Greater(t, rows, 60)
	require.Len(t, listed, testsListed, "the page lists other tests than before: is one lost?")
}
