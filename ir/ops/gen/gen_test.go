package main

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"ltc/internal/test/overlay"
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

// concerned are the packages that a new row concerns.
var concerned = []string{"./ir/...", "./shapeinfer", "./autodiff", "./lower", "./lazy"}

func names() (all []string) {
	for name := range generate() {
		all = append(all, name)
	}
	return all
}

// A row without its functions does not build, and the compiler names them.
func TestRowWithoutFunctionsDoesNotBuild(t *testing.T) {
	if trials.Few() {
		t.Skip("it builds packages anew, whatever the configuration: make test runs it")
	}
	o := overlay.New(t)
	const first = `	{Name: "Abs",`
	// An elementwise row that is one StableHLO op needs its gradient only.
	o.Insert("ir/ops/table.go", first, `	{Name: "Cbrt", Doc: "returns the cube root of x elementwise.", Operands: one(Float), HLO: "cbrt", Traits: Elementwise},`)
	// One with a rule and a lowering of its own needs all three.
	o.Insert("ir/ops/table.go", first, `	{Name: "TopRow", Doc: "returns the first row of x.", Operands: one(Any), Traits: OwnRule | OwnLowering},`)
	o.Generate("./ir/ops/gen", names()...)
	require.Contains(t, o.Fails(concerned...), "undefined: inferTopRow")

	// Lowering and gradients use the rules, so the compiler comes to them next.
	o.Write("shapeinfer/toprow.go", `package shapeinfer

import (
	"ltc/ir"
	"ltc/ir/types"
)

func inferTopRow(in []*ir.Node, _ []ir.Attr, _ *ir.Composite) (types.Type, *broken) { return in[0].Type, nil }
`)
	out := o.Fails(concerned...)
	require.Contains(t, out, "undefined: lowerTopRow")
	require.Contains(t, out, "undefined: gradTopRow")
	require.Contains(t, out, "undefined: gradCbrt")
	require.NotContains(t, out, "lowerCbrt")

	// With all functions it builds, and the tensor has the methods.
	o.Write("lower/toprow.go", "package lower\n\nimport (\n\t\"ltc/ir\"\n\t\"ltc/mlir\"\n)\n\nfunc lowerTopRow(l *lowerer, n *ir.Node) *mlir.Value { return l.in(n)[0] }\n")
	o.Write("autodiff/toprow.go", "package autodiff\n\nvar gradTopRow, gradCbrt = notDifferentiable, notDifferentiable\n")
	o.Write("lazy/toprow.go", "package lazy\n\nvar _ = []func(*Tensor) *Tensor{(*Tensor).Cbrt, (*Tensor).TopRow}\n")
	o.Builds(concerned...)
	require.Contains(t, o.Text("docs/ops.md"), "`cbrt_c1` x is floating point")
}

// A composite's row without its functions does not build, either, and needs no more
// than its mathematics, and what it says that it has beyond.
func TestCompositeWithoutFunctionsDoesNotBuild(t *testing.T) {
	if trials.Few() {
		t.Skip("it builds packages anew, whatever the configuration: make test runs it")
	}
	o := overlay.New(t)
	const first = `	{Name: "Softmax",`
	o.Insert("ir/ops/composites.go", first, `	{Name: "Swish", Family: activation, Doc: "returns x sigmoid(x) elementwise.", Operands: one(Float), Traits: InPlace},`)
	o.Insert("ir/ops/composites.go", first, `	{Name: "Middle", Family: activation, Doc: "returns the middle of the axis.", Operands: one(Float), Attrs: alongAxis,
		Where: []Demand{axisOfX[0], {"odd", "the dimension is odd"}}, Traits: OwnGradient},`)
	o.Generate("./ir/ops/gen", names()...)
	out := o.Fails("./lazy")
	for _, name := range []string{"computeSwish", "computeMiddle", "checkMiddle", "gradMiddle"} {
		require.Contains(t, out, "undefined: "+name)
	}
	require.NotContains(t, out, "checkSwish")
	require.NotContains(t, out, "gradSwish")

	o.Write("lazy/swish.go", `package lazy

func computeSwish(x *Tensor) *Tensor { return x.Mul(x.Sigmoid()) }

func checkMiddle(x *Tensor, axis int) *breach {
	if x.Dim(axis)%2 == 0 {
		return breaks(middleOdd, "axis %d has %d elements, which have no middle", axis, x.Dim(axis))
	}
	return nil
}

func computeMiddle(x *Tensor, axis int) *Tensor { return x.Select(axis, x.Dim(axis)/2) }

func gradMiddle(x, y, ct *Tensor, axis int) []*Tensor { return []*Tensor{nil} }

var _ = []func(*Tensor) *Tensor{(*Tensor).Swish, (*Tensor).Swish_}
`)
	o.Builds("./lazy")
	require.Contains(t, o.Text("docs/ops.md"), "`middle_c3` the dimension is odd")
}
