package stablehlo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/overlay"
	"ltc/internal/trials"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
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
		t.Skip("it builds five packages anew, whatever the configuration: make test runs it")
	}
	o := overlay.New(t)
	o.Insert("stablehlo/ops.go", `	{Name: "stablehlo.after_all",`, `	{Name: "stablehlo.hypot", Syntax: form(operands(2), attrDict{}, oneType{})},`)
	o.Insert("stablehlo/chlo.go", `	broadcastRows("add",`, `	chloRows(unaryForm, "sinpi"),`)
	generated := filepath.Join(t.TempDir(), "ops_gen.go")
	text, err := o.Go("run", "./stablehlo/gen", "-o", generated)
	require.NoError(t, err, "%s", text)
	whole, err := os.ReadFile(generated)
	require.NoError(t, err)
	o.Write("stablehlo/ops_gen.go", string(whole))
	for _, stage := range []struct{ dir, before, lacks, method string }{
		{"stablehlo/verify", "func (rules) Abs()", "Hypot", "func (rules) Hypot() rule { return verifySame(2, kFloat) }\nfunc (chloRules) Sinpi() rule { return verifyChloSame(kFloat) }"},
		{"stablehlo/chlo", "func (opRows) Acos()", "Sinpi", "func (opRows) Sinpi() opRow { return function(nil, nil) }"},
		{"backends/kit/simplify", "func (opRows) Abs()", "Hypot", "func (opRows) Hypot() opRow { return opRow{} }"},
		{"backends/reference/eval", "func (opRows) Abs()", "Hypot", "func (opRows) Hypot() opRow { return opRow{prepare: prepareBinary} }"},
		{"backends/kit", "func (opRows) Abs()", "Hypot", `func (opRows) Hypot() opRow { return left(leftRow{because: "nobody has written it"}) }`},
	} {
		require.Contains(t, o.Fails("./"+stage.dir), "(missing method "+stage.lacks+")")
		o.Insert(stage.dir+"/ops.go", stage.before, stage.method)
		o.Builds("./" + stage.dir)
	}
}

// Accessors read what the text says, and zero of what it leaves out.
func TestAccessorsReadAttributes(t *testing.T) {
	m, err := stablehlo.Parse("m", `func.func @main(%a: tensor<4x6xf32>, %w: tensor<6x5xf32>) -> tensor<2x5xf32> {
  %0 = stablehlo.slice %a [0:4:2, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<2x6xf32>, tensor<6x5xf32>) -> tensor<2x5xf32>
  %2 = stablehlo.compare LT, %1, %1 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xi1>
  return %1 : tensor<2x5xf32>
}`)
	require.NoError(t, err)
	require.NoError(t, verify.Module(m))
	ops := m.Func("main").Body().Ops
	slice := stablehlo.AsSlice(ops[0])
	require.Equal(t, [][]int64{{0, 0}, {4, 6}, {2, 1}}, [][]int64{slice.StartIndices(), slice.LimitIndices(), slice.Strides()})
	require.Equal(t, stablehlo.DotDims{LHSContract: []int64{1}, RHSContract: []int64{0}}, stablehlo.AsDotGeneral(ops[1]).DotDimensionNumbers())
	require.Equal(t, "LT", stablehlo.AsCompare(ops[2]).ComparisonDirection())
	require.Empty(t, stablehlo.AsCompare(ops[2]).CompareType())
}

// What a text leaves out of a window reads as its default, for each dimension.
func TestAccessorsHaveDefaultsOfWindows(t *testing.T) {
	m, err := stablehlo.Parse("m", `func.func @main(%a: tensor<4x6x6x1xf32>, %w: tensor<3x3x1x2xf32>, %i: tensor<f32>) -> tensor<4x4x4x2xf32> {
  %0 = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x6x6x1xf32>, tensor<3x3x1x2xf32>) -> tensor<4x4x4x2xf32>
  %1 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4x6x6x1xf32>, tensor<f32>) -> tensor<4x3x3x1xf32>
  return %0 : tensor<4x4x4x2xf32>
}`)
	require.NoError(t, err)
	require.NoError(t, verify.Module(m))
	ops := m.Func("main").Body().Ops
	conv, window := stablehlo.AsConvolution(ops[0]), stablehlo.AsReduceWindow(ops[1])
	require.Equal(t, [][]int64{{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}}, [][]int64{conv.WindowStrides(), conv.LHSDilation(), conv.RHSDilation(), conv.Padding()})
	require.Empty(t, conv.WindowReversal())
	require.Equal(t, [][]int64{{1, 2, 2, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}}, [][]int64{window.WindowStrides(), window.BaseDilations(), window.WindowDilations()})
	require.Equal(t, make([]int64, 8), window.Padding())
}
