package batching_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/batching"
	"ltc/internal/test/golden"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// The programs of all examples that become of those of one. A product with shared weights is
// one product.
func TestGraphs(t *testing.T) {
	golden.Archive(t, "testdata/batching.txtar", ".ir", func(t *testing.T, in txtar.File) []golden.Part {
		g, err := ir.Parse(in.Name, string(in.Data))
		require.NoError(t, err)
		require.NoError(t, g.Verify(shapeinfer.Infer))
		const examples = 5
		b := ir.NewBuilder(shapeinfer.Infer)
		var params []*ir.Node
		var args []batching.Value
		for _, p := range g.Params {
			x := batching.Value{Batched: !strings.HasPrefix(p.ParamName(), "shared")}
			typ := p.Type
			if x.Batched {
				typ = types.Of(typ.DType, append([]int{examples}, typ.Shape...)...)
			}
			x.Node = b.Parameter(typ, p.ParamName(), nil)
			params, args = append(params, x.Node), append(args, x)
		}
		results, err := batching.Vectorize(b, g, args, batching.Options{Size: examples})
		require.NoError(t, err)
		var nodes []*ir.Node
		for i, y := range results {
			require.True(t, y.Batched)
			require.Equal(t, types.Of(g.Results[i].Type.DType, append([]int{examples}, g.Results[i].Type.Shape...)...).String(), y.Node.Type.String())
			nodes = append(nodes, y.Node)
		}
		out := &ir.Graph{Name: g.Name}
		b.Capture(out, params, nodes, nil)
		require.NoError(t, out.Verify(shapeinfer.Infer))
		return []golden.Part{{Ext: "batched", Text: out.String()}}
	})
}
