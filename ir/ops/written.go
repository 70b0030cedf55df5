package ops

import "slices"

// Written has the demands of methods and functions of package lazy that are written by hand. They are
// recorded as other ops, whose constraints hold, too. A demand has the label <mnemonic>_<name>.
var Written = slices.Concat([]Op{
	{Name: "Split", Family: Views, Where: slices.Concat(parted, []Demand{{"size", "size is positive"}})},
	{Name: "SplitSizes", Family: Views, Where: slices.Concat(parted, []Demand{{"sizes", "no size is negative"}, {"sum", "the sizes add up to the dimension of the axis"}})},
	{Name: "Chunk", Family: Views, Where: slices.Concat(parted, []Demand{{"number", "n is positive"}})},
	{Name: "TensorSplit", Family: Views, Where: slices.Concat(parted, []Demand{{"number", "n is positive"}})},
	{Name: "Unbind", Family: Views, Where: parted},
	{Name: "Meshgrid", Family: Views, Where: []Demand{tensors, {"axes", "each tensor has one axis or none"}}},
	{Name: "BroadcastTensors", Family: Views, Where: []Demand{tensors, {"shapes", "the shapes broadcast"}}},

	{Name: "Stack", Family: Joining, Where: []Demand{tensors, {"axis", "axis is one of those of the result"}, {"shapes", "all tensors have one shape"}}},
	{Name: "HStack", Text: "hstack", Family: Joining, Where: joined},
	{Name: "VStack", Text: "vstack", Family: Joining, Where: joined},
	{Name: "DStack", Text: "dstack", Family: Joining, Where: joined},
	{Name: "ColumnStack", Family: Joining, Where: joined},
	{Name: "BlockDiag", Family: Joining, Where: []Demand{tensors, {"matrices", "the tensors are matrices, rows or scalars"}}},
	{Name: "PadZeros", Family: Joining, Where: []Demand{{"entries", "there are no more entries of padding than x has axes"}}},

	{Name: "Index", Family: Rows, Where: indexed},
	{Name: "IndexPut", Family: Rows, Where: slices.Concat(indexed, put)},
	{Name: "Take", Family: Rows, Where: taken},
	{Name: "Put", Family: Rows, Where: slices.Concat(taken, put)},
	{Name: "IndexFill", Family: Rows, Where: slices.Concat([]Demand{{"axis", "axis is one of those of x"}, number}, taken)},
	{Name: "TakeAlong", Family: Rows, Where: []Demand{{"axis", "axis is one of those of x"}, {"integers", "indices is an integer"}, {"axes", "indices has the rank of x"}, {"broadcast", "x and indices broadcast along the axes but the one given"}}},
	{Name: "MaskedFill", Family: Rows, Where: []Demand{{"mask", "mask is bool"}, number}},
	{Name: "MaskedScatter", Family: Rows, Where: []Demand{{"mask", "mask is bool"}, {"dtype", "source has the dtype of x"}, {"broadcast", "mask broadcasts to x"}, {"elements", "source has elements if x has"}}},
	{Name: "SelectScatter", Family: Rows, Where: []Demand{{"src", "src has the type of the part that it replaces"}}},
	{Name: "DiagonalScatter", Family: Rows, Where: []Demand{{"src", "src has the type of the part that it replaces"}}},

	{Name: "Within", Family: Rows, Where: []Demand{{"integers", "x is an integer"}, {"bounds", "there is an integer from low to high"}}},

	{Name: "UniqueAll", Family: Order, Where: []Demand{{"fixed", "x has no open size"}}},
	{Name: "UniqueAlong", Family: Order, Where: []Demand{{"axis", "axis is one of those of x"}, {"number", "x is a number"}, {"fixed", "x has no open size"}, {"bound", "there is one bound at most, and it is positive"}}},
	{Name: "Einsum", Family: Products, Where: []Demand{tensors, {"equation", "the equation has a letter for each axis of the operands, and one size for each letter"}}},
	{Name: "Conv", Family: Products, Where: []Demand{{"layout", "the layout names the axes of x, of the kernel and of the result"}, padding}},
	{Name: "MaxPool", Family: Pooling, Where: pooled},
	{Name: "SumPool", Family: Pooling, Where: pooled},
	{Name: "AvgPool", Family: Pooling, Where: pooled},
	{Name: "Norm", Family: Reductions, Where: []Demand{{"elements", "for an infinite p there are elements to reduce"}}},
	{Name: "Concatenate", Family: Joining, Where: []Demand{tensors}},
	{Name: "Multinomial", Family: RandomNumbers, Where: []Demand{{"probabilities", "p is floating point and has an axis of classes"}, {"draws", "n is positive, and without replacement at most the number of classes"}}},
	{Name: "Full", Family: Making, Where: []Demand{dtype, {"number", "the number is a value of the dtype"}}},
	{Name: "FullComplex", Family: Making, Where: []Demand{{"dtype", "dtype is c64 or c128"}, {"number", "no part is computed from the name of a size that is open"}}},
	{Name: "Zeros", Family: Making, Where: []Demand{dtype}},
	{Name: "ARange", Text: "arange", Family: Making, Where: []Demand{{"numbers", "there are numbers from start to end, each step apart"}}},
	{Name: "LinSpace", Text: "linspace", Family: Making, Where: []Demand{{"number", "n is not negative"}}},
	{Name: "LogSpace", Text: "logspace", Family: Making, Where: []Demand{{"number", "n is not negative"}}},
	{Name: "HannWindow", Family: Making, Where: windowed},
	{Name: "HammingWindow", Family: Making, Where: windowed},
	{Name: "BlackmanWindow", Family: Making, Where: windowed},
	{Name: "BartlettWindow", Family: Making, Where: windowed},
	{Name: "KaiserWindow", Family: Making, Where: windowed},
	{Name: "Ones", Family: Making, Where: []Demand{dtype}},
	{Name: "Size", Family: Making, Where: []Demand{{"axis", "axis is one of those of x"}}},
	{Name: "ClampScalar", Family: Arithmetic, Where: []Demand{{"bounds", "no bound is NaN"}, number}},
}, withNumbers(Arithmetic, "AddScalar", "SubScalar", "MulScalar", "DivScalar", "PowScalar", "RSubScalar", "RDivScalar", "RPowScalar", "RemScalar", "RemainderScalar", "FloorDivideScalar", "MaximumScalar", "MinimumScalar"),
	withNumbers(Comparisons, "EqualScalar", "NotEqualScalar", "LessScalar", "LessEqualScalar", "GreaterScalar", "GreaterEqualScalar", "WhereScalar", "ScalarWhere"),
	withNumbers(Bits, "AndScalar", "OrScalar", "XorScalar", "ShiftLeftScalar", "ShiftRightScalar"))

