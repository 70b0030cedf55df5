package ir_test

import (
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// smallStack makes recursion along a program's length end the process.
func smallStack(t *testing.T) {
	old := debug.SetMaxStack(1 << 20)
	t.Cleanup(func() { debug.SetMaxStack(old) })
}

// No walk over a chain recurses along it.
func TestLongChains(t *testing.T) {
	smallStack(t)
	const long = 200_000
	m := newMaker(t)
	x := m.param(f32())
	n := x
	for range long {
		n = m.op(ir.OpAdd, n, x)
	}
	require.Len(t, m.b.Walk(n), long+1)
	g := m.graph("chain", n)
	require.Len(t, g.Nodes, long+1)
	require.Same(t, n, g.Nodes[long])
	require.Same(t, x, g.Nodes[0])
	require.Equal(t, g.Nodes, g.Order())
	require.True(t, ir.Equal(g, g.Clone()))
	require.True(t, ir.Equal(g, g.Shuffled(1)), "a chain has one order")
	require.True(t, ir.Equal(g, parse(t, g.String())))
}

// tower returns a body that calls the one below twice, and so on down to one
// that negates: as a tree it has 2^height nodes.
func tower(t *testing.T, height int) *ir.Composite {
	c := wholeBody(t)
	for range height {
		m := newMaker(t)
		x := m.param(f32(2))
		for range 2 {
			var err error
			x, err = m.b.Node(ir.OpComposite, []*ir.Node{x}, nil, c)
			require.NoError(t, err)
		}
		g := &ir.Graph{Name: "x"}
		m.b.Capture(g, nil, []*ir.Node{x}, nil)
		c = &ir.Composite{Name: "ltc.x", Graph: g}
	}
	return c
}

// What is done to bodies is done to each once, not once a call.
func TestBodiesOfBodies(t *testing.T) {
	const height = 60
	a, b := tower(t, height), tower(t, height)
	require.NotSame(t, a.Graph, b.Graph)
	require.True(t, ir.Equal(a.Graph, b.Graph))
	inferred := 0
	infer := func(op ir.Op, in []*ir.Node, attrs []ir.Attr, body *ir.Composite) (types.Type, []types.Type, error) {
		inferred++
		return shapeinfer.Infer(op, in, attrs, body)
	}
	require.NoError(t, a.Graph.Verify(infer))
	require.Equal(t, 2*height+1, inferred)
	require.True(t, ir.Equal(a.Graph.Shuffled(1), b.Graph.Shuffled(1)))
	require.True(t, ir.Equal(a.Graph, parse(t, a.Graph.String())))
}

// A step that is over keeps nothing alive, whatever was walked.
func TestForgetLetsGo(t *testing.T) {
	m := newMaker(t)
	data := func() weak.Pointer[[]float32] {
		data := &[]float32{1, 2}
		n := m.b.Parameter(f32(2), "", data)
		for range 10 {
			n = m.op(ir.OpNeg, n)
		}
		m.b.Walk(n)
		m.b.Capture(&ir.Graph{}, nil, []*ir.Node{n}, nil)
		return weak.Make(data)
	}()
	m.b.Forget()
	runtime.GC()
	require.Nil(t, data.Value())
	runtime.KeepAlive(m.b)
}

// A shuffled graph is the same program, its nodes in another order.
func TestShuffled(t *testing.T) {
	moved := 0
	for name, text := range goldens(t) {
		for _, seed := range []uint64{7, 8} {
			g := parse(t, text)
			s := g.Shuffled(seed)
			require.NoError(t, s.Verify(shapeinfer.Infer), name)
			require.True(t, ir.Equal(s, g.Shuffled(seed)), "%s: a seed gives one order", name)
			require.True(t, ir.Equal(g, parse(t, text)), "%s: the graph itself was changed", name)
			a, b := opsOf(g), opsOf(s)
			if !slices.Equal(a, b) {
				moved++
			}
			slices.Sort(a)
			slices.Sort(b)
			require.Equal(t, a, b, name)
		}
	}
	require.Greater(t, moved, 50, "most graphs have one order alone")
}

// opsOf returns the ops of a graph in the order of its nodes.
func opsOf(g *ir.Graph) []ir.Op {
	var all []ir.Op
	for _, n := range g.Nodes {
		all = append(all, n.Op)
	}
	return all
}
