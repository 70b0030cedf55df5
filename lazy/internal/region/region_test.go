package region

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

var f32 = types.Of(types.F32)

func exp(t *testing.T, b *ir.Builder, x *ir.Node) *ir.Node {
	t.Helper()
	n, err := b.Node(ir.OpExp, []*ir.Node{x}, nil, nil)
	require.NoError(t, err)
	return n
}

// All graphs of a node have the parameters that each was given, and then the values that any
// of them takes from outside.
func TestGraphs(t *testing.T) {
	b := ir.NewBuilder(shapeinfer.Infer)
	x, y := b.Parameter(f32, "x", nil), b.Parameter(types.Of(types.F32, 2), "y", nil)
	one, two := New("the body", callsite.Caller()), New("branch 1", callsite.Caller())
	for _, r := range []*Region{one, two} {
		r.AddFormal(types.Of(types.I32), false)
	}
	one.Return(exp(t, one.B, one.Parameter(x)))
	two.Return(exp(t, two.B, two.Parameter(y)))
	require.Same(t, one.Parameter(x), one.Parameter(x))
	body, captured := Graphs(one, two)
	require.Equal(t, []*ir.Node{x, y}, captured)
	require.Equal(t, "body", body.Graph.Name)
	require.Equal(t, "branch_1", body.More[0].Name)
	for _, g := range []*ir.Graph{body.Graph, body.More[0]} {
		var params []types.Type
		for _, p := range g.Params {
			params = append(params, p.Type)
		}
		require.Equal(t, []types.Type{types.Of(types.I32), f32, types.Of(types.F32, 2)}, params)
	}
}

// A node outside that was computed there from the tensor to differentiate by is found, also
// through a region in between; one that was not is none.
func TestAround(t *testing.T) {
	b := ir.NewBuilder(shapeinfer.Infer)
	x, z := b.Variable(f32, "x", nil), b.Variable(f32, "z", nil)
	y := exp(t, b, x)
	outer, inner := New("outer", callsite.Caller()), New("inner", callsite.Caller())
	in := func(n *ir.Node) *ir.Node { return inner.Parameter(outer.Parameter(n)) }
	root := exp(t, inner.B, in(y))
	inner.Outer = outer
	i, through := Around(inner, root, []*ir.Node{in(z), in(x)})
	require.Same(t, y, through)
	require.Equal(t, 1, i)
	_, through = Around(inner, root, []*ir.Node{in(z)})
	require.Nil(t, through)
}

// Parameters that were split off come after those that are taken in between.
func TestSplit(t *testing.T) {
	r := New("the body", callsite.Caller())
	first, row := r.AddFormal(f32, false), r.AddFormal(types.Of(types.F32, 2), false)
	rows := r.Split(1)
	require.Equal(t, []*ir.Node{row}, rows)
	stream := r.B.Parameter(types.Of(types.U64, 2), "", nil)
	r.Take(stream)
	r.Take(rows...)
	r.Return(first)
	body, captured := Graphs(r)
	require.Empty(t, captured)
	var params []types.Type
	for _, p := range body.Graph.Params {
		params = append(params, p.Type)
	}
	require.Equal(t, []types.Type{first.Type, stream.Type, row.Type}, params)
}
