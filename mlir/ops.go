package mlir

// opDef is the row of an op: how its pretty form reads and prints, which
// attributes are properties, and what must hold for it. An op without a row is
// read and printed in the generic form, and checked for structure only.
type opDef struct {
	name   string
	syntax syntax // nil: generic form only
	// props are the attributes that the generic form prints in <{…}>.
	props []string
	// verify checks types and attributes; nil checks nothing.
	verify func(v *verifier, op *Op)
	// isolated regions cannot use values from outside.
	isolated bool
	// terminator ops end a block.
	terminator bool
	// takesName syntaxes read the op's name themselves.
	takesName bool

	shown map[string]bool // the attributes that syntax prints elsewhere than in attrDict
}

// The parts that many ops share.
var (
	comma       = word{text: ","}
	equal       = word{text: "="}
	anyOperands = operands{-1}
)

// named is `, word = value`.
func named(w string, a attr) syntax { return syntax{comma, word{text: w}, equal, a} }

func form(parts ...any) syntax {
	var s syntax
	for _, p := range parts {
		switch p := p.(type) {
		case syntax:
			s = append(s, p...)
		case part:
			s = append(s, p)
		}
	}
	return s
}

func dimsOf(name string) syntax { return named("dims", attr{name: name, kind: i64sAttr}) }
func dimOf(name string) syntax  { return named("dim", attr{name: name, kind: i64Attr}) }

