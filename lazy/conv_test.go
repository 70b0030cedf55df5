package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// counted is a tensor of the numbers from 0 on.
func counted(tr *lazy.Trace, dims ...int) *lazy.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return lazy.Iota(tr, lazy.F32, 0, n).Reshape(dims...)
}

// A layout says which axis is what and nothing else: the same images and kernel
// give the same result in any.
func TestConvLayouts(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x, kernel := counted(tr, 2, 3, 5, 4).Sin(), counted(tr, 2, 3, 2, 3).Cos() // NCHW, OIHW
	o := lazy.ConvOptions{Strides: []int{2, 1}, Padding: [][2]int{{1, 0}, {0, 2}}}
	y := x.Conv(kernel, o)
	require.Equal(t, "f32[2,2,3,4]", y.Type().String())
	layouts := map[string]*lazy.Tensor{}
	conv := func(layout string, x, kernel *lazy.Tensor, back ...int) {
		o := o
		o.Layout = layout
		layouts[layout] = x.Conv(kernel, o).Transpose(back...)
	}
	conv("NCHW,OIHW->NCHW", x, kernel, 0, 1, 2, 3)
	conv("NHWC,HWIO->NHWC", x.Transpose(0, 2, 3, 1), kernel.Transpose(2, 3, 1, 0), 0, 3, 1, 2)
	conv("HNCW,WIHO->CWNH", x.Transpose(2, 0, 1, 3), kernel.Transpose(3, 1, 2, 0), 2, 0, 3, 1)
	roots := []*lazy.Tensor{y}
	for _, z := range layouts {
		roots = append(roots, z)
	}
	require.NoError(t, tr.MarkStep(roots...))
	for layout, z := range layouts {
		require.InDeltaSlice(t, floats(t, y), floats(t, z), 1e-5, layout)
	}
}

// The defaults: one step at a time, no padding, windows of a pool side by side.
func TestConvAndPoolDefaults(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := counted(tr, 1, 1, 4, 4)
	sums := x.Conv(lazy.Ones(tr, lazy.F32, 1, 1, 2, 2), lazy.ConvOptions{})
	largest := x.MaxPool([]int{2, 2}, lazy.PoolOptions{})
	total := x.SumPool([]int{2, 2}, lazy.PoolOptions{})
	mean := x.AvgPool([]int{2, 2}, lazy.PoolOptions{})
	padded := x.Slice([]int{0, 0, 0, 0}, []int{1, 1, 2, 2}, []int{1, 1, 1, 1}).
		AvgPool([]int{2, 2}, lazy.PoolOptions{Padding: [][2]int{{1, 1}, {1, 1}}})
	overlap := x.Transpose(0, 2, 3, 1).MaxPool([]int{3, 1}, lazy.PoolOptions{Strides: []int{1, 3}, Layout: "NHWC"})
	require.NoError(t, tr.MarkStep(sums, largest, total, mean, padded, overlap))
	require.Equal(t, []float32{10, 14, 18, 26, 30, 34, 42, 46, 50}, floats(t, sums))
	require.Equal(t, []float32{5, 7, 13, 15}, floats(t, largest))
	require.Equal(t, []float32{10, 18, 42, 50}, floats(t, total))
	require.Equal(t, []float32{2.5, 4.5, 10.5, 12.5}, floats(t, mean))
	require.Equal(t, []float32{0, 0.25, 1, 1.25}, floats(t, padded), "padding counts as zeros")
	require.Equal(t, "f32[1,2,2,1]", overlap.Type().String())
	require.Equal(t, []float32{8, 11, 12, 15}, floats(t, overlap))
}

// Options that say nothing are refused before there is an op, with the tensor's
// type and the caller's line; a broken rule is named by its label.
func TestConvErrors(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x, kernel := counted(tr, 1, 2, 4, 4), counted(tr, 3, 2, 2, 2)
	pool := func(window []int, o lazy.PoolOptions) *lazy.Tensor { return x.MaxPool(window, o) }
	conv := func(o lazy.ConvOptions) *lazy.Tensor { return x.Conv(kernel, o) }
	for _, c := range []struct {
		y    *lazy.Tensor
		want string
	}{
		{conv(lazy.ConvOptions{Layout: "NHWC"}), `conv(f32[1,2,4,4], f32[3,2,2,2]): layout "NHWC" is not written as NHWC,HWIO->NHWC is`},
		{conv(lazy.ConvOptions{Layout: "NHWC,HWI->NHWC"}), `HWI has not each of OI and of "HW" once`},
		{conv(lazy.ConvOptions{Layout: "NHHC,HHIO->NHHC"}), `NHHC has not each of NC and of "HH" once`},
		{conv(lazy.ConvOptions{Layout: "NWC,WIO->NWC"}), "layout NWC,WIO->NWC has 3 axes, x has 4"},
		{conv(lazy.ConvOptions{Strides: []int{1}}), "conv(f32[1,2,4,4], f32[3,2,2,2]): strides has 1 entry, must have 2 (conv_c5)"},
		{conv(lazy.ConvOptions{Groups: 2}), "axis 1 of x has 2 features in 2 groups, and axis 1 of the kernel takes 2: ConvOptions.Layout names the axes (conv_c8)"},
		{conv(lazy.ConvOptions{Layout: "NCWH,OIWH"}), `layout "NCWH,OIWH" does not name the axes of the result: write it as NCWH,OIWH->NCWH`},
		{conv(lazy.ConvOptions{Groups: -1}), "got -1 groups and 1 of the batch (conv_c7)"},
		{conv(lazy.ConvOptions{Dilation: []int{1, 4}}), "spatial axis 1: a window of 2, 5 with its dilation, has no place in a dimension of 4, 4 with padding (conv_c10)"},
		{x.Conv(nil, lazy.ConvOptions{}), "conv("},
		{pool([]int{2}, lazy.PoolOptions{}), "max_pool(f32[1,2,4,4]): window has 1 entry, x has 2 spatial axes"},
		{pool([]int{2, 2}, lazy.PoolOptions{Padding: make([][2]int, 4)}), "Padding has 4 entries, x has 2 spatial axes"},
		{pool([]int{2, 2}, lazy.PoolOptions{Layout: "NHW"}), `layout "NHW" is not N, C and the spatial axes of 4 axes`},
		{pool([]int{2, 2}, lazy.PoolOptions{Layout: "NHHC"}), `layout "NHHC" has H twice`},
		{pool([]int{5, 2}, lazy.PoolOptions{}), "axis 2: a window of 5, 5 with its dilation, has no place in a dimension of 4, 4 with padding (max_pool_c4)"},
		{x.Convert(lazy.I32).AvgPool([]int{2, 2}, lazy.PoolOptions{}), "avg_pool(i32[1,2,4,4])"},
		{counted(tr, 4).MaxPool([]int{2}, lazy.PoolOptions{}), "max_pool(f32[4]): window has 1 entry, x has 0 spatial axes"},
	} {
		require.ErrorContains(t, c.y.Err(), c.want)
		require.ErrorContains(t, c.y.Err(), "conv_test.go:")
	}
	y := conv(lazy.ConvOptions{})
	require.NoError(t, tr.MarkStep(y), "the trace goes on")
	require.Equal(t, "f32[1,3,3,3]", y.Type().String())
}
