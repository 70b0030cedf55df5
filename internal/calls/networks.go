package calls

import (
	"slices"

	"ltc/ir/ops"
	"ltc/lazy"
	"ltc/nn"
)

// networks has the functions of package nn that take options.
var networks = []Op{
	classLoss("CrossEntropy", "cross_entropy", nn.CrossEntropy, "returns -log softmax(x)[label] of each row, times the weight of the label, reduced."),
	classLoss("NLLLoss", "nll_loss", nn.NLLLoss, "returns -x[label] of each row, times the weight of the label, reduced."),
	{Op: &ops.Op{Package: "nn", Name: "BCEWithLogits", Text: "bce_with_logits", Doc: "returns BCELoss of sigmoid(x), exact where that is near 0 or 1. weight weighs all terms, positive those of the target.",
		Operands: []ops.Operand{{Name: "x"}, {Name: "target"}, {Name: "weight", Optional: true}, {Name: "positive", Optional: true}}, Attrs: []ops.Attr{{Name: "reduction", Kind: ops.Int}}},
		Static: true, optional: "reduction", call: func(c *Call) []*lazy.Tensor {
			return one(nn.BCEWithLogits(c.X[0], c.X[1], nn.BCEOptions{Weight: c.given(2), Positive: c.given(3), Reduction: c.Int("reduction")}))
		}},

	convolves("Conv", nn.Conv, "returns the convolution of x[batch, channels, places…] with a weight, plus the bias of each channel.", ops.Attr{Name: "same", Kind: ops.Flag}),
	convolves("Conv1d", nn.Conv1d, "returns Conv with one spatial axis.", ops.Attr{Name: "same", Kind: ops.Flag}),
	convolves("Conv2d", nn.Conv2d, "returns Conv with two spatial axes.", ops.Attr{Name: "same", Kind: ops.Flag}),
	convolves("Conv3d", nn.Conv3d, "returns Conv with three spatial axes.", ops.Attr{Name: "same", Kind: ops.Flag}),
	convolves("ConvTranspose1d", nn.ConvTranspose1d, "returns ConvTranspose with one spatial axis.", ops.Attr{Name: "more", Kind: ops.Ints}),
	convolves("ConvTranspose2d", nn.ConvTranspose2d, "returns ConvTranspose with two spatial axes.", ops.Attr{Name: "more", Kind: ops.Ints}),
	convolves("ConvTranspose3d", nn.ConvTranspose3d, "returns ConvTranspose with three spatial axes.", ops.Attr{Name: "more", Kind: ops.Ints}),
	convolves("ConvTranspose", nn.ConvTranspose, "returns the transposed convolution of x[batch, channels, places…] with a weight, plus the bias of each channel.", ops.Attr{Name: "more", Kind: ops.Ints}),
	windows("AvgPool", window(nn.AvgPool), "returns the mean of each window.", ops.Attr{Name: "excludePad", Kind: ops.Flag}, ops.Attr{Name: "divisor", Kind: ops.Int}),
	windows("Unfold", window(nn.Unfold), "returns the windows of x as columns."),
	withResults(windows("MaxPool", func(x *lazy.Tensor, window []int, o nn.PoolOptions) []*lazy.Tensor {
		return several(nn.MaxPool(x, window, o))
	},
		"returns the largest element of each window, and its place."), "values", "indices"),
	{Op: &ops.Op{Package: "nn", Name: "LPPool", Text: "lp_pool", Doc: "returns the p-norm of each window.", Operands: operands("x"),
		Attrs: slices.Concat([]ops.Attr{{Name: "p", Kind: ops.Real}, {Name: "window", Kind: ops.Ints}}, steps, []ops.Attr{{Name: "ceil", Kind: ops.Flag}})},
		Static: true, call: func(c *Call) []*lazy.Tensor {
			return one(nn.LPPool(c.X[0], c.Real("p"), c.Ints("window"), nn.PoolOptions{Stride: c.Ints("stride"), Padding: c.Ints("padding"), Dilation: c.Ints("dilation"), Ceil: c.Flag("ceil")}))
		}},
	withResults(Op{Op: &ops.Op{Package: "nn", Name: "AdaptiveMaxPool", Doc: "returns the largest element of each of the windows that AdaptiveAvgPool has, and its place.", Operands: operands("x"), Attrs: []ops.Attr{{Name: "sizes", Kind: ops.Ints}}},
		Static: true, call: func(c *Call) []*lazy.Tensor { return several(nn.AdaptiveMaxPool(c.X[0], c.Ints("sizes")...)) }}, "values", "indices"),
	{Op: &ops.Op{Package: "nn", Name: "Interpolate", Doc: "returns x[batch, channels, places…] with other sizes of its places: the given ones, or those of x times the scale.",
		Operands: operands("x"), Attrs: []ops.Attr{{Name: "sizes", Kind: ops.Ints}, {Name: "scale", Kind: ops.Real}, {Name: "mode", Kind: ops.Int}, {Name: "alignCorners", Kind: ops.Flag}, {Name: "antialias", Kind: ops.Flag}, {Name: "recompute", Kind: ops.Flag}}},
		Static: true, optional: "scale mode", call: func(c *Call) []*lazy.Tensor {
			return one(nn.Interpolate(c.X[0], nn.InterpolateOptions{Sizes: c.Ints("sizes"), Scale: c.Real("scale"), Mode: c.Int("mode"), AlignCorners: c.Flag("alignCorners"), Antialias: c.Flag("antialias"), Recompute: c.Flag("recompute")}))
		}},
	{Op: &ops.Op{Package: "nn", Name: "Fold", Doc: "returns the sums of columns at their places in [batch, channels, sizes…].", Operands: operands("x"),
		Attrs: slices.Concat([]ops.Attr{{Name: "sizes", Kind: ops.Ints}, {Name: "window", Kind: ops.Ints}}, steps)},
		Static: true, call: func(c *Call) []*lazy.Tensor {
			return one(nn.Fold(c.X[0], c.Ints("sizes"), c.Ints("window"), nn.PoolOptions{Stride: c.Ints("stride"), Padding: c.Ints("padding"), Dilation: c.Ints("dilation")}))
		}},
	{Op: &ops.Op{Package: "nn", Name: "ScaledDotProductAttention", Text: "scaled_dot_product_attention", Doc: "returns Attention whose causal queries are aligned at the first key.",
		Operands: []ops.Operand{{Name: "q"}, {Name: "k"}, {Name: "v"}, {Name: "mask", Optional: true}}, Attrs: []ops.Attr{{Name: "causal", Kind: ops.Flag}, {Name: "scale", Kind: ops.Real}}},
		Static: true, optional: "scale", call: func(c *Call) []*lazy.Tensor {
			return one(nn.ScaledDotProductAttention(c.X[0], c.X[1], c.X[2], lazy.AttentionOptions{Scale: c.Real("scale"), Causal: c.Flag("causal"), Mask: c.given(3)}))
		}},
	{Op: &ops.Op{Package: "nn", Name: "Rotary", Doc: "returns x[…, n, features] with pairs of features turned by angles that grow with the place of each of the n tokens.",
		Operands: operands("x", "places"), Attrs: []ops.Attr{{Name: "base", Kind: ops.Real}, {Name: "interleaved", Kind: ops.Flag}}},
		Static: true, optional: "base", call: func(c *Call) []*lazy.Tensor {
			return one(nn.Rotary(c.X[0], c.X[1], nn.RotaryOptions{Base: c.Real("base"), Interleaved: c.Flag("interleaved")}))
		}},
	{Op: &ops.Op{Package: "nn", Name: "MultiHeadAttention", Doc: "returns the attention of queries to keys and values, each head with its part of the features: weights and biases are those of the three and of the results.",
		Operands: []ops.Operand{{Name: "queries"}, {Name: "keys"}, {Name: "values"}, {Name: "in"}, {Name: "out"}, {Name: "inBias", Optional: true}, {Name: "outBias", Optional: true}, {Name: "mask", Optional: true}},
		Attrs:    []ops.Attr{{Name: "heads", Kind: ops.Int}, {Name: "causal", Kind: ops.Flag}}},
		Static: true, call: func(c *Call) []*lazy.Tensor {
			return one(nn.MultiHeadAttention(c.X[0], c.X[1], c.X[2], nn.MultiHeadOptions{Heads: c.Int("heads"), In: c.X[3], Out: c.X[4], InBias: c.given(5), OutBias: c.given(6),
				Attention: lazy.AttentionOptions{Causal: c.Flag("causal"), Mask: c.given(7)}}))
		}},
}

