package calls

import (
	"fmt"
	"slices"

	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
)

// byHand has the methods of a tensor and functions of package lazy that have no row of
// their own. Their signatures have the form of rows; a doc says what is not in the method's
// documentation.
var byHand = slices.Concat(
	compared("Equal", (*lazy.Tensor).Equal, (*lazy.Tensor).EqualScalar, "x = y"),
	compared("NotEqual", (*lazy.Tensor).NotEqual, (*lazy.Tensor).NotEqualScalar, "x ≠ y"),
	compared("Less", (*lazy.Tensor).Less, (*lazy.Tensor).LessScalar, "x < y"),
	compared("LessEqual", (*lazy.Tensor).LessEqual, (*lazy.Tensor).LessEqualScalar, "x ≤ y"),
	compared("Greater", (*lazy.Tensor).Greater, (*lazy.Tensor).GreaterScalar, "x > y"),
	compared("GreaterEqual", (*lazy.Tensor).GreaterEqual, (*lazy.Tensor).GreaterEqualScalar, "x ≥ y"),
	[]Op{
		withNumber("AddScalar", (*lazy.Tensor).AddScalar, "returns x+v elementwise, v being a constant."),
		withNumber("SubScalar", (*lazy.Tensor).SubScalar, "returns x-v elementwise, v being a constant."),
		withNumber("MulScalar", (*lazy.Tensor).MulScalar, "returns x*v elementwise, v being a constant."),
		withNumber("DivScalar", (*lazy.Tensor).DivScalar, "returns x/v elementwise, v being a constant."),
		withNumber("PowScalar", (*lazy.Tensor).PowScalar, "returns x to the power of v elementwise, v being a constant."),
		withNumber("RSubScalar", (*lazy.Tensor).RSubScalar, "returns v-x elementwise, v being a constant."),
		withNumber("RDivScalar", (*lazy.Tensor).RDivScalar, "returns v/x elementwise, v being a constant."),
		withNumber("RPowScalar", (*lazy.Tensor).RPowScalar, "returns v to the power of x elementwise, v being a constant."),
		withNumber("RemScalar", (*lazy.Tensor).RemScalar, "returns Rem of x and the constant v elementwise."),
		withNumber("RemainderScalar", (*lazy.Tensor).RemainderScalar, "returns Remainder of x and the constant v elementwise."),
		withNumber("FloorDivideScalar", (*lazy.Tensor).FloorDivideScalar, "returns FloorDivide of x and the constant v elementwise."),
		withInteger("AndScalar", (*lazy.Tensor).AndScalar, "returns And of x and the constant v elementwise."),
		withInteger("OrScalar", (*lazy.Tensor).OrScalar, "returns Or of x and the constant v elementwise."),
		withInteger("XorScalar", (*lazy.Tensor).XorScalar, "returns Xor of x and the constant v elementwise."),
		withInteger("ShiftLeftScalar", (*lazy.Tensor).ShiftLeftScalar, "returns x shifted left by the constant v elementwise."),
		withInteger("ShiftRightScalar", (*lazy.Tensor).ShiftRightScalar, "returns x shifted right by the constant v elementwise."),
		{Op: &ops.Op{Name: "ClampScalar", Doc: "returns x within low and high; an infinite bound is none.", Operands: operands("x"), Attrs: []ops.Attr{{Name: "low", Kind: ops.Real}, {Name: "high", Kind: ops.Real}}},
			call: func(c *Call) []*lazy.Tensor { return one(c.X[0].ClampScalar(c.Real("low"), c.Real("high"))) }},
		{Op: &ops.Op{Name: "MaskedFill", Doc: "returns the constant v where mask is true, and x elsewhere.", Operands: operands("x", "mask"), Attrs: number},
			call: func(c *Call) []*lazy.Tensor { return one(c.X[0].MaskedFill(c.X[1], c.Real("v"))) }},
		{Op: &ops.Op{Name: "ScalarWhere", Doc: "returns the constant v where cond is true, and y elsewhere.", Operands: operands("cond", "y"), Attrs: number},
			call: func(c *Call) []*lazy.Tensor { return one(c.X[0].ScalarWhere(c.Real("v"), c.X[1])) }},
		withNumber("MaximumScalar", (*lazy.Tensor).MaximumScalar, "returns the larger of x and the constant v elementwise."),
		withNumber("MinimumScalar", (*lazy.Tensor).MinimumScalar, "returns the smaller of x and the constant v elementwise."),

		keeping("Sum", (*lazy.Tensor).SumKeep),
		keeping("Mean", (*lazy.Tensor).MeanKeep),
		keeping("Max", (*lazy.Tensor).MaxKeep),
		keeping("Min", (*lazy.Tensor).MinKeep),

		keeping("All", (*lazy.Tensor).AllKeep),
		keeping("Any", (*lazy.Tensor).AnyKeep),
		keeping("Prod", (*lazy.Tensor).ProdKeep),
		keeping("NaNSum", (*lazy.Tensor).NaNSumKeep),
		keeping("NaNMean", (*lazy.Tensor).NaNMeanKeep),
		keeping("ArgMax", (*lazy.Tensor).ArgMaxKeep),
		keeping("ArgMin", (*lazy.Tensor).ArgMinKeep),
		keeping("MaxWithIndices", (*lazy.Tensor).MaxWithIndicesKeep),
		keeping("MinWithIndices", (*lazy.Tensor).MinWithIndicesKeep),
		keeping("LogSumExp", (*lazy.Tensor).LogSumExpKeep),
		{Op: &ops.Op{Name: "AMinMax", Text: "aminmax", Doc: "returns Min and Max over the axes.", Operands: operands("x"), Attrs: []ops.Attr{{Name: "axes", Kind: ops.Axes}}, Results: []string{"least", "most"}},
			call: func(c *Call) []*lazy.Tensor { return several(c.X[0].AMinMax(c.Ints("axes")...)) }},
		withNumberOverAxes("Norm", "p", single((*lazy.Tensor).Norm), "returns the p-norm over the axes."),
		keeping("Norm", (*lazy.Tensor).NormKeep),
		keeping("Var", (*lazy.Tensor).VarKeep),
		keeping("Std", (*lazy.Tensor).StdKeep),
		withResults(withNumberOverAxes("VarMean", "correction", func(x *lazy.Tensor, v float64, axes ...int) []*lazy.Tensor { return several(x.VarMean(v, axes...)) },
			"returns Var and Mean over the axes."), "variance", "mean"),
		withResults(withNumberOverAxes("StdMean", "correction", func(x *lazy.Tensor, v float64, axes ...int) []*lazy.Tensor { return several(x.StdMean(v, axes...)) },
			"returns Std and Mean over the axes."), "std", "mean"),

		{Op: &ops.Op{Name: "WhereScalar", Doc: "returns x where cond is true, and the constant v elsewhere.", Operands: operands("cond", "x"), Attrs: number},
			call: func(c *Call) []*lazy.Tensor { return one(c.X[0].WhereScalar(c.X[1], c.Real("v"))) }},
		{Op: &ops.Op{Name: "MatMul", Text: "matmul", Doc: "returns the matrix products of the last two axes; those before broadcast.", Operands: operands("x", "y")},
			call: func(c *Call) []*lazy.Tensor { return one(c.X[0].MatMul(c.X[1])) }},
		{Op: &ops.Op{Name: "Gather", Doc: "returns the rows of x that the indices choose, along axis 0.", Operands: operands("x", "indices")},
			call: func(c *Call) []*lazy.Tensor { return one(c.X[0].Gather(c.X[1])) }},
		{Op: &ops.Op{Name: "AsStrided", Doc: "takes the elements of x, as they lie in row-major order, at offset + i*strides[0] + j*strides[1] + … for each index of the given sizes.",
			Operands: operands("x"), Attrs: []ops.Attr{{Name: "sizes", Kind: ops.Ints}, {Name: "strides", Kind: ops.Ints}, {Name: "offset", Kind: ops.Int}}},
			call: func(c *Call) []*lazy.Tensor {
				return one(c.X[0].AsStrided(c.Ints("sizes"), c.Ints("strides"), c.Int("offset")))
			}},
		{Op: &ops.Op{Name: "Clone", Doc: "returns a tensor of its own with the elements of x.", Operands: operands("x")},
			call: func(c *Call) []*lazy.Tensor { return one(c.X[0].Clone()) }},
		{Op: &ops.Op{Name: "Size", Doc: "returns the size of an axis as a scalar of i64.", Operands: operands("x"), Attrs: []ops.Attr{{Name: "axis", Kind: ops.Axis}}},
			call: func(c *Call) []*lazy.Tensor { return one(c.X[0].Size(c.Int("axis"))) }},
		{Op: &ops.Op{Name: "UniqueAll", Doc: "returns Unique, the place of each element of x among the values, and how often each value is in x.",
			Operands: operands("x"), Attrs: []ops.Attr{{Name: "bound", Kind: ops.Ints}}, Results: []string{"values", "inverse", "counts"}},
			call: func(c *Call) []*lazy.Tensor { return several(c.X[0].UniqueAll(c.Ints("bound")...)) }},
		{Op: &ops.Op{Name: "UniqueAlong", Doc: "returns the slices of x along the axis that differ, in their order, the place of each slice of x among them, and how often each is in x.",
			Operands: operands("x"), Attrs: []ops.Attr{{Name: "axis", Kind: ops.Axis}, {Name: "bound", Kind: ops.Ints}}, Results: []string{"values", "inverse", "counts"}},
			call: func(c *Call) []*lazy.Tensor { return several(c.X[0].UniqueAlong(c.Int("axis"), c.Ints("bound")...)) }},
		{Op: &ops.Op{Name: "Einsum", Doc: "returns the sums of products that the equation says, as ij,jk->ik.", Operands: []ops.Operand{{Name: "x", Variadic: true}}, Attrs: []ops.Attr{{Name: "equation", Kind: ops.String}}},
			Static: true, call: func(c *Call) []*lazy.Tensor { return one(lazy.Einsum(c.Word("equation"), c.X...)) }},
		{Op: &ops.Op{Name: "Concatenate", Doc: "joins tensors along an axis.", Operands: []ops.Operand{{Name: "x"}, {Name: "more", Variadic: true}}, Attrs: []ops.Attr{{Name: "axis", Kind: ops.Axis}}},
			Static: true, call: func(c *Call) []*lazy.Tensor { return one(lazy.Concatenate(c.Int("axis"), c.X...)) }},
		{Op: &ops.Op{Name: "PadZeros", Doc: "returns x with zeros around its last axes: padding has their numbers before and after, by axis.", Operands: operands("x"), Attrs: []ops.Attr{{Name: "padding", Kind: ops.Ints}}},
			check: inPairs("padding"), call: func(c *Call) []*lazy.Tensor { return one(c.X[0].PadZeros(c.pairs("padding")...)) }},
		{Op: &ops.Op{Name: "DynamicSlice", Doc: "returns the part of x with the given sizes that begins at starts, integer scalars, one an axis.",
			Operands: []ops.Operand{{Name: "x"}, {Name: "starts", Variadic: true}}, Attrs: []ops.Attr{{Name: "sizes", Kind: ops.Ints}}},
			call: func(c *Call) []*lazy.Tensor { return one(c.X[0].DynamicSlice(c.Ints("sizes"), c.X[1:]...)) }},
		{Op: &ops.Op{Name: "DynamicUpdateSlice", Doc: "returns x with the part that begins at starts, integer scalars, one an axis, replaced by update.",
			Operands: []ops.Operand{{Name: "x"}, {Name: "update"}, {Name: "starts", Variadic: true}}},
			call: func(c *Call) []*lazy.Tensor { return one(c.X[0].DynamicUpdateSlice(c.X[1], c.X[2:]...)) }},

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

		{Op: &ops.Op{Name: "Iota", Doc: "counts 0, 1, 2, … along an axis.", Attrs: []ops.Attr{{Name: "dtype", Kind: ops.DType}, {Name: "axis", Kind: ops.Int}, {Name: "dims", Kind: ops.Ints}}},
			Static: true, call: func(c *Call) []*lazy.Tensor {
				return one(lazy.Iota(c.Trace, c.DType("dtype"), c.Int("axis"), c.Ints("dims")...))
			}},
		{Op: &ops.Op{Name: "Full", Doc: "returns a tensor whose elements are all x.", Attrs: []ops.Attr{{Name: "dtype", Kind: ops.DType}, {Name: "x", Kind: ops.Real}, {Name: "dims", Kind: ops.Ints}}},
			Static: true, call: func(c *Call) []*lazy.Tensor {
				return one(lazy.Full(c.Trace, c.DType("dtype"), c.Real("x"), c.Ints("dims")...))
			}},
		filled("Zeros", lazy.Zeros, "returns a tensor of zeros."),
		filled("Ones", lazy.Ones, "returns a tensor of ones."),
	},
	arranging,
	networks,
	matrices,
	fourier,
)

