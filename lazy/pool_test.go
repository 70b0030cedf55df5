package lazy_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// The gradient of MaxPool is one select_and_scatter in each layout. Windows with
// dilation, which that op does not have, are written out.
func TestGradOfMaxPoolIsSelectAndScatter(t *testing.T) {
	for _, c := range []struct {
		name   string
		o      lazy.PoolOptions
		dims   []int
		single bool
	}{
		{"NCHW", lazy.PoolOptions{}, []int{2, 3, 8, 8}, true},
		{"NHWC", lazy.PoolOptions{Layout: "NHWC"}, []int{2, 8, 8, 3}, true},
		{"overlap", lazy.PoolOptions{Strides: []int{1, 1}, Padding: [][2]int{{1, 1}, {0, 1}}}, []int{2, 3, 8, 8}, true},
		{"dilation", lazy.PoolOptions{Dilation: []int{2, 1}}, []int{2, 3, 8, 8}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dev, err := lazy.Open("cpu")
			require.NoError(t, err)
			tr := lazy.NewTrace(dev)
			x := lazy.Iota(tr, lazy.F32, 0, 384).Sin().Reshape(c.dims...)
			text, err := tr.Dump(lazy.FormatStableHLO, lazy.Grad(x.MaxPool([]int{2, 2}, c.o).Sum(), x)...)
			require.NoError(t, err)
			require.Equal(t, c.single, strings.Contains(text, "stablehlo.select_and_scatter"), text)
			require.NotEqual(t, c.single, strings.Contains(text, `"stablehlo.scatter"`) || strings.Contains(text, "stablehlo.gather"), text)
		})
	}
}

// The gradient goes to the first largest element of a window, or the first NaN, and
// never to padding, even where all elements are -inf.
func TestGradOfMaxPoolChoosesTheFirstLargest(t *testing.T) {
	inf, nan := float32(math.Inf(-1)), float32(math.NaN())
	for _, backend := range []string{"cpu", "eval"} {
		dev, err := lazy.Open(backend)
		require.NoError(t, err)
		tr := lazy.NewTrace(dev)
		x := lazy.From(tr, []float32{inf, inf, 1, 1, nan, 2, nan, 3}, 1, 1, 8)
		y := x.MaxPool([]int{2}, lazy.PoolOptions{Strides: []int{1}, Padding: [][2]int{{1, 0}}})
		ct := lazy.From(tr, []float32{1, 2, 4, 8, 16, 32, 64, 128}, 1, 1, 8)
		g := lazy.Grad(y.Mul(ct).Sum(), x)[0]
		require.NoError(t, tr.MarkStep(g))
		got, err := lazy.ToSlice[float32](g)
		require.NoError(t, err)
		require.Equal(t, []float32{3, 0, 12, 0, 48, 0, 192, 0}, got, backend)
	}
}
