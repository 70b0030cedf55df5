package mlir

// The parts that many ops share.
var (
	comma       = Word(",")
	equal       = Word("=")
	anyOperands = Operands(-1)
)

// named is `, word = value`.
func named(w string, a AttrValue) Syntax { return Syntax{comma, Word(w), equal, a} }

func form(parts ...any) Syntax {
	var s Syntax
	for _, p := range parts {
		switch p := p.(type) {
		case Syntax:
			s = append(s, p...)
		case Part:
			s = append(s, p)
		}
	}
	return s
}

func dimsOf(name string) Syntax { return named("dims", AttrValue{Name: name, Kind: I64sValue}) }

// enumOf is the value of an enum of StableHLO.
func enumOf(name, kind string) AttrValue {
	return AttrValue{Name: name, Kind: EnumValue, Enum: EnumAttr{Dialect: "stablehlo", Kind: kind}}
}

func dimOf(name string) Syntax { return named("dim", AttrValue{Name: name, Kind: I64Value}) }

// opList has the rows of StableHLO.
var opList = []OpDef{
	{Name: "stablehlo.return", Syntax: form(Operands(-2), AttrDict{}, TypeList{Operands: true, Optional: true}), Traits: Terminator},

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

	{Name: "stablehlo.is_finite", Traits: Elementwise, Syntax: form(Operands(1), AttrDict{}, FuncTypes{}), verify: verifyIsFinite},
	{Name: "stablehlo.bitcast_convert", Syntax: form(Operands(1), AttrDict{}, FuncTypes{}), verify: verifyBitcast},
	{Name: "stablehlo.clamp", Traits: Elementwise, Syntax: form(Operands(3), AttrDict{}, OneType{}), verify: verifyClamp},
	{Name: "stablehlo.select", Traits: Elementwise, Syntax: form(Operands(3), AttrDict{}, selectType{}), verify: verifySelect},
	{Name: "stablehlo.complex", Traits: Elementwise, verify: verifyComplex, Syntax: form(Operands(2), AttrDict{}, complexType{})},
	{Name: "stablehlo.compare", Traits: Elementwise, verify: verifyCompare, Props: []string{"comparison_direction", "compare_type"},
		Syntax: form(enumOf("comparison_direction", "comparison_direction"), comma, Operands(2),
			Group{Anchor: "compare_type", Parts: Syntax{comma, enumOf("compare_type", "comparison_type")}}, AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.constant", Syntax: Syntax{constantSyntax{}}, Props: []string{"value"}, verify: verifyConstant},
	{Name: "stablehlo.iota", Props: []string{"iota_dimension"}, verify: verifyIota,
		Syntax: form(Word("dim"), equal, AttrValue{Name: "iota_dimension", Kind: I64Value}, AttrDict{}, TypeList{})},

	{Name: "stablehlo.broadcast_in_dim", Props: []string{"broadcast_dimensions"}, verify: verifyBroadcastInDim,
		Syntax: form(Operands(1), dimsOf("broadcast_dimensions"), AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.broadcast", verify: verifyBroadcast, Props: []string{"broadcast_sizes"},
		Syntax: form(Operands(1), named("sizes", AttrValue{Name: "broadcast_sizes", Kind: I64sValue}), AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.reshape", Syntax: form(Operands(1), AttrDict{}, FuncTypes{}), verify: verifyReshape},
	{Name: "stablehlo.transpose", Props: []string{"permutation"}, verify: verifyTranspose,
		Syntax: form(Operands(1), dimsOf("permutation"), AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.reverse", Props: []string{"dimensions"}, verify: verifyReverse,
		Syntax: form(Operands(1), dimsOf("dimensions"), AttrDict{}, OneType{})},
	{Name: "stablehlo.slice", Props: []string{"start_indices", "limit_indices", "strides"}, Traits: Async, verify: verifySlice,
		Syntax: form(Operands(1), sliceRanges{}, AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.dynamic_slice", Props: []string{"slice_sizes"}, Traits: Async, verify: verifyDynamicSlice,
		Syntax: form(anyOperands, named("sizes", AttrValue{Name: "slice_sizes", Kind: I64sValue}), AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.dynamic_update_slice", Syntax: form(anyOperands, AttrDict{}, FuncTypes{}), Traits: Async, verify: verifyDynamicUpdateSlice},
	{Name: "stablehlo.concatenate", Props: []string{"dimension"}, verify: verifyConcatenate,
		Syntax: form(anyOperands, dimOf("dimension"), AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.pad", Props: []string{"edge_padding_low", "edge_padding_high", "interior_padding"}, verify: verifyPad,
		Syntax: form(Operands(2), named("low", AttrValue{Name: "edge_padding_low", Kind: I64sValue}),
			named("high", AttrValue{Name: "edge_padding_high", Kind: I64sValue}),
			named("interior", AttrValue{Name: "interior_padding", Kind: I64sValue}), AttrDict{}, FuncTypes{})},

	{Name: "stablehlo.reduce", Regions: 1, Syntax: Syntax{reduceSyntax{}}, Props: []string{"dimensions"}, verify: verifyReduce},
	{Name: "stablehlo.dot_general", verify: verifyDotGeneral,
		Props:  []string{"dot_dimension_numbers", "precision_config", "algorithm"},
		Syntax: form(Operands(2), dotDims{}, precision{algorithm: true}, AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.dot", verify: verifyDot, Props: []string{"precision_config"},
		Syntax: form(Operands(2), precision{}, AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.gather", verify: verifyGather,
		Props: []string{"dimension_numbers", "slice_sizes", "indices_are_sorted"}},
	{Name: "stablehlo.scatter", Regions: 1, verify: verifyScatter, Props: []string{"scatter_dimension_numbers", "indices_are_sorted", "unique_indices"}},
	{Name: "stablehlo.sort", Regions: 1, verify: verifySort, Props: []string{"dimension", "is_stable"}},
	{Name: "stablehlo.if", Regions: 2, verify: verifyIf},
	{Name: "stablehlo.case", Regions: AnyRegions, verify: verifyCase},
	{Name: "stablehlo.while", Regions: 2, Traits: SharedArgs, verify: verifyWhile, Syntax: Syntax{whileSyntax{}}},

	{Name: "stablehlo.composite", Regions: AnyRegions, Callee: "decomposition", verify: verifyComposite,
		Props:  []string{"name", "composite_attributes", "decomposition", "version"},
		Syntax: form(AttrValue{Name: "name", Kind: StringValue}, anyOperands, optionalRegions{}, FuncTypes{})},
	{Name: "stablehlo.custom_call", Traits: Effects, verify: verifyCustomCall, Syntax: Syntax{customCallSyntax{}},
		Props: []string{"call_target_name", "has_side_effect", "backend_config", "api_version", "called_computations",
			"operand_layouts", "result_layouts", "output_operand_aliases", "result_tilings"}},
	{Name: "stablehlo.get_dimension_size", verify: verifyGetDimensionSize, Props: []string{"dimension"},
		Syntax: form(Operands(1), dimOf("dimension"), AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.set_dimension_size", verify: verifySetDimensionSize, Props: []string{"dimension"},
		Syntax: form(Operands(2), dimOf("dimension"), AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.dynamic_broadcast_in_dim", verify: verifyDynamicBroadcastInDim, Syntax: form(Operands(2), dimsOf("broadcast_dimensions"), AttrDict{}, FuncTypes{}),
		Props:  []string{"broadcast_dimensions", "known_expanding_dimensions", "known_nonexpanding_dimensions"},
		Static: &Static{Name: "stablehlo.broadcast_in_dim", Parts: []StaticPart{{Operand: 1}}}},
	{Name: "stablehlo.dynamic_iota", verify: verifyDynamicIota, Props: []string{"iota_dimension"},
		Syntax: form(Operands(1), dimOf("iota_dimension"), AttrDict{}, FuncTypes{}),
		Static: &Static{Name: "stablehlo.iota", Parts: []StaticPart{{Operand: 0}}}},
	{Name: "stablehlo.dynamic_reshape", verify: verifyDynamicReshape, Syntax: form(Operands(2), AttrDict{}, FuncTypes{}),
		Static: &Static{Name: "stablehlo.reshape", Parts: []StaticPart{{Operand: 1}}}},
	{Name: "stablehlo.real_dynamic_slice", verify: verifyRealDynamicSlice, Syntax: form(Operands(4), AttrDict{}, FuncTypes{}),
		Static: &Static{Name: "stablehlo.slice", Parts: []StaticPart{{1, "start_indices"}, {2, "limit_indices"}, {3, "strides"}}}},
	{Name: "stablehlo.dynamic_pad", verify: verifyDynamicPad, Syntax: form(Operands(5), AttrDict{}, FuncTypes{}),
		Static: &Static{Name: "stablehlo.pad", Parts: []StaticPart{{2, "edge_padding_low"}, {3, "edge_padding_high"}, {4, "interior_padding"}}}},
	{Name: dynamicBits, Traits: Expanded, verify: verifyDynamicBits,
		Static: &Static{Name: "stablehlo.rng_bit_generator", Parts: []StaticPart{{Operand: 1}}, Shaped: 1}},
	{Name: dynamicTopK, Traits: Expanded, verify: verifyDynamicTopK},
	{Name: dynamicApproxTopK, Traits: Expanded, Regions: 1, verify: verifyApproxTopK},
	{Name: dynamicReduceWindow, Traits: Expanded, Regions: 1, verify: verifyDynamicReduceWindow,
		Static: &Static{Name: "stablehlo.reduce_window", Parts: []StaticPart{{2, "window_dimensions"}, {3, "window_strides"}, {4, "base_dilations"}, {5, "window_dilations"}, {6, "padding"}}}},
	{Name: "stablehlo.cholesky", verify: verifyCholesky, Props: []string{"lower"},
		Syntax: form(Operands(1), Group{Anchor: "lower", Parts: named("lower", AttrValue{Name: "lower", Kind: BoolValue})}, AttrDict{}, OneType{})},
	{Name: "stablehlo.fft", verify: verifyFft, Props: []string{"fft_type", "fft_length"},
		Syntax: form(Operands(1), named("type", enumOf("fft_type", "fft_type")),
			named("length", AttrValue{Name: "fft_length", Kind: I64sValue}), AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.rng", Traits: Effects, verify: verifyRng, Props: []string{"rng_distribution"},
		Syntax: form(Operands(3), named("distribution", enumOf("rng_distribution", "rng_distribution")), AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.rng_bit_generator", verify: verifyRngBitGenerator, Props: []string{"rng_algorithm"},
		Syntax: form(Operands(1), named("algorithm", enumOf("rng_algorithm", "rng_algorithm")), AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.reduce_precision", Traits: Elementwise, verify: verifyReducePrecision, Props: []string{"exponent_bits", "mantissa_bits"},
		Syntax: form(Operands(1), comma, Word("format"), equal, floatFormat{}, AttrDict{}, OneType{})},
	{Name: "stablehlo.einsum", verify: verifyEinsum, Props: []string{"einsum_config"},
		Syntax: form(Operands(2), named("config", AttrValue{Name: "einsum_config", Kind: StringValue}), AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.unary_einsum", verify: verifyEinsum, Props: []string{"einsum_config"},
		Syntax: form(Operands(1), named("config", AttrValue{Name: "einsum_config", Kind: StringValue}), AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.replica_id", verify: verifyID, Syntax: form(AttrDict{}, TypeList{})},
	{Name: "stablehlo.partition_id", verify: verifyID, Syntax: form(AttrDict{}, TypeList{})},
	{Name: "stablehlo.create_token", Traits: Effects, verify: verifyCreateToken, Syntax: form(AttrDict{}, TypeList{})},
	{Name: "stablehlo.after_all", Traits: Effects, verify: verifyAfterAll, Syntax: form(Operands(-2), AttrDict{}, OneType{})},

	{Name: "interpreter.run_parallel", Traits: Effects, Props: []string{"infeed", "programs"}, verify: verifyRunParallel},
	{Name: "stablehlo.reduce_window", Regions: 1, Props: []string{"window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding"}, verify: verifyReduceWindow},
	{Name: "stablehlo.select_and_scatter", Regions: 2, Props: []string{"window_dimensions", "window_strides", "padding"}, verify: verifySelectAndScatter},
	{Name: "stablehlo.map", Regions: 1, Props: []string{"dimensions"}, verify: verifyMap},
	{Name: "stablehlo.dynamic_gather", Props: []string{"dimension_numbers", "indices_are_sorted"}, verify: verifyDynamicGather,
		Static: &Static{Name: "stablehlo.gather", Parts: []StaticPart{{2, "slice_sizes"}}}},
	{Name: "stablehlo.dynamic_conv", Props: []string{"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal", "dimension_numbers", "feature_group_count", "batch_group_count", "precision_config"}, verify: verifyDynamicConv,
		Static: &Static{Name: "stablehlo.convolution", Parts: []StaticPart{{2, "padding"}}}},
	{Name: "stablehlo.convolution", verify: verifyConvolution,
		Props: []string{"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal", "dimension_numbers",
			"feature_group_count", "batch_group_count", "precision_config"},
		Syntax: form(convSyntax{}, AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.triangular_solve", Props: []string{"left_side", "lower", "unit_diagonal", "transpose_a"}, verify: verifyTriangularSolve},
	{Name: "stablehlo.tuple", verify: verifyTuple, Syntax: form(Operands(-2), AttrDict{}, tupleType{})},
	{Name: "stablehlo.get_tuple_element", verify: verifyGetTupleElement, Props: []string{"index"},
		Syntax: form(Operands(1), indexIn{name: "index"}, AttrDict{}, FuncTypes{})},
	{Name: "stablehlo.all_gather", Props: []string{"all_gather_dim", "replica_groups", "channel_handle", "use_global_device_ids"}, Traits: Async | Effects, verify: verifyAllGather},
	{Name: "stablehlo.all_reduce", Regions: 1, Props: []string{"replica_groups", "channel_handle", "use_global_device_ids"}, Traits: Async | Effects, verify: verifyAllReduce},
	{Name: "stablehlo.reduce_scatter", Regions: 1, Props: []string{"scatter_dimension", "replica_groups", "channel_handle", "use_global_device_ids"}, Traits: Async | Effects, verify: verifyReduceScatter},
	{Name: "stablehlo.all_to_all", Props: []string{"split_dimension", "concat_dimension", "split_count", "replica_groups", "channel_handle"}, Traits: Async | Effects, verify: verifyAllToAll},
	{Name: "stablehlo.collective_broadcast", Props: []string{"replica_groups", "channel_handle", "has_dynamic_root"}, Traits: Async | Effects, verify: verifyCollectiveBroadcast},
	{Name: "stablehlo.collective_permute", Props: []string{"source_target_pairs", "channel_handle"}, Traits: Async | Effects, verify: verifyCollectivePermute},
	{Name: "stablehlo.collective_reduce", Traits: Effects, Regions: 1, Props: []string{"replica_groups", "channel_handle", "use_global_device_ids", "has_dynamic_root"}, verify: verifyCollectiveReduce},
	{Name: "stablehlo.async_start", Traits: Effects, Regions: 1, verify: verifyAsyncStart},
	{Name: "stablehlo.async_done", Traits: Effects, verify: verifyAsyncDone},
	{Name: "stablehlo.send", Traits: Effects, Props: []string{"channel_handle", "is_host_transfer", "source_target_pairs"}, verify: verifySend},
	{Name: "stablehlo.recv", Traits: Effects, Props: []string{"channel_handle", "is_host_transfer", "source_target_pairs"}, verify: verifyRecv},
	{Name: "stablehlo.infeed", Traits: Effects, Props: []string{"infeed_config", "layout"}, verify: verifyInfeed},
	{Name: "stablehlo.outfeed", Traits: Effects, Props: []string{"outfeed_config"}, verify: verifyOutfeed},
	{Name: "stablehlo.cross-replica-sum", Traits: Effects, Props: []string{"replica_groups"}, verify: verifyCrossReplicaSum},
	{Name: "stablehlo.torch_index_select", Props: []string{"dim", "batch_dims"}, verify: verifyTorchIndexSelect},
	{Name: "stablehlo.batch_norm_grad", Props: []string{"epsilon", "feature_index"}, verify: verifyBatchNorm(3, 2, true, "C1", "C2", []string{"C5", "C4", "C4", "C4", "C4"}, "C3")},
	{Name: "stablehlo.batch_norm_inference", Props: []string{"epsilon", "feature_index"}, verify: verifyBatchNorm(4, 0, false, "C1", "C2", []string{"C3", "C4", "C5", "C6"}, "C7")},
	{Name: "stablehlo.batch_norm_training", Props: []string{"epsilon", "feature_index"}, verify: verifyBatchNorm(2, 2, false, "C1", "C2", []string{"C3", "C4", "C5", "C6"}, "C7")},

	{Name: "stablehlo.optimization_barrier", Traits: Effects, verify: verifyBarrier, Syntax: Syntax{barrierSyntax{}}},
}

func unaryOp(name string, verify func(*verifier, *Op)) OpDef {
	return OpDef{Name: "stablehlo." + name, Syntax: form(Operands(1), AttrDict{}, OneType{}), verify: verify, Traits: Elementwise}
}

// mathOp is a function, whose accuracy can be asked for.
func mathOp(name string) OpDef {
	d := unaryOp(name, verifySame(1, kFloat|kComplex|kQuant))
	d.Props = []string{"result_accuracy"}
	return d
}

func binaryOp(name string, verify func(*verifier, *Op)) OpDef {
	return OpDef{Name: "stablehlo." + name, Syntax: form(Operands(2), AttrDict{}, OneType{}), verify: verify, Traits: Elementwise}
}

func commutative(d OpDef) OpDef {
	d.Traits |= Commutative
	return d
}