var number = []ops.Attr{{Name: "v", Kind: ops.Real}}

func operands(names ...string) []ops.Operand {
	var all []ops.Operand
	for _, n := range names {
		all = append(all, ops.Operand{Name: n})
	}
	return all
}

// compared are a comparison of two tensors, and of one with a constant.
func compared(name string, two func(x, y *lazy.Tensor) *lazy.Tensor, scalar func(x *lazy.Tensor, v float64) *lazy.Tensor, relation string) []Op {
	return []Op{
		{Op: &ops.Op{Name: name, Doc: "returns whether " + relation + ", elementwise.", Operands: operands("x", "y")},
			call: func(c *Call) []*lazy.Tensor { return one(two(c.X[0], c.X[1])) }},
		withNumber(name+"Scalar", scalar, "returns whether "+relation+", elementwise, y being the constant v."),
	}
}

func withNumber(name string, f func(x *lazy.Tensor, v float64) *lazy.Tensor, doc string) Op {
	return Op{Op: &ops.Op{Name: name, Doc: doc, Operands: operands("x"), Attrs: number},
		call: func(c *Call) []*lazy.Tensor { return one(f(c.X[0], c.Real("v"))) }}
}

func withInteger(name string, f func(x *lazy.Tensor, v int64) *lazy.Tensor, doc string) Op {
	return Op{Op: &ops.Op{Name: name, Doc: doc, Operands: operands("x"), Attrs: []ops.Attr{{Name: "v", Kind: ops.Int}}},
		call: func(c *Call) []*lazy.Tensor { return one(f(c.X[0], int64(c.Int("v")))) }}
}

