package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/internal/test/golden"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// Every text NAME.mlir of the archives breaks a rule, as NAME.error says.
func TestVerifyErrors(t *testing.T) {
	golden.Archives(t, "testdata/*.txtar", ".mlir", func(t *testing.T, in txtar.File) []golden.Part {
		m, err := stablehlo.Parse(in.Name, strings.TrimSuffix(string(in.Data), "\n"))
		require.NoError(t, err)
		err = verify.Module(m)
		require.Error(t, err)
		return []golden.Part{{Ext: "error", Text: err.Error()}}
	})
}
