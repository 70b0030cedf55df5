package main

import (
	"bytes"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
)

const root = "../../.."

// The files checked in are those that the op table determines.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	files := generate()
	for name, content := range files {
		if filepath.Ext(name) == ".go" {
			var err error
			content, err = format.Source(content)
			require.NoError(t, err, name)
		}
		have, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(string(have), string(content)), "%s is not what make generate writes", name)
	}
	// No file is left over that nothing generates any more.
	for _, dir := range []string{"ir", "shapeinfer", "lower", "autodiff", "lazy"} {
		found, err := filepath.Glob(filepath.Join(root, dir, "*_gen.go"))
		require.NoError(t, err)
		require.NotEmpty(t, found)
		for _, path := range found {
			name := dir + "/" + filepath.Base(path)
			require.Contains(t, files, name)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(text), header), "%s has not the header of generated files", name)
		}
	}
}

func TestGenerateTwice(t *testing.T) {
	first, second := generate(), generate()
	require.Len(t, second, len(first))
	for name, content := range first {
		require.True(t, bytes.Equal(content, second[name]), "%s differs from one run to the next", name)
	}
}

// copied are the packages that a new row concerns, and what they need.
var copied = []string{
	"ir", "ir/ops", "ir/ops/gen", "ir/types", "internal/border", "internal/callsite", "internal/diag", "internal/env", "internal/halt", "internal/spare",
	"shapeinfer", "autodiff", "lower", "mlir", "stablehlo", "backends", "soa", "lazy", "docs",
}

// module is a copy of those packages in a module of the same name.
type module struct {
	t   *testing.T
	dir string
}

func newModule(t *testing.T) module {
	m := module{t, t.TempDir()}
	for _, name := range []string{"go.mod", "go.sum"} {
		m.copy(filepath.Join(root, name), name)
	}
	for _, dir := range copied {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		require.NoError(t, err)
		for _, e := range entries {
			ext := filepath.Ext(e.Name())
			source := slices.Contains([]string{".go", ".s", ".md"}, ext) && !strings.HasSuffix(e.Name(), "_test.go")
			if e.Type().IsRegular() && source {
				m.copy(filepath.Join(root, dir, e.Name()), filepath.Join(dir, e.Name()))
			}
		}
	}
	return m
}

func (m module) copy(from, to string) {
	data, err := os.ReadFile(from)
	require.NoError(m.t, err)
	to = filepath.Join(m.dir, to)
	require.NoError(m.t, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(m.t, os.WriteFile(to, data, 0o644))
}

// run runs the go command, with what the machine has: nothing is fetched. Paths
// are left out of what it builds, so that its cache knows packages wherever they
// lie.
func (m module) run(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (m module) mustRun(args ...string) {
	out, err := m.run(args...)
	require.NoError(m.t, err, "go %v: %s", args, out)
}

// addRow puts a row into the copied table.
func (m module) addRow(row string) {
	path := filepath.Join(m.dir, "ir/ops/table.go")
	table, err := os.ReadFile(path)
	require.NoError(m.t, err)
	const start = "var Table = []Op{\n"
	require.Equal(m.t, 1, bytes.Count(table, []byte(start)))
	table = bytes.Replace(table, []byte(start), []byte(start+"\t"+row+"\n"), 1)
	require.NoError(m.t, os.WriteFile(path, table, 0o644))
}

// A row without its functions does not build, and the compiler names them.
func TestRowWithoutFunctionsDoesNotBuild(t *testing.T) {
	if trials.Few() {
		t.Skip("builds the module")
	}
	m := newModule(t)
	m.mustRun("build", "./...")

	// An elementwise row that is one StableHLO op needs its gradient only.
	m.addRow(`{Name: "Cbrt", Doc: "returns the cube root of x elementwise.", Operands: one(Float), HLO: "cbrt", Traits: Elementwise},`)
	// One with a rule and a lowering of its own needs all three.
	m.addRow(`{Name: "TopRow", Doc: "returns the first row of x.", Operands: one(Any), Traits: OwnRule | OwnLowering},`)
	m.mustRun("run", "./ir/ops/gen", "-root", ".")
	out, err := m.run("build", "./...")
	require.Error(t, err, "the module builds with rows that have no functions")
	require.Contains(t, out, "undefined: inferTopRow")

	// Lowering and gradients use the rules, so the compiler comes to them next.
	m.write("shapeinfer/toprow.go", `package shapeinfer

import (
	"ltc/ir"
	"ltc/ir/types"
)

func inferTopRow(in []*ir.Node, _ []ir.Attr, _ *ir.Composite) (types.Type, *broken) { return in[0].Type, nil }
`)
	out, err = m.run("build", "./...")
	require.Error(t, err)
	require.Contains(t, out, "undefined: lowerTopRow")
	require.Contains(t, out, "undefined: gradTopRow")
	require.Contains(t, out, "undefined: gradCbrt")
	require.NotContains(t, out, "lowerCbrt")

	// With all functions it builds, and the tensor has the methods.
	m.write("lower/toprow.go", "package lower\n\nimport (\n\t\"ltc/ir\"\n\t\"ltc/mlir\"\n)\n\nfunc lowerTopRow(l *lowerer, n *ir.Node) *mlir.Value { return l.in(n)[0] }\n")
	m.write("autodiff/toprow.go", "package autodiff\n\nvar gradTopRow, gradCbrt = notDifferentiable, notDifferentiable\n")
	m.write("lazy/toprow.go", "package lazy\n\nvar _ = []func(*Tensor) *Tensor{(*Tensor).Cbrt, (*Tensor).TopRow}\n")
	m.mustRun("build", "./...")
	docs, err := fs.ReadFile(os.DirFS(m.dir), "docs/ops.md")
	require.NoError(t, err)
	require.Contains(t, string(docs), "`cbrt_c1` x is floating point")
}

func (m module) write(name, text string) {
	require.NoError(m.t, os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o644))
}
