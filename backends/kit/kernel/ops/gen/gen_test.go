package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
)

const root = "../../../../.."

// The files checked in are those that the table determines.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	for name, content := range generate() {
		have, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(string(have), string(content)), "%s is not what make generate writes", name)
	}
}

// overlay is the packages that a new row concerns, with files written anew. They
// are built where they are, so that nothing is copied.
type overlay struct {
	t       *testing.T
	dir     string
	replace map[string]string
}

// write replaces a file, seen from the module's root, or adds it.
func (o *overlay) write(name string, text []byte) {
	to := filepath.Join(o.dir, strings.ReplaceAll(name, "/", "_"))
	require.NoError(o.t, os.WriteFile(to, text, 0o644))
	from, err := filepath.Abs(filepath.Join(root, name))
	require.NoError(o.t, err)
	o.replace[from] = to
}

// run runs the go command on packages as the overlay has them.
func (o *overlay) run(args ...string) (string, error) {
	text, err := json.Marshal(map[string]any{"Replace": o.replace})
	require.NoError(o.t, err)
	list := filepath.Join(o.dir, "overlay.json")
	require.NoError(o.t, os.WriteFile(list, text, 0o644))
	cmd := exec.Command("go", append([]string{args[0], "-overlay", list}, args[1:]...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// build builds the emitters.
func (o *overlay) build() (string, error) { return o.run(append([]string{"build"}, emitters...)...) }

var emitters = []string{"./backends/reference/llvm/vector", "./backends/cuda/ptx"}

// A row without its functions does not build, and the compiler names those that
// each emitter lacks.
func TestRowWithoutFunctionsDoesNotBuild(t *testing.T) {
	if trials.Few() {
		t.Skip("it builds the emitters anew, whatever the configuration: make test runs it")
	}
	o := &overlay{t, t.TempDir(), map[string]string{}}
	table, err := os.ReadFile(filepath.Join(root, "backends/kit/kernel/ops/table.go"))
	require.NoError(t, err)
	const start = "var Table = []Op{\n"
	require.Equal(t, 1, bytes.Count(table, []byte(start)))
	o.write("backends/kit/kernel/ops/table.go", bytes.Replace(table, []byte(start), []byte(start+
		"\t{Name: \"Softsign\", Form: Unary, Takes: Numbers},\n"+
		"\t{Name: \"Sigmoid\", Form: Unary, Takes: Floats, Traits: Expanded},\n"), 1))

	generated := t.TempDir()
	for name := range generate() {
		require.NoError(t, os.MkdirAll(filepath.Join(generated, filepath.Dir(name)), 0o755))
	}
	out, err := o.run("run", "./backends/kit/kernel/ops/gen", "-root", generated)
	require.NoError(t, err, out)
	for name := range generate() {
		text, err := os.ReadFile(filepath.Join(generated, name))
		require.NoError(t, err)
		o.write(name, text)
	}

	// A function of floats needs its expansion, and nothing of emitters.
	out, err = o.run("build", "./backends/kit/expand")
	require.Error(t, err, "a function builds without its expansion")
	require.Contains(t, out, "undefined: expandSigmoid")
	require.NotContains(t, out, "Softsign")
	o.write("backends/kit/expand/sigmoid_new.go", []byte("package expand\n\nvar expandSigmoid function = expandLogistic\n"))

	out, err = o.build()
	require.Error(t, err, "emitters build with a row that has no functions")
	require.NotContains(t, out, "Sigmoid")
	for _, dir := range emitters {
		require.Contains(t, out, "# ltc/"+strings.TrimPrefix(dir, "./")+"\n")
	}
	require.Equal(t, 2, strings.Count(out, "undefined: intSoftsign"))
	require.Equal(t, 2, strings.Count(out, "undefined: floatSoftsign"))

	// With them it builds.
	o.write("backends/reference/llvm/vector/softsign.go", []byte("package vector\n\nvar intSoftsign, floatSoftsign = intAbs, floatAbs\n"))
	o.write("backends/cuda/ptx/softsign.go", []byte("package ptx\n\nvar intSoftsign, floatSoftsign = intAbs, floatAbs\n"))
	out, err = o.build()
	require.NoError(t, err, out)
}
