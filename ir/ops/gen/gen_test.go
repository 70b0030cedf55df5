package main

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"ltc/internal/test/overlay"
	"ltc/internal/trials"
	"ltc/ir/ops"
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
	for _, dir := range []string{"ir", "shapeinfer", "lower", "autodiff", "batching", "lazy"} {
		found, err := filepath.Glob(filepath.Join(root, dir, "*_gen.go"))
		require.NoError(t, err)
		require.NotEmpty(t, found)
		for _, path := range found {
			name := dir + "/" + filepath.Base(path)
			if name == "lazy/topics_gen.go" { // of tools/reference, whose test compares it
				continue
			}
			require.Contains(t, files, name)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(text), header), "%s has not the header of generated files", name)
		}
	}
	pages, err := filepath.Glob(filepath.Join(root, docsDir, "*"))
	require.NoError(t, err)
	for _, path := range pages {
		require.Contains(t, files, docsDir+filepath.Base(path))
	}
}

// Every op is on the page of its family and in the index, and a page is short.
func TestPages(t *testing.T) {
	files := docs()
	require.Len(t, files, len(ops.Families)+1)
	for name, page := range files {
		require.Less(t, len(page), 15_000, "%s: split the family in ir/ops/families.go", name)
	}
	index := string(files[docsDir+"README.md"])
	for _, o := range slices.Concat(ops.Table, ops.Composites) {
		require.Contains(t, string(files[docsDir+o.Family.Page()]), "# "+o.Name+"\n`"+o.Mnemonic()+"` ")
		require.Equal(t, 1, strings.Count(index, "| `"+o.Mnemonic()+"`")+strings.Count(index, ", `"+o.Mnemonic()+"`"), o.Name)
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
var concerned = []string{"./ir/...", "./shapeinfer", "./autodiff", "./batching", "./lower", "./lazy"}

func names() (all []string) {
	for name := range generate() {
		all = append(all, name)
	}
	return all
}

// kernelFiles are what the generator of kernels' ops writes.
var kernelFiles = []string{"backends/kit/kernel/ops/functions_gen.go", "backends/kit/kernel/ops_gen.go", "backends/kit/expand/functions_gen.go",
	"backends/reference/llvm/vector/ops_gen.go", "backends/cuda/ptx/internal/asm/ops_gen.go"}

// New rows do not build without their functions, and the compiler asks for each of them by its name. All are
// in one overlay: each change of a row compiles everything anew.
func TestRowsWithoutFunctionsDoNotBuild(t *testing.T) {
	if trials.Few() {
		t.Skip("it builds all packages anew, whatever the configuration: make test runs it")
	}
	o := overlay.New(t)
	const primitive, composite = `	{Name: "Abs",`, `	{Name: "Softmax",`
	// An elementwise row that is one StableHLO op needs its gradient only.
	o.Insert("ir/ops/table.go", primitive, `	{Name: "CubeRoot", Family: Exponentials, Doc: "returns the cube root of x elementwise.", Operands: one(Float), HLO: "cbrt", Traits: Elementwise},`)
	// One with a rule and a lowering of its own needs these, and a rule for many examples.
	o.Insert("ir/ops/table.go", primitive, `	{Name: "TopRow", Family: Rows, Doc: "returns the first row of x.", Operands: one(Any), Traits: OwnRule | OwnLowering},`)
	// A composite needs no more than its mathematics, and what it says that it has beyond.
	o.Insert("ir/ops/composites.go", composite, `	{Name: "Swish", Family: Activations, Doc: "returns x sigmoid(x) elementwise.", Operands: one(Float), Traits: InPlace},`)
	o.Insert("ir/ops/composites.go", composite, `	{Name: "Middle", Family: Activations, Doc: "returns the middle of the axis.", Operands: one(Float), Attrs: alongAxis,
		Where: []Demand{axisOfX[0], {"odd", "the dimension is odd"}}, Traits: OwnGradient},`)
	// A mathematical function that is new everywhere has a row of the dialect, too.
	o.Insert("ir/ops/table.go", primitive, `	{Name: "Quasisign", Family: Exponentials, Doc: "returns x/(1+|x|) elementwise.", Operands: one(Float), HLO: "quasisign", Traits: Elementwise},`)
	o.Insert("stablehlo/ops.go", `	mathOp("sine"),`, `	mathOp("quasisign"),`)
	o.Generate("./ir/ops/gen", names()...)
	dialect := filepath.Join(t.TempDir(), "ops_gen.go")
	text, err := o.Go("run", "./stablehlo/gen", "-o", dialect)
	require.NoError(t, err, "%s", text)
	generated, err := os.ReadFile(dialect)
	require.NoError(t, err)
	o.Write("stablehlo/ops_gen.go", string(generated))
	o.Generate("./backends/kit/kernel/ops/gen", kernelFiles...)

	t.Run("primitive", func(t *testing.T) { testPrimitive(t, o) })
	t.Run("composite", func(t *testing.T) { testComposite(t, o) })
	t.Run("function", func(t *testing.T) { testFunction(t, o) })
}

// A primitive's functions are those for its types, its lowering, its gradient and many examples.
func testPrimitive(t *testing.T, o *overlay.Overlay) {
	require.Contains(t, o.Fails("./shapeinfer"), "undefined: inferTopRow")

	// Lowering and gradients use the rules, so the compiler comes to them next.
	o.Write("shapeinfer/toprow.go", `package shapeinfer

import (
	"ltc/ir"
	"ltc/ir/types"
)

func inferTopRow(in []*ir.Node, _ []ir.Attr, _ *ir.Composite) (types.Type, *broken) { return in[0].Type, nil }
`)
	out := o.Fails("./lower", "./autodiff", "./batching")
	require.Contains(t, out, "undefined: lowerTopRow")
	require.Contains(t, out, "undefined: gradTopRow")
	require.Contains(t, out, "undefined: gradCubeRoot")
	require.Contains(t, out, "undefined: gradQuasisign")
	require.Contains(t, out, "undefined: batchTopRow")
	require.NotContains(t, out, "batchCubeRoot")
	require.NotContains(t, out, "lowerCubeRoot")

	o.Write("lower/toprow.go", "package lower\n\nimport (\n\t\"ltc/ir\"\n\t\"ltc/mlir\"\n)\n\nfunc lowerTopRow(l *lowerer, n *ir.Node) *mlir.Value { return l.in(n)[0] }\n")
	o.Write("autodiff/toprow.go", "package autodiff\n\nvar gradTopRow, gradCubeRoot = notDifferentiable, notDifferentiable\n")
	o.Write("batching/toprow.go", "package batching\n\nvar batchTopRow = batchBarrier\n")
	require.Contains(t, o.Text(docsDir+ops.Exponentials.Page()), "`cube_root_c1` x is floating point")
}

// A composite's functions are its mathematics, and the check and the gradient that its row promises.
func testComposite(t *testing.T, o *overlay.Overlay) {
	o.Write("autodiff/quasisign.go", `package autodiff

import "ltc/ir"

func gradQuasisign(t *tape, n, ct *ir.Node) {
	d := t.op(ir.OpAdd, t.scalar(n, 1), t.op(ir.OpAbs, n.In[0]))
	t.add(0, t.op(ir.OpDiv, ct, t.mul(d, d)))
}
`)
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

var _ = []func(*Tensor) *Tensor{(*Tensor).Swish, (*Tensor).Swish_, (*Tensor).CubeRoot, (*Tensor).TopRow}
`)
	o.Builds(concerned...)
	require.Contains(t, o.Text(docsDir+ops.Activations.Page()), "`middle_c3` the dimension is odd")
}

// A mathematical function is written in five places: its rows of
// the op table and of the dialect, its gradient, the evaluator's function, and its
// expansion for kernels. The compiler asks for the last three. Then it runs on the
// evaluator, as Go's and LLVM's kernels, and as PTX.
func testFunction(t *testing.T, o *overlay.Overlay) {
	require.Contains(t, o.Fails("./backends/kit/expand"), "undefined: floatQuasisign")
	o.Write("backends/kit/expand/quasisign.go", `package expand

import "ltc/backends/kit/kernel"

func floatQuasisign(b *builder, x []kernel.ID) kernel.ID { return b.div(x[0], b.addn(b.abs(x[0]), 1)) }
`)
	require.Contains(t, o.Fails("./backends/reference/internal/loops"), "(missing method Quasisign)")
	o.Write("backends/reference/internal/loops/quasisign.go", `package loops

import "math"

func (functions) Quasisign() realFunction {
	return realFunction{f64: func(x float64) float64 { return x / (1 + math.Abs(x)) }}
}
`)
	o.Write("internal/test/quasisign/main.go", `package main

import (
	"fmt"

	"ltc/backends/reference"
	_ "ltc/backends/reference/llvm"
	"ltc/backends/reference/tiles"
	_ "ltc/internal/test/cudasim"
	"ltc/lazy"
)

func main() {
	for _, backend := range []string{"eval", "cpu", "cudasim", "tiles"} {
		name := backend
		if backend == "tiles" {
			reference.UseCompiler(tiles.Compiler{})
			name = "cpu"
		}
		dev, err := lazy.Open(name)
		if err != nil {
			panic(err)
		}
		tr := lazy.NewTrace(dev)
		x := lazy.From(tr, []float32{-3, 0.5, 7, 0}, 4)
		y := x.Quasisign()
		g := lazy.Grad(y.Sum(), x)[0]
		if err := tr.MarkStep(y, g); err != nil {
			panic(err)
		}
		values, err := lazy.ToSlice[float32](y)
		if err != nil {
			panic(err)
		}
		slopes, err := lazy.ToSlice[float32](g)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %.5f %.5f\n", backend, values, slopes)
	}
}
`)
	out, err := o.Go("run", "./internal/test/quasisign")
	require.NoError(t, err, "%s", out)
	const values = "[-0.75000 0.33333 0.87500 0.00000] [0.06250 0.44444 0.01562 1.00000]\n"
	require.Equal(t, "eval: "+values+"cpu: "+values+"cudasim: "+values+"tiles: "+values, out)
}
