package ir_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
)

// same requires that a and b are equal and hash equally; different the contrary.
func same(t *testing.T, a, b *ir.Graph) {
	t.Helper()
	require.True(t, ir.Equal(a, b))
	require.True(t, ir.Equal(b, a))
	require.Equal(t, a.Hash(), b.Hash())
}

func different(t *testing.T, a, b *ir.Graph) {
	t.Helper()
	require.False(t, ir.Equal(a, b), "%v%v", a, b)
	require.False(t, ir.Equal(b, a))
	// Not required of a hash, but so unlikely that it would be a mistake.
	require.NotEqual(t, a.Hash(), b.Hash())
}

func TestNamesAndLocationsDoNotMatter(t *testing.T) {
	m, k := newMaker(t), newMaker(t)
	k.b.SetLoc(callsite.At("train.go", 41))
	x, y := m.param(f32(2)), k.b.Parameter(f32(2), "w", nil)
	same(t, m.graph("a", m.op(ir.OpNeg, x)), k.graph("b", k.op(ir.OpNeg, y)))
}

func TestOperandsMatter(t *testing.T) {
	one := func(f func(m maker, x, y *ir.Node) *ir.Node) *ir.Graph {
		m := newMaker(t)
		x, y := m.param(f32(2)), m.param(f32(2))
		g := &ir.Graph{}
		m.b.Capture(g, []*ir.Node{x, y}, []*ir.Node{f(m, x, y)}, nil)
		return g
	}
	aa := one(func(m maker, x, _ *ir.Node) *ir.Node { return m.op(ir.OpSub, x, x) })
	ab := one(func(m maker, x, y *ir.Node) *ir.Node { return m.op(ir.OpSub, x, y) })
	ba := one(func(m maker, x, y *ir.Node) *ir.Node { return m.op(ir.OpSub, y, x) })
	different(t, aa, ab)
	different(t, ab, ba)
	same(t, ab, one(func(m maker, x, y *ir.Node) *ir.Node { return m.op(ir.OpSub, x, y) }))
}

// f(a, a) and f(a, b) differ also where parameters are numbered as they are met.
func TestSharingMatters(t *testing.T) {
	m, k := newMaker(t), newMaker(t)
	a := m.param(f32())
	b, c := k.param(f32()), k.param(f32())
	different(t, m.graph("", m.op(ir.OpAdd, a, a)), k.graph("", k.op(ir.OpAdd, b, c)))
}

// The order in which nodes were made does not matter, nor do nodes that no
// result needs.
func TestOrderOfRecordingDoesNotMatter(t *testing.T) {
	m, k := newMaker(t), newMaker(t)
	x := m.param(f32(2))
	s, c := m.op(ir.OpSin, x), m.op(ir.OpCos, x)
	a := m.graph("", m.op(ir.OpAdd, s, c))

	y, unused := k.param(f32(2)), k.param(f32(9))
	k.op(ir.OpExp, unused)
	c = k.op(ir.OpCos, y)
	k.op(ir.OpNeg, c)
	s = k.op(ir.OpSin, y)
	same(t, a, k.graph("", k.op(ir.OpAdd, s, c)))
}

func TestWhatMakesProgramsDiffer(t *testing.T) {
	base := `graph "g" {
  %0 = parameter {index = 0, name = ""} : f32[2,2]
  %1 = parameter {index = 1, name = ""} : f32[2,2]
  %2 = sum %0 {axes = [0]} : f32[2]
  %3 = add %0, %1 : f32[2,2]
  return %2, %3 alias 0
}
`
	same(t, parse(t, base), parse(t, base))
	for name, change := range map[string][2]string{ // a text, and the text in its place
		"attribute":        {"axes = [0]", "axes = [1]"},
		"op":               {"sum", "max"},
		"dtype":            {"f32", "f64"},
		"alias":            {"alias 0", "alias 1"},
		"order of results": {"%2, %3 alias 0", "%3 alias 0, %2"},
	} {
		require.Contains(t, base, change[0])
		text := strings.ReplaceAll(base, change[0], change[1])
		t.Run(name, func(t *testing.T) { different(t, parse(t, base), parse(t, text)) })
	}
}

// Lists of attributes do not run into each other.
func TestListsOfAttributesMatter(t *testing.T) {
	slice := func(starts, limits, strides []int) *ir.Graph {
		m := newMaker(t)
		x := m.param(f32(9))
		return m.graph("", m.node(ir.OpSlice, []ir.Attr{{Ints: starts}, {Ints: limits}, {Ints: strides}}, x))
	}
	different(t, slice([]int{1}, []int{2}, []int{1}), slice([]int{2}, []int{2}, []int{1}))
	different(t, slice([]int{1}, []int{2}, []int{1}), slice([]int{1}, []int{2}, []int{2}))
}

