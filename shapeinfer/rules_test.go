package shapeinfer_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/ops"
)

// A rule checks, by its name, all that its row says it demands.
func TestRulesCheckWhatTheirRowsDemand(t *testing.T) {
	var text []byte
	for _, name := range []string{"rules.go", "control.go", "strided.go", "window.go", "complex.go"} {
		part, err := os.ReadFile(name)
		require.NoError(t, err)
		text = append(text, part...)
	}
	for i := range ops.Table {
		row := &ops.Table[i]
		start := strings.Index(string(text), "func infer"+row.Name+"(")
		if len(row.Where) == 0 {
			continue
		}
		require.GreaterOrEqual(t, start, 0, row.Name)
		body, _, _ := strings.Cut(string(text)[start:], "\n}\n")
		prefix := strings.ToLower(row.Name[:1]) + row.Name[1:]
		for _, d := range row.Where {
			name := regexp.MustCompile(`\b` + prefix + `(?i:` + d.Name + `)\b`)
			require.Regexp(t, name, body, "infer%s never says that %s", row.Name, d.Text)
		}
	}
}