// classLoss is a loss of labels. Rows with the label ignore do not count: -100 where it is
// left out.
func classLoss(name, text string, f func(x, target *lazy.Tensor, o nn.CrossEntropyOptions) *lazy.Tensor, doc string) Op {
	return Op{Op: &ops.Op{Package: "nn", Name: name, Text: text, Doc: doc, Operands: []ops.Operand{{Name: "x"}, {Name: "labels"}, {Name: "weight", Optional: true}},
		Attrs: []ops.Attr{{Name: "ignore", Kind: ops.Int}, {Name: "smoothing", Kind: ops.Real}, {Name: "reduction", Kind: ops.Int}}},
		Static: true, optional: "ignore smoothing reduction", call: func(c *Call) []*lazy.Tensor {
			o := nn.CrossEntropyOptions{Weight: c.given(2), Smoothing: c.Real("smoothing"), Reduction: c.Int("reduction")}
			if ignore, ok := c.Values["ignore"].(int); ok {
				o.Ignore = &ignore
			}
			return one(f(c.X[0], c.X[1], o))
		}}
}

// window is a function of windows with one result.
func window(f func(x *lazy.Tensor, window []int, o nn.PoolOptions) *lazy.Tensor) func(x *lazy.Tensor, window []int, o nn.PoolOptions) []*lazy.Tensor {
	return func(x *lazy.Tensor, window []int, o nn.PoolOptions) []*lazy.Tensor { return one(f(x, window, o)) }
}

