package shapeinfer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/internal/test/golden"
	"ltc/ir"
	"ltc/shapeinfer"
)

// The archive has graphs of one line at several sizes, and the graph of open sizes that they have in
// common, or the error that says why there is none. The last graph of each file is not among the
// samples: the result says whether it is an instance.
func TestGeneralize(t *testing.T) {
	golden.Archive(t, "testdata/generalize.txtar", ".ir", func(t *testing.T, in txtar.File) []golden.Part {
		var graphs []*ir.Graph
		for _, text := range strings.Split(string(in.Data), "---\n") {
			g, err := ir.Parse(in.Name, text)
			require.NoError(t, err)
			require.NoError(t, g.Verify(shapeinfer.Infer))
			graphs = append(graphs, g)
		}
		last := len(graphs) - 1
		open, err := shapeinfer.Generalize(graphs[:last])
		if err != nil {
			return []golden.Part{{Ext: "error", Text: err.Error()}}
		}
		require.NoError(t, open.Graph.Verify(shapeinfer.Infer))
		for _, g := range graphs[:last] {
			require.True(t, open.Fits(g))
		}
		text := open.Graph.String()
		if open.Fits(graphs[last]) {
			text += "and the last one"
		} else {
			text += "but not the last one"
		}
		return []golden.Part{{Ext: "open", Text: text}}
	})
}
