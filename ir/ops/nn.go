package ops

// nnRows are the composites of package nn: layers, activations and losses. The order is
// that of docs/reference/ops within a family; nothing else depends on it.
var nnRows = []Op{
	{Name: "SiLU", Text: "silu", Family: Activations, Doc: "returns x·sigmoid(x) elementwise, also called swish.",
		Operands: one(Float)},
	{Name: "ELU", Text: "elu", Family: Activations, Doc: "returns x where x is positive, and alpha (exp(x)-1) elsewhere.",
		Operands: one(Float), Attrs: []Attr{{"alpha", Real}}, Where: []Demand{{"alpha", "alpha is finite"}}},
	{Name: "GLU", Text: "glu", Family: Activations, Doc: "returns a·sigmoid(b), where a is the first half of x along the axis and b the second: the gated linear unit.",
		Operands: one(Float), Attrs: alongAxis, Where: []Demand{axisOfX[0], {"even", "the dimension of the axis is even"}}},
}
