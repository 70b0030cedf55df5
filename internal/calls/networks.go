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
	{Op: &ops.Op{Package: "nn", Name: "BCEWithLogits", Text: "bce_with_logits", Doc: "returns BCELoss of sigmoid(x), exact where that is near 0 or 1.",
		Operands: []ops.Operand{{Name: "x"}, {Name: "target"}, {Name: "weight", Optional: true}}, Attrs: []ops.Attr{{Name: "reduction", Kind: ops.Int}}},
		Static: true, optional: "reduction", call: func(c *Call) []*lazy.Tensor {
			return one(nn.BCEWithLogits(c.X[0], c.X[1], nn.BCEOptions{Weight: c.given(2), Reduction: c.Int("reduction")}))
		}},

	convolves("Conv", nn.Conv, "returns the convolution of x[batch, channels, places…] with a weight, plus the bias of each channel.", ops.Attr{Name: "same", Kind: ops.Flag}),
	convolves("ConvTranspose", nn.ConvTranspose, "returns the transposed convolution of x[batch, channels, places…] with a weight, plus the bias of each channel.", ops.Attr{Name: "more", Kind: ops.Ints}),
	windows("AvgPool", window(nn.AvgPool), "returns the mean of each window.", ops.Attr{Name: "excludePad", Kind: ops.Flag}, ops.Attr{Name: "divisor", Kind: ops.Int}),
	windows("Unfold", window(nn.Unfold), "returns the windows of x as columns."),
	withResults(windows("MaxPool", func(x *lazy.Tensor, window []int, o nn.PoolOptions) []*lazy.Tensor {
		return several(nn.MaxPool(x, window, o))
	},
		"returns the largest element of each window, and its place."), "values", "indices"),
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
