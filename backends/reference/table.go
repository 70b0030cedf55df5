package reference

// opTable says how each op is prepared. It is filled here, by init only
// because ops with regions lead back to it.
var opTable map[string]prepareFunc

func init() {
	opTable = map[string]prepareFunc{
		"func.call":                      prepareCall,
		"check.expect_serialized_eq":     prepareExpectSerialized,
		"interpreter.print":              preparePrint,
		"interpreter.probe":              prepareProbe,
		"interpreter.run_parallel":       prepareRunParallel,
		"stablehlo.all_gather":           prepareAllGather,
		"stablehlo.all_reduce":           prepareAllReduce,
		"stablehlo.all_to_all":           prepareAllToAll,
		"stablehlo.batch_norm_grad":      prepareBatchNorm,
		"stablehlo.batch_norm_inference": prepareBatchNorm,
		"stablehlo.batch_norm_training":  prepareBatchNorm,
		"stablehlo.broadcast":            prepareBroadcastPrefix,
		"stablehlo.cholesky":             prepareCholesky,
		"stablehlo.collective_broadcast": prepareCollectiveBroadcast,
		"stablehlo.collective_permute":   prepareCollectivePermute,
		"stablehlo.collective_reduce":    prepareCollectiveReduce,
		"stablehlo.cross-replica-sum":    prepareAllReduce,
		"stablehlo.dot":                  prepareVectorDot,
		"stablehlo.einsum":               prepareEinsum,
		"stablehlo.fft":                  prepareFFT,
		"stablehlo.infeed":               prepareInfeed,
		"stablehlo.outfeed":              prepareOutfeed,
		"stablehlo.partition_id":         prepareProcessID,
		"stablehlo.recv":                 prepareRecv,
		"stablehlo.reduce_scatter":       prepareReduceScatter,
		"stablehlo.replica_id":           prepareProcessID,
		"stablehlo.rng":                  prepareRng,
		"stablehlo.rng_bit_generator":    prepareBits,
		"stablehlo.send":                 prepareSend,
		"stablehlo.after_all":            prepareToken,
		"stablehlo.async_done":           prepareRegroup,
		"stablehlo.async_start":          prepareAsyncStart,
		"stablehlo.convolution":          prepareConvolution,
		"stablehlo.create_token":         prepareToken,
		"stablehlo.get_tuple_element":    prepareTupleElement,
		"stablehlo.torch_index_select":   prepareIndexSelect,
		"stablehlo.triangular_solve":     prepareTriangularSolve,
		"stablehlo.tuple":                prepareRegroup,
		"stablehlo.broadcast_in_dim":     prepareBroadcast,
		"stablehlo.bitcast_convert":      prepareBitcast,
		"stablehlo.case":                 prepareCase,
		"stablehlo.clamp":                prepareClamp,
		"stablehlo.compare":              prepareCompare,
		"stablehlo.composite":            prepareComposite,
		"stablehlo.concatenate":          prepareConcatenate,
		"stablehlo.constant":             prepareConstant,
		"stablehlo.convert":              prepareConvert,
		"stablehlo.custom_call":          prepareCustomCall,
		"stablehlo.dot_general":          prepareDot,
		"stablehlo.dynamic_slice":        prepareDynamicSlice,
		"stablehlo.dynamic_update_slice": prepareDynamicUpdateSlice,
		"stablehlo.gather":               prepareGather,
		"stablehlo.get_dimension_size":   prepareDimensionSize,
		"stablehlo.set_dimension_size":   prepareSetDimensionSize,
		"stablehlo.if":                   prepareIf,
		"stablehlo.iota":                 prepareIota,
		"stablehlo.sort":                 prepareSort,
		"stablehlo.select_and_scatter":   prepareSelectAndScatter,
		"stablehlo.reduce_window":        prepareReduceWindow,
		"stablehlo.map":                  prepareMap,
		"stablehlo.is_finite":            prepareIsFinite,
		"stablehlo.optimization_barrier": prepareRegroup,
		"stablehlo.pad":                  preparePad,
		"stablehlo.reduce":               prepareReduce,
		"stablehlo.complex":              prepareComplex,
		"stablehlo.abs":                  prepareParts,
		"stablehlo.imag":                 prepareParts,
		"stablehlo.real":                 prepareParts,
		"stablehlo.reduce_precision":     prepareReducePrecision,
		"stablehlo.reshape":              prepareReshape,
		"stablehlo.reverse":              prepareReverse,
		"stablehlo.scatter":              prepareScatter,
		"stablehlo.select":               prepareSelect,
		"stablehlo.slice":                prepareSlice,
		"stablehlo.transpose":            prepareTranspose,
		"stablehlo.unary_einsum":         prepareEinsum,
		"stablehlo.uniform_dequantize":   prepareUniformDequantize,
		"stablehlo.uniform_quantize":     prepareUniformQuantize,
		"stablehlo.while":                prepareWhile,
	}
	for _, op := range []string{
		"cbrt", "ceil", "cosine", "count_leading_zeros", "exponential", "exponential_minus_one", "floor", "log", "log_plus_one",
		"logistic", "negate", "not", "popcnt", "round_nearest_afz", "round_nearest_even", "rsqrt", "sign", "sine",
		"sqrt", "tan", "tanh",
	} {
		opTable["stablehlo."+op] = prepareUnary
	}
	for _, op := range []string{
		"add", "and", "atan2", "divide", "maximum", "minimum", "multiply", "or", "power", "remainder",
		"shift_left", "shift_right_arithmetic", "shift_right_logical", "subtract", "xor",
	} {
		opTable["stablehlo."+op] = prepareBinary
	}
	for op := range dynamicOps {
		opTable[op] = prepareDynamic
	}
}
