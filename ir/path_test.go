package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/shapeinfer"
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

// An op that broadcast an operand in the step before is found with it, unless that was broadcast for
// another op: all operands were, or one of others.
func TestAgainBroadcasts(t *testing.T) {
	m := newMaker(t)
	m.b.Reuse(true)
	m.b.SetLoc(callsite.At("step.go", 1))
	wide := func(x *ir.Node, shape ...int) *ir.Node {
		n, err := shapeinfer.Broadcast(m.b, x, shape)
		require.NoError(t, err)
		return n
	}
	x, s := m.param(f32(2, 3)), m.param(f32())
	row := m.param(f32(3))
	right := m.op(ir.OpMul, x, wide(s, 2, 3))
	left := m.op(ir.OpSub, wide(row, 2, 3), x)
	both := m.op(ir.OpAdd, wide(row, 4, 3), wide(s, 4, 3))
	require.NotNil(t, m.b.EndStep())

	m.param(f32(2, 3))
	m.param(f32())
	m.param(f32(3))
	for name, in := range map[string][]*ir.Node{"order": {s, x}, "another": {x, row}, "fewer": {x}, "none": {x, x}} {
		require.Nil(t, m.b.Again(ir.OpMul, in, nil), name)
	}
	require.Nil(t, m.b.Again(ir.OpSub, []*ir.Node{x, s}, nil))
	require.Same(t, right, m.b.Again(ir.OpMul, []*ir.Node{x, s}, nil))
	m.b.SetLoc(callsite.At("step.go", 2))
	require.Nil(t, m.b.Again(ir.OpSub, []*ir.Node{row, x}, nil), "line")
	m.b.SetLoc(callsite.At("step.go", 1))
	require.Same(t, left, m.b.Again(ir.OpSub, []*ir.Node{row, x}, nil))
	require.Nil(t, m.b.Again(ir.OpAdd, []*ir.Node{row, s}, nil), "its shape is another's")
	require.Same(t, both, m.op(ir.OpAdd, wide(row, 4, 3), wide(s, 4, 3)))
	require.Zero(t, m.b.Len())
}
