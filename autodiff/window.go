package autodiff

import (
	"math"
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

func gradReverse(t *tape, n, ct *ir.Node) { t.add(0, t.reverse(ct, n.Attrs[ir.ReverseAxes].Ints)) }

// reverse turns x around along axes; without axes it is x.
func (e emitter) reverse(x *ir.Node, axes []int) *ir.Node {
	if len(axes) == 0 { // to Record that is all of them
		return x
	}
	return e.node(ir.OpReverse, []*ir.Node{x}, []ir.Attr{ir.ReverseAxes: {Ints: axes}})
}

// conv is a convolution's attributes, spelled out.
type conv struct {
	strides, low, high, base, dilation []int
	dims                               ir.ConvDims
	groups, batches                    int
}

// conv is the convolution of x with a kernel.
func (e emitter) conv(x, kernel *ir.Node, c conv) *ir.Node {
	return e.node(ir.OpConv, []*ir.Node{x, kernel}, []ir.Attr{
		ir.ConvStrides: {Ints: c.strides}, ir.ConvLow: {Ints: c.low}, ir.ConvHigh: {Ints: c.high}, ir.ConvBase: {Ints: c.base}, ir.ConvDilation: {Ints: c.dilation},
		ir.ConvInput: {Ints: c.dims.Input}, ir.ConvKernel: {Ints: c.dims.Kernel}, ir.ConvOutput: {Ints: c.dims.Output},
		ir.ConvGroups: {Int: int64(c.groups)}, ir.ConvBatches: {Int: int64(c.batches)},
	})
}

// A convolution is linear in both operands, and its gradients are convolutions. That of
// x is ct, spread by the strides, with the kernel turned around. That of the kernel is x
// with ct as the kernel, with batch and features exchanged.
func gradConv(t *tape, n, ct *ir.Node) {
	x, kernel, a := n.In[0], n.In[1], n.Attrs
	c := conv{a[ir.ConvStrides].Ints, a[ir.ConvLow].Ints, a[ir.ConvHigh].Ints, a[ir.ConvBase].Ints, a[ir.ConvDilation].Ints,
		ir.ConvDimsOf(a), int(a[ir.ConvGroups].Int), int(a[ir.ConvBatches].Int)}
	if x.Type.Elements() == 0 || kernel.Type.Elements() == 0 || n.Type.Elements() == 0 {
		t.add(0, t.zeros(x))
		t.add(1, t.zeros(kernel))
		return
	}
	if t.wants(0) {
		t.add(0, t.convInput(n, ct, c))
	}
	if t.wants(1) {
		t.add(1, t.convKernel(n, ct, c))
	}
}

// spans returns the lengths along spatial axis i of the operands and the result
// of a convolution with the places between their elements.
func (c *conv) spans(n *ir.Node, i int) (x, kernel, result int) {
	return ir.Spread(n.In[0].Type.Shape[c.dims.Input[2+i]], c.base[i]),
		ir.Spread(n.In[1].Type.Shape[c.dims.Kernel[2+i]], c.dilation[i]),
		ir.Spread(n.Type.Shape[c.dims.Output[2+i]], c.strides[i])
}

func (t *tape) convInput(n, ct *ir.Node, c conv) *ir.Node {
	kernel, spatial := n.In[1], len(c.strides)
	out, in := c.dims.Kernel[0], c.dims.Kernel[1]
	groups := max(c.groups, c.batches)
	if groups > 1 { // the output features of a group are now those it takes
		kernel = t.regroup(kernel, out, in, groups)
	}
	low, high := make([]int, spatial), make([]int, spatial)
	for i := range spatial {
		x, k, r := c.spans(n, i)
		low[i] = k - 1 - c.low[i]
		high[i] = x + k - 1 - r - low[i]
	}
	g := t.conv(ct, t.reverse(kernel, c.dims.Kernel[2:]), conv{
		strides: c.base, low: low, high: high, base: c.strides, dilation: c.dilation,
		dims:   ir.ConvDims{Input: c.dims.Output, Kernel: swapped(c.dims.Kernel), Output: c.dims.Input},
		groups: groups, batches: 1,
	})
	if c.batches > 1 {
		g = t.regroup(g, c.dims.Input[1], c.dims.Input[0], c.batches)
	}
	return g
}

func (t *tape) convKernel(n, ct *ir.Node, c conv) *ir.Node {
	spatial := len(c.strides)
	high := make([]int, spatial)
	for i := range spatial {
		x, k, r := c.spans(n, i)
		high[i] = r - x + k - 1 - c.low[i]
	}
	return t.conv(n.In[0], ct, conv{
		strides: c.dilation, low: c.low, high: high, base: c.base, dilation: c.strides,
		dims:   ir.ConvDims{Input: swapped(c.dims.Input), Kernel: swapped(c.dims.Output), Output: swapped(c.dims.Kernel)},
		groups: c.batches, batches: c.groups,
	})
}

// swapped is a list of axes with the first two in the other order.
func swapped(axes []int) []int {
	axes = slices.Clone(axes)
	axes[0], axes[1] = axes[1], axes[0]
	return axes
}

// regroup divides axis from into groups and makes their number the outer part
// of axis to.
func (t *tape) regroup(x *ir.Node, from, to, groups int) *ir.Node {
	shape := slices.Clone(x.Type.Shape)
	shape[from] /= groups
	split := slices.Insert(slices.Clone(shape), from, groups)
	var perm []int
	for a := range x.Type.Rank() {
		if a == to {
			perm = append(perm, from)
		}
		if a >= from {
			perm = append(perm, a+1)
		} else {
			perm = append(perm, a)
		}
	}
	shape[to] *= groups
	x = t.node(ir.OpTranspose, []*ir.Node{t.reshape(x, split)}, []ir.Attr{ir.TransposePerm: {Ints: perm}})
	return t.reshape(x, shape)
}

// pool is the attributes of a window over all axes, spelled out.
type pool struct{ window, strides, low, high, dilation []int }

// poolOf reads them; the rows have them in one order.
func poolOf(n *ir.Node) pool {
	a := n.Attrs
	return pool{a[ir.MaxPoolWindow].Ints, a[ir.MaxPoolStrides].Ints, a[ir.MaxPoolLow].Ints, a[ir.MaxPoolHigh].Ints, a[ir.MaxPoolDilation].Ints}
}

// Each element has a part in the windows that it is in: their sum, with the
// windows' places spread by the strides.
func gradSumPool(t *tape, n, ct *ir.Node) {
	x, p := n.In[0].Type, poolOf(n)
	if x.Elements() == 0 {
		t.add(0, t.zeros(n.In[0]))
		return
	}
	rank := x.Rank()
	low, high, interior := make([]int, rank), make([]int, rank), make([]int, rank)
	for i := range rank {
		low[i] = ir.Spread(p.window[i], p.dilation[i]) - 1 - p.low[i]
		high[i] = x.Shape[i] - ir.Spread(n.Type.Shape[i], p.strides[i]) + p.low[i]
		interior[i] = p.strides[i] - 1
	}
	if slices.Max(append(interior, 0)) > 0 {
		ct = t.pad(ct, low, high, interior)
		low, high = make([]int, rank), make([]int, rank)
	} // else windows pad: that of a cumulative sum is one from the last element on
	t.add(0, t.node(ir.OpSumPool, []*ir.Node{ct}, []ir.Attr{
		ir.SumPoolWindow: {Ints: p.window}, ir.SumPoolStrides: {Ints: ones(rank)}, ir.SumPoolLow: {Ints: low}, ir.SumPoolHigh: {Ints: high}, ir.SumPoolDilation: {Ints: p.dilation},
	}))
}

// The gradient goes to the first largest element of each window, of the first
// NaN if there is one, as it does in PyTorch and XLA.
func gradMaxPool(t *tape, n, ct *ir.Node) {
	x, p := n.In[0], poolOf(n)
	switch {
	case x.Type.Elements() == 0:
		t.add(0, t.zeros(x))
	case slices.Equal(p.dilation, ones(x.Type.Rank())):
		t.add(0, t.node(ir.OpMaxPoolGrad, []*ir.Node{x, ct}, n.Attrs[:ir.MaxPoolDilation]))
	default: // no op of StableHLO selects in dilated windows
		w := t.windows(x, p)
		parts := t.reshape(t.where(t.largest(w), t.reshape(ct, append(slices.Clone(ct.Type.Shape), 1))), w.sizes)
		none := make([]int, x.Type.Rank())
		t.add(0, t.pad(t.unstride(parts, w.padded, w.strides, 0), negated(p.low), negated(p.high), none))
	}
}

// ct's gradient is that of the elements which its own are added to. That of x, which
// only decides which these are, is 0.
func gradMaxPoolGrad(t *tape, n, ct *ir.Node) {
	x := n.In[0]
	if !t.wants(1) {
		return
	}
	if x.Type.Elements() == 0 {
		t.add(1, t.zeros(n.In[1]))
		return
	}
	a := n.Attrs
	p := pool{a[ir.MaxPoolGradWindow].Ints, a[ir.MaxPoolGradStrides].Ints, a[ir.MaxPoolGradLow].Ints, a[ir.MaxPoolGradHigh].Ints, ones(x.Type.Rank())}
	w := t.windows(x, p)
	none := make([]int, x.Type.Rank())
	taken := t.reshape(t.unfold(t.pad(ct, p.low, p.high, none), w), w.flat())
	t.add(1, t.sum(t.where(t.largest(w), taken), []int{x.Type.Rank()}))
}

// windowLayout says where the elements of a pool's windows are in its padded operand. The
// sizes are those of the windows' shape and then of a window.
type windowLayout struct {
	padded         *ir.Node
	elements       *ir.Node // 1 where padded has an element, 0 in the padding; nil if there is none
	sizes, strides []int
}

// flat is the windows' shape with the elements of a window along the last axis.
func (w windowLayout) flat() []int {
	rank := len(w.sizes) / 2
	return append(slices.Clone(w.sizes[:rank]), types.Shape(w.sizes[rank:]).Elements())
}

// windows writes out the windows of x, with -inf as padding.
func (t *tape) windows(x *ir.Node, p pool) windowLayout {
	rank := x.Type.Rank()
	w := windowLayout{strides: make([]int, 2*rank)}
	w.padded = t.node(ir.OpPad, []*ir.Node{x, t.scalar(x, math.Inf(-1))}, []ir.Attr{ir.PadLow: {Ints: p.low}, ir.PadHigh: {Ints: p.high}, ir.PadInterior: {Ints: make([]int, rank)}})
	if slices.Max(slices.Concat(p.low, p.high, []int{0})) > 0 {
		w.elements = t.pad(t.broadcast(t.scalar(x, 1), x.Type.Shape), p.low, p.high, make([]int, rank))
	}
	shape := make([]int, rank)
	for i, row := rank-1, 1; i >= 0; i-- {
		n := w.padded.Type.Shape[i]
		shape[i] = (n-ir.Spread(p.window[i], p.dilation[i]))/p.strides[i] + 1
		w.strides[i], w.strides[rank+i] = p.strides[i]*row, p.dilation[i]*row
		row *= n
	}
	w.sizes = slices.Concat(shape, p.window)
	return w
}

// unfold takes the elements of w's windows from x, which is padded as w's are.
func (t *tape) unfold(x *ir.Node, w windowLayout) *ir.Node {
	y := t.node(ir.OpAsStrided, []*ir.Node{x}, []ir.Attr{ir.AsStridedSizes: {Ints: w.sizes}, ir.AsStridedStrides: {Ints: w.strides}, ir.AsStridedOffset: {}})
	return t.reshape(y, w.flat())
}

// largest says of each element in the flat windows of w if it is the first largest one
// of its window, or the first NaN. Padding never is, where a window has any element.
func (t *tape) largest(w windowLayout) *ir.Node {
	flat := w.flat()
	axis := len(flat) - 1
	argMax := func(x *ir.Node) *ir.Node {
		return t.node(ir.OpArgMax, []*ir.Node{x}, []ir.Attr{ir.ArgMaxAxis: {Int: int64(axis)}})
	}
	x := t.unfold(w.padded, w)
	first := argMax(x)
	if w.elements != nil { // in a window of -inf alone, padding may come first
		most := t.node(ir.OpMax, []*ir.Node{x}, []ir.Attr{ir.MaxAxes: {Ints: []int{axis}}})
		none := t.compare("EQ", most, t.broadcast(t.scalar(x, math.Inf(-1)), most.Type.Shape))
		first = t.op(ir.OpWhere, none, argMax(t.unfold(w.elements, w)), first)
	}
	place := t.node(ir.OpIota, nil, []ir.Attr{ir.IotaDType: {Int: int64(types.I64)}, ir.IotaShape: {Ints: flat}, ir.IotaAxis: {Int: int64(axis)}})
	return t.compare("EQ", place, t.reshape(first, append(slices.Clone(flat[:axis]), 1)))
}

func negated(v []int) []int {
	out := make([]int, len(v))
	for i := range v {
		out[i] = dims.Sub(0, v[i])
	}
	return out
}
