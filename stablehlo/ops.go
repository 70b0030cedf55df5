package stablehlo

import "ltc/mlir"

// The parts that many ops share.
var (
	comma       = word(",")
	equal       = word("=")
	anyOperands = operands(-1)
)

// named is `, word = value`.
func named(w string, a attr) syntax { return syntax{comma, word(w), equal, a} }

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

func dimsOf(name string) syntax {
	return named("dims", attr{Name: name, Kind: i64sValue})
}

// enumOf is the value of an enum of StableHLO.
func enumOf(name, kind string) attr {
	return attr{Name: name, Kind: enumValue, Enum: mlir.EnumAttr{Dialect: "stablehlo", Kind: kind}}
}

func dimOf(name string) syntax {
	return named("dim", attr{Name: name, Kind: i64Value})
}

// opList has the rows of StableHLO.
var opList = []opDef{
	{Name: "stablehlo.return", Syntax: form(operands(-2), attrDict{}, typeList{Operands: true, Optional: true}), Traits: mlir.Terminator},

	unaryOp("abs"),
	mathOp("cbrt"),
	unaryOp("ceil"),
	unaryOp("convert"),
	unaryOp("count_leading_zeros"),
	mathOp("cosine"),
	mathOp("exponential"),
	mathOp("exponential_minus_one"),
	unaryOp("floor"),
	unaryOp("imag"),
	mathOp("log"),
	mathOp("log_plus_one"),
	mathOp("logistic"),
	unaryOp("negate"),
	unaryOp("not"),
	unaryOp("popcnt"),
	unaryOp("real"),
	unaryOp("round_nearest_afz"),
	unaryOp("round_nearest_even"),
	mathOp("rsqrt"),
	unaryOp("sign"),
	mathOp("sine"),
	mathOp("sqrt"),
	mathOp("tan"),
	mathOp("tanh"),
	unaryOp("uniform_quantize"),
	unaryOp("uniform_dequantize"),

	commutative(binaryOp("add")),
	commutative(binaryOp("and")),
	binaryOp("atan2"),
	binaryOp("divide"),
	commutative(binaryOp("maximum")),
	commutative(binaryOp("minimum")),
	commutative(binaryOp("multiply")),
	commutative(binaryOp("or")),
	binaryOp("power"),
	binaryOp("remainder"),
	binaryOp("shift_left"),
	binaryOp("shift_right_arithmetic"),
	binaryOp("shift_right_logical"),
	binaryOp("subtract"),
	commutative(binaryOp("xor")),

	{Name: "stablehlo.is_finite", Traits: mlir.Elementwise, Syntax: form(operands(1), attrDict{}, funcType{})},
	{Name: "stablehlo.bitcast_convert", Syntax: form(operands(1), attrDict{}, funcType{})},
	{Name: "stablehlo.clamp", Traits: mlir.Elementwise, Syntax: form(operands(3), attrDict{}, oneType{})},
	{Name: "stablehlo.select", Traits: mlir.Elementwise, Syntax: form(operands(3), attrDict{}, selectType{})},
	{Name: "stablehlo.complex", Traits: mlir.Elementwise, Syntax: form(operands(2), attrDict{}, complexType{})},
	{Name: "stablehlo.compare", Traits: mlir.Elementwise, Props: []string{"comparison_direction", "compare_type"},
		Syntax: form(enumOf("comparison_direction", "comparison_direction"), comma, operands(2),
			group{Anchor: "compare_type", Parts: syntax{comma, enumOf("compare_type", "comparison_type")}}, attrDict{}, funcType{})},
	{Name: "stablehlo.constant", Syntax: syntax{constantSyntax{}}, Props: []string{"value"}},
	{Name: "stablehlo.iota", Props: []string{"iota_dimension"},
		Syntax: form(word("dim"), equal, attr{Name: "iota_dimension", Kind: i64Value}, attrDict{}, typeList{})},

	{Name: "stablehlo.broadcast_in_dim", Props: []string{"broadcast_dimensions"},
		Syntax: form(operands(1), dimsOf("broadcast_dimensions"), attrDict{}, funcType{})},
	{Name: "stablehlo.broadcast", Props: []string{"broadcast_sizes"},
		Syntax: form(operands(1), named("sizes", attr{Name: "broadcast_sizes", Kind: i64sValue}), attrDict{}, funcType{})},
	{Name: "stablehlo.reshape", Syntax: form(operands(1), attrDict{}, funcType{})},
	{Name: "stablehlo.transpose", Props: []string{"permutation"},
		Syntax: form(operands(1), dimsOf("permutation"), attrDict{}, funcType{})},
	{Name: "stablehlo.reverse", Props: []string{"dimensions"},
		Syntax: form(operands(1), dimsOf("dimensions"), attrDict{}, oneType{})},
	{Name: "stablehlo.slice", Props: []string{"start_indices", "limit_indices", "strides"}, Traits: mlir.Async,
		Syntax: form(operands(1), sliceRanges{}, attrDict{}, funcType{})},
	{Name: "stablehlo.dynamic_slice", Props: []string{"slice_sizes"}, Traits: mlir.Async,
		Syntax: form(anyOperands, named("sizes", attr{Name: "slice_sizes", Kind: i64sValue}), attrDict{}, funcType{})},
	{Name: "stablehlo.dynamic_update_slice", Syntax: form(anyOperands, attrDict{}, funcType{}), Traits: mlir.Async},
	{Name: "stablehlo.concatenate", Props: []string{"dimension"},
		Syntax: form(anyOperands, dimOf("dimension"), attrDict{}, funcType{})},
	{Name: "stablehlo.pad", Props: []string{"edge_padding_low", "edge_padding_high", "interior_padding"},
		Syntax: form(operands(2), named("low", attr{Name: "edge_padding_low", Kind: i64sValue}),
			named("high", attr{Name: "edge_padding_high", Kind: i64sValue}),
			named("interior", attr{Name: "interior_padding", Kind: i64sValue}), attrDict{}, funcType{})},

	{Name: "stablehlo.reduce", Regions: 1, Syntax: syntax{reduceSyntax{}}, Props: []string{"dimensions"}},
	{Name: "stablehlo.dot_general",
		Props:  []string{"dot_dimension_numbers", "precision_config", "algorithm"},
		Syntax: form(operands(2), dotDims{}, precision{algorithm: true}, attrDict{}, funcType{})},
	{Name: "stablehlo.dot", Props: []string{"precision_config"},
		Syntax: form(operands(2), precision{}, attrDict{}, funcType{})},
	{Name: "stablehlo.gather",
		Props: []string{"dimension_numbers", "slice_sizes", "indices_are_sorted"}},
	{Name: "stablehlo.scatter", Regions: 1, Props: []string{"scatter_dimension_numbers", "indices_are_sorted", "unique_indices"}},
	{Name: "stablehlo.sort", Regions: 1, Props: []string{"dimension", "is_stable"}},
	{Name: "stablehlo.if", Regions: 2},
	{Name: "stablehlo.case", Regions: mlir.AnyRegions},
	{Name: "stablehlo.while", Regions: 2, Traits: mlir.SharedArgs, Syntax: syntax{whileSyntax{}}},

	{Name: "stablehlo.composite", Regions: mlir.AnyRegions, Callee: "decomposition",
		Props:  []string{"name", "composite_attributes", "decomposition", "version"},
		Syntax: form(attr{Name: "name", Kind: stringValue}, anyOperands, optionalRegions{}, funcType{})},
	{Name: "stablehlo.custom_call", Traits: mlir.Effects, Syntax: syntax{customCallSyntax{}},
		Props: []string{"call_target_name", "has_side_effect", "backend_config", "api_version", "called_computations",
			"operand_layouts", "result_layouts", "output_operand_aliases", "result_tilings"}},
	{Name: "stablehlo.get_dimension_size", Props: []string{"dimension"},
		Syntax: form(operands(1), dimOf("dimension"), attrDict{}, funcType{})},
	{Name: "stablehlo.set_dimension_size", Props: []string{"dimension"},
		Syntax: form(operands(2), dimOf("dimension"), attrDict{}, funcType{})},
	{Name: "stablehlo.dynamic_broadcast_in_dim", Syntax: form(operands(2), dimsOf("broadcast_dimensions"), attrDict{}, funcType{}),
		Props:  []string{"broadcast_dimensions", "known_expanding_dimensions", "known_nonexpanding_dimensions"},
		Static: &mlir.Static{Name: "stablehlo.broadcast_in_dim", Parts: []mlir.StaticPart{{Operand: 1}}}},
	{Name: "stablehlo.dynamic_iota", Props: []string{"iota_dimension"},
		Syntax: form(operands(1), dimOf("iota_dimension"), attrDict{}, funcType{}),
		Static: &mlir.Static{Name: "stablehlo.iota", Parts: []mlir.StaticPart{{Operand: 0}}}},
	{Name: "stablehlo.dynamic_reshape", Syntax: form(operands(2), attrDict{}, funcType{}),
		Static: &mlir.Static{Name: "stablehlo.reshape", Parts: []mlir.StaticPart{{Operand: 1}}}},
	{Name: "stablehlo.real_dynamic_slice", Syntax: form(operands(4), attrDict{}, funcType{}),
		Static: &mlir.Static{Name: "stablehlo.slice", Parts: []mlir.StaticPart{{Operand: 1, Attr: "start_indices"}, {Operand: 2, Attr: "limit_indices"}, {Operand: 3, Attr: "strides"}}}},
	{Name: "stablehlo.dynamic_pad", Syntax: form(operands(5), attrDict{}, funcType{}),
		Static: &mlir.Static{Name: "stablehlo.pad", Parts: []mlir.StaticPart{{Operand: 2, Attr: "edge_padding_low"}, {Operand: 3, Attr: "edge_padding_high"}, {Operand: 4, Attr: "interior_padding"}}}},
	// Ops that the dialect does not have: JAX writes them as custom calls of these names
	// where sizes are symbolic. Package verify makes them of such calls.
	//
	// An rng_bit_generator whose shape is an operand.
	{Name: "stablehlo.dynamic_rng_bit_generator", Traits: mlir.Expanded,
		Static: &mlir.Static{Name: "stablehlo.rng_bit_generator", Parts: []mlir.StaticPart{{Operand: 1}}, Shaped: 1}},
	// A chlo.top_k whose k is an operand. Package chlo writes ops of the dialect for it and
	// for the next.
	{Name: "stablehlo.dynamic_top_k", Traits: mlir.Expanded},
	// Calls of this name and of "ApproxTopK". The operands are arrays, as many initial
	// values, and the number of results along the dimension unless the types tell it. The
	// arrays are sorted together by the region, a comparator: the result is exact.
	{Name: "stablehlo.dynamic_approx_top_k", Traits: mlir.Expanded, Regions: 1},
	// A reduce_window whose window is given by operands.
	{Name: "stablehlo.dynamic_reduce_window", Traits: mlir.Expanded, Regions: 1,
		Static: &mlir.Static{Name: "stablehlo.reduce_window", Parts: []mlir.StaticPart{{Operand: 2, Attr: "window_dimensions"}, {Operand: 3, Attr: "window_strides"}, {Operand: 4, Attr: "base_dilations"}, {Operand: 5, Attr: "window_dilations"}, {Operand: 6, Attr: "padding"}}}},
	{Name: "stablehlo.cholesky", Props: []string{"lower"},
		Syntax: form(operands(1), group{Anchor: "lower", Parts: named("lower", attr{Name: "lower", Kind: boolValue})}, attrDict{}, oneType{})},
	{Name: "stablehlo.fft", Props: []string{"fft_type", "fft_length"},
		Syntax: form(operands(1), named("type", enumOf("fft_type", "fft_type")),
			named("length", attr{Name: "fft_length", Kind: i64sValue}), attrDict{}, funcType{})},
	{Name: "stablehlo.rng", Traits: mlir.Effects, Props: []string{"rng_distribution"},
		Syntax: form(operands(3), named("distribution", enumOf("rng_distribution", "rng_distribution")), attrDict{}, funcType{})},
	{Name: "stablehlo.rng_bit_generator", Props: []string{"rng_algorithm"},
		Syntax: form(operands(1), named("algorithm", enumOf("rng_algorithm", "rng_algorithm")), attrDict{}, funcType{})},
	{Name: "stablehlo.reduce_precision", Traits: mlir.Elementwise, Props: []string{"exponent_bits", "mantissa_bits"},
		Syntax: form(operands(1), comma, word("format"), equal, floatFormat{}, attrDict{}, oneType{})},
	{Name: "stablehlo.einsum", Props: []string{"einsum_config"},
		Syntax: form(operands(2), named("config", attr{Name: "einsum_config", Kind: stringValue}), attrDict{}, funcType{})},
	{Name: "stablehlo.unary_einsum", Props: []string{"einsum_config"},
		Syntax: form(operands(1), named("config", attr{Name: "einsum_config", Kind: stringValue}), attrDict{}, funcType{})},
	{Name: "stablehlo.replica_id", Syntax: form(attrDict{}, typeList{})},
	{Name: "stablehlo.partition_id", Syntax: form(attrDict{}, typeList{})},
	{Name: "stablehlo.create_token", Traits: mlir.Effects, Syntax: form(attrDict{}, typeList{})},
	{Name: "stablehlo.after_all", Traits: mlir.Effects, Syntax: form(operands(-2), attrDict{}, oneType{})},

	{Name: "interpreter.run_parallel", Traits: mlir.Effects, Props: []string{"infeed", "programs"}},
	{Name: "stablehlo.reduce_window", Regions: 1, Props: []string{"window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding"}},
	{Name: "stablehlo.select_and_scatter", Regions: 2, Props: []string{"window_dimensions", "window_strides", "padding"}},
	{Name: "stablehlo.map", Regions: 1, Props: []string{"dimensions"}},
	{Name: "stablehlo.dynamic_gather", Props: []string{"dimension_numbers", "indices_are_sorted"},
		Static: &mlir.Static{Name: "stablehlo.gather", Parts: []mlir.StaticPart{{Operand: 2, Attr: "slice_sizes"}}}},
	{Name: "stablehlo.dynamic_conv", Props: []string{"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal", "dimension_numbers", "feature_group_count", "batch_group_count", "precision_config"},
		Static: &mlir.Static{Name: "stablehlo.convolution", Parts: []mlir.StaticPart{{Operand: 2, Attr: "padding"}}}},
	{Name: "stablehlo.convolution",
		Props: []string{"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal", "dimension_numbers",
			"feature_group_count", "batch_group_count", "precision_config"},
		Syntax: form(convSyntax{}, attrDict{}, funcType{})},
	{Name: "stablehlo.triangular_solve", Props: []string{"left_side", "lower", "unit_diagonal", "transpose_a"}},
	{Name: "stablehlo.tuple", Syntax: form(operands(-2), attrDict{}, tupleType{})},
	{Name: "stablehlo.get_tuple_element", Props: []string{"index"},
		Syntax: form(operands(1), indexIn{name: "index"}, attrDict{}, funcType{})},
	{Name: "stablehlo.all_gather", Props: []string{"all_gather_dim", "replica_groups", "channel_handle", "use_global_device_ids"}, Traits: mlir.Async | mlir.Effects},
	{Name: "stablehlo.all_reduce", Regions: 1, Props: []string{"replica_groups", "channel_handle", "use_global_device_ids"}, Traits: mlir.Async | mlir.Effects},
	{Name: "stablehlo.reduce_scatter", Regions: 1, Props: []string{"scatter_dimension", "replica_groups", "channel_handle", "use_global_device_ids"}, Traits: mlir.Async | mlir.Effects},
	{Name: "stablehlo.all_to_all", Props: []string{"split_dimension", "concat_dimension", "split_count", "replica_groups", "channel_handle"}, Traits: mlir.Async | mlir.Effects},
	{Name: "stablehlo.collective_broadcast", Props: []string{"replica_groups", "channel_handle", "has_dynamic_root"}, Traits: mlir.Async | mlir.Effects},
	{Name: "stablehlo.collective_permute", Props: []string{"source_target_pairs", "channel_handle"}, Traits: mlir.Async | mlir.Effects},
	{Name: "stablehlo.collective_reduce", Traits: mlir.Effects, Regions: 1, Props: []string{"replica_groups", "channel_handle", "use_global_device_ids", "has_dynamic_root"}},
	{Name: "stablehlo.async_start", Traits: mlir.Effects, Regions: 1},
	{Name: "stablehlo.async_done", Traits: mlir.Effects},
	{Name: "stablehlo.send", Traits: mlir.Effects, Props: []string{"channel_handle", "is_host_transfer", "source_target_pairs"}},
	{Name: "stablehlo.recv", Traits: mlir.Effects, Props: []string{"channel_handle", "is_host_transfer", "source_target_pairs"}},
	{Name: "stablehlo.infeed", Traits: mlir.Effects, Props: []string{"infeed_config", "layout"}},
	{Name: "stablehlo.outfeed", Traits: mlir.Effects, Props: []string{"outfeed_config"}},
	{Name: "stablehlo.cross-replica-sum", Traits: mlir.Effects, Props: []string{"replica_groups"}},
	{Name: "stablehlo.torch_index_select", Props: []string{"dim", "batch_dims"}},
	{Name: "stablehlo.batch_norm_grad", Props: []string{"epsilon", "feature_index"}},
	{Name: "stablehlo.batch_norm_inference", Props: []string{"epsilon", "feature_index"}},
	{Name: "stablehlo.batch_norm_training", Props: []string{"epsilon", "feature_index"}},

	{Name: "stablehlo.optimization_barrier", Traits: mlir.Effects, Syntax: syntax{barrierSyntax{}}},
}

func unaryOp(name string) opDef {
	return opDef{Name: "stablehlo." + name, Syntax: form(operands(1), attrDict{}, oneType{}), Traits: mlir.Elementwise}
}

// mathOp is a function, whose accuracy can be asked for.
func mathOp(name string) opDef {
	d := unaryOp(name)
	d.Props = []string{"result_accuracy"}
	return d
}

func binaryOp(name string) opDef {
	return opDef{Name: "stablehlo." + name, Syntax: form(operands(2), attrDict{}, oneType{}), Traits: mlir.Elementwise}
}

func commutative(d opDef) opDef {
	d.Traits |= mlir.Commutative
	return d
}
