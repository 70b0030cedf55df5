package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// A graph extends another if it gives the same first, whatever the order of its nodes.
func TestExtends(t *testing.T) {
	graph := func(second ir.Op, more ...ir.Op) *ir.Graph {
		b, g := ir.NewBuilder(shapeinfer.Infer), &ir.Graph{}
		node := func(op ir.Op, in ...*ir.Node) *ir.Node {
			n, err := b.Node(op, in, nil, nil)
			require.NoError(t, err)
			return n
		}
		x, y := b.Parameter(types.Of(types.F32, 2), "", nil), b.Parameter(types.Of(types.F32, 2), "", nil)
		first := node(ir.OpAdd, x, node(ir.OpExp, y))
		results := []*ir.Node{first, node(second, first)}
		for _, op := range more {
			results = append(results, node(op, node(ir.OpExp, y)))
		}
		b.Capture(g, []*ir.Node{x, y}, results, nil)
		return g.Clone()
	}
	a := graph(ir.OpSin)
	require.True(t, ir.Extends(a, a))
	require.True(t, ir.Extends(graph(ir.OpSin, ir.OpCos), a))
	require.True(t, ir.Extends(graph(ir.OpSin, ir.OpCos, ir.OpTanh).Shuffled(3), a.Shuffled(1)))
	require.False(t, ir.Extends(a, graph(ir.OpSin, ir.OpCos)), "it gives less")
	require.False(t, ir.Extends(graph(ir.OpCos, ir.OpSin), a), "the order of results counts")
}
