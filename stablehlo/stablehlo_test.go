package stablehlo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

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
