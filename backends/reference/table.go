package reference

import (
	"ltc/mlir"
	"ltc/stablehlo"
)

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
var opTable map[mlir.Code]opRow

func init() {
	opTable = map[mlir.Code]opRow{
		stablehlo.CheckExpectSerializedEq: {prepare: prepareExpectSerialized},
		mlir.OpCall:                       {prepare: prepareCall, quantized: onStorage},
		stablehlo.InterpreterPrint:        {prepare: preparePrint},
		stablehlo.InterpreterProbe:        {prepare: prepareProbe},
		stablehlo.InterpreterRunParallel:  {prepare: prepareRunParallel},
		stablehlo.Abs:                     {prepare: prepareParts, shape: inferFirst},
		stablehlo.Add:                     {prepare: prepareBinary, shape: inferFirst},
		stablehlo.AfterAll:                {prepare: prepareToken, quantized: onStorage},
		stablehlo.AllGather:               {prepare: prepareAllGather, quantized: onStorage},
		stablehlo.AllReduce:               {prepare: prepareAllReduce, shape: inferEach, quantized: onStorage},
		stablehlo.AllToAll:                {prepare: prepareAllToAll, shape: inferAllToAll, quantized: onStorage},
		stablehlo.And:                     {prepare: prepareBinary, shape: inferFirst},
		stablehlo.AsyncDone:               {prepare: prepareRegroup, quantized: onStorage},
		stablehlo.AsyncStart:              {prepare: prepareAsyncStart, quantized: onStorage},
		stablehlo.Atan2:                   {prepare: prepareBinary, shape: inferFirst},
		stablehlo.BatchNormGrad:           {prepare: prepareBatchNorm, shape: inferNormalized},
		stablehlo.BatchNormInference:      {prepare: prepareBatchNorm, shape: inferFirst},
		stablehlo.BatchNormTraining:       {prepare: prepareBatchNorm, shape: inferNormalized},
		stablehlo.BitcastConvert:          {prepare: prepareBitcast, shape: inferBitcast, quantized: onStorage},
		stablehlo.Broadcast:               {prepare: prepareBroadcastPrefix, shape: inferBroadcast, quantized: onStorage},
		stablehlo.BroadcastInDim:          {prepare: prepareBroadcast, quantized: onStorage},
		stablehlo.Case:                    {prepare: prepareCase, quantized: onStorage},
		stablehlo.Cbrt:                    {prepare: prepareUnary, shape: inferFirst},
		stablehlo.Ceil:                    {prepare: prepareUnary, shape: inferFirst},
		stablehlo.Cholesky:                {prepare: prepareCholesky, shape: inferFirst},
		stablehlo.Clamp:                   {prepare: prepareClamp, shape: inferSecond},
		stablehlo.CollectiveBroadcast:     {prepare: prepareCollectiveBroadcast, shape: inferEach, quantized: onStorage},
		stablehlo.CollectivePermute:       {prepare: prepareCollectivePermute, shape: inferFirst, quantized: onStorage},
		stablehlo.CollectiveReduce:        {prepare: prepareCollectiveReduce, shape: inferEach},
		stablehlo.Compare:                 {prepare: prepareCompare, shape: inferFirst},
		stablehlo.Complex:                 {prepare: prepareComplex, shape: inferFirst},
		stablehlo.Composite:               {prepare: prepareComposite, quantized: onStorage},
		stablehlo.Concatenate:             {prepare: prepareConcatenate, shape: inferConcatenate, quantized: onStorage},
		stablehlo.Constant:                {prepare: prepareConstant, quantized: onStorage},
		stablehlo.Convert:                 {prepare: prepareConvert, shape: inferFirst},
		stablehlo.Convolution:             {prepare: prepareConvolution, shape: inferConvolution},
		stablehlo.Cosine:                  {prepare: prepareUnary, shape: inferFirst},
		stablehlo.CountLeadingZeros:       {prepare: prepareUnary, shape: inferFirst},
		stablehlo.CreateToken:             {prepare: prepareToken},
		stablehlo.CrossReplicaSum:         {prepare: prepareAllReduce, shape: inferFirst},
		stablehlo.CustomCall:              {prepare: prepareCustomCall},
		stablehlo.Divide:                  {prepare: prepareBinary, shape: inferFirst},
		stablehlo.Dot:                     {prepare: prepareVectorDot, shape: inferDot},
		stablehlo.DotGeneral:              {prepare: prepareDot, shape: inferDotGeneral},
		stablehlo.DynamicSlice:            {prepare: prepareDynamicSlice, shape: inferDynamicSlice, quantized: onStorage},
		stablehlo.DynamicUpdateSlice:      {prepare: prepareDynamicUpdateSlice, shape: inferFirst, quantized: onStorage},
		stablehlo.Einsum:                  {prepare: prepareEinsum},
		stablehlo.Exponential:             {prepare: prepareUnary, shape: inferFirst},
		stablehlo.ExponentialMinusOne:     {prepare: prepareUnary, shape: inferFirst},
		stablehlo.FFT:                     {prepare: prepareFFT, shape: inferFFT},
		stablehlo.Floor:                   {prepare: prepareUnary, shape: inferFirst},
		stablehlo.Gather:                  {prepare: prepareGather, shape: inferGather, quantized: onStorage},
		stablehlo.GetDimensionSize:        {prepare: prepareDimensionSize, quantized: onStorage},
		stablehlo.GetTupleElement:         {prepare: prepareTupleElement, quantized: onStorage},
		stablehlo.If:                      {prepare: prepareIf, quantized: onStorage},
		stablehlo.Imag:                    {prepare: prepareParts, shape: inferFirst},
		stablehlo.Infeed:                  {prepare: prepareInfeed},
		stablehlo.Iota:                    {prepare: prepareIota},
		stablehlo.IsFinite:                {prepare: prepareIsFinite, shape: inferFirst},
		stablehlo.Log:                     {prepare: prepareUnary, shape: inferFirst},
		stablehlo.LogPlusOne:              {prepare: prepareUnary, shape: inferFirst},
		stablehlo.Logistic:                {prepare: prepareUnary, shape: inferFirst},
		stablehlo.Map:                     {prepare: prepareMap, shape: inferFirst, quantized: onStorage},
		stablehlo.Maximum:                 {prepare: prepareBinary, shape: inferFirst},
		stablehlo.Minimum:                 {prepare: prepareBinary, shape: inferFirst},
		stablehlo.Multiply:                {prepare: prepareBinary, shape: inferFirst},
		stablehlo.Negate:                  {prepare: prepareUnary, shape: inferFirst},
		stablehlo.Not:                     {prepare: prepareUnary, shape: inferFirst},
		stablehlo.OptimizationBarrier:     {prepare: prepareRegroup, quantized: onStorage},
		stablehlo.Or:                      {prepare: prepareBinary, shape: inferFirst},
		stablehlo.Outfeed:                 {prepare: prepareOutfeed},
		stablehlo.Pad:                     {prepare: preparePad, shape: inferPad, quantized: onStorage},
		stablehlo.PartitionID:             {prepare: prepareProcessID},
		stablehlo.Popcnt:                  {prepare: prepareUnary, shape: inferFirst},
		stablehlo.Power:                   {prepare: prepareBinary, shape: inferFirst},
		stablehlo.Real:                    {prepare: prepareParts, shape: inferFirst},
		stablehlo.Recv:                    {prepare: prepareRecv},
		stablehlo.Reduce:                  {prepare: prepareReduce, shape: inferReduce, quantized: withBody},
		stablehlo.ReducePrecision:         {prepare: prepareReducePrecision, shape: inferFirst},
		stablehlo.ReduceScatter:           {prepare: prepareReduceScatter, quantized: onStorage},
		stablehlo.ReduceWindow:            {prepare: prepareReduceWindow, shape: inferReduceWindow, quantized: withBody},
		stablehlo.Remainder:               {prepare: prepareBinary, shape: inferFirst},
		stablehlo.ReplicaID:               {prepare: prepareProcessID},
		stablehlo.Reshape:                 {prepare: prepareReshape, shape: inferReshape, quantized: onStorage},
		stablehlo.Reverse:                 {prepare: prepareReverse, shape: inferFirst, quantized: onStorage},
		stablehlo.RNG:                     {prepare: prepareRng},
		stablehlo.RNGBitGenerator:         {prepare: prepareBits},
		stablehlo.RoundNearestAfz:         {prepare: prepareUnary, shape: inferFirst},
		stablehlo.RoundNearestEven:        {prepare: prepareUnary, shape: inferFirst},
		stablehlo.Rsqrt:                   {prepare: prepareUnary, shape: inferFirst},
		stablehlo.Scatter:                 {prepare: prepareScatter, shape: inferEach, quantized: withBody},
		stablehlo.Select:                  {prepare: prepareSelect, shape: inferSecond},
		stablehlo.SelectAndScatter:        {prepare: prepareSelectAndScatter, shape: inferFirst, quantized: withBody},
		stablehlo.Send:                    {prepare: prepareSend},
		stablehlo.SetDimensionSize:        {prepare: prepareSetDimensionSize, quantized: onStorage},
		stablehlo.ShiftLeft:               {prepare: prepareBinary, shape: inferFirst},
		stablehlo.ShiftRightArithmetic:    {prepare: prepareBinary, shape: inferFirst},
		stablehlo.ShiftRightLogical:       {prepare: prepareBinary, shape: inferFirst},
		stablehlo.Sign:                    {prepare: prepareUnary, shape: inferFirst},
		stablehlo.Sine:                    {prepare: prepareUnary, shape: inferFirst},
		stablehlo.Slice:                   {prepare: prepareSlice, shape: inferSlice, quantized: onStorage},
		stablehlo.Sort:                    {prepare: prepareSort, shape: inferEach, quantized: onStorage},
		stablehlo.Sqrt:                    {prepare: prepareUnary, shape: inferFirst},
		stablehlo.Subtract:                {prepare: prepareBinary, shape: inferFirst},
		stablehlo.Tan:                     {prepare: prepareUnary, shape: inferFirst},
		stablehlo.Tanh:                    {prepare: prepareUnary, shape: inferFirst},
		stablehlo.TorchIndexSelect:        {prepare: prepareIndexSelect, shape: inferIndexSelect, quantized: onStorage},
		stablehlo.Transpose:               {prepare: prepareTranspose, shape: inferTranspose, quantized: onStorage},
		stablehlo.TriangularSolve:         {prepare: prepareTriangularSolve, shape: inferSecond},
		stablehlo.Tuple:                   {prepare: prepareRegroup, quantized: onStorage},
		stablehlo.UnaryEinsum:             {prepare: prepareEinsum},
		stablehlo.UniformDequantize:       {prepare: prepareUniformDequantize, shape: inferFirst, quantized: onStorage},
		stablehlo.UniformQuantize:         {prepare: prepareUniformQuantize, shape: inferFirst, quantized: onStorage},
		stablehlo.While:                   {prepare: prepareWhile, quantized: onStorage},
		stablehlo.Xor:                     {prepare: prepareBinary, shape: inferFirst},
	}
	for code := range mlir.Codes() {
		if static := code.Info().Static; static != nil {
			opTable[code] = opRow{prepare: prepareDynamic, quantized: opTable[static.Op].quantized}
		}
	}
	for name := range realFunctions {
		if code := mlir.CodeOf("chlo." + name); code != 0 {
			opTable[code] = opRow{prepare: prepareUnary, shape: inferFirst}
		}
	}
}
