package eval

import (
	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
	"ltc/stablehlo"
)

// opRow is what the evaluator knows of an op; what is true of it in every
// program stands in the row of package stablehlo.
type opRow struct {
	prepare prepareFunc
	// extends says that an [Extension] runs it, if there is one.
	extends bool
	// unprepared says why there is no prepare.
	unprepared string
	// unshaped says where the results' shapes come from, if not from the operands' by
	// [verify.InferShapes].
	unshaped string
	// quantized says how it takes quantized tensors.
	quantized quantForm
	// splats says that its preparation asks the stride of its operands, or does nothing but
	// share their memory.
	splats bool
}

// opTable has the row of each op, by code. Rows of dynamic ops are made from those of
// the ops that they become. It is filled by init only because ops with regions lead back
// to it.
var opTable []opRow

func init() {
	opTable = stablehlo.Table[opRow](opRows{})
	opTable[mlir.OpCall] = opRow{prepare: prepareCall, unshaped: isOfRegion, quantized: onStorage}
	opTable[stablehlo.CheckExpectSerializedEq] = opRow{prepare: prepareExtension, extends: true}
	opTable[stablehlo.InterpreterPrint] = opRow{prepare: prepareExtension, extends: true}
	opTable[stablehlo.InterpreterProbe] = opRow{prepare: prepareExtension, extends: true}
	opTable[stablehlo.InterpreterRunParallel] = opRow{prepare: prepareExtension, extends: true}
	for code := range mlir.Codes() {
		if static := code.Info().Static; static != nil {
			opTable[code] = opRow{prepare: prepareDynamic, quantized: opTable[static.Op].quantized}
		}
	}
	for code := range mlir.Codes() {
		if loops.IsFunction(code) && opTable[code].prepare == nil { // of CHLO
			opTable[code] = opRow{prepare: prepareUnary}
		}
	}
}

// Where shapes come from that the operands do not tell.
const (
	isToken      = "a token has none"
	isScalar     = "it is a scalar"
	isOperands   = "the operands have it"
	isOfRegion   = "what a region or a function returns has it"
	isValue      = "it is a value of the program"
	textAlone    = "nothing but the text tells it"
	howManyBits  = "nothing but the text tells how many bits"
	ofPartners   = "the number of partners is known to the run"
	olderDialect = "the op is of an older dialect, and refused with sizes left open"
)

// lowered says why an op is not prepared.
const lowered = "package chlo has written other ops for it"

// opRows are the rows.
type opRows struct{}

func (opRows) Function(mlir.Code) opRow { return opRow{prepare: prepareUnary} }

