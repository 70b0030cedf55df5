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
	opTable = stablehlo.Table(rows{})
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

// rows are the ops' rows.
type rows struct{}

func (rows) Abs() opRow { return opRow{prepare: prepareParts, shape: inferFirst} }
func (rows) Add() opRow { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) AfterAll() opRow {
	return opRow{prepare: prepareToken, unshaped: isToken, quantized: onStorage}
}
func (rows) AllGather() opRow {
	return opRow{prepare: prepareAllGather, unshaped: ofPartners, quantized: onStorage}
}
func (rows) AllReduce() opRow {
	return opRow{prepare: prepareAllReduce, shape: inferEach, quantized: onStorage}
}
func (rows) AllToAll() opRow {
	return opRow{prepare: prepareAllToAll, shape: inferAllToAll, quantized: onStorage}
}
func (rows) And() opRow { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) AsyncDone() opRow {
	return opRow{prepare: prepareRegroup, unshaped: isOperands, quantized: onStorage}
}
func (rows) AsyncStart() opRow {
	return opRow{prepare: prepareAsyncStart, unshaped: isOfRegion, quantized: onStorage}
}
func (rows) Atan2() opRow              { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) BatchNormGrad() opRow      { return opRow{prepare: prepareBatchNorm, shape: inferNormalized} }
func (rows) BatchNormInference() opRow { return opRow{prepare: prepareBatchNorm, shape: inferFirst} }
func (rows) BatchNormTraining() opRow {
	return opRow{prepare: prepareBatchNorm, shape: inferNormalized}
}
func (rows) BitcastConvert() opRow {
	return opRow{prepare: prepareBitcast, shape: inferBitcast, quantized: onStorage}
}
func (rows) Broadcast() opRow {
	return opRow{prepare: prepareBroadcastPrefix, shape: inferBroadcast, quantized: onStorage}
}
func (rows) BroadcastInDim() opRow {
	return opRow{prepare: prepareBroadcast, unshaped: textAlone, quantized: onStorage}
}
func (rows) Case() opRow {
	return opRow{prepare: prepareCase, unshaped: isOfRegion, quantized: onStorage}
}
func (rows) Cbrt() opRow     { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) Ceil() opRow     { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) Cholesky() opRow { return opRow{prepare: prepareCholesky, shape: inferFirst} }
func (rows) Clamp() opRow    { return opRow{prepare: prepareClamp, shape: inferSecond} }
func (rows) CollectiveBroadcast() opRow {
	return opRow{prepare: prepareCollectiveBroadcast, shape: inferEach, quantized: onStorage}
}
func (rows) CollectivePermute() opRow {
	return opRow{prepare: prepareCollectivePermute, shape: inferFirst, quantized: onStorage}
}
func (rows) CollectiveReduce() opRow {
	return opRow{prepare: prepareCollectiveReduce, shape: inferEach}
}
func (rows) Compare() opRow { return opRow{prepare: prepareCompare, shape: inferFirst} }
func (rows) Complex() opRow { return opRow{prepare: prepareComplex, shape: inferFirst} }
func (rows) Composite() opRow {
	return opRow{prepare: prepareComposite, unshaped: isOfRegion, quantized: onStorage}
}
func (rows) Concatenate() opRow {
	return opRow{prepare: prepareConcatenate, shape: inferConcatenate, quantized: onStorage}
}
func (rows) Constant() opRow {
	return opRow{prepare: prepareConstant, unshaped: textAlone, quantized: onStorage}
}
func (rows) Convert() opRow           { return opRow{prepare: prepareConvert, shape: inferFirst} }
func (rows) Convolution() opRow       { return opRow{prepare: prepareConvolution, shape: inferConvolution} }
func (rows) Cosine() opRow            { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) CountLeadingZeros() opRow { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) CreateToken() opRow       { return opRow{prepare: prepareToken, unshaped: isToken} }
func (rows) CrossReplicaSum() opRow   { return opRow{prepare: prepareAllReduce, shape: inferFirst} }
func (rows) CustomCall() opRow        { return opRow{prepare: prepareCustomCall, unshaped: textAlone} }
func (rows) Divide() opRow            { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) Dot() opRow               { return opRow{prepare: prepareVectorDot, shape: inferDot} }
func (rows) DotGeneral() opRow        { return opRow{prepare: prepareDot, shape: inferDotGeneral} }
func (rows) DynamicApproxTopK() opRow { return opRow{unprepared: lowered} }
func (rows) DynamicSlice() opRow {
	return opRow{prepare: prepareDynamicSlice, shape: inferDynamicSlice, quantized: onStorage}
}
func (rows) DynamicTopK() opRow { return opRow{unprepared: lowered} }
func (rows) DynamicUpdateSlice() opRow {
	return opRow{prepare: prepareDynamicUpdateSlice, shape: inferFirst, quantized: onStorage}
}
func (rows) Einsum() opRow              { return opRow{prepare: prepareEinsum, unshaped: olderDialect} }
func (rows) Exponential() opRow         { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) ExponentialMinusOne() opRow { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) FFT() opRow                 { return opRow{prepare: prepareFFT, shape: inferFFT} }
func (rows) Floor() opRow               { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) Gather() opRow {
	return opRow{prepare: prepareGather, shape: inferGather, quantized: onStorage}
}
func (rows) GetDimensionSize() opRow {
	return opRow{prepare: prepareDimensionSize, unshaped: isScalar, quantized: onStorage}
}
func (rows) GetTupleElement() opRow {
	return opRow{prepare: prepareTupleElement, unshaped: "a part of the operand has it", quantized: onStorage}
}
func (rows) If() opRow         { return opRow{prepare: prepareIf, unshaped: isOfRegion, quantized: onStorage} }
func (rows) Imag() opRow       { return opRow{prepare: prepareParts, shape: inferFirst} }
func (rows) Infeed() opRow     { return opRow{prepare: prepareInfeed, unshaped: textAlone} }
func (rows) Iota() opRow       { return opRow{prepare: prepareIota, unshaped: textAlone} }
func (rows) IsFinite() opRow   { return opRow{prepare: prepareIsFinite, shape: inferFirst} }
func (rows) Log() opRow        { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) LogPlusOne() opRow { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) Logistic() opRow   { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) Map() opRow        { return opRow{prepare: prepareMap, shape: inferFirst, quantized: onStorage} }
func (rows) Maximum() opRow    { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) Minimum() opRow    { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) Multiply() opRow   { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) Negate() opRow     { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) Not() opRow        { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) OptimizationBarrier() opRow {
	return opRow{prepare: prepareRegroup, unshaped: isOperands, quantized: onStorage}
}
func (rows) Or() opRow              { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) Outfeed() opRow         { return opRow{prepare: prepareOutfeed, unshaped: isToken} }
func (rows) Pad() opRow             { return opRow{prepare: preparePad, shape: inferPad, quantized: onStorage} }
func (rows) PartitionID() opRow     { return opRow{prepare: prepareProcessID, unshaped: isScalar} }
func (rows) Popcnt() opRow          { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) Power() opRow           { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) RNG() opRow             { return opRow{prepare: prepareRng, unshaped: isValue} }
func (rows) RNGBitGenerator() opRow { return opRow{prepare: prepareBits, unshaped: textAlone} }
func (rows) Real() opRow            { return opRow{prepare: prepareParts, shape: inferFirst} }
func (rows) Recv() opRow            { return opRow{prepare: prepareRecv, unshaped: textAlone} }
func (rows) Reduce() opRow {
	return opRow{prepare: prepareReduce, shape: inferReduce, quantized: withBody}
}
func (rows) ReducePrecision() opRow { return opRow{prepare: prepareReducePrecision, shape: inferFirst} }
func (rows) ReduceScatter() opRow {
	return opRow{prepare: prepareReduceScatter, unshaped: ofPartners, quantized: onStorage}
}
func (rows) ReduceWindow() opRow {
	return opRow{prepare: prepareReduceWindow, shape: inferReduceWindow, quantized: withBody}
}
func (rows) Remainder() opRow { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) ReplicaID() opRow { return opRow{prepare: prepareProcessID, unshaped: isScalar} }
func (rows) Reshape() opRow {
	return opRow{prepare: prepareReshape, shape: inferReshape, quantized: onStorage}
}
func (rows) Reverse() opRow {
	return opRow{prepare: prepareReverse, shape: inferFirst, quantized: onStorage}
}
func (rows) RoundNearestAfz() opRow  { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) RoundNearestEven() opRow { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) Rsqrt() opRow            { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) Scatter() opRow {
	return opRow{prepare: prepareScatter, shape: inferEach, quantized: withBody}
}
func (rows) Select() opRow { return opRow{prepare: prepareSelect, shape: inferSecond} }
func (rows) SelectAndScatter() opRow {
	return opRow{prepare: prepareSelectAndScatter, shape: inferFirst, quantized: withBody}
}
func (rows) Send() opRow { return opRow{prepare: prepareSend, unshaped: isToken} }
func (rows) SetDimensionSize() opRow {
	return opRow{prepare: prepareSetDimensionSize, unshaped: isValue, quantized: onStorage}
}
func (rows) ShiftLeft() opRow            { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) ShiftRightArithmetic() opRow { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) ShiftRightLogical() opRow    { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) Sign() opRow                 { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) Sine() opRow                 { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) Slice() opRow {
	return opRow{prepare: prepareSlice, shape: inferSlice, quantized: onStorage}
}
func (rows) Sort() opRow     { return opRow{prepare: prepareSort, shape: inferEach, quantized: onStorage} }
func (rows) Sqrt() opRow     { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) Subtract() opRow { return opRow{prepare: prepareBinary, shape: inferFirst} }
func (rows) Tan() opRow      { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) Tanh() opRow     { return opRow{prepare: prepareUnary, shape: inferFirst} }
func (rows) TorchIndexSelect() opRow {
	return opRow{prepare: prepareIndexSelect, shape: inferIndexSelect, quantized: onStorage}
}
func (rows) Transpose() opRow {
	return opRow{prepare: prepareTranspose, shape: inferTranspose, quantized: onStorage}
}
func (rows) TriangularSolve() opRow {
	return opRow{prepare: prepareTriangularSolve, shape: inferSecond}
}
func (rows) Tuple() opRow {
	return opRow{prepare: prepareRegroup, unshaped: isOperands, quantized: onStorage}
}
func (rows) UnaryEinsum() opRow { return opRow{prepare: prepareEinsum, unshaped: olderDialect} }
func (rows) UniformDequantize() opRow {
	return opRow{prepare: prepareUniformDequantize, shape: inferFirst, quantized: onStorage}
}
func (rows) UniformQuantize() opRow {
	return opRow{prepare: prepareUniformQuantize, shape: inferFirst, quantized: onStorage}
}
func (rows) While() opRow {
	return opRow{prepare: prepareWhile, unshaped: isOfRegion, quantized: onStorage}
}
func (rows) Xor() opRow { return opRow{prepare: prepareBinary, shape: inferFirst} }
