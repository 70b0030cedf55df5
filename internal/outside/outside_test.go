// Package outside holds tests of programs in a module of their own, as users
// write them: what they need must be exported, and building them must need
// nothing but this module and what it requires.
//
// imports only the standard library.
package outside

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the repository's directory.
func root(t *testing.T) string {
	dir, err := filepath.Abs("../..")
	require.NoError(t, err)
	return dir
}

// build compiles the command in testdata/name, with the packages beside it, as
// part of a new module that requires this one. Nothing is fetched: whatever the
// build needs, this module's own build needs too.
func build(t *testing.T, name string) (binary string) {
	dir, repo := t.TempDir(), root(t)
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata")))
	own, err := os.ReadFile(filepath.Join(repo, "go.mod"))
	require.NoError(t, err)
	_, requires, _ := strings.Cut(string(own), "\nrequire")
	mod := "module mychip.example\n\ngo 1.26.0\n\nrequire ltc v0.0.0\n\nreplace ltc => " + strconv.Quote(filepath.ToSlash(repo)) + "\n\nrequire" + requires
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644))
	sums, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))

	binary = filepath.Join(dir, name+".exe")
	c := exec.Command("go", "build", "-o", binary, "./"+name)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "CGO_ENABLED=0")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// output runs a program and returns the lines it prints.
func output(t *testing.T, dir, binary string) []string {
	c := exec.Command(binary)
	c.Dir = dir
	c.Stderr = os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// falling checks that lines are losses, each below the one before.
func falling(t *testing.T, lines []string) {
	last := 1e9
	for _, l := range lines {
		loss, err := strconv.ParseFloat(l, 64)
		require.NoError(t, err)
		require.Less(t, loss, last)
		last = loss
	}
}

var report = regexp.MustCompile(`^1 compile \(\d+ ops in .*\), 3 cached, 4 marks, 0 implicit syncs, `)

func TestTrainOnBackendFromOutside(t *testing.T) {
	lines := output(t, t.TempDir(), build(t, "train"))
	require.Len(t, lines, 13, "%q", lines)
	eval, mychip := lines[1:6], lines[7:12]
	require.Equal(t, "on eval", lines[0]) // which mychip has run its programs
	require.Equal(t, "on mychip", lines[6])
	falling(t, eval[:4])
	require.Regexp(t, report, eval[4])
	require.Equal(t, eval[:4], mychip[:4])
	require.Regexp(t, report, mychip[4])
	require.Equal(t, "programs compiled by mychip: 1", lines[12])
}

// The backend that docs/backend.md is about.
func TestBackendOfTwoOps(t *testing.T) {
	lines := output(t, t.TempDir(), build(t, "small"))
	require.Equal(t, []string{"<nil>", "[11 22] <nil>", "[121 484] <nil>"}, lines[:3])
	require.Regexp(t, `main\.go:\d+: stablehlo\.exponential: compile for small: backend small cannot run 1 of the program's ops:$`, lines[3])
	require.Regexp(t, `^module\.mlir:\d+:\d+: stablehlo\.exponential: not an op of this backend, recorded at .*main\.go:\d+$`, lines[4])
}

func TestPlugInRegisteredTwice(t *testing.T) {
	lines := output(t, t.TempDir(), build(t, "twice"))
	require.Len(t, lines, 3, "%q", lines)
	for _, l := range lines[:2] {
		require.Regexp(t, `^backend "mychip" is registered twice: at .*chip\.go:\d+ and at .*main\.go:\d+; import only one of the packages$`, l)
	}
	require.Regexp(t, `^unknown backend "yourchip": registered are cpu, eval, mychip; open one of these, or import the package of the backend`, lines[2])
}

// The README's program runs, in the directory that its readers are in.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root(t), "README.md"))
	require.NoError(t, err)
	_, block, _ := strings.Cut(string(readme), "```go\n")
	block, _, _ = strings.Cut(block, "```")
	program, err := os.ReadFile("testdata/readme/main.go")
	require.NoError(t, err)
	require.Equal(t, string(program), block)

	lines := output(t, root(t), build(t, "readme"))
	require.Len(t, lines, 29)
	first, err := strconv.ParseFloat(lines[0], 64)
	require.NoError(t, err)
	last, err := strconv.ParseFloat(lines[27], 64)
	require.NoError(t, err)
	require.Less(t, last, first/2)
	require.Regexp(t, `^1 compile \(.*\), 27 cached, 28 marks, 0 implicit syncs`, lines[28])
}
