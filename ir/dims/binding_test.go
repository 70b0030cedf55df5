package dims_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/dims"
)

// A dimension that is a symbol tells it, wherever it stands; without one the first multiple does, to which a
// number may be added.
func TestBindingOf(t *testing.T) {
	n, m := dims.Symbol("n", 1, 100), dims.Symbol("m", 1, 100)
	twice := dims.Add(dims.Mul(2, n), 3)
	for _, c := range []struct {
		shapes [][]int64
		want   dims.Binding[int64]
	}{
		{[][]int64{{4, n}, {n}}, dims.Binding[int64]{Of: 0, Axis: 1, By: 1}},
		{[][]int64{{twice}, nil, {m, n}}, dims.Binding[int64]{Of: 2, Axis: 1, By: 1}},
		{[][]int64{{m}, {dims.Mul(n, m), twice}, {dims.Mul(4, n)}}, dims.Binding[int64]{Of: 1, Axis: 1, By: 2, Plus: 3}},
		{[][]int64{{m, 7}, {dims.Mul(n, n), dims.Add(n, m)}, {dims.Div(n, 2)}}, dims.Binding[int64]{}},
	} {
		require.Equal(t, c.want, dims.BindingOf(n, c.shapes), "%v", c.shapes)
	}
}
