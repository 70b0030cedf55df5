package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// The gradient of a cumulative sum is one too, from the last element on: a window as
// wide as the dimension, with padding behind alone.
func TestGradientOfCumulativeSumIsOne(t *testing.T) {
	d := open(t, "cpu")
	tr := lazy.NewTrace(d)
	x := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6, 7}).Reshape(1, 1, 7)
	y := x.SumPool([]int{7}, lazy.PoolOptions{Strides: []int{1}, Padding: [][2]int{{6, 0}}})
	g := lazy.Grad(y.Mul(y).Sum(), x)[0]
	text, err := tr.Dump(lazy.FormatStableHLO, g)
	require.NoError(t, err)
	require.Contains(t, text, "dense<[[0, 0], [0, 0], [0, 6]]>")
	require.NotContains(t, text, "stablehlo.pad")
}
