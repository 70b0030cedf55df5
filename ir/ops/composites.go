package ops

// Composites holds every composite of package lazy: ops whose mathematics is a
// function over others, compute<Name>. The order is that of
// docs/reference/ops within a family; nothing else depends on it.
var Composites = []Op{
	{Name: "Softmax", Family: Activations, Doc: "returns exp(x) divided by its sum along the axis, computed without overflow.",
		Operands: one(Float), Attrs: alongAxis, Where: axisOfX, Traits: OwnGradient | InPlace},
	{Name: "LogSoftmax", Family: Activations, Doc: "returns the logarithm of Softmax, exact where that is small.",
		Operands: one(Float), Attrs: alongAxis, Where: axisOfX, Traits: OwnGradient | InPlace},
	{Name: "GELU", Text: "gelu", Family: Activations, Doc: "returns the Gaussian error linear unit x/2 (1 + erf(x/√2)) elementwise.",
		Operands: one(Float), Traits: InPlace},

	{Name: "Erf", Family: Exponentials, Doc: "returns the error function of x elementwise.",
		Operands: one(Float), Traits: OwnGradient | InPlace},

	{Name: "LayerNorm", Family: Layers, Doc: "returns x with each row of the last axis shifted to mean 0 and scaled to variance 1, times gamma plus beta. epsilon is added to the variance.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "gamma", Like: "x"}, {Name: "beta", Like: "x"}},
		Attrs:    []Attr{{"epsilon", Real}},
		Where:    []Demand{{"epsilon", "epsilon is finite"}, {"rank", "x has at least rank 1"}, {"row", "gamma and beta have the shape of a row of x"}},
		Traits:   InPlace},

	{Name: "CrossEntropy", Family: Layers, Doc: "returns the mean over all rows of -log softmax(x)[label], x being logits of shape [rows…, classes] and labels integers of shape [rows…]. A label that is no class counts as a row without loss.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "labels", Is: Integer}},
		Where:    []Demand{{"rank", "x has at least rank 1"}, {"labels", "labels have the shape of x without its last axis"}},
		Traits:   Inline},
	{Name: "LabelMask", Family: Layers, Doc: "is OneHot, as bool, of the labels of CrossEntropy.",
		Operands: one(Integer), Attrs: []Attr{{"classes", Int}}, Traits: Guarded | Internal},

	{Name: "OneHot", Family: Rows, Doc: "returns a tensor of the given dtype with a new last axis of classes elements: 1 at the place that x says, 0 elsewhere. Where x is negative, or not below classes, there are only zeros.",
		Operands: one(Integer),
		Attrs:    []Attr{{"classes", Int}, {"dtype", DType}},
		Where:    []Demand{{"dtype", "dtype is valid"}, {"classes", "classes is not negative"}},
		Traits:   Guarded},

	{Name: "ScatterAdd", Family: Rows, Doc: "returns x with each row of updates added to the row of x that its index chooses. Rows with an index out of range are left out.",
		Operands: []Operand{{Name: "x", Is: Number}, {Name: "indices", Is: Integer}, {Name: "updates", Is: Number, Like: "x"}},
		Where:    []Demand{{"rank", "x has at least rank 1"}, {"updates", "updates have the shape of indices followed by that of a row of x"}},
		Traits:   Inline | InPlace},
	{Name: "IndexSelect", Family: Rows, Doc: "returns the slices of x along the axis that the indices choose, in their order. It is Gather along any axis, for indices of one axis, and clamps as it does.",
		Operands: []Operand{{Name: "x"}, {Name: "indices", Is: Integer}}, Attrs: alongAxis, Where: []Demand{axisOfX[0], indicesOfRank1}, Traits: Inline},
	{Name: "IndexAdd", Family: Rows, Doc: "returns x with each slice of updates along the axis added to the slice of x that its index chooses. Slices with an index out of range are left out.",
		Operands: []Operand{{Name: "x", Is: Number}, {Name: "indices", Is: Integer}, {Name: "updates", Is: Number, Like: "x"}}, Attrs: alongAxis,
		Where: []Demand{axisOfX[0], indicesOfRank1, slicesOfX}, Traits: Inline | InPlace},
	{Name: "IndexCopy", Family: Rows, Doc: "returns x with the slices along the axis that the indices choose replaced by those of updates. Of slices with the same index the last stays; slices with an index out of range are left out.",
		Operands: []Operand{{Name: "x"}, {Name: "indices", Is: Integer}, {Name: "updates", Like: "x"}}, Attrs: alongAxis,
		Where: []Demand{axisOfX[0], indicesOfRank1, slicesOfX}, Traits: Inline | InPlace},
	{Name: "GatherAlong", Family: Rows, Doc: "returns, for each element of indices, the element of x that has this index along the axis and the place of the index along all others. For the axis 1 of three, y[i,j,k] = x[i, indices[i,j,k], k]. Indices out of range are clamped to the first or last.",
		Operands: []Operand{{Name: "x"}, {Name: "indices", Is: Integer}}, Attrs: alongAxis, Where: []Demand{axisOfX[0], indicesLikeX}, Traits: Inline},
	{Name: "ScatterAlong", Family: Rows, Doc: "returns x with elements replaced by those of updates: each goes to the place that GatherAlong takes for its index. Of elements for the same place the last stays; elements with an index out of range are left out.",
		Operands: []Operand{{Name: "x"}, {Name: "indices", Is: Integer}, {Name: "updates", Like: "x"}}, Attrs: alongAxis,
		Where: []Demand{axisOfX[0], indicesLikeX, updatesLikeIndices}, Traits: Inline | InPlace},
	{Name: "ScatterAddAlong", Family: Rows, Doc: "returns x with the elements of updates added: each to the place that GatherAlong takes for its index. Elements with an index out of range are left out.",
		Operands: scatteredNumbers, Attrs: alongAxis, Where: []Demand{axisOfX[0], indicesLikeX, updatesLikeIndices}, Traits: Inline | InPlace},
	{Name: "ScatterMulAlong", Family: Rows, Doc: "returns x multiplied by the elements of updates, at the places where ScatterAddAlong adds them.",
		Operands: scatteredNumbers, Attrs: alongAxis, Where: []Demand{axisOfX[0], indicesLikeX, updatesLikeIndices}, Traits: Inline | InPlace},
	{Name: "ScatterMinAlong", Family: Rows, Doc: "returns the smallest of each element of x and the updates that ScatterAddAlong would add to it; NaN if one of these is NaN.",
		Operands: scatteredNumbers, Attrs: alongAxis, Where: []Demand{axisOfX[0], indicesLikeX, updatesLikeIndices}, Traits: Inline | InPlace},
	{Name: "ScatterMaxAlong", Family: Rows, Doc: "returns the largest of each element of x and the updates that ScatterAddAlong would add to it; NaN if one of these is NaN.",
		Operands: scatteredNumbers, Attrs: alongAxis, Where: []Demand{axisOfX[0], indicesLikeX, updatesLikeIndices}, Traits: Inline | InPlace},

	{Name: "Nonzero", Family: Rows, Doc: "returns the indices [n, rank] of the n elements of x that are not zero, in row-major order, as i64. Within the step n is an open size. The bound is the most that n can be, by default the number of elements of x: a run with more fails.",
		Operands: one(Any), Attrs: []Attr{{"bound", Ints}}, Where: boundOfX, Traits: Inline},
	{Name: "MaskedSelect", Family: Rows, Doc: "returns the n elements of x at which the mask is true, in row-major order. See Nonzero for n and the bound.",
		Operands: []Operand{{Name: "x"}, {Name: "mask", Is: Bool}}, Attrs: []Attr{{"bound", Ints}}, Where: []Demand{{"mask", "the mask broadcasts to the dimensions of x"}, boundOfX[0]}, Traits: Inline},
	{Name: "SelectRows", Family: Rows, Doc: "returns the n rows of x (its slices along axis 0) at which the mask is true, in their order. See Nonzero for n and the bound.",
		Operands: []Operand{{Name: "x"}, {Name: "mask", Is: Bool}}, Attrs: []Attr{{"bound", Ints}}, Where: []Demand{{"mask", "the mask has one axis, with an element for each row of x"}, boundOfX[0]}, Traits: Inline},
	{Name: "Unique", Family: Order, Doc: "returns the n different elements of x in rising order, as a tensor of one axis. NaNs differ from each other and come last. See Nonzero for n and the bound.",
		Operands: one(Number), Attrs: []Attr{{"bound", Ints}}, Where: boundOfX, Traits: Inline},

	{Name: "TopK", Family: Order, Doc: "returns the k largest elements of each row along the axis, the largest first, and the i64 indices that they have there. Of equal ones those with the smaller indices come first. NaN counts as the largest.",
		Operands: one(Number), Attrs: []Attr{{"k", Int}, {"axis", Axis}}, Results: []string{"values", "indices"},
		Where: []Demand{axisOfX[0], {"k", "the axis has k elements"}}},

	{Name: "Mean", Family: Reductions, Doc: "returns the means of x over the given axes, of all elements when none is given; NaN where there are no elements. The axes are dropped.",
		Operands: one(Float), Attrs: []Attr{{"axes", Axes}}, Where: axesOfX, Traits: Inline},
	{Name: "Any", Family: Reductions, Doc: "returns whether any element of x over the given axes is true, or not 0; of all when none is given. NaN is not 0. Without elements it is false. The axes are dropped.",
		Operands: one(Any), Attrs: []Attr{{"axes", Axes}}, Where: axesOfX, Traits: Inline},
	{Name: "All", Family: Reductions, Doc: "returns whether all elements of x over the given axes are true, or not 0; of all when none is given. NaN is not 0. Without elements it is true. The axes are dropped.",
		Operands: one(Any), Attrs: []Attr{{"axes", Axes}}, Where: axesOfX, Traits: Inline},
	{Name: "CountNonzero", Family: Reductions, Doc: "returns how many elements of x over the given axes are true, or not 0, as i64; of all when none is given. The axes are dropped.",
		Operands: one(Any), Attrs: []Attr{{"axes", Axes}}, Where: axesOfX, Traits: Inline},
	{Name: "Var", Family: Reductions, Doc: "returns the variances of x over the given axes, of all elements when none is given. Squared distances from the mean are added and divided by the number of elements less the correction, or by 0 if that is negative. A correction of 1 estimates the variance of what x is a sample of. The axes are dropped.",
		Operands: one(Float), Attrs: []Attr{{"correction", Real}, {"axes", Axes}}, Where: []Demand{{"correction", "correction is finite"}, axesOfX[0]}, Traits: Inline},
	{Name: "Std", Family: Reductions, Doc: "returns the square root of Var. Its gradient where that is 0 is 0.",
		Operands: one(Float), Attrs: []Attr{{"correction", Real}, {"axes", Axes}}, Where: []Demand{{"correction", "correction is finite"}, axesOfX[0]}, Traits: Inline},
	{Name: "LogSumExp", Family: Reductions, Doc: "returns the logarithm of the sum of exp(x) over the given axes, of all elements when none is given, computed without overflow. The axes are dropped. Without elements it is -Inf.",
		Operands: one(Float), Attrs: []Attr{{"axes", Axes}}, Where: axesOfX, Traits: Inline},
	{Name: "Norm", Family: Reductions, Doc: "returns the sum of |x| to the power of p over the given axes, to the power of 1/p; for p = 0 the number of elements that are not 0. See the method for infinite p. The axes are dropped. Its gradient where all elements are 0 is 0.",
		Operands: one(Float), Attrs: []Attr{{"p", Real}, {"axes", Axes}}, Where: []Demand{{"p", "p is finite"}, axesOfX[0]}, Traits: Inline | Internal},
	{Name: "NaNSum", Text: "nan_sum", Family: Reductions, Doc: "returns Sum of x with 0 for NaN.",
		Operands: one(Float), Attrs: []Attr{{"axes", Axes}}, Where: axesOfX, Traits: Inline},
	{Name: "NaNMean", Text: "nan_mean", Family: Reductions, Doc: "returns the means over the given axes of the elements of x that are not NaN, over all when no axis is given; NaN where there are none. The axes are dropped.",
		Operands: one(Float), Attrs: []Attr{{"axes", Axes}}, Where: axesOfX, Traits: Inline},
	{Name: "ArgMin", Text: "argmin", Family: Reductions, Doc: "returns the i64 index of the first smallest element along the axis, which is dropped; of the first NaN if there is one.",
		Operands: one(Number), Attrs: alongAxis, Where: []Demand{axisOfX[0], axisHasElements}, Traits: Inline},
	{Name: "MaxWithIndices", Family: Reductions, Doc: "returns Max and ArgMax along the axis. The gradient of a value goes to the element at its index alone.",
		Operands: one(Number), Attrs: alongAxis, Results: []string{"values", "indices"}, Where: []Demand{axisOfX[0], axisHasElements}, Traits: OwnGradient},
	{Name: "MinWithIndices", Family: Reductions, Doc: "returns Min and ArgMin along the axis. The gradient of a value goes to the element at its index alone.",
		Operands: one(Number), Attrs: alongAxis, Results: []string{"values", "indices"}, Where: []Demand{axisOfX[0], axisHasElements}, Traits: OwnGradient},
	{Name: "Bincount", Family: Reductions, Doc: "returns how often each of the numbers 0, 1, … below bins is in x, as i64, or the sums of the weights of these elements. Numbers out of range are left out, unless indices are checked: see CheckIndices.",
		Operands: []Operand{{Name: "x", Is: Integer}, {Name: "weights", Is: Number, Optional: true}}, Attrs: []Attr{{"bins", Int}},
		Where: []Demand{{"rank", "x has one axis"}, {"weights", "weights have the shape of x"}, {"bins", "bins is positive"}}, Traits: Inline},

	{Name: "CumSum", Text: "cumsum", Family: Scans, Doc: "returns the sum of the elements of x along the axis up to each, with it.",
		Operands: one(Number), Attrs: alongAxis, Where: axisOfX, Traits: Inline | InPlace},
	{Name: "CumProd", Text: "cumprod", Family: Scans, Doc: "returns the product of the elements of x along the axis up to each, with it. The dimension of the axis is no open size.",
		Operands: one(Number), Attrs: alongAxis, Where: axisOfX, Traits: Inline | InPlace},
	{Name: "CumMax", Text: "cummax", Family: Scans, Doc: "returns the largest of the elements of x along the axis up to each, and its i64 index: the last of equal ones. From a NaN on it is NaN.",
		Operands: one(Number), Attrs: alongAxis, Results: []string{"values", "indices"}, Where: axisOfX, Traits: OwnGradient},
	{Name: "CumMin", Text: "cummin", Family: Scans, Doc: "returns the smallest of the elements of x along the axis up to each, and its i64 index: the last of equal ones. From a NaN on it is NaN.",
		Operands: one(Number), Attrs: alongAxis, Results: []string{"values", "indices"}, Where: axisOfX, Traits: OwnGradient},
	{Name: "LogCumSumExp", Text: "logcumsumexp", Family: Scans, Doc: "returns the logarithm of CumSum of exp(x), computed without overflow. The dimension of the axis is no open size.",
		Operands: one(Float), Attrs: alongAxis, Where: axisOfX, Traits: OwnGradient | InPlace},

	{Name: "KthValue", Family: Order, Doc: "returns the k-th smallest element of x along the axis, k counting from 1, and its i64 index. Of equal ones those with the smaller indices come first; NaN counts as the largest.",
		Operands: one(Number), Attrs: []Attr{{"k", Int}, {"axis", Axis}}, Results: []string{"values", "indices"}, Where: []Demand{axisOfX[0], {"k", "k is from 1 to the dimension of the axis"}}, Traits: OwnGradient},
	{Name: "Median", Family: Order, Doc: "returns the median of x along the axis, of an even number of elements the lower of the two in the middle, and its i64 index. It is NaN, and the index that of the first NaN, if there is one.",
		Operands: one(Number), Attrs: alongAxis, Results: []string{"values", "indices"}, Where: []Demand{axisOfX[0], axisHasElements}, Traits: OwnGradient},
	{Name: "Mode", Family: Order, Doc: "returns the most frequent element of x along the axis, of several the smallest, and the i64 index where it is last.",
		Operands: one(Number), Attrs: alongAxis, Results: []string{"values", "indices"}, Where: []Demand{axisOfX[0], axisHasElements}, Traits: OwnGradient},
	{Name: "SearchSorted", Family: Order, Doc: "returns, as i64, where each of the values belongs in x, whose last axis is a rising row. That is the number of elements of the row that are smaller, or with right not larger. A row of a single axis serves values of any shape; else values have the axes of x before the last. NaN belongs behind all.",
		Operands: []Operand{{Name: "x", Is: Number}, {Name: "values", Is: Number, Like: "x"}}, Attrs: []Attr{{"right", Flag}},
		Where: []Demand{{"rank", "x has at least rank 1"}, {"batch", "x has one axis, or values have the axes of x before the last and one more"}}, Traits: Inline},
	{Name: "Bucketize", Family: Order, Doc: "returns, as i64, which interval between the rising boundaries each element of x is in: SearchSorted of the boundaries. Interval i ends at boundary i, which belongs to it, or with right to the next.",
		Operands: []Operand{{Name: "x", Is: Number}, {Name: "boundaries", Is: Number, Like: "x"}}, Attrs: []Attr{{"right", Flag}},
		Where: []Demand{{"rank", "boundaries have one axis"}}, Traits: Inline},

	{Name: "AvgPool", Family: Pooling, Doc: "returns SumPool divided by the number of places in a window: padding counts as zeros.",
		Operands: one(Float), Attrs: windowAttrs, Traits: Inline | Internal},

	{Name: "BroadcastTo", Family: Views, Doc: "returns x repeated to the given dimensions, to which its own must broadcast as NumPy has it: aligned at the last axis, each equal or 1. What is repeated cannot be written.",
		Operands: one(Any), Attrs: []Attr{{"dims", Ints}}, Where: []Demand{{"dims", "x broadcasts to the dimensions"}}, Traits: Inline | View},
	{Name: "Unsqueeze", Family: Views, Doc: "returns x with a new axis of dimension 1 before the given one; a negative axis counts from the end of the result's.",
		Operands: one(Any), Attrs: []Attr{{"axis", Int}}, Where: []Demand{{"axis", "axis is one of the result's"}}, Traits: Inline | View},
	{Name: "Squeeze", Family: Views, Doc: "returns x without the given axes, which must have the dimension 1; without all such when none is given.",
		Operands: one(Any), Attrs: []Attr{{"axes", Axes}}, Where: []Demand{axesOfX[0], {"one", "the axes have dimension 1"}}, Traits: Inline | View},
	{Name: "Select", Family: Views, Doc: "returns x at the index of the axis, which is gone; a negative index counts from the end. For the choice between two tensors see Where.",
		Operands: one(Any), Attrs: []Attr{{"axis", Axis}, {"index", Int}}, Where: []Demand{axisOfX[0], {"index", "the axis has the index"}}, Traits: Inline | View},
	{Name: "Narrow", Family: Views, Doc: "returns the length indices of the axis from start on.",
		Operands: one(Any), Attrs: []Attr{{"axis", Axis}, {"start", Int}, {"length", Int}}, Where: []Demand{axisOfX[0], {"indices", "the axis has the indices; start does not count from the end"}}, Traits: Inline | View},
	{Name: "Diagonal", Family: Views, Doc: "returns the elements of x whose indices of the two axes differ by offset. Index i of its last axis is that of [i, i+offset] of axis1 and axis2, or of [i-offset, i] when offset is negative. The two axes are gone.",
		Operands: one(Any), Attrs: []Attr{{"offset", Int}, {"axis1", Axis}, {"axis2", Axis}},
		Where:  []Demand{{"axis1", "axis1 is one of those of x"}, {"axis2", "axis2 is one of those of x"}, {"distinct", "the axes are not the same"}},
		Traits: Inline | View},

	{Name: "Attention", Family: Layers, Doc: "returns softmax(q kᵀ·scale) v: q is [batch…, heads, queries, dim], k [batch…, groups, keys, dim] and v [batch…, groups, keys, width]. A causal query sees no later keys. A mask says which keys a query sees if it is bool, and is added to the scores if not.",
		Operands: []Operand{{Name: "q", Is: Float}, {Name: "k", Like: "q"}, {Name: "v", Like: "q"}, {Name: "mask", Optional: true}},
		Attrs:    []Attr{{"causal", Flag}, {"scale", Real}},
		Where: []Demand{{"scale", "scale is finite"}, {"ranks", "q, k and v have one rank, of at least 2"}, {"features", "q and k have as many features"}, {"places", "k and v have as many places"},
			{"batch", "q, k and v have the same batch, and k and v the same heads"}, {"groups", "the heads of q are a multiple of those of k"}, {"causal", "there are no more queries than keys, if causal"},
			{"mask", "the mask broadcasts to [batch…, heads, queries, keys]"}, {"bias", "the mask is bool, or has the dtype of q, or f32 if that has 16 bits"}},
		Traits: OwnGradient | Internal},

	{Name: "Dropout", Family: RandomNumbers, Doc: "returns 0 where u < p, and x/(1-p) elsewhere.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "u", Is: Float}, {Name: "p", Like: "u"}},
		Where:    []Demand{{"u", "u has the shape of x and p is a scalar"}},
		Traits:   OwnGradient | Internal},
	{Name: "Categorical", Family: RandomNumbers, Doc: "returns the place of the largest of logits plus noise in each row [rows…, classes].",
		Operands: []Operand{{Name: "logits", Is: Float}, {Name: "noise", Is: Float}},
		Where:    []Demand{{"classes", "logits have a last axis with elements"}},
		Traits:   Inline | Internal},
	{Name: "Normal", Family: RandomNumbers, Doc: "returns count numbers of the normal distribution from the state x, u64[2], each made of 32 or 64 bits.",
		Operands: one(Integer), Attrs: []Attr{{"count", Int}, {"bits", Int}}, Where: stateOfX, Traits: Internal},
	{Name: "Gumbel", Family: RandomNumbers, Doc: "returns count numbers of the Gumbel distribution from the state x, u64[2].",
		Operands: one(Integer), Attrs: []Attr{{"count", Int}}, Where: stateOfX, Traits: Internal},
	{Name: "Philox", Text: "philox4x32", Family: RandomNumbers, Doc: "returns u32 words of the state x, u64[2], by Philox 4x32-10.",
		Operands: one(Integer), Attrs: []Attr{{"words", Int}}, Where: stateOfX, Traits: Internal},
}

var alongAxis = []Attr{{"axis", Axis}}

var boundOfX = []Demand{{"most", "there is one bound at most, and it is positive"}}

var axisHasElements = Demand{"elements", "the axis has elements"}

var axisOfX = []Demand{{"axis", "axis is one of those of x"}}

var (
	indicesOfRank1     = Demand{"rank", "indices have one axis"}
	slicesOfX          = Demand{"updates", "updates have the shape of x, but along the axis that of indices"}
	indicesLikeX       = Demand{"indices", "indices have the rank of x, and no dimension but that of the axis is larger"}
	updatesLikeIndices = Demand{"updates", "updates have the rank of indices, and no dimension is smaller"}
	scatteredNumbers   = []Operand{{Name: "x", Is: Number}, {Name: "indices", Is: Integer}, {Name: "updates", Is: Number, Like: "x"}}
)

var stateOfX = []Demand{{"state", "x is u64[2]: key and counter"}}