func (opRows) Abs() opRow { return opRow{prepare: prepareParts, splats: true} }
func (opRows) Add() opRow { return opRow{prepare: prepareBinary} }
func (opRows) AfterAll() opRow {
	return opRow{prepare: prepareToken, unshaped: isToken, quantized: onStorage}
}
func (opRows) AllGather() opRow {
	return opRow{prepare: prepareExtension, extends: true, unshaped: ofPartners, quantized: onStorage}
}
func (opRows) AllReduce() opRow {
	return opRow{prepare: prepareExtension, extends: true, quantized: onStorage}
}
func (opRows) AllToAll() opRow {
	return opRow{prepare: prepareExtension, extends: true, quantized: onStorage}
}
func (opRows) And() opRow { return opRow{prepare: prepareBinary} }
func (opRows) AsyncDone() opRow {
	return opRow{prepare: prepareRegroup, unshaped: isOperands, quantized: onStorage}
}
func (opRows) AsyncStart() opRow {
	return opRow{prepare: prepareAsyncStart, unshaped: isOfRegion, quantized: onStorage}
}
func (opRows) Atan2() opRow              { return opRow{prepare: prepareBinary} }
func (opRows) BatchNormGrad() opRow      { return opRow{prepare: prepareBatchNorm} }
func (opRows) BatchNormInference() opRow { return opRow{prepare: prepareBatchNorm} }
func (opRows) BatchNormTraining() opRow {
	return opRow{prepare: prepareBatchNorm}
}
func (opRows) BitcastConvert() opRow {
	return opRow{prepare: prepareBitcast, quantized: onStorage}
}
func (opRows) Broadcast() opRow {
	return opRow{prepare: prepareBroadcastPrefix, quantized: onStorage, splats: true}
}
func (opRows) BroadcastInDim() opRow {
	return opRow{prepare: prepareBroadcast, unshaped: textAlone, quantized: onStorage, splats: true}
}
func (opRows) Case() opRow {
	return opRow{prepare: prepareCase, unshaped: isOfRegion, quantized: onStorage}
}
func (opRows) Ceil() opRow     { return opRow{prepare: prepareUnary} }
func (opRows) Cholesky() opRow { return opRow{prepare: prepareCholesky} }
func (opRows) Clamp() opRow    { return opRow{prepare: prepareClamp} }
func (opRows) CollectiveBroadcast() opRow {
	return opRow{prepare: prepareExtension, extends: true, quantized: onStorage}
}
func (opRows) CollectivePermute() opRow {
	return opRow{prepare: prepareExtension, extends: true, quantized: onStorage}
}
func (opRows) CollectiveReduce() opRow {
	return opRow{prepare: prepareExtension, extends: true}
}
func (opRows) Compare() opRow { return opRow{prepare: prepareCompare, splats: true} }
func (opRows) Complex() opRow { return opRow{prepare: prepareComplex, splats: true} }
func (opRows) Composite() opRow {
	return opRow{prepare: prepareComposite, unshaped: isOfRegion, quantized: onStorage}
}
func (opRows) Concatenate() opRow {
	return opRow{prepare: prepareConcatenate, quantized: onStorage}
}
func (opRows) Constant() opRow {
	return opRow{prepare: prepareConstant, unshaped: textAlone, quantized: onStorage}
}
func (opRows) Convert() opRow           { return opRow{prepare: prepareConvert, splats: true} }
func (opRows) Convolution() opRow       { return opRow{prepare: prepareConvolution} }
func (opRows) CountLeadingZeros() opRow { return opRow{prepare: prepareUnary} }
func (opRows) CreateToken() opRow       { return opRow{prepare: prepareToken, unshaped: isToken} }
func (opRows) CrossReplicaSum() opRow   { return opRow{prepare: prepareExtension, extends: true} }
func (opRows) CustomCall() opRow        { return opRow{prepare: prepareCustomCall, unshaped: textAlone} }
func (opRows) Divide() opRow            { return opRow{prepare: prepareBinary} }
func (opRows) Dot() opRow               { return opRow{prepare: prepareVectorDot} }
func (opRows) DotGeneral() opRow        { return opRow{prepare: prepareDot} }
func (opRows) DynamicApproxTopK() opRow { return opRow{unprepared: lowered} }
func (opRows) DynamicSlice() opRow {
	return opRow{prepare: prepareDynamicSlice, quantized: onStorage}
}
func (opRows) DynamicTopK() opRow { return opRow{unprepared: lowered} }
func (opRows) DynamicUpdateSlice() opRow {
	return opRow{prepare: prepareDynamicUpdateSlice, quantized: onStorage}
}
func (opRows) Einsum() opRow { return opRow{prepare: prepareEinsum, unshaped: olderDialect} }
func (opRows) FFT() opRow    { return opRow{prepare: prepareFFT} }
func (opRows) Floor() opRow  { return opRow{prepare: prepareUnary} }
func (opRows) Gather() opRow {
	return opRow{prepare: prepareGather, quantized: onStorage}
}
func (opRows) GetDimensionSize() opRow {
	return opRow{prepare: prepareDimensionSize, unshaped: isScalar, quantized: onStorage}
}
func (opRows) GetTupleElement() opRow {
	return opRow{prepare: prepareTupleElement, unshaped: "a part of the operand has it", quantized: onStorage, splats: true}
}
func (opRows) If() opRow {
	return opRow{prepare: prepareIf, unshaped: isOfRegion, quantized: onStorage}
}
func (opRows) Imag() opRow { return opRow{prepare: prepareParts, splats: true} }
func (opRows) Infeed() opRow {
	return opRow{prepare: prepareExtension, extends: true, unshaped: textAlone}
}
func (opRows) Iota() opRow     { return opRow{prepare: prepareIota, unshaped: textAlone} }
func (opRows) IsFinite() opRow { return opRow{prepare: prepareIsFinite, splats: true} }
func (opRows) Map() opRow      { return opRow{prepare: prepareMap, quantized: onStorage} }
func (opRows) Maximum() opRow  { return opRow{prepare: prepareBinary} }
func (opRows) Minimum() opRow  { return opRow{prepare: prepareBinary} }
func (opRows) Multiply() opRow { return opRow{prepare: prepareBinary} }
func (opRows) Negate() opRow   { return opRow{prepare: prepareUnary} }
func (opRows) Not() opRow      { return opRow{prepare: prepareUnary} }
func (opRows) OptimizationBarrier() opRow {
	return opRow{prepare: prepareRegroup, quantized: onStorage, splats: true}
}
func (opRows) Or() opRow { return opRow{prepare: prepareBinary} }
func (opRows) Outfeed() opRow {
	return opRow{prepare: prepareExtension, extends: true, unshaped: isToken}
}
func (opRows) Pad() opRow { return opRow{prepare: preparePad, quantized: onStorage} }
func (opRows) PartitionID() opRow {
	return opRow{prepare: prepareExtension, extends: true, unshaped: isScalar}
}
func (opRows) Popcnt() opRow          { return opRow{prepare: prepareUnary} }
func (opRows) Power() opRow           { return opRow{prepare: prepareBinary} }
func (opRows) RNG() opRow             { return opRow{prepare: prepareRng, unshaped: isValue} }
func (opRows) RNGBitGenerator() opRow { return opRow{prepare: prepareBits, unshaped: howManyBits} }
func (opRows) Real() opRow            { return opRow{prepare: prepareParts, splats: true} }
func (opRows) Recv() opRow {
	return opRow{prepare: prepareExtension, extends: true, unshaped: textAlone}
}
func (opRows) Reduce() opRow {
	return opRow{prepare: prepareReduce, quantized: withBody}
}
func (opRows) ReducePrecision() opRow {
	return opRow{prepare: prepareReducePrecision, splats: true}
}
func (opRows) ReduceScatter() opRow {
	return opRow{prepare: prepareExtension, extends: true, unshaped: ofPartners, quantized: onStorage}
}
func (opRows) ReduceWindow() opRow {
	return opRow{prepare: prepareReduceWindow, quantized: withBody}
}
func (opRows) Remainder() opRow { return opRow{prepare: prepareBinary} }
func (opRows) ReplicaID() opRow {
	return opRow{prepare: prepareExtension, extends: true, unshaped: isScalar}
}
func (opRows) Reshape() opRow {
	return opRow{prepare: prepareReshape, quantized: onStorage, splats: true}
}
func (opRows) Reverse() opRow {
	return opRow{prepare: prepareReverse, quantized: onStorage, splats: true}
}
func (opRows) RoundNearestAfz() opRow  { return opRow{prepare: prepareUnary} }
func (opRows) RoundNearestEven() opRow { return opRow{prepare: prepareUnary} }
func (opRows) Scatter() opRow {
	return opRow{prepare: prepareScatter, quantized: withBody}
}
func (opRows) Select() opRow { return opRow{prepare: prepareSelect, splats: true} }
func (opRows) SelectAndScatter() opRow {
	return opRow{prepare: prepareSelectAndScatter, quantized: withBody}
}
func (opRows) Send() opRow { return opRow{prepare: prepareExtension, extends: true, unshaped: isToken} }
func (opRows) SetDimensionSize() opRow {
	return opRow{prepare: prepareSetDimensionSize, unshaped: isValue, quantized: onStorage}
}
func (opRows) ShiftLeft() opRow            { return opRow{prepare: prepareBinary} }
func (opRows) ShiftRightArithmetic() opRow { return opRow{prepare: prepareBinary} }
func (opRows) ShiftRightLogical() opRow    { return opRow{prepare: prepareBinary} }
func (opRows) Sign() opRow                 { return opRow{prepare: prepareUnary} }
func (opRows) Slice() opRow {
	return opRow{prepare: prepareSlice, quantized: onStorage, splats: true}
}
func (opRows) Sort() opRow {
	return opRow{prepare: prepareSort, quantized: onStorage}
}
func (opRows) Subtract() opRow { return opRow{prepare: prepareBinary} }
func (opRows) TorchIndexSelect() opRow {
	return opRow{prepare: prepareIndexSelect, quantized: onStorage}
}
func (opRows) Transpose() opRow {
	return opRow{prepare: prepareTranspose, quantized: onStorage, splats: true}
}
func (opRows) TriangularSolve() opRow {
	return opRow{prepare: prepareTriangularSolve}
}
func (opRows) Tuple() opRow {
	return opRow{prepare: prepareRegroup, unshaped: isOperands, quantized: onStorage, splats: true}
}
func (opRows) UnaryEinsum() opRow { return opRow{prepare: prepareEinsum, unshaped: olderDialect} }
func (opRows) UniformDequantize() opRow {
	return opRow{prepare: prepareUniformDequantize, quantized: onStorage}
}
func (opRows) UniformQuantize() opRow {
	return opRow{prepare: prepareUniformQuantize, quantized: onStorage}
}
func (opRows) While() opRow {
	return opRow{prepare: prepareWhile, unshaped: isOfRegion, quantized: onStorage}
}
func (opRows) Xor() opRow { return opRow{prepare: prepareBinary} }
