package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"ltc/internal/test/overlay"
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

var emitters = []string{"./backends/reference/llvm/vector", "./backends/cuda/ptx/internal/asm"}

// A row without its functions does not build, and the compiler names those that
// each emitter lacks.
func TestRowWithoutFunctionsDoesNotBuild(t *testing.T) {
	if trials.Few() {
		t.Skip("it builds the emitters anew, whatever the configuration: make test runs it")
	}
	o := overlay.New(t)
	const first = "\t{Name: \"Abs\","
	o.Insert("backends/kit/kernel/ops/table.go", first, `	{Name: "Softsign", Form: Unary, Takes: Numbers},
	{Name: "Sigmoid", Form: Unary, Takes: Floats, Expands: Floats},`)
	var names []string
	for name := range generate() {
		names = append(names, name)
	}
	o.Generate("./backends/kit/kernel/ops/gen", names...)

	// A function of floats needs its expansion, and nothing of emitters.
	out := o.Fails("./backends/kit/expand")
	require.Contains(t, out, "undefined: floatSigmoid")
	require.NotContains(t, out, "Softsign")
	o.Write("backends/kit/expand/sigmoid_new.go", "package expand\n\nvar floatSigmoid function = floatLogistic\n")

	out = o.Fails(emitters...)
	require.NotContains(t, out, "Sigmoid")
	for _, dir := range emitters {
		require.Contains(t, out, "# ltc/"+strings.TrimPrefix(dir, "./")+"\n")
	}
	require.Equal(t, 2, strings.Count(out, "undefined: intSoftsign"))
	require.Equal(t, 2, strings.Count(out, "undefined: floatSoftsign"))

	// With them it builds.
	o.Write("backends/reference/llvm/vector/softsign.go", "package vector\n\nvar intSoftsign, floatSoftsign = intAbs, floatAbs\n")
	o.Write("backends/cuda/ptx/internal/asm/softsign.go", "package asm\n\nvar intSoftsign, floatSoftsign = intAbs, floatAbs\n")
	o.Builds(emitters...)
}
