package shapeinfer

import (
	"slices"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

func inferReverse(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	_, b := reduced(in[0].Type, attrs[ir.ReverseAxes].Ints, reverseAxes)
	return in[0].Type, b
}

func inferConv(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, kernel := in[0].Type, in[1].Type
	if x.Rank() < 2 || kernel.Rank() != x.Rank() {
		return breaks(convRanks, "ranks are %d and %d, must be equal and at least 2", x.Rank(), kernel.Rank())
	}
	d := ir.ConvDimsOf(attrs)
	for _, p := range [][]int{d.Input, d.Kernel, d.Output} {
		if !isPermutation(p, x.Rank()) {
			return breaks(convAxes, "%v is not a permutation of %s", p, diag.Count(x.Rank(), "axis"))
		}
	}
	w := windows{axis: "spatial axis", lengths: convLengths, steps: convSteps, window: convWindow}
	w.conv(attrs)
	spatial := x.Rank() - 2
	if b := w.check(spatial); b != nil {
		return types.Type{}, b
	}
	batch, features := x.Shape[d.Input[0]], x.Shape[d.Input[1]]
	out, taken := kernel.Shape[d.Kernel[0]], kernel.Shape[d.Kernel[1]]
	groups, batches := int(attrs[ir.ConvGroups].Int), int(attrs[ir.ConvBatches].Int)
	if groups < 1 || batches < 1 || groups > 1 && batches > 1 {
		return breaks(convGroups, "got %s and %d of the batch", diag.Count(groups, "group"), batches)
	}
	if dims.Div(features, groups) != taken || !dims.Divides(features, groups) {
		return breaks(convFeatures, "axis %d of x has %s in %s, and axis %d of the kernel takes %d: ConvOptions.Layout names the axes",
			d.Input[1], diag.Count(features, "feature"), diag.Count(groups, "group"), d.Kernel[1], taken)
	}
	if !dims.Divides(out, groups) || !dims.Divides(out, batches) || !dims.Divides(batch, batches) {
		return breaks(convDivide, "%s and a batch of %d do not divide into %s and %d of the batch", diag.Count(out, "output feature"), batch, diag.Count(groups, "group"), batches)
	}
	shape := make(types.Shape, x.Rank())
	shape[d.Output[0]], shape[d.Output[1]] = dims.Div(batch, batches), out
	for i := range spatial {
		n, b := w.places(i, x.Shape[d.Input[2+i]], kernel.Shape[d.Kernel[2+i]])
		if b != nil {
			return types.Type{}, b
		}
		shape[d.Output[2+i]] = n
	}
	t := types.Type{DType: x.DType, Shape: shape}
	if err := t.CheckSizes(); err != nil {
		return breaks(convWindow, "%v", err)
	}
	return t, nil
}

func isPermutation(p []int, n int) bool {
	sorted := slices.Sorted(slices.Values(p))
	for i, a := range sorted {
		if a != i {
			return false
		}
	}
	return len(sorted) == n
}

func inferMaxPool(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	return pooled(in[0].Type, attrs, windows{axis: "axis", lengths: maxPoolLengths, steps: maxPoolSteps, window: maxPoolWindow})
}

func inferSumPool(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	return pooled(in[0].Type, attrs, windows{axis: "axis", lengths: sumPoolLengths, steps: sumPoolSteps, window: sumPoolWindow})
}

func inferMaxPoolGrad(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x := in[0].Type
	undilated := append(slices.Clone(attrs), ir.Attr{Ints: slices.Repeat([]int{1}, x.Rank())})
	y, b := pooled(x, undilated, windows{axis: "axis", lengths: maxPoolGradLengths, steps: maxPoolGradSteps, window: maxPoolGradWindow})
	if b == nil && !in[1].Type.Shape.Equal(y.Shape) {
		return breaks(maxPoolGradCt, "ct has the shape %v, MaxPool of x has %v", in[1].Type.Shape, y.Shape)
	}
	return x, b
}

// pooled is the rule of ops with a window over all axes of x; the rows have
// their attributes in one order.
func pooled(x types.Type, attrs []ir.Attr, w windows) (types.Type, *broken) {
	size := attrs[ir.MaxPoolWindow].Ints
	w.pool(attrs, x.Rank())
	if len(size) != x.Rank() {
		return breaks(w.lengths, "window has %s, must have %d", diag.Count(len(size), "entry"), x.Rank())
	}
	if b := w.check(x.Rank()); b != nil {
		return types.Type{}, b
	}
	shape := make(types.Shape, x.Rank())
	for i, d := range x.Shape {
		if dims.AtMost(size[i], 0) {
			return breaks(w.steps, "axis %d: window %d is not positive", i, size[i])
		}
		n, b := w.places(i, d, size[i])
		if b != nil {
			return types.Type{}, b
		}
		shape[i] = n
	}
	t := types.Type{DType: x.DType, Shape: shape}
	if err := t.CheckSizes(); err != nil {
		return breaks(w.window, "%v", err)
	}
	return t, nil
}

// windows is how a window moves over some axes. The demands of the op are on the lengths
// of these lists, on what must be positive in them, and on the room for the window.
type windows struct {
	axis                               string // what it calls one
	lengths, steps, window             demand
	strides, low, high, base, dilation []int
}

// pool sets the lists of an op with a window over all axes.
func (w *windows) pool(attrs []ir.Attr, rank int) {
	w.strides, w.low, w.high, w.dilation = attrs[ir.MaxPoolStrides].Ints, attrs[ir.MaxPoolLow].Ints, attrs[ir.MaxPoolHigh].Ints, attrs[ir.MaxPoolDilation].Ints
	w.base = slices.Repeat([]int{1}, rank)
}

// conv sets the lists of a convolution.
func (w *windows) conv(attrs []ir.Attr) {
	w.strides, w.low, w.high = attrs[ir.ConvStrides].Ints, attrs[ir.ConvLow].Ints, attrs[ir.ConvHigh].Ints
	w.base, w.dilation = attrs[ir.ConvBase].Ints, attrs[ir.ConvDilation].Ints
}

// check checks the lists for n axes.
func (w *windows) check(n int) *broken {
	for _, l := range []struct {
		name     string
		list     []int
		positive bool
	}{
		{"strides", w.strides, true}, {"low", w.low, false}, {"high", w.high, false}, {"base", w.base, true}, {"dilation", w.dilation, true},
	} {
		if len(l.list) != n {
			_, b := breaks(w.lengths, "%s has %s, must have %d", l.name, diag.Count(len(l.list), "entry"), n)
			return b
		}
		if i := slices.IndexFunc(l.list, func(v int) bool { return v <= 0 }); i >= 0 && l.positive {
			_, b := breaks(w.steps, "%s has %d at place %d, must be positive", l.name, l.list[i], i)
			return b
		}
	}
	return nil
}

// room returns what [windows.places] needs of sizes that are open.
func (w *windows) room(i, d, size int) dims.Guard {
	padded, span := w.extents(i, d, size)
	if w.low[i]+w.high[i] == 0 && !dims.HasExpr(w.low[i], w.high[i]) { // nothing has no places, and is no mistake
		span = dims.Mul(span, dims.Min(d, 1))
	}
	return dims.Guard{Rule: dims.NotMore, A: int64(span), B: int64(padded)}
}

// extents returns the dimension with its padding, and the window with its dilation.
func (w *windows) extents(i, d, size int) (padded, span int) {
	return dims.Add(dims.Add(w.low[i], ir.Spread(d, w.base[i])), w.high[i]), ir.Spread(size, w.dilation[i])
}

// places returns how many places there are along axis i of dimension d for a
// window of the given size: floor((padded - dilated window) / stride) + 1, or
// none in nothing.
func (w *windows) places(i, d, size int) (int, *broken) {
	const limit = 1 << 40 // keeps the sums below from wrapping around
	low, high := w.low[i], w.high[i]
	if dims.HasExpr(d, size, low, high) {
		padded, span := w.extents(i, d, size)
		return dims.Max(dims.Add(dims.Div(dims.Sub(padded, span), w.strides[i]), 1), 0), nil
	}
	if max(low, high, -low, -high) > limit || d > 0 && w.base[i] > limit/d || size > 0 && w.dilation[i] > limit/size {
		_, b := breaks(w.window, "%s %d: dimension %d, window %d, padding of %d and %d and dilations of %d and %d are too large", w.axis, i, d, size, low, high, w.base[i], w.dilation[i])
		return 0, b
	}
	padded, span := w.extents(i, d, size)
	if d == 0 && padded == 0 && size > 0 {
		return 0, nil
	}
	if size == 0 || span > padded {
		_, b := breaks(w.window, "%s %d: a window of %d, %d with its dilation, has no place in a dimension of %d, %d with padding", w.axis, i, size, span, d, padded)
		return 0, b
	}
	return (padded-span)/w.strides[i] + 1, nil
}
