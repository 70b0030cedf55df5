package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/callsite"
	"ltc/ir"
)

// A step that follows another is given its next node again for the same op of the same
// operands with the same attributes on the same line, and for nothing else. A request for a
// node that is not there changes nothing.
func TestAgain(t *testing.T) {
	m := newMaker(t)
	m.b.Reuse(true)
	line, other := callsite.At("step.go", 1), callsite.At("step.go", 2)
	axis := func(i int) []ir.Attr { return []ir.Attr{{Ints: []int{i}}} }
	m.b.SetLoc(line)
	x, y := m.param(f32(2, 2)), m.param(f32(2, 2))
	require.Nil(t, m.b.Again(ir.OpSub, []*ir.Node{x, y}, nil), "there is no step before")
	d := m.op(ir.OpSub, x, y)
	s := m.node(ir.OpSum, axis(0), d)
	require.NotNil(t, m.b.EndStep())

	require.Same(t, x, m.param(f32(2, 2)))
	require.Nil(t, m.b.Again(ir.OpSub, []*ir.Node{x, y}, nil), "y is asked for first")
	require.Same(t, y, m.param(f32(2, 2)))
	for name, c := range map[string]struct {
		at    callsite.Site
		op    ir.Op
		in    []*ir.Node
		attrs []ir.Attr
	}{
		"line":       {other, ir.OpSub, []*ir.Node{x, y}, nil},
		"op":         {line, ir.OpAdd, []*ir.Node{x, y}, nil},
		"operands":   {line, ir.OpSub, []*ir.Node{y, x}, nil},
		"fewer":      {line, ir.OpSub, []*ir.Node{x}, nil},
		"more":       {line, ir.OpSub, []*ir.Node{x, y, x}, nil},
		"attributes": {line, ir.OpSub, []*ir.Node{x, y}, axis(0)},
		"its next":   {line, ir.OpSum, []*ir.Node{d}, axis(0)},
	} {
		m.b.SetLoc(c.at)
		require.Nil(t, m.b.Again(c.op, c.in, c.attrs), name)
		require.True(t, m.b.Following(), name)
	}
	m.b.SetLoc(line)
	require.Same(t, d, m.b.Again(ir.OpSub, []*ir.Node{x, y}, nil))
	require.Nil(t, m.b.Again(ir.OpSum, []*ir.Node{d}, axis(1)))
	require.Nil(t, m.b.Again(ir.OpSum, []*ir.Node{d}, nil))
	require.Same(t, s, m.b.Again(ir.OpSum, []*ir.Node{d}, axis(0)))
	require.Zero(t, m.b.Len())
	require.NotNil(t, m.b.Path(), "it has been followed to its end")
	require.Nil(t, m.b.Again(ir.OpSum, []*ir.Node{d}, axis(0)), "nothing came then")
}
