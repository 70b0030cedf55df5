package lazy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/ir"
)

// ConvOptions say how a kernel moves over a tensor. Lists have an entry for each
// spatial axis; nil stands for what is said of each.
type ConvOptions struct {
	Strides  []int    // places from one window to the next: 1
	Pad      int      // zeros on each side of every spatial axis, where Padding is nil: none
	Padding  [][2]int // zeros before and after; negative ones take elements away: none
	Dilation []int    // places from one element of the kernel to the next: 1
	Base     []int    // places from one element of x to the next, with zeros between: 1. It makes a transposed convolution
	Groups   int      // the features are in groups that see nothing of each other: 1 (0 counts as 1)
	Batches  int      // the batch is in groups, each for output features of its own: 1 (0 counts as 1)
	// Layout names the axes of x, of the kernel and of the result. N is the batch, and C
	// the features of x and of the result. I and O are the input and output features of the
	// kernel, and every other letter is a spatial axis. Without it the layout is
	// NCHW,OIHW->NCHW, with as many spatial axes as there are.
	Layout string
}

// Conv returns the convolution of x with kernel, as neural networks mean it:
// the kernel is not turned around. With the layout NHWC,HWIO->NHWC a result is
//
//	y[n,h,w,o] = Σ x[n, h·stride + i·dilation - low, w·stride + j·dilation - low, c] kernel[i,j,c,o]
//
// over i, j and c, elements beyond the edge of x being 0. The kernel has 1/Groups
// of the features of x.
//
// PyTorch's ConvTranspose of stride s, padding p and a weight of k places is the Conv by
// weight.Reverse(2, 3) with Base s, Padding k-1-p and Layout NCHW,IOHW->NCHW.
func (x *Tensor) Conv(kernel *Tensor, o ConvOptions) *Tensor {
	const op = "conv"
	if t := firstBad(op, x, kernel); t != nil {
		return t
	}
	rank := x.Rank()
	dims := ir.ConvDims{Input: places(rank), Kernel: places(rank), Output: places(rank)}
	if o.Layout != "" {
		var err error
		if dims, err = convLayout(o.Layout); err != nil {
			return x.misuse(op, err.Error())
		}
		if n := len(dims.Input); n != rank {
			return x.misuse(op, fmt.Sprintf("layout %s has %s, x has %d", o.Layout, diag.Count(n, "axis"), rank))
		}
	}
	spatial := max(rank-2, 0)
	if o.Pad != 0 && o.Padding != nil {
		return x.misuse(op, padAndPadding)
	}
	low, high := sides(o.Padding, o.Pad, spatial)
	return record2(ir.OpConv, x, kernel, []ir.Attr{
		ir.ConvStrides: {Ints: each(o.Strides, spatial)}, ir.ConvLow: {Ints: low}, ir.ConvHigh: {Ints: high},
		ir.ConvBase: {Ints: each(o.Base, spatial)}, ir.ConvDilation: {Ints: each(o.Dilation, spatial)},
		ir.ConvInput: {Ints: dims.Input}, ir.ConvKernel: {Ints: dims.Kernel}, ir.ConvOutput: {Ints: dims.Output},
		ir.ConvGroups: {Int: int64(cmp.Or(o.Groups, 1))}, ir.ConvBatches: {Int: int64(cmp.Or(o.Batches, 1))},
	}...)
}

// each returns list, or n ones in its place.
func each(list []int, n int) []int {
	if list == nil {
		return slices.Repeat([]int{1}, n)
	}
	return list
}

