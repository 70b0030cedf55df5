// Package overlay builds this module with files written anew, in place of those
// checked in: tests add a row to a table and require that the build fails. Its
// central type is [Overlay].
//
// The package imports only the standard library and testify.
package overlay

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Overlay is the module as it is checked in, but for some files. Packages are built
// where they are, so that nothing is copied.
type Overlay struct {
	t         *testing.T
	root, dir string
	replace   map[string]string // files by absolute path
}

// New returns an overlay that replaces nothing. The test runs in a folder of the module.
func New(t *testing.T) *Overlay {
	root, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return &Overlay{t, root, t.TempDir(), map[string]string{}}
		}
		require.NotEqual(t, filepath.Dir(root), root, "the test is in no module")
		root = filepath.Dir(root)
	}
}

// Write replaces a file, named from the module's root, or adds it.
func (o *Overlay) Write(name, text string) {
	from := filepath.Join(o.root, filepath.FromSlash(name))
	if o.replace[from] == "" {
		o.replace[from] = filepath.Join(o.dir, fmt.Sprint(len(o.replace), ".go"))
	}
	require.NoError(o.t, os.WriteFile(o.replace[from], []byte(text), 0o644))
}

// Insert adds a line to a file, before the only place that begins as given.
func (o *Overlay) Insert(name, before, line string) {
	text := o.Text(name)
	require.Equal(o.t, 1, strings.Count(text, before), "%s: %s", name, before)
	o.Write(name, strings.Replace(text, before, line+"\n"+before, 1))
}

// quick is what the compiler is told for packages of the module: to report all errors, and
// to optimise nothing, which takes most of its time. It is the same for every command, so
// that each uses what those before it have compiled.
const quick = "-gcflags=./...=-e -N -l"

// Go runs the go command in the module's root on packages as the overlay has them.
// Nothing is fetched.
func (o *Overlay) Go(args ...string) (output string, err error) {
	list, err := json.Marshal(map[string]any{"Replace": o.replace})
	require.NoError(o.t, err)
	file := filepath.Join(o.dir, "overlay.json")
	require.NoError(o.t, os.WriteFile(file, list, 0o644))
	c := exec.Command("go", append([]string{args[0], "-overlay", file, quick}, args[1:]...)...)
	c.Dir = o.root
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOPROXY=off")
	text, err := c.CombinedOutput()
	return string(text), err
}

// Builds requires that packages build.
func (o *Overlay) Builds(packages ...string) {
	o.t.Helper()
	text, err := o.Go(append([]string{"build"}, packages...)...)
	require.NoError(o.t, err, "%s", text)
}

// Fails requires that packages do not build, and returns what the compiler says.
func (o *Overlay) Fails(packages ...string) string {
	o.t.Helper()
	text, err := o.Go(append([]string{"build"}, packages...)...)
	require.Error(o.t, err, "%v build", packages)
	return text
}

// Generate runs a generator of the overlay, which writes files below the folder that
// its flag -root names, and takes these files over.
func (o *Overlay) Generate(generator string, files ...string) {
	o.t.Helper()
	to := o.t.TempDir()
	for _, name := range files {
		require.NoError(o.t, os.MkdirAll(filepath.Join(to, filepath.Dir(name)), 0o755))
	}
	text, err := o.Go("run", generator, "-root", to)
	require.NoError(o.t, err, "%s", text)
	for _, name := range files {
		written, err := os.ReadFile(filepath.Join(to, name))
		require.NoError(o.t, err)
		o.Write(name, string(written))
	}
}

// Text returns a file as the overlay has it.
func (o *Overlay) Text(name string) string {
	path := filepath.Join(o.root, filepath.FromSlash(name))
	if to := o.replace[path]; to != "" {
		path = to
	}
	text, err := os.ReadFile(path)
	require.NoError(o.t, err)
	return string(text)
}
