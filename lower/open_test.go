package lower_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/internal/test/golden"
	"ltc/lower"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// ofSize matches the numbers of a text that depend on the number of elements n:
// {n}, {2n}, {n+1}, and {nn}, which is its square.
var ofSize = regexp.MustCompile(`\{(\d*)(nn?)([+-]\d+)?\}`)

// traceFor returns the module that a text is for n elements.
func traceFor(t *testing.T, text string, n int) *mlir.Module {
	text = ofSize.ReplaceAllStringFunc(text, func(s string) string {
		m := ofSize.FindStringSubmatch(s)
		times, more := 1, 0
		if m[1] != "" {
			times, _ = strconv.Atoi(m[1])
		}
		if m[2] == "nn" {
			times *= n
		}
		if m[3] != "" {
			more, _ = strconv.Atoi(m[3])
		}
		return strconv.Itoa(times*n + more)
	})
	m, err := stablehlo.Parse("test.mlir", text)
	require.NoError(t, err)
	require.NoError(t, verify.Module(m))
	return m
}

// What traces for some sizes are for all.
func TestOpen(t *testing.T) {
	at := []int{3, 7, 29}
	golden.Archives(t, "testdata/open/*.txtar", ".mlir", func(t *testing.T, in txtar.File) []golden.Part {
		var modules []*mlir.Module
		for _, n := range at {
			modules = append(modules, traceFor(t, string(in.Data), n))
		}
		m, err := lower.Open("n", 0, 1000, at, modules)
		if err != nil {
			return []golden.Part{{Ext: "error", Text: err.Error()}}
		}
		return []golden.Part{{Ext: "open", Text: mlir.Print(m)}}
	})
}
