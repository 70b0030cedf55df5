package reference

import (
	"ltc/mlir"
	"ltc/stablehlo"
)

// opRow is what the evaluator knows of an op; what is true of it in every
// program stands in the row of package mlir.
type opRow struct {
	prepare prepareFunc
	// unprepared says why there is no prepare.
	unprepared string
	// shape is nil for ops whose results always have the shapes that the text
	// gives, or shapes that are values: see resolve.
	shape shapeRule
	// unshaped says where the shape comes from if there is no rule.
	unshaped string
	// quantized says how it takes quantized tensors.
	quantized quantForm
}

// opTable has the row of each op, by code. Rows of dynamic ops are made from those of
// the ops that they become. It is filled by init only because ops with regions lead back
// to it.
var opTable []opRow

func init() {
	opTable = stablehlo.Table[opRow](opRows{})
	opTable[mlir.OpCall] = opRow{prepare: prepareCall, quantized: onStorage}
	opTable[stablehlo.CheckExpectSerializedEq] = opRow{prepare: prepareExpectSerialized}
	opTable[stablehlo.InterpreterPrint] = opRow{prepare: preparePrint}
	opTable[stablehlo.InterpreterProbe] = opRow{prepare: prepareProbe}
	opTable[stablehlo.InterpreterRunParallel] = opRow{prepare: prepareRunParallel}
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

// Where shapes come from that no rule gives.
const (
	isToken      = "a token has none"
	isScalar     = "it is a scalar"
	isOperands   = "the operands have it"
	isOfRegion   = "what a region or a function returns has it"
	isValue      = "it is a value of the program"
	textAlone    = "nothing but the text tells it"
	ofPartners   = "the number of partners is known to the run"
	olderDialect = "the op is of an older dialect, and refused with sizes left open"
)

// lowered says why an op is not prepared.
const lowered = "package chlo has written other ops for it"

// opRows are the rows.
type opRows struct{}

func (opRows) Abs() opRow { return opRow{prepare: prepareParts, shape: inferFirst} }
func (opRows) Add() opRow { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) AfterAll() opRow {
	return opRow{prepare: prepareToken, unshaped: isToken, quantized: onStorage}
}
func (opRows) AllGather() opRow {
	return opRow{prepare: prepareAllGather, unshaped: ofPartners, quantized: onStorage}
}
func (opRows) AllReduce() opRow {
	return opRow{prepare: prepareAllReduce, shape: inferEach, quantized: onStorage}
}
func (opRows) AllToAll() opRow {
	return opRow{prepare: prepareAllToAll, shape: inferAllToAll, quantized: onStorage}
}
func (opRows) And() opRow { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) AsyncDone() opRow {
	return opRow{prepare: prepareRegroup, unshaped: isOperands, quantized: onStorage}
}
func (opRows) AsyncStart() opRow {
	return opRow{prepare: prepareAsyncStart, unshaped: isOfRegion, quantized: onStorage}
}
func (opRows) Atan2() opRow              { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) BatchNormGrad() opRow      { return opRow{prepare: prepareBatchNorm, shape: inferNormalized} }
func (opRows) BatchNormInference() opRow { return opRow{prepare: prepareBatchNorm, shape: inferFirst} }
func (opRows) BatchNormTraining() opRow {
	return opRow{prepare: prepareBatchNorm, shape: inferNormalized}
}
func (opRows) BitcastConvert() opRow {
	return opRow{prepare: prepareBitcast, shape: inferBitcast, quantized: onStorage}
}
func (opRows) Broadcast() opRow {
	return opRow{prepare: prepareBroadcastPrefix, shape: inferBroadcast, quantized: onStorage}
}
func (opRows) BroadcastInDim() opRow {
	return opRow{prepare: prepareBroadcast, unshaped: textAlone, quantized: onStorage}
}
func (opRows) Case() opRow {
	return opRow{prepare: prepareCase, unshaped: isOfRegion, quantized: onStorage}
}
func (opRows) Cbrt() opRow     { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) Ceil() opRow     { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) Cholesky() opRow { return opRow{prepare: prepareCholesky, shape: inferFirst} }
func (opRows) Clamp() opRow    { return opRow{prepare: prepareClamp, shape: inferSecond} }
func (opRows) CollectiveBroadcast() opRow {
	return opRow{prepare: prepareCollectiveBroadcast, shape: inferEach, quantized: onStorage}
}
func (opRows) CollectivePermute() opRow {
	return opRow{prepare: prepareCollectivePermute, shape: inferFirst, quantized: onStorage}
}
func (opRows) CollectiveReduce() opRow {
	return opRow{prepare: prepareCollectiveReduce, shape: inferEach}
}
func (opRows) Compare() opRow { return opRow{prepare: prepareCompare, shape: inferFirst} }
func (opRows) Complex() opRow { return opRow{prepare: prepareComplex, shape: inferFirst} }
func (opRows) Composite() opRow {
	return opRow{prepare: prepareComposite, unshaped: isOfRegion, quantized: onStorage}
}
func (opRows) Concatenate() opRow {
	return opRow{prepare: prepareConcatenate, shape: inferConcatenate, quantized: onStorage}
}
func (opRows) Constant() opRow {
	return opRow{prepare: prepareConstant, unshaped: textAlone, quantized: onStorage}
}
func (opRows) Convert() opRow           { return opRow{prepare: prepareConvert, shape: inferFirst} }
func (opRows) Convolution() opRow       { return opRow{prepare: prepareConvolution, shape: inferConvolution} }
func (opRows) Cosine() opRow            { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) CountLeadingZeros() opRow { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) CreateToken() opRow       { return opRow{prepare: prepareToken, unshaped: isToken} }
func (opRows) CrossReplicaSum() opRow   { return opRow{prepare: prepareAllReduce, shape: inferFirst} }
func (opRows) CustomCall() opRow        { return opRow{prepare: prepareCustomCall, unshaped: textAlone} }
func (opRows) Divide() opRow            { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) Dot() opRow               { return opRow{prepare: prepareVectorDot, shape: inferDot} }
func (opRows) DotGeneral() opRow        { return opRow{prepare: prepareDot, shape: inferDotGeneral} }
func (opRows) DynamicApproxTopK() opRow { return opRow{unprepared: lowered} }
func (opRows) DynamicSlice() opRow {
	return opRow{prepare: prepareDynamicSlice, shape: inferDynamicSlice, quantized: onStorage}
}
func (opRows) DynamicTopK() opRow { return opRow{unprepared: lowered} }
func (opRows) DynamicUpdateSlice() opRow {
	return opRow{prepare: prepareDynamicUpdateSlice, shape: inferFirst, quantized: onStorage}
}
func (opRows) Einsum() opRow              { return opRow{prepare: prepareEinsum, unshaped: olderDialect} }
func (opRows) Exponential() opRow         { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) ExponentialMinusOne() opRow { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) FFT() opRow                 { return opRow{prepare: prepareFFT, shape: inferFFT} }
func (opRows) Floor() opRow               { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) Gather() opRow {
	return opRow{prepare: prepareGather, shape: inferGather, quantized: onStorage}
}
func (opRows) GetDimensionSize() opRow {
	return opRow{prepare: prepareDimensionSize, unshaped: isScalar, quantized: onStorage}
}
func (opRows) GetTupleElement() opRow {
	return opRow{prepare: prepareTupleElement, unshaped: "a part of the operand has it", quantized: onStorage}
}
func (opRows) If() opRow {
	return opRow{prepare: prepareIf, unshaped: isOfRegion, quantized: onStorage}
}
func (opRows) Imag() opRow       { return opRow{prepare: prepareParts, shape: inferFirst} }
func (opRows) Infeed() opRow     { return opRow{prepare: prepareInfeed, unshaped: textAlone} }
func (opRows) Iota() opRow       { return opRow{prepare: prepareIota, unshaped: textAlone} }
func (opRows) IsFinite() opRow   { return opRow{prepare: prepareIsFinite, shape: inferFirst} }
func (opRows) Log() opRow        { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) LogPlusOne() opRow { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) Logistic() opRow   { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) Map() opRow        { return opRow{prepare: prepareMap, shape: inferFirst, quantized: onStorage} }
func (opRows) Maximum() opRow    { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) Minimum() opRow    { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) Multiply() opRow   { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) Negate() opRow     { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) Not() opRow        { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) OptimizationBarrier() opRow {
	return opRow{prepare: prepareRegroup, unshaped: isOperands, quantized: onStorage}
}
func (opRows) Or() opRow              { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) Outfeed() opRow         { return opRow{prepare: prepareOutfeed, unshaped: isToken} }
func (opRows) Pad() opRow             { return opRow{prepare: preparePad, shape: inferPad, quantized: onStorage} }
func (opRows) PartitionID() opRow     { return opRow{prepare: prepareProcessID, unshaped: isScalar} }
func (opRows) Popcnt() opRow          { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) Power() opRow           { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) RNG() opRow             { return opRow{prepare: prepareRng, unshaped: isValue} }
func (opRows) RNGBitGenerator() opRow { return opRow{prepare: prepareBits, unshaped: textAlone} }
func (opRows) Real() opRow            { return opRow{prepare: prepareParts, shape: inferFirst} }
func (opRows) Recv() opRow            { return opRow{prepare: prepareRecv, unshaped: textAlone} }
func (opRows) Reduce() opRow {
	return opRow{prepare: prepareReduce, shape: inferReduce, quantized: withBody}
}
func (opRows) ReducePrecision() opRow {
	return opRow{prepare: prepareReducePrecision, shape: inferFirst}
}
func (opRows) ReduceScatter() opRow {
	return opRow{prepare: prepareReduceScatter, unshaped: ofPartners, quantized: onStorage}
}
func (opRows) ReduceWindow() opRow {
	return opRow{prepare: prepareReduceWindow, shape: inferReduceWindow, quantized: withBody}
}
func (opRows) Remainder() opRow { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) ReplicaID() opRow { return opRow{prepare: prepareProcessID, unshaped: isScalar} }
func (opRows) Reshape() opRow {
	return opRow{prepare: prepareReshape, shape: inferReshape, quantized: onStorage}
}
func (opRows) Reverse() opRow {
	return opRow{prepare: prepareReverse, shape: inferFirst, quantized: onStorage}
}
func (opRows) RoundNearestAfz() opRow  { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) RoundNearestEven() opRow { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) Rsqrt() opRow            { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) Scatter() opRow {
	return opRow{prepare: prepareScatter, shape: inferEach, quantized: withBody}
}
func (opRows) Select() opRow { return opRow{prepare: prepareSelect, shape: inferSecond} }
func (opRows) SelectAndScatter() opRow {
	return opRow{prepare: prepareSelectAndScatter, shape: inferFirst, quantized: withBody}
}
func (opRows) Send() opRow { return opRow{prepare: prepareSend, unshaped: isToken} }
func (opRows) SetDimensionSize() opRow {
	return opRow{prepare: prepareSetDimensionSize, unshaped: isValue, quantized: onStorage}
}
func (opRows) ShiftLeft() opRow            { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) ShiftRightArithmetic() opRow { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) ShiftRightLogical() opRow    { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) Sign() opRow                 { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) Sine() opRow                 { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) Slice() opRow {
	return opRow{prepare: prepareSlice, shape: inferSlice, quantized: onStorage}
}
func (opRows) Sort() opRow {
	return opRow{prepare: prepareSort, shape: inferEach, quantized: onStorage}
}
func (opRows) Sqrt() opRow     { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) Subtract() opRow { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (opRows) Tan() opRow      { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) Tanh() opRow     { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (opRows) TorchIndexSelect() opRow {
	return opRow{prepare: prepareIndexSelect, shape: inferIndexSelect, quantized: onStorage}
}
func (opRows) Transpose() opRow {
	return opRow{prepare: prepareTranspose, shape: inferTranspose, quantized: onStorage}
}
func (opRows) TriangularSolve() opRow {
	return opRow{prepare: prepareTriangularSolve, shape: inferSecond}
}
func (opRows) Tuple() opRow {
	return opRow{prepare: prepareRegroup, unshaped: isOperands, quantized: onStorage}
}
func (opRows) UnaryEinsum() opRow { return opRow{prepare: prepareEinsum, unshaped: olderDialect} }
func (opRows) UniformDequantize() opRow {
	return opRow{prepare: prepareUniformDequantize, shape: inferFirst, quantized: onStorage}
}
func (opRows) UniformQuantize() opRow {
	return opRow{prepare: prepareUniformQuantize, shape: inferFirst, quantized: onStorage}
}
func (opRows) While() opRow {
	return opRow{prepare: prepareWhile, unshaped: isOfRegion, quantized: onStorage}
}
func (opRows) Xor() opRow { return opRow{prepare: prepareBinary, shape: inferFirst} }
