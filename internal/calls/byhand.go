package calls

import (
	"slices"

	"ltc/ir/ops"
	"ltc/lazy"
)

// byHand has the methods of a tensor and functions of package lazy that have no row of
// their own: [of] finds their signatures. A doc says what is not in the method's documentation.
var byHand = slices.Concat(
	compared((*lazy.Tensor).Equal, (*lazy.Tensor).EqualScalar, "x = y"),
	compared((*lazy.Tensor).NotEqual, (*lazy.Tensor).NotEqualScalar, "x ≠ y"),
	compared((*lazy.Tensor).Less, (*lazy.Tensor).LessScalar, "x < y"),
	compared((*lazy.Tensor).LessEqual, (*lazy.Tensor).LessEqualScalar, "x ≤ y"),
	compared((*lazy.Tensor).Greater, (*lazy.Tensor).GreaterScalar, "x > y"),
	compared((*lazy.Tensor).GreaterEqual, (*lazy.Tensor).GreaterEqualScalar, "x ≥ y"),
	[]Op{
		of((*lazy.Tensor).AddScalar, "x v", "returns x+v elementwise, v being a constant."),
		of((*lazy.Tensor).SubScalar, "x v", "returns x-v elementwise, v being a constant."),
		of((*lazy.Tensor).MulScalar, "x v", "returns x*v elementwise, v being a constant."),
		of((*lazy.Tensor).DivScalar, "x v", "returns x/v elementwise, v being a constant."),
		of((*lazy.Tensor).PowScalar, "x v", "returns x to the power of v elementwise, v being a constant."),
		of((*lazy.Tensor).RSubScalar, "x v", "returns v-x elementwise, v being a constant."),
		of((*lazy.Tensor).RDivScalar, "x v", "returns v/x elementwise, v being a constant."),
		of((*lazy.Tensor).RPowScalar, "x v", "returns v to the power of x elementwise, v being a constant."),
		of((*lazy.Tensor).RemScalar, "x v", "returns Rem of x and the constant v elementwise."),
		of((*lazy.Tensor).RemainderScalar, "x v", "returns Remainder of x and the constant v elementwise."),
		of((*lazy.Tensor).FloorDivideScalar, "x v", "returns FloorDivide of x and the constant v elementwise."),
		of((*lazy.Tensor).AndScalar, "x v", "returns And of x and the constant v elementwise."),
		of((*lazy.Tensor).OrScalar, "x v", "returns Or of x and the constant v elementwise."),
		of((*lazy.Tensor).XorScalar, "x v", "returns Xor of x and the constant v elementwise."),
		of((*lazy.Tensor).ShiftLeftScalar, "x v", "returns x shifted left by the constant v elementwise."),
		of((*lazy.Tensor).ShiftRightScalar, "x v", "returns x shifted right by the constant v elementwise."),
		of((*lazy.Tensor).ClampScalar, "x low high", "returns x within low and high; an infinite bound is none."),
		of((*lazy.Tensor).MaskedFill, "x mask v", "returns the constant v where mask is true, and x elsewhere."),
		of((*lazy.Tensor).ScalarWhere, "cond v y", "returns the constant v where cond is true, and y elsewhere."),
		of((*lazy.Tensor).WhereScalar, "cond x v", "returns x where cond is true, and the constant v elsewhere."),
		of((*lazy.Tensor).MaximumScalar, "x v", "returns the larger of x and the constant v elementwise."),
		of((*lazy.Tensor).MinimumScalar, "x v", "returns the smaller of x and the constant v elementwise."),

		kept((*lazy.Tensor).SumKeep),
		kept((*lazy.Tensor).MeanKeep),
		kept((*lazy.Tensor).MaxKeep),
		kept((*lazy.Tensor).MinKeep),
		kept((*lazy.Tensor).AllKeep),
		kept((*lazy.Tensor).AnyKeep),
		kept((*lazy.Tensor).ProdKeep),
		kept((*lazy.Tensor).NaNSumKeep),
		kept((*lazy.Tensor).NaNMeanKeep),
		kept((*lazy.Tensor).ArgMaxKeep),
		kept((*lazy.Tensor).ArgMinKeep),
		kept((*lazy.Tensor).MaxWithIndicesKeep),
		kept((*lazy.Tensor).MinWithIndicesKeep),
		kept((*lazy.Tensor).LogSumExpKeep),
		kept((*lazy.Tensor).NormKeep),
		kept((*lazy.Tensor).VarKeep),
		kept((*lazy.Tensor).StdKeep),
		of((*lazy.Tensor).AMinMax, "x axes", "returns Min and Max over the axes.", "least", "most").spelt("aminmax"),
		of((*lazy.Tensor).Norm, "x p axes", "returns the p-norm over the axes."),
		of((*lazy.Tensor).VarMean, "x correction axes", "returns Var and Mean over the axes.", "variance", "mean"),
		of((*lazy.Tensor).StdMean, "x correction axes", "returns Std and Mean over the axes.", "std", "mean"),

		of((*lazy.Tensor).MatMul, "x y", "returns the matrix products of the last two axes; those before broadcast.").spelt("matmul"),
		of((*lazy.Tensor).Gather, "x indices", "returns the rows of x that the indices choose, along axis 0."),
		of((*lazy.Tensor).AsStrided, "x sizes strides offset", "takes the elements of x, as they lie in row-major order, at offset + i*strides[0] + j*strides[1] + … for each index of the given sizes."),
		of((*lazy.Tensor).Clone, "x", "returns a tensor of its own with the elements of x."),
		of((*lazy.Tensor).Detach, "x", "returns a view of x at which gradients end."),
		of((*lazy.Tensor).Within, "x low high name", "returns x, integers with a name that are an error of the step unless they are from low to high."),
		of((*lazy.Tensor).Size, "x axis", "returns the size of an axis as a scalar of i64."),
		of((*lazy.Tensor).UniqueAll, "x bound", "returns Unique, the place of each element of x among the values, and how often each value is in x.", "values", "inverse", "counts"),
		of((*lazy.Tensor).UniqueAlong, "x axis bound", "returns the slices of x along the axis that differ, in their order, the place of each slice of x among them, and how often each is in x.", "values", "inverse", "counts"),
		of(lazy.Einsum, "equation x", "returns the sums of products that the equation says, as ij,jk->ik."),
		of((*lazy.Tensor).PadZeros, "x padding", "returns x with zeros around its last axes: padding has their numbers before and after, by axis."),
		of((*lazy.Tensor).DynamicSlice, "x sizes starts", "returns the part of x with the given sizes that begins at starts, integer scalars, one an axis."),
		of((*lazy.Tensor).DynamicUpdateSlice, "x update starts", "returns x with the part that begins at starts, integer scalars, one an axis, replaced by update."),

		{Op: &ops.Op{Name: "Conv", Doc: "returns the convolution of x with a kernel. Padding has two numbers a spatial axis, before and after; the layout is NCHW,OIHW->NCHW where none is given.",
			Operands: operands("x", "kernel"), Attrs: slices.Concat(windowed, []ops.Attr{{Name: "base", Kind: ops.Ints}, {Name: "groups", Kind: ops.Int}, {Name: "batches", Kind: ops.Int}})},
			optional: "pad groups batches layout", check: inPairs("padding"), call: convolution},
		pool("MaxPool", (*lazy.Tensor).MaxPool, "returns the largest element of each window; places of the padding do not count."),
		pool("SumPool", (*lazy.Tensor).SumPool, "returns the sum of each window."),
		pool("AvgPool", (*lazy.Tensor).AvgPool, "returns SumPool divided by the number of places in a window: padding counts as zeros."),
		{Op: &ops.Op{Name: "Attention", Doc: "returns softmax(q kᵀ·scale) v. The scale is 1/√dim where none is given.",
			Operands: []ops.Operand{{Name: "q"}, {Name: "k"}, {Name: "v"}, {Name: "mask", Optional: true}}, Attrs: []ops.Attr{{Name: "causal", Kind: ops.Flag}, {Name: "scale", Kind: ops.Real}}},
			optional: "scale", call: func(c *Call) []*lazy.Tensor {
				return one(c.X[0].Attention(c.X[1], c.X[2], lazy.AttentionOptions{Scale: c.Real("scale"), Causal: c.Flag("causal"), Mask: c.given(3)}))
			}},
	},
	making,
	drawing,
	arranging,
	networks,
	matrices,
	fourier,
)

