package eval

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
)

// Every row has a preparation, or else the reason why it has none.
func TestRows(t *testing.T) {
	for code := range mlir.Codes() {
		if !strings.HasPrefix(code.String(), "stablehlo.") {
			continue
		}
		row, info := opTable[code], code.Info().Static
		if info == nil && !code.Info().Traits.Has(mlir.Terminator) {
			require.Equal(t, row.prepare == nil, row.unprepared != "", "%s: a preparation, or else a reason for none", code)
		}
		if info != nil {
			require.NotNil(t, opTable[info.Op].prepare, "%s becomes %s", code, info.Op)
		}
	}
}