// Demands that several have.
var (
	parted   = []Demand{{"axis", "axis is one of those of x"}, {"fixed", "the axis has no open size"}}
	tensors  = Demand{"tensors", "there is a tensor or more"}
	joined   = []Demand{tensors, {"shapes", "the tensors have one shape but for the axis along which they are joined"}}
	dtype    = Demand{"dtype", "dtype is valid"}
	windowed = []Demand{{"dtype", "the dtype is floating point"}, {"number", "n is not negative"}}
	padding  = Demand{"padding", "Pad and Padding are not both given"}
	pooled   = []Demand{{"layout", "the layout names the axes of x"}, padding, {"entries", "the lists have an entry for each spatial axis"}}
	number   = Demand{"number", "the number is a value of the dtype of x"}
	taken    = []Demand{{"integers", "indices are integers or a mask of bools"}, {"mask", "a mask has the dimensions of the axes that it is for"}}
	indexed  = slices.Concat([]Demand{{"axes", "there are no more indices than x has axes"}, {"some", "an axis has indices"}, {"broadcast", "the indices broadcast"}}, taken)
	put      = []Demand{{"dtype", "values has the dtype of x"}, {"values", "values broadcasts to the elements that the indices choose"}}
)

// withNumbers are functions of a tensor and a number.
func withNumbers(f Family, names ...string) (all []Op) {
	for _, name := range names {
		all = append(all, Op{Name: name, Family: f, Where: []Demand{number}})
	}
	return all
}

// Labels returns the labels of the demands of a row of Written.
func (o *Op) Labels() (all []string) {
	for _, d := range o.Where {
		all = append(all, o.Mnemonic()+"_"+d.Name)
	}
	return all
}
