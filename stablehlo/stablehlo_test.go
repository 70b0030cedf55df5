package stablehlo_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/mlir"
	"ltc/stablehlo"
)

func TestCodesNameTheRowsOfTheTable(t *testing.T) {
	for code, want := range map[mlir.Code]string{
		stablehlo.Abs:             "stablehlo.abs",
		stablehlo.DotGeneral:      "stablehlo.dot_general",
		stablehlo.CHLOTopK:        "chlo.top_k",
		stablehlo.CheckExpectEq:   "check.expect_eq",
		stablehlo.RNGBitGenerator: "stablehlo.rng_bit_generator",
	} {
		require.Equal(t, want, code.String())
	}
}

func TestGeneratedCodesAreCurrent(t *testing.T) {
	out := filepath.Join(t.TempDir(), "ops_gen.go")
	text, err := exec.Command("go", "run", "./gen", "-o", out).CombinedOutput()
	require.NoError(t, err, "%s", text)
	want, err := os.ReadFile(out)
	require.NoError(t, err)
	got, err := os.ReadFile("ops_gen.go")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go generate ./stablehlo")
}

// A stage that has nothing for an op does not build, and the compiler names the op.
func TestRowWithoutMethodsDoesNotBuild(t *testing.T) {
	if trials.Few() {
		t.Skip("it builds four packages anew, whatever the configuration: make test runs it")
	}
	dir := t.TempDir()
	overlay := map[string]string{}
	insert := func(path, before, text string) {
		path, err := filepath.Abs(path)
		require.NoError(t, err)
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(whole), before), path)
		overlay[path] = filepath.Join(dir, fmt.Sprint(len(overlay), ".go"))
		require.NoError(t, os.WriteFile(overlay[path], []byte(strings.Replace(string(whole), before, text+"\n"+before, 1)), 0o666))
	}
	run := func(args ...string) string {
		list, err := json.Marshal(map[string]any{"Replace": overlay})
		require.NoError(t, err)
		file := filepath.Join(dir, "overlay.json")
		require.NoError(t, os.WriteFile(file, list, 0o666))
		command := exec.Command("go", append([]string{args[0], "-overlay", file}, args[1:]...)...)
		command.Env = append(os.Environ(), "CGO_ENABLED=0")
		text, _ := command.CombinedOutput()
		return string(text)
	}
	insert("../mlir/ops.go", `	{name: "stablehlo.after_all",`, `	{name: "stablehlo.hypot", syntax: form(operands{2}, attrDict{}, sameType{}), verify: verifySame(2, kFloat)},`)
	insert("../mlir/chlo.go", `	withTraits(Elementwise, chloRows(form(operands{1}, attrDict{}, arrowTypes{}), verifyChloSame(kComplex)`,
		`	chloRows(form(operands{1}, attrDict{}, arrowTypes{}), verifyChloSame(kFloat), "sinpi"),`)
	made, err := filepath.Abs("ops_gen.go")
	require.NoError(t, err)
	generated := filepath.Join(dir, "ops_gen.go")
	require.Empty(t, run("run", "./gen", "-o", generated))
	overlay[made] = generated
	for _, stage := range []struct{ dir, before, lacks, method string }{
		{"mlir/chlo", "func (opRows) Acos()", "Sinpi", "func (opRows) Sinpi() opRow { return function(nil, nil) }"},
		{"backends/kit/simplify", "func (opRows) Abs()", "Hypot", "func (opRows) Hypot() opRow { return opRow{} }"},
		{"backends/kit", "func (opRows) Abs()", "Hypot", `func (opRows) Hypot() opRow { return left("nobody has written it") }`},
		{"backends/reference", "func (opRows) Abs()", "Hypot", "func (opRows) Hypot() opRow { return opRow{prepare: prepareBinary} }"},
	} {
		require.Contains(t, run("build", "ltc/"+stage.dir), "(missing method "+stage.lacks+")")
		insert("../"+stage.dir+"/ops.go", stage.before, stage.method)
		require.Empty(t, run("build", "ltc/"+stage.dir))
	}
}

// Accessors read what the text says, and zero of what it leaves out.
func TestAccessorsReadAttributes(t *testing.T) {
	m, err := mlir.Parse("m", `func.func @main(%a: tensor<4x6xf32>, %w: tensor<6x5xf32>) -> tensor<2x5xf32> {
  %0 = stablehlo.slice %a [0:4:2, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<2x6xf32>, tensor<6x5xf32>) -> tensor<2x5xf32>
  %2 = stablehlo.compare LT, %1, %1 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xi1>
  return %1 : tensor<2x5xf32>
}`)
	require.NoError(t, err)
	require.NoError(t, mlir.Verify(m))
	ops := m.Func("main").Body().Ops
	slice := stablehlo.AsSlice(ops[0])
	require.Equal(t, [][]int64{{0, 0}, {4, 6}, {2, 1}}, [][]int64{slice.StartIndices(), slice.LimitIndices(), slice.Strides()})
	require.Equal(t, mlir.DotDims{LHSContract: []int64{1}, RHSContract: []int64{0}}, stablehlo.AsDotGeneral(ops[1]).DotDimensionNumbers())
	require.Equal(t, "LT", stablehlo.AsCompare(ops[2]).ComparisonDirection())
	require.Empty(t, stablehlo.AsCompare(ops[2]).CompareType())
}