// places are the numbers from 0 up to n.
func places(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

const padAndPadding = "Pad and Padding are both given: Pad stands for the same on all sides"

// sides splits padding into what is before and after; nil is n times the same on both.
func sides(padding [][2]int, same, n int) (low, high []int) {
	if padding == nil {
		padding = slices.Repeat([][2]int{{same, same}}, n)
	}
	low, high = make([]int, len(padding)), make([]int, len(padding))
	for i, p := range padding {
		low[i], high[i] = p[0], p[1]
	}
	return low, high
}

// convLayout reads a layout such as NHWC,HWIO->NHWC. The spatial axes are in
// the order that they have in x.
func convLayout(s string) (d ir.ConvDims, err error) {
	in, rest, ok1 := strings.Cut(s, ",")
	kernel, out, ok2 := strings.Cut(rest, "->")
	switch {
	case !ok1:
		return d, fmt.Errorf("layout %q is not written as NHWC,HWIO->NHWC is", s)
	case !ok2:
		return d, fmt.Errorf("layout %q does not name the axes of the result: write it as %s->%s", s, s, in)
	}
	spatial := strings.NewReplacer("N", "", "C", "").Replace(in)
	for _, p := range []struct {
		text, first string
		to          *[]int
	}{{in, "NC", &d.Input}, {kernel, "OI", &d.Kernel}, {out, "NC", &d.Output}} {
		for _, letter := range p.first + spatial {
			*p.to = append(*p.to, strings.IndexRune(p.text, letter))
		}
		if len(*p.to) != len(p.text) || !slices.Equal(slices.Sorted(slices.Values(*p.to)), places(len(p.text))) {
			return d, fmt.Errorf("layout %q: %s has not each of %s and of %q once", s, p.text, p.first, spatial)
		}
	}
	return d, nil
}

// PoolOptions say how a window moves over a tensor. Lists have an entry for each
// spatial axis; nil stands for what is said of each.
type PoolOptions struct {
	Strides  []int    // places from one window to the next: the window's size
	Pad      int      // places on each side of every spatial axis, where Padding is nil: none
	Padding  [][2]int // places before and after; negative ones take elements away: none
	Dilation []int    // places from one element of the window to the next: 1
	// Layout names the axes: N is the batch, C the features, and every other
	// letter a spatial axis, which the window is over. Without it the layout is
	// NCHW, with as many spatial axes as there are.
	Layout string
}

// MaxPool returns the largest elements of the windows of the given size over the
// spatial axes of x, for each of the batch and each feature; NaN where a window
// has one. Padding counts in no window.
func (x *Tensor) MaxPool(window []int, o PoolOptions) *Tensor {
	return x.pool(ir.OpMaxPool, window, o)
}

// SumPool returns the sums of the windows of the given size over the spatial axes
// of x, for each of the batch and each feature.
func (x *Tensor) SumPool(window []int, o PoolOptions) *Tensor {
	return x.pool(ir.OpSumPool, window, o)
}

// AvgPool returns [Tensor.SumPool] divided by the number of places in a window:
// padding counts as zeros.
func (x *Tensor) AvgPool(window []int, o PoolOptions) *Tensor {
	a, bad := x.windows("avg_pool", window, o)
	if bad != nil {
		return bad
	}
	return recordAvgPool(x, a[0].Ints, a[1].Ints, a[2].Ints, a[3].Ints, a[4].Ints)
}

func computeAvgPool(x *Tensor, window, strides, low, high, dilation []int) *Tensor {
	places := 1.0
	for _, n := range window {
		places *= float64(n)
	}
	y := record1(ir.OpSumPool, x, ir.Attr{Ints: window}, ir.Attr{Ints: strides}, ir.Attr{Ints: low}, ir.Attr{Ints: high}, ir.Attr{Ints: dilation})
	if y.err != nil {
		return y
	}
	return y.Div(y.like(places))
}

func (x *Tensor) pool(op ir.Op, window []int, o PoolOptions) *Tensor {
	a, bad := x.windows(op.String(), window, o)
	if bad != nil {
		return bad
	}
	return record1(op, x, a[:]...)
}

// windows returns what the options say of each axis of x, as the attributes of pools.
func (x *Tensor) windows(name string, window []int, o PoolOptions) (a [5]ir.Attr, bad *Tensor) {
	if t := firstBad(name, x); t != nil {
		return a, t
	}
	axes, err := poolAxes(o.Layout, x.Rank())
	if err != nil {
		return a, x.misuse(name, err.Error())
	}
	strides := o.Strides
	if strides == nil {
		strides = window
	}
	if o.Pad != 0 && o.Padding != nil {
		return a, x.misuse(name, padAndPadding)
	}
	low, high := sides(o.Padding, o.Pad, len(axes))
	dilation := each(o.Dilation, len(axes))
	for _, l := range []struct {
		name string
		n    int
	}{{"window", len(window)}, {"Strides", len(strides)}, {"Padding", len(low)}, {"Dilation", len(dilation)}} {
		if l.n != len(axes) {
			return a, x.misuse(name, fmt.Sprintf("%s has %s, x has %s", l.name, diag.Count(l.n, "entry"), diag.Count(len(axes), "spatial axis")))
		}
	}
	over := func(list []int, none int) ir.Attr {
		all := slices.Repeat([]int{none}, x.Rank())
		for i, a := range axes {
			all[a] = list[i]
		}
		return ir.Attr{Ints: all}
	}
	return [5]ir.Attr{over(window, 1), over(strides, 1), over(low, 0), over(high, 0), over(dilation, 1)}, nil
}

// poolAxes returns the spatial axes of a tensor.
func poolAxes(layout string, rank int) ([]int, error) {
	if layout == "" {
		return places(rank)[min(2, rank):], nil
	}
	var axes []int
	for i, letter := range []byte(layout) {
		if letter != 'N' && letter != 'C' {
			axes = append(axes, i)
		}
		if strings.IndexByte(layout, letter) != i {
			return nil, fmt.Errorf("layout %q has %c twice", layout, letter)
		}
	}
	if len(layout) != rank || len(axes) != rank-2 {
		return nil, fmt.Errorf("layout %q is not N, C and the spatial axes of %s", layout, diag.Count(rank, "axis"))
	}
	return axes, nil
}
