package shapeinfer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// The examples of NumPy's manual on broadcasting, and what they leave out.
func TestBroadcastShapes(t *testing.T) {
	s := func(dims ...int) types.Shape { return append(types.Shape{}, dims...) }
	for _, c := range []struct {
		a, b types.Shape
		want types.Shape // nil: they do not
	}{
		{s(256, 256, 3), s(3), s(256, 256, 3)},
		{s(8, 1, 6, 1), s(7, 1, 5), s(8, 7, 6, 5)},
		{s(5, 4), s(1), s(5, 4)},
		{s(5, 4), s(4), s(5, 4)},
		{s(15, 3, 5), s(15, 1, 5), s(15, 3, 5)},
		{s(15, 3, 5), s(3, 5), s(15, 3, 5)},
		{s(15, 3, 5), s(3, 1), s(15, 3, 5)},
		{s(3), s(4), nil},
		{s(2, 1), s(8, 4, 3), nil},
		{s(), s(), s()},
		{s(), s(2, 3), s(2, 3)},
		{s(1), s(), s(1)},
		{s(1), s(0), s(0)},
		{s(0), s(0), s(0)},
		{s(2), s(0), nil},
		{s(0, 3), s(2, 1), nil},
		{s(0, 3), s(1, 1), s(0, 3)},
		{s(2, 0), s(1), s(2, 0)},
		{s(1, 1, 1), s(4), s(1, 1, 4)},
	} {
		for _, pair := range [][2]types.Shape{{c.a, c.b}, {c.b, c.a}} {
			got, ok := shapeinfer.BroadcastShapes(pair[0], pair[1])
			require.Equal(t, c.want != nil, ok, "%v and %v", pair[0], pair[1])
			if ok {
				require.True(t, got.Equal(c.want), "%v and %v give %v, want %v", pair[0], pair[1], got, c.want)
			}
		}
	}
}

// Whatever shapes come: the rule is that of NumPy, written in the other way
// round, from the last axis on.
func TestBroadcastShapesAll(t *testing.T) {
	var shapes []types.Shape
	dims := []int{0, 1, 2, 3}
	shapes = append(shapes, types.Shape{})
	for _, a := range dims {
		shapes = append(shapes, types.Shape{a})
		for _, b := range dims {
			shapes = append(shapes, types.Shape{a, b})
		}
	}
	for _, a := range shapes {
		for _, b := range shapes {
			want, fits := types.Shape{}, true
			for k := 1; k <= max(len(a), len(b)); k++ {
				p, q := 1, 1
				if k <= len(a) {
					p = a[len(a)-k]
				}
				if k <= len(b) {
					q = b[len(b)-k]
				}
				d := p
				if p == 1 {
					d = q
				}
				fits = fits && (p == q || p == 1 || q == 1)
				want = append(types.Shape{d}, want...)
			}
			got, ok := shapeinfer.BroadcastShapes(a, b)
			require.Equal(t, fits, ok, "%v and %v", a, b)
			if ok {
				require.True(t, got.Equal(want), "%v and %v give %v, want %v", a, b, got, want)
			}
		}
	}
}

// Broadcasting adds nothing to a node that has the shape already, and leaves
// the operands' shapes alone.
func TestRecordBroadcasts(t *testing.T) {
	b := ir.NewBuilder(shapeinfer.Infer)
	x := b.Parameter(types.Of(types.F32, 2, 3), "", nil)
	y := b.Parameter(types.Of(types.F32, 3), "", nil)
	sum, err := shapeinfer.Record(b, ir.OpAdd, []*ir.Node{x, y}, nil, nil)
	require.NoError(t, err)
	require.Same(t, x, sum.In[0])
	require.Equal(t, ir.OpBroadcast, sum.In[1].Op)
	require.Equal(t, []int{2, 3}, sum.In[1].Attrs[0].Ints)
	require.Equal(t, []int{1}, sum.In[1].Attrs[1].Ints)
	require.Equal(t, "f32[3]", y.Type.String())
}

// Record keeps no list of its caller's.
func TestRecordCopiesLists(t *testing.T) {
	b := ir.NewBuilder(shapeinfer.Infer)
	x := b.Parameter(types.Of(types.F32, 2, 3), "", nil)
	axes := []int{-1}
	sum, err := shapeinfer.Record(b, ir.OpSum, []*ir.Node{x}, []ir.Attr{{Ints: axes}}, nil)
	require.NoError(t, err)
	require.Equal(t, []int{-1}, axes)
	axes[0] = 0
	require.Equal(t, []int{1}, sum.Attrs[0].Ints)
}