func withResults(o Op, names ...string) Op {
	o.Results = names
	return o
}

var steps = []ops.Attr{{Name: "stride", Kind: ops.Ints}, {Name: "padding", Kind: ops.Ints}, {Name: "dilation", Kind: ops.Ints}}

func windows(name string, f func(x *lazy.Tensor, window []int, o nn.PoolOptions) []*lazy.Tensor, doc string, more ...ops.Attr) Op {
	return Op{Op: &ops.Op{Package: "nn", Name: name, Doc: doc, Operands: operands("x"), Attrs: slices.Concat([]ops.Attr{{Name: "window", Kind: ops.Ints}}, steps, []ops.Attr{{Name: "ceil", Kind: ops.Flag}}, more)},
		Static: true, optional: "divisor", call: func(c *Call) []*lazy.Tensor {
			return f(c.X[0], c.Ints("window"), nn.PoolOptions{Stride: c.Ints("stride"), Padding: c.Ints("padding"), Dilation: c.Ints("dilation"), Ceil: c.Flag("ceil"), ExcludePad: c.Flag("excludePad"), Divisor: c.Int("divisor")})
		}}
}

func convolves(name string, f func(x, weight, bias *lazy.Tensor, o nn.ConvOptions) *lazy.Tensor, doc string, more ops.Attr) Op {
	return Op{Op: &ops.Op{Package: "nn", Name: name, Doc: doc, Operands: []ops.Operand{{Name: "x"}, {Name: "weight"}, {Name: "bias", Optional: true}}, Attrs: slices.Concat(steps, []ops.Attr{{Name: "groups", Kind: ops.Int}, more})},
		Static: true, optional: "groups", call: func(c *Call) []*lazy.Tensor {
			return one(f(c.X[0], c.X[1], c.given(2), nn.ConvOptions{Stride: c.Ints("stride"), Padding: c.Ints("padding"), Dilation: c.Ints("dilation"), Groups: c.Int("groups"), Same: c.Flag("same"), More: c.Ints("more")}))
		}}
}