// opList is every op that is known, by dialect and name.
var opList = []opDef{
	{name: "builtin.module", syntax: syntax{moduleSyntax{}}, props: []string{"sym_name", "sym_visibility"}, isolated: true, takesName: true},
	{name: "func.func", syntax: syntax{funcSyntax{}}, isolated: true, verify: verifyFunc,
		props: []string{"sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"}},
	{name: "func.call", syntax: syntax{callSyntax{}}, props: []string{"callee", "no_inline"}, verify: verifyCall},
	{name: "func.return", syntax: form(anyOperands, attrDict{}, typeList{operands: true, optional: true}), terminator: true},
	{name: "stablehlo.return", syntax: form(anyOperands, attrDict{}, typeList{operands: true, optional: true}), terminator: true},

	unaryOp("abs", verifyAbs),
	unaryOp("cbrt", verifySame(floatOrComplex)),
	unaryOp("ceil", verifySame(isFloat)),
	unaryOp("convert", verifyConvert),
	unaryOp("count_leading_zeros", verifySame(isInteger)),
	unaryOp("cosine", verifySame(floatOrComplex)),
	unaryOp("exponential", verifySame(floatOrComplex)),
	unaryOp("exponential_minus_one", verifySame(floatOrComplex)),
	unaryOp("floor", verifySame(isFloat)),
	unaryOp("imag", nil),
	unaryOp("log", verifySame(floatOrComplex)),
	unaryOp("log_plus_one", verifySame(floatOrComplex)),
	unaryOp("logistic", verifySame(floatOrComplex)),
	unaryOp("negate", verifySame(isNumber)),
	unaryOp("not", verifySame(isIntegral)),
	unaryOp("popcnt", verifySame(isInteger)),
	unaryOp("real", nil),
	unaryOp("round_nearest_afz", verifySame(isFloat)),
	unaryOp("round_nearest_even", verifySame(isFloat)),
	unaryOp("rsqrt", verifySame(floatOrComplex)),
	unaryOp("sign", verifySame(isNumber)),
	unaryOp("sine", verifySame(floatOrComplex)),
	unaryOp("sqrt", verifySame(floatOrComplex)),
	unaryOp("tan", verifySame(floatOrComplex)),
	unaryOp("tanh", verifySame(floatOrComplex)),
	unaryOp("uniform_quantize", nil),
	unaryOp("uniform_dequantize", nil),

	binaryOp("add", isAny),
	binaryOp("and", isIntegral),
	binaryOp("atan2", floatOrComplex),
	binaryOp("divide", isNumber),
	binaryOp("maximum", isAny),
	binaryOp("minimum", isAny),
	binaryOp("multiply", isAny),
	binaryOp("or", isIntegral),
	binaryOp("power", isNumber),
	binaryOp("remainder", isNumber),
	binaryOp("shift_left", isInteger),
	binaryOp("shift_right_arithmetic", isInteger),
	binaryOp("shift_right_logical", isInteger),
	binaryOp("subtract", isNumber),
	binaryOp("xor", isIntegral),

	{name: "stablehlo.is_finite", syntax: form(operands{1}, attrDict{}, funcType{}), verify: verifyIsFinite},
	{name: "stablehlo.bitcast_convert", syntax: form(operands{1}, attrDict{}, funcType{}), verify: verifyBitcast},
	{name: "stablehlo.clamp", syntax: form(operands{3}, attrDict{}, sameType{}), verify: verifyClamp},
	{name: "stablehlo.select", syntax: form(operands{3}, attrDict{}, selectType{}), verify: verifySelect},
	{name: "stablehlo.complex", syntax: form(operands{2}, attrDict{}, complexType{})},
	{name: "stablehlo.compare", verify: verifyCompare, props: []string{"comparison_direction", "compare_type"},
		syntax: form(attr{"comparison_direction", enumAttr, "comparison_direction"}, comma, operands{2},
			group{"compare_type", syntax{comma, attr{"compare_type", enumAttr, "comparison_type"}}}, attrDict{}, funcType{})},
	{name: "stablehlo.constant", syntax: syntax{constantSyntax{}}, props: []string{"value"}, verify: verifyConstant},
	{name: "stablehlo.iota", props: []string{"iota_dimension"}, verify: verifyIota,
		syntax: form(word{text: "dim"}, equal, attr{name: "iota_dimension", kind: i64Attr}, attrDict{}, typeList{})},

	{name: "stablehlo.broadcast_in_dim", props: []string{"broadcast_dimensions"}, verify: verifyBroadcastInDim,
		syntax: form(operands{1}, dimsOf("broadcast_dimensions"), attrDict{}, funcType{})},
	{name: "stablehlo.broadcast", props: []string{"broadcast_sizes"},
		syntax: form(operands{1}, named("sizes", attr{name: "broadcast_sizes", kind: i64sAttr}), attrDict{}, funcType{})},
	{name: "stablehlo.reshape", syntax: form(operands{1}, attrDict{}, funcType{}), verify: verifyReshape},
	{name: "stablehlo.transpose", props: []string{"permutation"}, verify: verifyTranspose,
		syntax: form(operands{1}, dimsOf("permutation"), attrDict{}, funcType{})},
	{name: "stablehlo.reverse", props: []string{"dimensions"}, verify: verifyReverse,
		syntax: form(operands{1}, dimsOf("dimensions"), attrDict{}, sameType{})},
	{name: "stablehlo.slice", props: []string{"start_indices", "limit_indices", "strides"}, verify: verifySlice,
		syntax: form(operands{1}, sliceRanges{}, attrDict{}, funcType{})},
	{name: "stablehlo.dynamic_slice", props: []string{"slice_sizes"}, verify: verifyDynamicSlice,
		syntax: form(anyOperands, named("sizes", attr{name: "slice_sizes", kind: i64sAttr}), attrDict{}, funcType{})},
	{name: "stablehlo.dynamic_update_slice", syntax: form(anyOperands, attrDict{}, funcType{}), verify: verifyDynamicUpdateSlice},
	{name: "stablehlo.concatenate", props: []string{"dimension"}, verify: verifyConcatenate,
		syntax: form(anyOperands, dimOf("dimension"), attrDict{}, funcType{})},
	{name: "stablehlo.pad", props: []string{"edge_padding_low", "edge_padding_high", "interior_padding"}, verify: verifyPad,
		syntax: form(operands{2}, named("low", attr{name: "edge_padding_low", kind: i64sAttr}),
			named("high", attr{name: "edge_padding_high", kind: i64sAttr}),
			named("interior", attr{name: "interior_padding", kind: i64sAttr}), attrDict{}, funcType{})},

	{name: "stablehlo.reduce", syntax: syntax{reduceSyntax{}}, props: []string{"dimensions"}, verify: verifyReduce},
	{name: "stablehlo.dot_general", verify: verifyDotGeneral,
		props:  []string{"dot_dimension_numbers", "precision_config", "algorithm"},
		syntax: form(operands{2}, dotDims{}, precision{algorithm: true}, attrDict{}, funcType{})},
	{name: "stablehlo.dot", props: []string{"precision_config"},
		syntax: form(operands{2}, precision{}, attrDict{}, funcType{})},
	{name: "stablehlo.gather", verify: verifyGather,
		props: []string{"dimension_numbers", "slice_sizes", "indices_are_sorted"}},
	{name: "stablehlo.scatter", props: []string{"scatter_dimension_numbers", "indices_are_sorted", "unique_indices"}},
	{name: "stablehlo.sort", props: []string{"dimension", "is_stable"}},
	{name: "stablehlo.if"},
	{name: "stablehlo.case"},
	{name: "stablehlo.while", syntax: syntax{whileSyntax{}}},

	{name: "stablehlo.composite", verify: verifyComposite,
		props:  []string{"name", "composite_attributes", "decomposition", "version"},
		syntax: form(attr{name: "name", kind: stringAttr}, anyOperands, attrDict{}, funcType{})},
	{name: "stablehlo.custom_call", syntax: syntax{customCallSyntax{}},
		props: []string{"call_target_name", "has_side_effect", "backend_config", "api_version", "called_computations",
			"operand_layouts", "result_layouts", "output_operand_aliases", "result_tilings"}},
	{name: "stablehlo.get_dimension_size", props: []string{"dimension"},
		syntax: form(operands{1}, dimOf("dimension"), attrDict{}, funcType{})},
	{name: "stablehlo.set_dimension_size", props: []string{"dimension"},
		syntax: form(operands{2}, dimOf("dimension"), attrDict{}, funcType{})},
	{name: "stablehlo.dynamic_broadcast_in_dim", syntax: form(operands{2}, dimsOf("broadcast_dimensions"), attrDict{}, funcType{}),
		props: []string{"broadcast_dimensions", "known_expanding_dimensions", "known_nonexpanding_dimensions"}},
	{name: "stablehlo.dynamic_iota", props: []string{"iota_dimension"},
		syntax: form(operands{1}, dimOf("iota_dimension"), attrDict{}, funcType{})},
	{name: "stablehlo.dynamic_reshape", syntax: form(operands{2}, attrDict{}, funcType{})},
	{name: "stablehlo.real_dynamic_slice", syntax: form(operands{4}, attrDict{}, funcType{})},
	{name: "stablehlo.dynamic_pad", syntax: form(operands{5}, attrDict{}, funcType{})},
	{name: "stablehlo.cholesky", props: []string{"lower"},
		syntax: form(operands{1}, group{"lower", named("lower", attr{name: "lower", kind: boolAttr})}, attrDict{}, sameType{})},
	{name: "stablehlo.fft", props: []string{"fft_type", "fft_length"},
		syntax: form(operands{1}, named("type", attr{"fft_type", enumAttr, "fft_type"}),
			named("length", attr{name: "fft_length", kind: i64sAttr}), attrDict{}, funcType{})},
	{name: "stablehlo.rng", props: []string{"rng_distribution"},
		syntax: form(operands{3}, named("distribution", attr{"rng_distribution", enumAttr, "rng_distribution"}), attrDict{}, funcType{})},
	{name: "stablehlo.rng_bit_generator", props: []string{"rng_algorithm"},
		syntax: form(operands{1}, named("algorithm", attr{"rng_algorithm", enumAttr, "rng_algorithm"}), attrDict{}, funcType{})},
	{name: "stablehlo.reduce_precision", props: []string{"exponent_bits", "mantissa_bits"},
		syntax: form(operands{1}, comma, word{text: "format"}, equal, floatFormat{}, attrDict{}, sameType{})},
	{name: "stablehlo.einsum", props: []string{"einsum_config"},
		syntax: form(operands{2}, named("config", attr{name: "einsum_config", kind: stringAttr}), attrDict{}, funcType{})},
	{name: "stablehlo.unary_einsum", props: []string{"einsum_config"},
		syntax: form(operands{1}, named("config", attr{name: "einsum_config", kind: stringAttr}), attrDict{}, funcType{})},
	{name: "stablehlo.replica_id", syntax: form(attrDict{}, typeList{})},
	{name: "stablehlo.partition_id", syntax: form(attrDict{}, typeList{})},
	{name: "stablehlo.create_token", syntax: form(attrDict{}, typeList{})},
	{name: "stablehlo.after_all", syntax: form(anyOperands, attrDict{}, sameType{})},

	// What the dialect's own tests compare results with.
	{name: "check.expect_eq_const", props: []string{"value"}, syntax: form(operands{1}, comma, denseOfOperand{}, attrDict{})},
	{name: "check.expect_almost_eq_const", props: []string{"value", "tolerance"}, syntax: form(operands{1}, comma, denseOfOperand{}, attrDict{})},
	{name: "check.expect_eq", syntax: form(operands{2}, attrDict{}, typeOfOperands{})},
	{name: "check.expect_almost_eq", props: []string{"tolerance"}, syntax: form(operands{2}, attrDict{}, typeOfOperands{})},
	{name: "stablehlo.optimization_barrier", syntax: syntax{barrierSyntax{}}},
}

func unaryOp(name string, verify func(*verifier, *Op)) opDef {
	return opDef{name: "stablehlo." + name, syntax: form(operands{1}, attrDict{}, sameType{}), verify: verify}
}

func binaryOp(name string, elem elemRule) opDef {
	return opDef{name: "stablehlo." + name, syntax: form(operands{2}, attrDict{}, sameType{}), verify: verifySame(elem)}
}

// shortNames are the ops that a function's body may write without dialect.
var shortNames = map[string]string{"module": "builtin.module", "call": "func.call", "return": "func.return"}

// opDefs is opList by name. It is filled in by init because the checks in the
// rows look ops up themselves.
var opDefs map[string]*opDef

func init() {
	opDefs = make(map[string]*opDef, len(opList))
	opList = append(opList, chloOps...)
	for i := range opList {
		d := &opList[i]
		d.shown = map[string]bool{}
		for _, n := range d.syntax.shows() {
			d.shown[n] = true
		}
		opDefs[d.name] = d
	}
}
