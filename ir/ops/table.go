package ops

// Table holds every primitive. The order is that of docs/ops.md; nothing
// depends on it.
var Table = []Op{
	// Elementwise, one operand.
	{Name: "Abs", Doc: "returns |x| elementwise.", Operands: one(Signed), HLO: "abs", Traits: Elementwise},
	{Name: "Neg", Doc: "returns -x elementwise; unsigned integers wrap around.", Operands: one(Number), HLO: "negate", Traits: Elementwise},
	{Name: "Sign", Doc: "returns -1, 0 or 1 elementwise; NaN stays NaN.", Operands: one(Signed), HLO: "sign", Traits: Elementwise},
	{Name: "Exp", Doc: "returns e to the power of x elementwise.", Operands: one(Float), HLO: "exponential", Traits: Elementwise},
	{Name: "Expm1", Doc: "returns e to the power of x, minus 1, elementwise, exact near 0.", Operands: one(Float), HLO: "exponential_minus_one", Traits: Elementwise},
	{Name: "Log", Doc: "returns the natural logarithm of x elementwise; NaN below 0.", Operands: one(Float), HLO: "log", Traits: Elementwise},
	{Name: "Log1p", Doc: "returns the natural logarithm of 1+x elementwise, exact near 0.", Operands: one(Float), HLO: "log_plus_one", Traits: Elementwise},
	{Name: "Sqrt", Doc: "returns the square root of x elementwise; NaN below 0.", Operands: one(Float), HLO: "sqrt", Traits: Elementwise},
	{Name: "Rsqrt", Doc: "returns 1/sqrt(x) elementwise.", Operands: one(Float), HLO: "rsqrt", Traits: Elementwise},
	{Name: "Sin", Doc: "returns the sine of x in radians elementwise.", Operands: one(Float), HLO: "sine", Traits: Elementwise},
	{Name: "Cos", Doc: "returns the cosine of x in radians elementwise.", Operands: one(Float), HLO: "cosine", Traits: Elementwise},
	{Name: "Tanh", Doc: "returns the hyperbolic tangent of x elementwise.", Operands: one(Float), HLO: "tanh", Traits: Elementwise},
	{Name: "Sigmoid", Doc: "returns 1/(1+exp(-x)) elementwise.", Operands: one(Float), HLO: "logistic", Traits: Elementwise},
	{Name: "Floor", Doc: "returns the largest integer not above x elementwise.", Operands: one(Float), HLO: "floor", Traits: Elementwise},
	{Name: "Ceil", Doc: "returns the smallest integer not below x elementwise.", Operands: one(Float), HLO: "ceil", Traits: Elementwise},
	{Name: "Round", Doc: "returns the nearest integer elementwise, ties to even.", Operands: one(Float), HLO: "round_nearest_even", Traits: Elementwise},
	{Name: "Not", Doc: "returns the complement of x elementwise: logical for bool, of every bit for integers.", Operands: one(Logical), HLO: "not", Traits: Elementwise},
	{Name: "ReLU", Doc: "returns max(x, 0) elementwise; NaN stays NaN. Its gradient at 0 is 0.", Operands: one(Number), Traits: Elementwise | OwnLowering},

	// Elementwise, two operands.
	{Name: "Add", Doc: "returns x+y elementwise; integers wrap around.", Operands: two(Number), HLO: "add", Traits: Elementwise | InPlace | Commutative},
	{Name: "Sub", Doc: "returns x-y elementwise; integers wrap around.", Operands: two(Number), HLO: "subtract", Traits: Elementwise | InPlace},
	{Name: "Mul", Doc: "returns x*y elementwise; integers wrap around.", Operands: two(Number), HLO: "multiply", Traits: Elementwise | InPlace | Commutative},
	{Name: "Div", Doc: "returns x/y elementwise. Integers are truncated towards 0; what dividing an integer by 0 gives is the backend's choice, never a crash.", Operands: two(Number), HLO: "divide", Traits: Elementwise | InPlace},
	{Name: "Rem", Doc: "returns the remainder of x/y elementwise, with the sign of x.", Operands: two(Number), HLO: "remainder", Traits: Elementwise | InPlace},
	{Name: "Pow", Doc: "returns x to the power of y elementwise.", Operands: two(Number), HLO: "power", Traits: Elementwise | InPlace},
	{Name: "Maximum", Doc: "returns the larger of x and y elementwise; NaN if either is.", Operands: two(Number), HLO: "maximum", Traits: Elementwise | InPlace | Commutative},
	{Name: "Minimum", Doc: "returns the smaller of x and y elementwise; NaN if either is.", Operands: two(Number), HLO: "minimum", Traits: Elementwise | InPlace | Commutative},
	{Name: "And", Doc: "returns x AND y elementwise: logical for bool, of every bit for integers.", Operands: two(Logical), HLO: "and", Traits: Elementwise | InPlace | Commutative},
	{Name: "Or", Doc: "returns x OR y elementwise: logical for bool, of every bit for integers.", Operands: two(Logical), HLO: "or", Traits: Elementwise | InPlace | Commutative},
	{Name: "Xor", Doc: "returns x XOR y elementwise: logical for bool, of every bit for integers.", Operands: two(Logical), HLO: "xor", Traits: Elementwise | InPlace | Commutative},
	{Name: "ShiftLeft", Doc: "returns x with its bits moved up by y elementwise; 0 when y is not below the width.", Operands: two(Integer), HLO: "shift_left", Traits: Elementwise | InPlace},
	{Name: "ShiftRight", Doc: "returns x with its bits moved down by y elementwise, zeros coming in from above; 0 when y is not below the width.", Operands: two(Integer), HLO: "shift_right_logical", Traits: Elementwise | InPlace},

	// Elementwise, with a rule of their own.
	{Name: "Compare", Doc: "returns whether x and y are in the given relation, elementwise: EQ, NE, LT, LE, GT or GE. NaN is unequal to everything.",
		Operands: []Operand{{Name: "x"}, {Name: "y", Like: "x"}},
		Attrs:    []Attr{{"direction", String}},
		Where:    []string{"direction is EQ, NE, LT, LE, GT or GE"},
		Traits:   Elementwise | OwnRule | OwnLowering | Internal},
	{Name: "Select", Doc: "returns the element of x where the receiver is true, that of y where it is false.",
		Operands: []Operand{{Name: "cond", Is: Bool}, {Name: "x"}, {Name: "y", Like: "x"}},
		HLO:      "select", Traits: Elementwise},
	{Name: "Convert", Doc: "returns x with its elements converted to dtype. Floating-point values are rounded to nearest even, towards 0 for an integer dtype; what a value outside the dtype's range gives is the backend's choice. Bool converts to 0 and 1, and from a number to whether it is not 0.",
		Operands: one(Any),
		Attrs:    []Attr{{"dtype", DType}},
		Where:    []string{"dtype is valid"},
		HLO:      "convert", Traits: Elementwise | OwnRule},

	// Sources.
	{Name: "Parameter", Doc: "is the argument of the program with the given index; its type is the caller's.",
		Attrs:  []Attr{{"index", Int}, {"name", String}},
		Traits: OwnRule | OwnLowering | Internal},
	{Name: "Constant", Doc: "is a scalar whose value is part of the program.",
		Attrs:  []Attr{{"dtype", DType}, {"value", Literal}},
		Where:  []string{"dtype is valid"},
		Traits: OwnRule | OwnLowering | Internal},
	{Name: "Iota", Doc: "counts 0, 1, 2, … along an axis of the given shape.",
		Attrs:  []Attr{{"dtype", DType}, {"shape", Ints}, {"axis", Int}},
		Where:  []string{"dtype is a number", "shape is valid", "axis is one of the shape's"},
		Traits: OwnRule | OwnLowering | Internal},

	// Shape.
	{Name: "Broadcast", Doc: "repeats x along new axes and along those of dimension 1 so that it has the given shape; axis i of x becomes axis axes[i].",
		Operands: one(Any),
		Attrs:    []Attr{{"shape", Ints}, {"axes", Ints}},
		Where:    []string{"shape is valid", "axes names one axis of the shape for each axis of x, in rising order", "each dimension of x is 1 or that of its axis"},
		Traits:   OwnRule | OwnLowering | Internal},
	{Name: "Reshape", Doc: "returns the elements of x in row-major order with the given dimensions, one of which may be -1: what is left.",
		Operands: one(Any),
		Attrs:    []Attr{{"dims", Dims}},
		Where:    []string{"the dimensions are valid", "the number of elements stays the same"},
		Traits:   OwnRule | OwnLowering},
	{Name: "Transpose", Doc: "returns x with its axes in the given order: axis i of the result is axis perm[i] of x. Without arguments the order is reversed.",
		Operands: one(Any),
		Attrs:    []Attr{{"perm", Perm}},
		Where:    []string{"perm is a permutation of the axes of x"},
		Traits:   OwnRule | OwnLowering},
	{Name: "Slice", Doc: "returns the elements of x from starts up to, and without, limits in steps of strides, each with one entry an axis.",
		Operands: one(Any),
		Attrs:    []Attr{{"starts", Ints}, {"limits", Ints}, {"strides", Ints}},
		Where:    []string{"starts, limits and strides have one entry for each axis of x", "0 <= start <= limit <= dimension", "strides are positive"},
		Traits:   OwnRule | OwnLowering},
	{Name: "Concatenate", Doc: "joins tensors along an axis.",
		Operands: []Operand{{Name: "x"}, {Name: "more", Like: "x", Variadic: true}},
		Attrs:    []Attr{{"axis", Axis}},
		Where:    []string{"axis is one of those of x", "all dimensions but that of the axis agree"},
		Traits:   OwnRule | OwnLowering | Internal},
	{Name: "Pad", Doc: "returns x with the scalar value in low places before, high places after and interior places between the elements of each axis. Negative low and high take elements away.",
		Operands: []Operand{{Name: "x"}, {Name: "value", Like: "x"}},
		Attrs:    []Attr{{"low", Ints}, {"high", Ints}, {"interior", Ints}},
		Where:    []string{"value is a scalar", "low, high and interior have one entry for each axis of x", "interior is not negative", "the result's dimensions are not negative"},
		Traits:   OwnRule | OwnLowering},

	// Reductions.
	{Name: "Sum", Doc: "returns the sums of x over the given axes, of all elements when none is given. The axes are dropped.",
		Operands: one(Number), Attrs: []Attr{{"axes", Axes}}, Where: axesOfX, Traits: OwnRule | OwnLowering},
	{Name: "Max", Doc: "returns the largest elements of x over the given axes, of all when none is given; NaN if one is. The axes are dropped. Without elements it is the dtype's smallest value.",
		Operands: one(Number), Attrs: []Attr{{"axes", Axes}}, Where: axesOfX, Traits: OwnRule | OwnLowering},
	{Name: "Min", Doc: "returns the smallest elements of x over the given axes, of all when none is given; NaN if one is. The axes are dropped. Without elements it is the dtype's largest value.",
		Operands: one(Number), Attrs: []Attr{{"axes", Axes}}, Where: axesOfX, Traits: OwnRule | OwnLowering},
	{Name: "ArgMax", Doc: "returns the i64 index of the first largest element along the axis, which is dropped; of the first NaN if there is one.",
		Operands: one(Number), Attrs: []Attr{{"axis", Axis}},
		Where:  []string{"axis is one of those of x", "the axis has elements"},
		Traits: OwnRule | OwnLowering},

	// Contractions and indexing.
	{Name: "MatMul", Doc: "returns the matrix products of the last two axes of x and y. x has the shape [batch…, m, k], y [k, n] or [batch…, k, n].",
		Operands: two(Number),
		Where:    []string{"x and y have at least rank 2", "inner dimensions agree: x's last and y's last but one", "y has rank 2, or the batch dimensions of x"},
		Traits:   OwnRule | OwnLowering | Internal},
	{Name: "Gather", Doc: "returns the rows of x (its slices along axis 0) that the indices choose: its shape is that of indices followed by that of a row. Indices out of range are clamped to the first or last row.",
		Operands: []Operand{{Name: "x"}, {Name: "indices", Is: Integer}},
		Where:    []string{"x has at least rank 1 and a row to choose"},
		Traits:   OwnRule | OwnLowering},
	{Name: "ScatterAdd", Doc: "returns x with each row of updates added to the row of x that its index chooses. Rows with an index out of range are left out.",
		Operands: []Operand{{Name: "x", Is: Number}, {Name: "indices", Is: Integer}, {Name: "updates", Is: Number, Like: "x"}},
		Where:    []string{"x has at least rank 1", "updates have the shape of indices followed by that of a row of x"},
		Traits:   OwnRule | OwnLowering},

	// Structure.
	{Name: "Composite", Doc: "calls a graph by name: what it computes is its body, and a backend that knows the name may do it in its own way.",
		Operands: []Operand{{Name: "x", Variadic: true}},
		Where:    []string{"the operands have the types of the body's parameters", "the name has a namespace, as ltc.softmax has"},
		Traits:   OwnRule | OwnLowering | Internal},
}

var axesOfX = []string{"axes are distinct ones of x"}

func one(c Constraint) []Operand { return []Operand{{Name: "x", Is: c}} }

func two(c Constraint) []Operand { return []Operand{{Name: "x", Is: c}, {Name: "y", Is: c, Like: "x"}} }