func operands(names ...string) []ops.Operand {
	var all []ops.Operand
	for _, n := range names {
		all = append(all, ops.Operand{Name: n})
	}
	return all
}

// compared are a comparison of two tensors, and of one with a constant.
func compared(two func(x, y *lazy.Tensor) *lazy.Tensor, scalar func(x *lazy.Tensor, v float64) *lazy.Tensor, relation string) []Op {
	return []Op{of(two, "x y", "returns whether "+relation+", elementwise."), of(scalar, "x v", "returns whether "+relation+", elementwise, y being the constant v.")}
}

// windowed are the attributes of convolutions and pools.
var windowed = []ops.Attr{{Name: "strides", Kind: ops.Ints}, {Name: "pad", Kind: ops.Int}, {Name: "padding", Kind: ops.Ints}, {Name: "dilation", Kind: ops.Ints}, {Name: "layout", Kind: ops.String}}

func pool(name string, f func(x *lazy.Tensor, window []int, o lazy.PoolOptions) *lazy.Tensor, doc string) Op {
	return Op{Op: &ops.Op{Name: name, Doc: doc + " Padding has two numbers a spatial axis, before and after; the layout is NCHW where none is given.",
		Operands: operands("x"), Attrs: slices.Concat([]ops.Attr{{Name: "window", Kind: ops.Ints}}, windowed)},
		optional: "pad layout", check: inPairs("padding"), call: func(c *Call) []*lazy.Tensor {
			return one(f(c.X[0], c.Ints("window"), lazy.PoolOptions{Strides: c.Ints("strides"), Pad: c.Int("pad"), Padding: c.pairs("padding"), Dilation: c.Ints("dilation"), Layout: c.Word("layout")}))
		}}
}

func convolution(c *Call) []*lazy.Tensor {
	return one(c.X[0].Conv(c.X[1], lazy.ConvOptions{
		Strides: c.Ints("strides"), Pad: c.Int("pad"), Padding: c.pairs("padding"), Dilation: c.Ints("dilation"), Base: c.Ints("base"),
		Groups: c.Int("groups"), Batches: c.Int("batches"), Layout: c.Word("layout"),
	}))
}
