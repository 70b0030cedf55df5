package mlir

import "slices"

// opDef is the row of an op: how its pretty form reads and prints, which
// attributes are properties, and what must hold for it. An op without a row is
// read and printed in the generic form, and checked for structure only.
type opDef struct {
	name   string
	code   Code   // its position in the table, from 1
	syntax syntax // nil: generic form only
	// props are the attributes that the generic form prints in <{…}>.
	props []string
	// verify checks types and attributes; nil checks nothing.
	verify func(v *verifier, op *Op)
	// regions is how many it has; anyRegions for any number.
	regions int
	traits  Traits
	// static says, of an op that takes attributes or its result's shape as
	// operands, which op it is once these are known.
	static *Static
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

// opList has the rows of StableHLO.
var opList = []opDef{
	{name: "builtin.module", syntax: syntax{moduleSyntax{}}, props: []string{"sym_name", "sym_visibility"}, regions: 1, traits: Isolated, takesName: true, verify: verifyModule},
	{name: "func.func", syntax: syntax{funcSyntax{}}, regions: 1, traits: Isolated, verify: verifyFunc,
		props: []string{"sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"}},
	{name: "func.call", syntax: syntax{callSyntax{}}, props: []string{"callee", "no_inline"}, verify: verifyCall},
	{name: "func.return", syntax: form(anyOperands, attrDict{}, typeList{operands: true, optional: true}), traits: Terminator},
	{name: "stablehlo.return", syntax: form(operands{-2}, attrDict{}, typeList{operands: true, optional: true}), traits: Terminator},

	unaryOp("abs", verifyAbs),
	mathOp("cbrt"),
	unaryOp("ceil", verifySame(1, kFloat|kQuant)),
	unaryOp("convert", verifyConvert),
	unaryOp("count_leading_zeros", verifySame(1, kInt)),
	mathOp("cosine"),
	mathOp("exponential"),
	mathOp("exponential_minus_one"),
	unaryOp("floor", verifySame(1, kFloat|kQuant)),
	unaryOp("imag", verifyPart),
	mathOp("log"),
	mathOp("log_plus_one"),
	mathOp("logistic"),
	unaryOp("negate", verifySame(1, kInt|kFloat|kComplex|kQuant)),
	unaryOp("not", verifySame(1, kBool|kInt)),
	unaryOp("popcnt", verifySame(1, kInt)),
	unaryOp("real", verifyPart),
	unaryOp("round_nearest_afz", verifySame(1, kFloat|kQuant)),
	unaryOp("round_nearest_even", verifySame(1, kFloat|kQuant)),
	mathOp("rsqrt"),
	unaryOp("sign", verifySame(1, kSigned|kFloat|kComplex|kQuant)),
	mathOp("sine"),
	mathOp("sqrt"),
	mathOp("tan"),
	mathOp("tanh"),
	unaryOp("uniform_quantize", verifyUniformQuantize),
	unaryOp("uniform_dequantize", verifyUniformDequantize),

	commutative(binaryOp("add", verifyAdd)),
	commutative(binaryOp("and", verifySame(2, kBool|kInt))),
	binaryOp("atan2", verifySame(2, kFloat|kComplex|kQuant)),
	binaryOp("divide", verifySame(2, kInt|kFloat|kComplex|kQuant)),
	commutative(binaryOp("maximum", verifySame(2, kPerTensor))),
	commutative(binaryOp("minimum", verifySame(2, kPerTensor))),
	commutative(binaryOp("multiply", verifySame(2, kPerTensor))),
	commutative(binaryOp("or", verifySame(2, kBool|kInt))),
	binaryOp("power", verifySame(2, kInt|kFloat|kComplex|kQuant)),
	binaryOp("remainder", verifySame(2, kInt|kFloat|kComplex|kQuant)),
	binaryOp("shift_left", verifySame(2, kInt)),
	binaryOp("shift_right_arithmetic", verifySame(2, kInt)),
	binaryOp("shift_right_logical", verifySame(2, kInt)),
	binaryOp("subtract", verifySame(2, kInt|kFloat|kComplex|kQuant)),
	commutative(binaryOp("xor", verifySame(2, kBool|kInt))),

	{name: "stablehlo.is_finite", traits: Elementwise, syntax: form(operands{1}, attrDict{}, funcType{}), verify: verifyIsFinite},
	{name: "stablehlo.bitcast_convert", syntax: form(operands{1}, attrDict{}, funcType{}), verify: verifyBitcast},
	{name: "stablehlo.clamp", traits: Elementwise, syntax: form(operands{3}, attrDict{}, sameType{}), verify: verifyClamp},
	{name: "stablehlo.select", traits: Elementwise, syntax: form(operands{3}, attrDict{}, selectType{}), verify: verifySelect},
	{name: "stablehlo.complex", traits: Elementwise, verify: verifyComplex, syntax: form(operands{2}, attrDict{}, complexType{})},
	{name: "stablehlo.compare", traits: Elementwise, verify: verifyCompare, props: []string{"comparison_direction", "compare_type"},
		syntax: form(attr{"comparison_direction", enumAttr, "comparison_direction"}, comma, operands{2},
			group{"compare_type", syntax{comma, attr{"compare_type", enumAttr, "comparison_type"}}}, attrDict{}, funcType{})},
	{name: "stablehlo.constant", syntax: syntax{constantSyntax{}}, props: []string{"value"}, verify: verifyConstant},
	{name: "stablehlo.iota", props: []string{"iota_dimension"}, verify: verifyIota,
		syntax: form(word{text: "dim"}, equal, attr{name: "iota_dimension", kind: i64Attr}, attrDict{}, typeList{})},

	{name: "stablehlo.broadcast_in_dim", props: []string{"broadcast_dimensions"}, verify: verifyBroadcastInDim,
		syntax: form(operands{1}, dimsOf("broadcast_dimensions"), attrDict{}, funcType{})},
	{name: "stablehlo.broadcast", verify: verifyBroadcast, props: []string{"broadcast_sizes"},
		syntax: form(operands{1}, named("sizes", attr{name: "broadcast_sizes", kind: i64sAttr}), attrDict{}, funcType{})},
	{name: "stablehlo.reshape", syntax: form(operands{1}, attrDict{}, funcType{}), verify: verifyReshape},
	{name: "stablehlo.transpose", props: []string{"permutation"}, verify: verifyTranspose,
		syntax: form(operands{1}, dimsOf("permutation"), attrDict{}, funcType{})},
	{name: "stablehlo.reverse", props: []string{"dimensions"}, verify: verifyReverse,
		syntax: form(operands{1}, dimsOf("dimensions"), attrDict{}, sameType{})},
	{name: "stablehlo.slice", props: []string{"start_indices", "limit_indices", "strides"}, traits: Async, verify: verifySlice,
		syntax: form(operands{1}, sliceRanges{}, attrDict{}, funcType{})},
	{name: "stablehlo.dynamic_slice", props: []string{"slice_sizes"}, traits: Async, verify: verifyDynamicSlice,
		syntax: form(anyOperands, named("sizes", attr{name: "slice_sizes", kind: i64sAttr}), attrDict{}, funcType{})},
	{name: "stablehlo.dynamic_update_slice", syntax: form(anyOperands, attrDict{}, funcType{}), traits: Async, verify: verifyDynamicUpdateSlice},
	{name: "stablehlo.concatenate", props: []string{"dimension"}, verify: verifyConcatenate,
		syntax: form(anyOperands, dimOf("dimension"), attrDict{}, funcType{})},
	{name: "stablehlo.pad", props: []string{"edge_padding_low", "edge_padding_high", "interior_padding"}, verify: verifyPad,
		syntax: form(operands{2}, named("low", attr{name: "edge_padding_low", kind: i64sAttr}),
			named("high", attr{name: "edge_padding_high", kind: i64sAttr}),
			named("interior", attr{name: "interior_padding", kind: i64sAttr}), attrDict{}, funcType{})},

	{name: "stablehlo.reduce", regions: 1, syntax: syntax{reduceSyntax{}}, props: []string{"dimensions"}, verify: verifyReduce},
	{name: "stablehlo.dot_general", verify: verifyDotGeneral,
		props:  []string{"dot_dimension_numbers", "precision_config", "algorithm"},
		syntax: form(operands{2}, dotDims{}, precision{algorithm: true}, attrDict{}, funcType{})},
	{name: "stablehlo.dot", verify: verifyDot, props: []string{"precision_config"},
		syntax: form(operands{2}, precision{}, attrDict{}, funcType{})},
	{name: "stablehlo.gather", verify: verifyGather,
		props: []string{"dimension_numbers", "slice_sizes", "indices_are_sorted"}},
	{name: "stablehlo.scatter", regions: 1, verify: verifyScatter, props: []string{"scatter_dimension_numbers", "indices_are_sorted", "unique_indices"}},
	{name: "stablehlo.sort", regions: 1, verify: verifySort, props: []string{"dimension", "is_stable"}},
	{name: "stablehlo.if", regions: 2, verify: verifyIf},
	{name: "stablehlo.case", regions: anyRegions, verify: verifyCase},
	{name: "stablehlo.while", regions: 2, verify: verifyWhile, syntax: syntax{whileSyntax{}}},

	{name: "stablehlo.composite", regions: anyRegions, verify: verifyComposite,
		props:  []string{"name", "composite_attributes", "decomposition", "version"},
		syntax: form(attr{name: "name", kind: stringAttr}, anyOperands, optionalRegions{}, funcType{})},
	{name: "stablehlo.custom_call", traits: Effects, verify: verifyCustomCall, syntax: syntax{customCallSyntax{}},
		props: []string{"call_target_name", "has_side_effect", "backend_config", "api_version", "called_computations",
			"operand_layouts", "result_layouts", "output_operand_aliases", "result_tilings"}},
	{name: "stablehlo.get_dimension_size", verify: verifyGetDimensionSize, props: []string{"dimension"},
		syntax: form(operands{1}, dimOf("dimension"), attrDict{}, funcType{})},
	{name: "stablehlo.set_dimension_size", verify: verifySetDimensionSize, props: []string{"dimension"},
		syntax: form(operands{2}, dimOf("dimension"), attrDict{}, funcType{})},
	{name: "stablehlo.dynamic_broadcast_in_dim", verify: verifyDynamicBroadcastInDim, syntax: form(operands{2}, dimsOf("broadcast_dimensions"), attrDict{}, funcType{}),
		props:  []string{"broadcast_dimensions", "known_expanding_dimensions", "known_nonexpanding_dimensions"},
		static: &Static{name: "stablehlo.broadcast_in_dim", Parts: []StaticPart{{Operand: 1}}}},
	{name: "stablehlo.dynamic_iota", verify: verifyDynamicIota, props: []string{"iota_dimension"},
		syntax: form(operands{1}, dimOf("iota_dimension"), attrDict{}, funcType{}),
		static: &Static{name: "stablehlo.iota", Parts: []StaticPart{{Operand: 0}}}},
	{name: "stablehlo.dynamic_reshape", verify: verifyDynamicReshape, syntax: form(operands{2}, attrDict{}, funcType{}),
		static: &Static{name: "stablehlo.reshape", Parts: []StaticPart{{Operand: 1}}}},
	{name: "stablehlo.real_dynamic_slice", verify: verifyRealDynamicSlice, syntax: form(operands{4}, attrDict{}, funcType{}),
		static: &Static{name: "stablehlo.slice", Parts: []StaticPart{{1, "start_indices"}, {2, "limit_indices"}, {3, "strides"}}}},
	{name: "stablehlo.dynamic_pad", verify: verifyDynamicPad, syntax: form(operands{5}, attrDict{}, funcType{}),
		static: &Static{name: "stablehlo.pad", Parts: []StaticPart{{2, "edge_padding_low"}, {3, "edge_padding_high"}, {4, "interior_padding"}}}},
	{name: dynamicBits, traits: Expanded, verify: verifyDynamicBits,
		static: &Static{name: "stablehlo.rng_bit_generator", Parts: []StaticPart{{Operand: 1}}, Shaped: 1}},
	{name: dynamicTopK, traits: Expanded, verify: verifyDynamicTopK},
	{name: dynamicApproxTopK, traits: Expanded, regions: 1, verify: verifyApproxTopK},
	{name: dynamicReduceWindow, traits: Expanded, regions: 1, verify: verifyDynamicReduceWindow,
		static: &Static{name: "stablehlo.reduce_window", Parts: []StaticPart{{2, "window_dimensions"}, {3, "window_strides"}, {4, "base_dilations"}, {5, "window_dilations"}, {6, "padding"}}}},
	{name: "stablehlo.cholesky", verify: verifyCholesky, props: []string{"lower"},
		syntax: form(operands{1}, group{"lower", named("lower", attr{name: "lower", kind: boolAttr})}, attrDict{}, sameType{})},
	{name: "stablehlo.fft", verify: verifyFft, props: []string{"fft_type", "fft_length"},
		syntax: form(operands{1}, named("type", attr{"fft_type", enumAttr, "fft_type"}),
			named("length", attr{name: "fft_length", kind: i64sAttr}), attrDict{}, funcType{})},
	{name: "stablehlo.rng", traits: Effects, verify: verifyRng, props: []string{"rng_distribution"},
		syntax: form(operands{3}, named("distribution", attr{"rng_distribution", enumAttr, "rng_distribution"}), attrDict{}, funcType{})},
	{name: "stablehlo.rng_bit_generator", verify: verifyRngBitGenerator, props: []string{"rng_algorithm"},
		syntax: form(operands{1}, named("algorithm", attr{"rng_algorithm", enumAttr, "rng_algorithm"}), attrDict{}, funcType{})},
	{name: "stablehlo.reduce_precision", traits: Elementwise, verify: verifyReducePrecision, props: []string{"exponent_bits", "mantissa_bits"},
		syntax: form(operands{1}, comma, word{text: "format"}, equal, floatFormat{}, attrDict{}, sameType{})},
	{name: "stablehlo.einsum", verify: verifyEinsum, props: []string{"einsum_config"},
		syntax: form(operands{2}, named("config", attr{name: "einsum_config", kind: stringAttr}), attrDict{}, funcType{})},
	{name: "stablehlo.unary_einsum", verify: verifyEinsum, props: []string{"einsum_config"},
		syntax: form(operands{1}, named("config", attr{name: "einsum_config", kind: stringAttr}), attrDict{}, funcType{})},
	{name: "stablehlo.replica_id", verify: verifyID, syntax: form(attrDict{}, typeList{})},
	{name: "stablehlo.partition_id", verify: verifyID, syntax: form(attrDict{}, typeList{})},
	{name: "stablehlo.create_token", traits: Effects, verify: verifyCreateToken, syntax: form(attrDict{}, typeList{})},
	{name: "stablehlo.after_all", traits: Effects, verify: verifyAfterAll, syntax: form(operands{-2}, attrDict{}, sameType{})},

	{name: "interpreter.run_parallel", traits: Effects, props: []string{"infeed", "programs"}, verify: verifyRunParallel},
	{name: "stablehlo.reduce_window", regions: 1, props: []string{"window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding"}, verify: verifyReduceWindow},
	{name: "stablehlo.select_and_scatter", regions: 2, props: []string{"window_dimensions", "window_strides", "padding"}, verify: verifySelectAndScatter},
	{name: "stablehlo.map", regions: 1, props: []string{"dimensions"}, verify: verifyMap},
	{name: "stablehlo.dynamic_gather", props: []string{"dimension_numbers", "indices_are_sorted"}, verify: verifyDynamicGather,
		static: &Static{name: "stablehlo.gather", Parts: []StaticPart{{2, "slice_sizes"}}}},
	{name: "stablehlo.dynamic_conv", props: []string{"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal", "dimension_numbers", "feature_group_count", "batch_group_count", "precision_config"}, verify: verifyDynamicConv,
		static: &Static{name: "stablehlo.convolution", Parts: []StaticPart{{2, "padding"}}}},
	{name: "stablehlo.convolution", verify: verifyConvolution,
		props: []string{"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal", "dimension_numbers",
			"feature_group_count", "batch_group_count", "precision_config"},
		syntax: form(convSyntax{}, attrDict{}, funcType{})},
	{name: "stablehlo.triangular_solve", props: []string{"left_side", "lower", "unit_diagonal", "transpose_a"}, verify: verifyTriangularSolve},
	{name: "stablehlo.tuple", verify: verifyTuple, syntax: form(operands{-2}, attrDict{}, tupleType{})},
	{name: "stablehlo.get_tuple_element", verify: verifyGetTupleElement, props: []string{"index"},
		syntax: form(operands{1}, indexIn{name: "index"}, attrDict{}, funcType{})},
	{name: "stablehlo.all_gather", props: []string{"all_gather_dim", "replica_groups", "channel_handle", "use_global_device_ids"}, traits: Async | Effects, verify: verifyAllGather},
	{name: "stablehlo.all_reduce", regions: 1, props: []string{"replica_groups", "channel_handle", "use_global_device_ids"}, traits: Async | Effects, verify: verifyAllReduce},
	{name: "stablehlo.reduce_scatter", regions: 1, props: []string{"scatter_dimension", "replica_groups", "channel_handle", "use_global_device_ids"}, traits: Async | Effects, verify: verifyReduceScatter},
	{name: "stablehlo.all_to_all", props: []string{"split_dimension", "concat_dimension", "split_count", "replica_groups", "channel_handle"}, traits: Async | Effects, verify: verifyAllToAll},
	{name: "stablehlo.collective_broadcast", props: []string{"replica_groups", "channel_handle", "has_dynamic_root"}, traits: Async | Effects, verify: verifyCollectiveBroadcast},
	{name: "stablehlo.collective_permute", props: []string{"source_target_pairs", "channel_handle"}, traits: Async | Effects, verify: verifyCollectivePermute},
	{name: "stablehlo.collective_reduce", traits: Effects, regions: 1, props: []string{"replica_groups", "channel_handle", "use_global_device_ids", "has_dynamic_root"}, verify: verifyCollectiveReduce},
	{name: "stablehlo.async_start", traits: Effects, regions: 1, verify: verifyAsyncStart},
	{name: "stablehlo.async_done", traits: Effects, verify: verifyAsyncDone},
	{name: "stablehlo.send", traits: Effects, props: []string{"channel_handle", "is_host_transfer", "source_target_pairs"}, verify: verifySend},
	{name: "stablehlo.recv", traits: Effects, props: []string{"channel_handle", "is_host_transfer", "source_target_pairs"}, verify: verifyRecv},
	{name: "stablehlo.infeed", traits: Effects, props: []string{"infeed_config", "layout"}, verify: verifyInfeed},
	{name: "stablehlo.outfeed", traits: Effects, props: []string{"outfeed_config"}, verify: verifyOutfeed},
	{name: "stablehlo.cross-replica-sum", traits: Effects, props: []string{"replica_groups"}, verify: verifyCrossReplicaSum},
	{name: "stablehlo.torch_index_select", props: []string{"dim", "batch_dims"}, verify: verifyTorchIndexSelect},
	{name: "stablehlo.batch_norm_grad", props: []string{"epsilon", "feature_index"}, verify: verifyBatchNorm(3, 2, true, "C1", "C2", []string{"C5", "C4", "C4", "C4", "C4"}, "C3")},
	{name: "stablehlo.batch_norm_inference", props: []string{"epsilon", "feature_index"}, verify: verifyBatchNorm(4, 0, false, "C1", "C2", []string{"C3", "C4", "C5", "C6"}, "C7")},
	{name: "stablehlo.batch_norm_training", props: []string{"epsilon", "feature_index"}, verify: verifyBatchNorm(2, 2, false, "C1", "C2", []string{"C3", "C4", "C5", "C6"}, "C7")},

	{name: "stablehlo.optimization_barrier", traits: Effects, verify: verifyBarrier, syntax: syntax{barrierSyntax{}}},
}

func unaryOp(name string, verify func(*verifier, *Op)) opDef {
	return opDef{name: "stablehlo." + name, syntax: form(operands{1}, attrDict{}, sameType{}), verify: verify, traits: Elementwise}
}

// mathOp is a function, whose accuracy can be asked for.
func mathOp(name string) opDef {
	d := unaryOp(name, verifySame(1, kFloat|kComplex|kQuant))
	d.props = []string{"result_accuracy"}
	return d
}

func binaryOp(name string, verify func(*verifier, *Op)) opDef {
	return opDef{name: "stablehlo." + name, syntax: form(operands{2}, attrDict{}, sameType{}), verify: verify, traits: Elementwise}
}

func commutative(d opDef) opDef {
	d.traits |= Commutative
	return d
}

// shortNames are the ops that a function's body may write without dialect.
var shortNames = map[string]string{"module": "builtin.module", "call": "func.call", "return": "func.return"}

// rows is every op that is known, in the order of codes, and opDefs has them by name.
// They are filled in by init because the checks in the rows look ops up themselves.
var (
	rows   []opDef
	opDefs map[string]*opDef
)

func init() {
	rows = slices.Concat(opList, chloOps, checkOps, arithOps)
	opDefs = make(map[string]*opDef, len(rows))
	for i := range rows {
		d := &rows[i]
		d.shown = map[string]bool{}
		for _, n := range d.syntax.shows() {
			d.shown[n] = true
		}
		d.code = Code(i + 1)
		opDefs[d.name] = d
	}
	for i := range rows {
		if s := rows[i].static; s != nil {
			s.Op = CodeOf(s.name)
		}
	}
}
