package shapeinfer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/internal/test/golden"
	"ltc/internal/trials"
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

// A comparison with a graph of numbers allocates nothing, whether the graph is an instance or not.
func TestFitsAllocatesNothing(t *testing.T) {
	rows := func(n, elements int) *ir.Graph {
		g, err := ir.Parse("rows.ir", fmt.Sprintf(`graph "f" {
  %%0 = parameter {index = 0, name = "x"} : f32[%[1]d,16]
  %%1 = parameter {index = 1, name = "w"} : f32[16,4]
  %%2 = matmul %%0, %%1 : f32[%[1]d,4]
  %%3 = reshape %%2 {dims = [%[2]d]} : f32[%[2]d]
  return %%3
}
`, n, elements))
		require.NoError(t, err)
		return g
	}
	open, err := shapeinfer.Generalize([]*ir.Graph{rows(3, 12), rows(5, 20)})
	require.NoError(t, err)
	for _, c := range []struct {
		graph *ir.Graph
		fits  bool
	}{{rows(8, 32), true}, {rows(8, 33), false}} {
		require.Zero(t, trials.Allocs(100, func() {
			if open.Fits(c.graph) != c.fits {
				t.Error("another graph fits")
			}
		}))
	}
}

// A graph of a size of 1 fits without the ops that return their operand as it is, and is remembered;
// one that computes something else does not.
func TestReduces(t *testing.T) {
	parsed := func(text string) *ir.Graph {
		g, err := ir.Parse("centred.ir", text)
		require.NoError(t, err)
		return g
	}
	rows := func(n int) *ir.Graph {
		return parsed(fmt.Sprintf(`graph "f" {
  %%0 = parameter {index = 0, name = "x"} : f32[%[1]d,4]
  %%1 = sum %%0 {axes = [0]} : f32[4]
  %%2 = reshape %%1 {dims = [1, 4]} : f32[1,4]
  %%3 = broadcast %%2 {shape = [%[1]d, 4], axes = [0, 1]} : f32[%[1]d,4]
  %%4 = sub %%0, %%3 : f32[%[1]d,4]
  return %%4
}
`, n))
	}
	open, err := shapeinfer.Generalize([]*ir.Graph{rows(3), rows(5)})
	require.NoError(t, err)
	one := parsed(`graph "f" {
  %0 = parameter {index = 0, name = "x"} : f32[1,4]
  %1 = sub %0, %0 : f32[1,4]
  return %1
}
`)
	require.False(t, open.Matches(one))
	require.True(t, open.Reduces(one))
	require.True(t, open.Matches(one), "it is remembered")
	require.True(t, open.Matches(rows(1)))
	other := parsed(`graph "f" {
  %0 = parameter {index = 0, name = "x"} : f32[1,4]
  %1 = add %0, %0 : f32[1,4]
  return %1
}
`)
	require.False(t, open.Fits(other))
	require.False(t, open.Reduces(rows(2)), "no size is 1")
}
