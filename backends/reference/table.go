package reference

import "ltc/mlir"

// opRow is what the evaluator knows of an op; what is true of it in every
// program stands in the row of package mlir.
type opRow struct {
	prepare prepareFunc
	// shape is nil for ops whose results always have the shapes that the text
	// gives, or shapes that are values: see resolve.
	shape shapeRule
	// quantized says how it takes quantized tensors.
	quantized quantForm
}

// opTable has a row for each op that runs. Rows of dynamic ops are made from
// those of the ops that they become. It is filled by init only because ops with
// regions lead back to it.
var opTable map[string]opRow

func init() {
	opTable = map[string]opRow{
		"check.expect_serialized_eq":       {prepare: prepareExpectSerialized},
		"func.call":                        {prepare: prepareCall, quantized: onStorage},
		"interpreter.print":                {prepare: preparePrint},
		"interpreter.probe":                {prepare: prepareProbe},
		"interpreter.run_parallel":         {prepare: prepareRunParallel},
		"stablehlo.abs":                    {prepare: prepareParts, shape: inferFirst},
		"stablehlo.add":                    {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.after_all":              {prepare: prepareToken, quantized: onStorage},
		"stablehlo.all_gather":             {prepare: prepareAllGather, quantized: onStorage},
		"stablehlo.all_reduce":             {prepare: prepareAllReduce, shape: inferEach, quantized: onStorage},
		"stablehlo.all_to_all":             {prepare: prepareAllToAll, shape: inferAllToAll, quantized: onStorage},
		"stablehlo.and":                    {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.async_done":             {prepare: prepareRegroup, quantized: onStorage},
		"stablehlo.async_start":            {prepare: prepareAsyncStart, quantized: onStorage},
		"stablehlo.atan2":                  {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.batch_norm_grad":        {prepare: prepareBatchNorm, shape: inferNormalized},
		"stablehlo.batch_norm_inference":   {prepare: prepareBatchNorm, shape: inferFirst},
		"stablehlo.batch_norm_training":    {prepare: prepareBatchNorm, shape: inferNormalized},
		"stablehlo.bitcast_convert":        {prepare: prepareBitcast, shape: inferBitcast, quantized: onStorage},
		"stablehlo.broadcast":              {prepare: prepareBroadcastPrefix, shape: inferBroadcast, quantized: onStorage},
		"stablehlo.broadcast_in_dim":       {prepare: prepareBroadcast, quantized: onStorage},
		"stablehlo.case":                   {prepare: prepareCase, quantized: onStorage},
		"stablehlo.cbrt":                   {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.ceil":                   {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.cholesky":               {prepare: prepareCholesky, shape: inferFirst},
		"stablehlo.clamp":                  {prepare: prepareClamp, shape: inferSecond},
		"stablehlo.collective_broadcast":   {prepare: prepareCollectiveBroadcast, shape: inferEach, quantized: onStorage},
		"stablehlo.collective_permute":     {prepare: prepareCollectivePermute, shape: inferFirst, quantized: onStorage},
		"stablehlo.collective_reduce":      {prepare: prepareCollectiveReduce, shape: inferEach},
		"stablehlo.compare":                {prepare: prepareCompare, shape: inferFirst},
		"stablehlo.complex":                {prepare: prepareComplex, shape: inferFirst},
		"stablehlo.composite":              {prepare: prepareComposite, quantized: onStorage},
		"stablehlo.concatenate":            {prepare: prepareConcatenate, shape: inferConcatenate, quantized: onStorage},
		"stablehlo.constant":               {prepare: prepareConstant, quantized: onStorage},
		"stablehlo.convert":                {prepare: prepareConvert, shape: inferFirst},
		"stablehlo.convolution":            {prepare: prepareConvolution, shape: inferConvolution},
		"stablehlo.cosine":                 {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.count_leading_zeros":    {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.create_token":           {prepare: prepareToken},
		"stablehlo.cross-replica-sum":      {prepare: prepareAllReduce, shape: inferFirst},
		"stablehlo.custom_call":            {prepare: prepareCustomCall},
		"stablehlo.divide":                 {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.dot":                    {prepare: prepareVectorDot, shape: inferDot},
		"stablehlo.dot_general":            {prepare: prepareDot, shape: inferDotGeneral},
		"stablehlo.dynamic_slice":          {prepare: prepareDynamicSlice, shape: inferDynamicSlice, quantized: onStorage},
		"stablehlo.dynamic_update_slice":   {prepare: prepareDynamicUpdateSlice, shape: inferFirst, quantized: onStorage},
		"stablehlo.einsum":                 {prepare: prepareEinsum},
		"stablehlo.exponential":            {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.exponential_minus_one":  {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.fft":                    {prepare: prepareFFT, shape: inferFFT},
		"stablehlo.floor":                  {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.gather":                 {prepare: prepareGather, shape: inferGather, quantized: onStorage},
		"stablehlo.get_dimension_size":     {prepare: prepareDimensionSize, quantized: onStorage},
		"stablehlo.get_tuple_element":      {prepare: prepareTupleElement, quantized: onStorage},
		"stablehlo.if":                     {prepare: prepareIf, quantized: onStorage},
		"stablehlo.imag":                   {prepare: prepareParts, shape: inferFirst},
		"stablehlo.infeed":                 {prepare: prepareInfeed},
		"stablehlo.iota":                   {prepare: prepareIota},
		"stablehlo.is_finite":              {prepare: prepareIsFinite, shape: inferFirst},
		"stablehlo.log":                    {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.log_plus_one":           {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.logistic":               {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.map":                    {prepare: prepareMap, shape: inferFirst, quantized: onStorage},
		"stablehlo.maximum":                {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.minimum":                {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.multiply":               {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.negate":                 {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.not":                    {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.optimization_barrier":   {prepare: prepareRegroup, quantized: onStorage},
		"stablehlo.or":                     {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.outfeed":                {prepare: prepareOutfeed},
		"stablehlo.pad":                    {prepare: preparePad, shape: inferPad, quantized: onStorage},
		"stablehlo.partition_id":           {prepare: prepareProcessID},
		"stablehlo.popcnt":                 {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.power":                  {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.real":                   {prepare: prepareParts, shape: inferFirst},
		"stablehlo.recv":                   {prepare: prepareRecv},
		"stablehlo.reduce":                 {prepare: prepareReduce, shape: inferReduce, quantized: withBody},
		"stablehlo.reduce_precision":       {prepare: prepareReducePrecision, shape: inferFirst},
		"stablehlo.reduce_scatter":         {prepare: prepareReduceScatter, quantized: onStorage},
		"stablehlo.reduce_window":          {prepare: prepareReduceWindow, shape: inferReduceWindow, quantized: withBody},
		"stablehlo.remainder":              {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.replica_id":             {prepare: prepareProcessID},
		"stablehlo.reshape":                {prepare: prepareReshape, shape: inferReshape, quantized: onStorage},
		"stablehlo.reverse":                {prepare: prepareReverse, shape: inferFirst, quantized: onStorage},
		"stablehlo.rng":                    {prepare: prepareRng},
		"stablehlo.rng_bit_generator":      {prepare: prepareBits},
		"stablehlo.round_nearest_afz":      {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.round_nearest_even":     {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.rsqrt":                  {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.scatter":                {prepare: prepareScatter, shape: inferEach, quantized: withBody},
		"stablehlo.select":                 {prepare: prepareSelect, shape: inferSecond},
		"stablehlo.select_and_scatter":     {prepare: prepareSelectAndScatter, shape: inferFirst, quantized: withBody},
		"stablehlo.send":                   {prepare: prepareSend},
		"stablehlo.set_dimension_size":     {prepare: prepareSetDimensionSize, quantized: onStorage},
		"stablehlo.shift_left":             {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.shift_right_arithmetic": {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.shift_right_logical":    {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.sign":                   {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.sine":                   {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.slice":                  {prepare: prepareSlice, shape: inferSlice, quantized: onStorage},
		"stablehlo.sort":                   {prepare: prepareSort, shape: inferEach, quantized: onStorage},
		"stablehlo.sqrt":                   {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.subtract":               {prepare: prepareBinary, shape: inferFirst},
		"stablehlo.tan":                    {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.tanh":                   {prepare: prepareUnary, shape: inferFirst},
		"stablehlo.torch_index_select":     {prepare: prepareIndexSelect, shape: inferIndexSelect, quantized: onStorage},
		"stablehlo.transpose":              {prepare: prepareTranspose, shape: inferTranspose, quantized: onStorage},
		"stablehlo.triangular_solve":       {prepare: prepareTriangularSolve, shape: inferSecond},
		"stablehlo.tuple":                  {prepare: prepareRegroup, quantized: onStorage},
		"stablehlo.unary_einsum":           {prepare: prepareEinsum},
		"stablehlo.uniform_dequantize":     {prepare: prepareUniformDequantize, shape: inferFirst, quantized: onStorage},
		"stablehlo.uniform_quantize":       {prepare: prepareUniformQuantize, shape: inferFirst, quantized: onStorage},
		"stablehlo.while":                  {prepare: prepareWhile, quantized: onStorage},
		"stablehlo.xor":                    {prepare: prepareBinary, shape: inferFirst},
	}
	for _, name := range mlir.OpNames() {
		if info, _ := mlir.Info(name); info.Static != nil {
			opTable[name] = opRow{prepare: prepareDynamic, quantized: opTable[info.Static.Op].quantized}
		}
	}
	for name := range realFunctions {
		if _, known := mlir.Info("chlo." + name); known {
			opTable["chlo."+name] = opRow{prepare: prepareUnary, shape: inferFirst}
		}
	}
}
