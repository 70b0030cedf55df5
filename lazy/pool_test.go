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

// The same of windows with dilation, and of the gradient of the gradient.
func TestGradOfDilatedMaxPoolNeverGoesIntoPadding(t *testing.T) {
	inf := float32(math.Inf(-1))
	for _, backend := range []string{"cpu", "eval"} {
		dev, err := lazy.Open(backend)
		require.NoError(t, err)
		tr := lazy.NewTrace(dev)
		read := func(g *lazy.Tensor) []float32 {
			require.NoError(t, tr.MarkStep(g))
			got, err := lazy.ToSlice[float32](g)
			require.NoError(t, err)
			return got
		}
		x := lazy.From(tr, []float32{inf, inf, inf, 1, inf, inf}, 1, 1, 6)
		o := lazy.PoolOptions{Strides: []int{1}, Padding: [][2]int{{3, 1}}, Dilation: []int{2}}
		ct := lazy.From(tr, []float32{1, 2, 4, 8, 16, 32, 64, 128}, 1, 1, 8)
		y := x.MaxPool([]int{2}, o) // the windows: - -, - 0, - 1, 0 2, 1 3, 2 4, 3 5, 4 -
		require.Equal(t, []float32{10, 4, 32, 80, 128, 0}, read(lazy.Grad(y.Mul(ct).Sum(), x)[0]), backend)

		// Three spatial axes of 9 features, all elements -inf: the first in each window.
		size, window, low, high := [3]int{8, 3, 9}, [3]int{3, 3, 1}, [3]int{2, 2, 2}, [3]int{-1, 0, 0}
		stride, dilation := [3]int{2, 1, 3}, [3]int{1, 2, 1}
		want := make([]float32, 9*8*3*9)
		var first func(axis, at int)
		first = func(axis, at int) {
			if axis == 3 {
				for c := range 9 {
					want[c*8*3*9+at]++
				}
				return
			}
			for start := -low[axis]; start+(window[axis]-1)*dilation[axis] < size[axis]+high[axis]; start += stride[axis] {
				i := start
				for i < 0 {
					i += dilation[axis]
				}
				if i <= start+(window[axis]-1)*dilation[axis] {
					first(axis+1, at*size[axis]+i)
				}
			}
		}
		first(0, 0)
		all := lazy.Full(tr, lazy.F32, math.Inf(-1), 1, 9, 8, 3, 9)
		y = all.MaxPool([]int{3, 3, 1}, lazy.PoolOptions{Strides: stride[:], Padding: [][2]int{{2, -1}, {2, 0}, {2, 0}}, Dilation: dilation[:]})
		require.Equal(t, want, read(lazy.Grad(y.Sum(), all)[0]), backend)
		require.Equal(t, float32(2), want[1])

		// ct's gradient, of windows without dilation.
		x, one := lazy.From(tr, []float32{inf, inf, 5}, 1, 1, 3), lazy.From(tr, []float32{1, 2, 4}, 1, 1, 3)
		c := lazy.From(tr, []float32{1, 2, 4}, 1, 1, 3)
		g := lazy.Grad(x.MaxPool([]int{2}, lazy.PoolOptions{Strides: []int{1}, Padding: [][2]int{{1, 0}}}).Mul(c).Sum(), x)[0]
		require.Equal(t, []float32{1, 1, 4}, read(lazy.Grad(g.Mul(one).Sum(), c)[0]), backend)
	}
}
