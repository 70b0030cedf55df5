package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
)

// A place is a number and strides, each so many times: sums keep their order by
// dimension, and what cancels is gone.
func TestLinear(t *testing.T) {
	rows, columns := plan.Linear{By: []plan.Factor{{Dim: 0, By: 1}}}, plan.Linear{By: []plan.Factor{{Dim: 1, By: 2}}}
	for _, c := range []struct {
		name string
		x    plan.Linear
		want plan.Linear
		of   int64 // strides of 100 and 10
	}{
		{"number", plan.Linear{N: 3}.Plus(plan.Linear{N: 2}, 4), plan.Linear{N: 11}, 11},
		{"order", columns.Plus(rows, 3), plan.Linear{By: []plan.Factor{{Dim: 0, By: 3}, {Dim: 1, By: 2}}}, 320},
		{"cancel", columns.Plus(rows, 3).Plus(columns, -1), plan.Linear{By: []plan.Factor{{Dim: 0, By: 3}}}, 300},
		{"none", plan.Linear{N: 1}.Plus(rows, 0), plan.Linear{N: 1}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.True(t, c.want.Equal(c.x), "%v", c.x)
			require.Equal(t, c.of, c.x.Of([]int64{100, 10}))
			require.Equal(t, len(c.want.By) == 0, c.x.Is(c.want.N))
		})
	}
	require.False(t, rows.Equal(columns))
}

// A view fits a layout where each stride is of its class; a program takes one where its
// value says so.
func TestLayouts(t *testing.T) {
	l := plan.LayoutOf([]int{7, 0, 1}, -1)
	require.Equal(t, plan.Layout{kernel.AnyStride, kernel.ZeroStride, kernel.UnitStride}, l)
	require.True(t, l.Fits([]int{9, 0, 1}, -1))
	require.False(t, l.Fits([]int{9, 0, 2}, -1))
	require.False(t, l.Fits([]int{9, 0}, -1))
	require.Equal(t, -1, l.Table())
	require.Equal(t, 1, plan.LayoutOf([]int{7, 3}, 1).Table())
	p := &plan.Program{Values: []plan.Value{{Views: 0b101}, {}}}
	require.True(t, p.TakesView(0, -1))
	require.False(t, p.TakesView(0, 0))
	require.True(t, p.TakesView(0, 1))
	require.False(t, p.TakesView(1, -1))
}

// Temporaries that are needed at the same time lie apart, others in the same memory.
func TestTemporariesShareMemory(t *testing.T) {
	host := func(from, to plan.ValueID) plan.Step {
		return plan.Step{Work: &plan.Host{Args: []plan.HostArg{{Value: from}}, Outs: []plan.ValueID{to}}}
	}
	typ := types.Of(types.F32, 100)
	p := &plan.Program{Values: make([]plan.Value, 5), Steps: []plan.Step{host(0, 1), host(1, 2), host(2, 3), host(3, 4)}}
	for v := range p.Values {
		p.Values[v].Type = typ
	}
	p.Values[0].Kind, p.Values[4].Kind = plan.Argument, plan.Result
	p.Plan()
	require.Equal(t, []int{0, 448, 0}, []int{p.Values[1].Offset, p.Values[2].Offset, p.Values[3].Offset}, "400 bytes are 448 to the line")
	require.Equal(t, 896, p.Arena)
	require.Equal(t, [2]int{1, 2}, [2]int{p.Values[2].First, p.Values[2].Last})
}