// keeping is the variant of a reduction whose axes stay. Its signature is that of the row.
func keeping(name string, f any) Op {
	row := rowOf(name)
	o := Op{Op: &ops.Op{Name: name + "Keep", Doc: "returns " + name + ", whose axes stay with the dimension 1.",
		Operands: row.Operands, Attrs: row.Attrs, Results: row.Results}}
	if row.Text != "" {
		o.Text = row.Text + "_keep"
	}
	first := row.Attrs[0].Name
	switch f := f.(type) {
	case func(x *lazy.Tensor, axes ...int) *lazy.Tensor:
		o.call = func(c *Call) []*lazy.Tensor { return one(f(c.X[0], c.Ints(first)...)) }
	case func(x *lazy.Tensor, v float64, axes ...int) *lazy.Tensor:
		o.call = func(c *Call) []*lazy.Tensor { return one(f(c.X[0], c.Real(first), c.Ints(row.Attrs[1].Name)...)) }
	case func(x *lazy.Tensor, axis int) *lazy.Tensor:
		o.call = func(c *Call) []*lazy.Tensor { return one(f(c.X[0], c.Int(first))) }
	case func(x *lazy.Tensor, axis int) (values, indices *lazy.Tensor):
		o.call = func(c *Call) []*lazy.Tensor { return several(f(c.X[0], c.Int(first))) }
	default:
		panic(fmt.Sprintf("calls: %sKeep is %T, whose form is none of a reduction's", name, f))
	}
	return o
}