func TestCompositesMatter(t *testing.T) {
	call := func(name string, by int, op ir.Op) *ir.Graph {
		inner, m := newMaker(t), newMaker(t)
		p := inner.param(f32(2))
		body := &ir.Composite{Name: name, Params: []ir.Param{{Name: "by", Int: by}}, Graph: inner.graph("", inner.op(op, p))}
		n, err := m.b.Node(ir.OpComposite, []*ir.Node{m.param(f32(2))}, nil, body)
		require.NoError(t, err)
		return m.graph("", n)
	}
	base := call("ltc.a", 1, ir.OpNeg)
	same(t, base, call("ltc.a", 1, ir.OpNeg))
	different(t, base, call("ltc.b", 1, ir.OpNeg))
	different(t, base, call("ltc.a", 2, ir.OpNeg))
	different(t, base, call("ltc.a", 1, ir.OpExp))
}

// Asking for the same op on the same operands gives the same node.
func TestNodesAreMadeOnce(t *testing.T) {
	m := newMaker(t)
	x, y := m.param(f32(2)), m.param(f32(2))
	require.Same(t, m.op(ir.OpAdd, x, y), m.op(ir.OpAdd, x, y))
	require.NotSame(t, m.op(ir.OpAdd, x, y), m.op(ir.OpAdd, y, x))
	require.NotSame(t, m.param(f32(2)), m.param(f32(2)))
	// The table grows: every node is found again.
	var chain []*ir.Node
	n := x
	for range 1000 {
		n = m.op(ir.OpAdd, n, y)
		chain = append(chain, n)
	}
	n = x
	for i := range 1000 {
		n = m.op(ir.OpAdd, n, y)
		require.Same(t, chain[i], n)
	}
	require.Equal(t, 4+2+999, m.b.Len(), "the first of the chain is x + y")
}

func TestCaptureAgain(t *testing.T) {
	m := newMaker(t)
	x, y := m.param(f32(2)), m.param(f32(2))
	sum := m.op(ir.OpAdd, y, x)
	g := m.graph("g", sum)
	require.Equal(t, []*ir.Node{y, x}, g.Params, "parameters are numbered as they are met")
	first := g.Clone()
	m.b.Capture(g, []*ir.Node{x}, []*ir.Node{sum}, []*ir.Node{y})
	require.Equal(t, []*ir.Node{x, y}, g.Params)
	require.Equal(t, []int{1}, g.Alias)
	different(t, first, g)
	m.b.Capture(g, nil, []*ir.Node{sum}, nil)
	same(t, first, g)
}

func TestMaterialize(t *testing.T) {
	m := newMaker(t)
	x := m.param(f32(2))
	y := m.op(ir.OpExp, m.op(ir.OpSin, x))
	z := m.op(ir.OpNeg, y)
	y.Materialize("data", false)
	g := m.graph("g", z)
	require.Len(t, g.Nodes, 2)
	require.Equal(t, "data", g.Params[0].Value)
}

func TestLiterals(t *testing.T) {
	for _, d := range types.RealDTypes() {
		for _, x := range []float64{0, 1, 100} {
			bits := ir.LiteralBits(d, x)
			text := ir.FormatLiteral(d, bits)
			back, err := ir.ParseLiteral(d, text)
			require.NoError(t, err)
			require.Equal(t, bits, back, "%v %s", d, text)
		}
	}
	for _, c := range []struct {
		d    types.DType
		text string
	}{
		{types.Bool, "1"}, {types.U8, "-1"}, {types.U8, "256"}, {types.I32, "2147483648"}, {types.F32, "x"},
		{types.F16, "0x10000"}, {types.U64, "18446744073709551616"}, {types.F64, ""},
	} {
		_, err := ir.ParseLiteral(c.d, c.text)
		require.Error(t, err, "%v %s", c.d, c.text)
	}
	require.Equal(t, "-1", ir.FormatLiteral(types.I32, ir.IntLiteralBits(types.I32, -1)))
	require.Equal(t, "255", ir.FormatLiteral(types.U8, ir.IntLiteralBits(types.U8, -1)))
	require.Equal(t, "3.0", ir.FormatLiteral(types.F64, ir.LiteralBits(types.F64, 3)))
}