// rowOf returns the row of package lazy with a name.
func rowOf(name string) *ops.Op {
	for _, row := range ops.All() {
		if row.Package == "" && row.Name == name {
			return row
		}
	}
	panic("calls: there is no row " + name)
}

func withNumberOverAxes(name, number string, f func(x *lazy.Tensor, v float64, axes ...int) []*lazy.Tensor, doc string) Op {
	return Op{Op: &ops.Op{Name: name, Doc: doc, Operands: operands("x"), Attrs: []ops.Attr{{Name: number, Kind: ops.Real}, {Name: "axes", Kind: ops.Axes}}},
		call: func(c *Call) []*lazy.Tensor { return f(c.X[0], c.Real(number), c.Ints("axes")...) }}
}

// single is a function over axes with one result.
func single(f func(x *lazy.Tensor, v float64, axes ...int) *lazy.Tensor) func(x *lazy.Tensor, v float64, axes ...int) []*lazy.Tensor {
	return func(x *lazy.Tensor, v float64, axes ...int) []*lazy.Tensor { return one(f(x, v, axes...)) }
}

func filled(name string, f func(tr *lazy.Trace, d types.DType, dims ...int) *lazy.Tensor, doc string) Op {
	return Op{Op: &ops.Op{Name: name, Doc: doc, Attrs: []ops.Attr{{Name: "dtype", Kind: ops.DType}, {Name: "dims", Kind: ops.Ints}}},
		Static: true, call: func(c *Call) []*lazy.Tensor { return one(f(c.Trace, c.DType("dtype"), c.Ints("dims")...)) }}
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
