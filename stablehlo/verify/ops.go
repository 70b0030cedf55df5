package verify

import (
	"ltc/mlir"
	"ltc/stablehlo"
)

// rule checks the types and the attributes of an op.
type rule func(v *verifier, op *mlir.Op)

// ruleTable has the rule of each op, by code; nil for those that are checked for structure
// only.
var ruleTable = makeRules()

func makeRules() []rule {
	all := stablehlo.Table[rule](rules{})
	for _, table := range [][]rule{stablehlo.DynamicTable[rule](rules{}), stablehlo.CHLOTable[rule](chloRules{})} {
		for code, r := range table {
			if r != nil {
				all[code] = r
			}
		}
	}
	all[mlir.OpModule], all[mlir.OpFunc], all[mlir.OpCall] = verifyModule, verifyFunc, verifyCall
	all[stablehlo.InterpreterRunParallel] = verifyRunParallel
	return all
}

// rules has the rule of each op of StableHLO.
type rules struct{}

// Function returns the rule of mathematical functions.
func (rules) Function(mlir.Code) rule { return verifySame(1, kFloat|kComplex|kQuant) }

func (rules) Abs() rule                  { return verifyAbs }
func (rules) Ceil() rule                 { return verifySame(1, kFloat|kQuant) }
func (rules) Convert() rule              { return verifyConvert }
func (rules) CountLeadingZeros() rule    { return verifySame(1, kInt) }
func (rules) Floor() rule                { return verifySame(1, kFloat|kQuant) }
func (rules) Imag() rule                 { return verifyPart }
func (rules) Negate() rule               { return verifySame(1, kInt|kFloat|kComplex|kQuant) }
func (rules) Not() rule                  { return verifySame(1, kBool|kInt) }
func (rules) Popcnt() rule               { return verifySame(1, kInt) }
func (rules) Real() rule                 { return verifyPart }
func (rules) RoundNearestAfz() rule      { return verifySame(1, kFloat|kQuant) }
func (rules) RoundNearestEven() rule     { return verifySame(1, kFloat|kQuant) }
func (rules) Sign() rule                 { return verifySame(1, kSigned|kFloat|kComplex|kQuant) }
func (rules) UniformQuantize() rule      { return verifyUniformQuantize }
func (rules) UniformDequantize() rule    { return verifyUniformDequantize }
func (rules) Add() rule                  { return verifyAdd }
func (rules) And() rule                  { return verifySame(2, kBool|kInt) }
func (rules) Atan2() rule                { return verifySame(2, kFloat|kComplex|kQuant) }
func (rules) Divide() rule               { return verifySame(2, kInt|kFloat|kComplex|kQuant) }
func (rules) Maximum() rule              { return verifySame(2, kPerTensor) }
func (rules) Minimum() rule              { return verifySame(2, kPerTensor) }
func (rules) Multiply() rule             { return verifySame(2, kPerTensor) }
func (rules) Or() rule                   { return verifySame(2, kBool|kInt) }
func (rules) Power() rule                { return verifySame(2, kInt|kFloat|kComplex|kQuant) }
func (rules) Remainder() rule            { return verifySame(2, kInt|kFloat|kComplex|kQuant) }
func (rules) ShiftLeft() rule            { return verifySame(2, kInt) }
func (rules) ShiftRightArithmetic() rule { return verifySame(2, kInt) }
func (rules) ShiftRightLogical() rule    { return verifySame(2, kInt) }
func (rules) Subtract() rule             { return verifySame(2, kInt|kFloat|kComplex|kQuant) }
func (rules) Xor() rule                  { return verifySame(2, kBool|kInt) }
func (rules) IsFinite() rule             { return verifyIsFinite }
func (rules) BitcastConvert() rule       { return verifyBitcast }
func (rules) Clamp() rule                { return verifyClamp }
func (rules) Select() rule               { return verifySelect }
func (rules) Complex() rule              { return verifyComplex }
func (rules) Compare() rule              { return verifyCompare }
func (rules) Constant() rule             { return verifyConstant }
func (rules) Iota() rule                 { return verifyIota }
func (rules) BroadcastInDim() rule       { return verifyBroadcastInDim }
func (rules) Broadcast() rule            { return verifyBroadcast }
func (rules) Reshape() rule              { return verifyReshape }
func (rules) Transpose() rule            { return verifyTranspose }
func (rules) Reverse() rule              { return verifyReverse }
func (rules) Slice() rule                { return verifySlice }
func (rules) DynamicSlice() rule         { return verifyDynamicSlice }
func (rules) DynamicUpdateSlice() rule   { return verifyDynamicUpdateSlice }
func (rules) Concatenate() rule          { return verifyConcatenate }
func (rules) Pad() rule                  { return verifyPad }
func (rules) Reduce() rule               { return verifyReduce }
func (rules) DotGeneral() rule           { return verifyDotGeneral }
func (rules) Dot() rule                  { return verifyDot }
func (rules) Gather() rule               { return verifyGather }
func (rules) Scatter() rule              { return verifyScatter }
func (rules) Sort() rule                 { return verifySort }
func (rules) If() rule                   { return verifyIf }
func (rules) Case() rule                 { return verifyCase }
func (rules) While() rule                { return verifyWhile }
func (rules) Composite() rule            { return verifyComposite }
func (rules) CustomCall() rule           { return verifyCustomCall }
func (rules) GetDimensionSize() rule     { return verifyGetDimensionSize }
func (rules) SetDimensionSize() rule     { return verifySetDimensionSize }
func (rules) Cholesky() rule             { return verifyCholesky }
func (rules) FFT() rule                  { return verifyFft }
func (rules) RNG() rule                  { return verifyRng }
func (rules) RNGBitGenerator() rule      { return verifyRngBitGenerator }
func (rules) ReducePrecision() rule      { return verifyReducePrecision }
func (rules) Einsum() rule               { return verifyEinsum }
func (rules) UnaryEinsum() rule          { return verifyEinsum }
func (rules) ReplicaID() rule            { return verifyID }
func (rules) PartitionID() rule          { return verifyID }
func (rules) CreateToken() rule          { return verifyCreateToken }
func (rules) AfterAll() rule             { return verifyAfterAll }
func (rules) ReduceWindow() rule         { return verifyReduceWindow }
func (rules) SelectAndScatter() rule     { return verifySelectAndScatter }
func (rules) Map() rule                  { return verifyMap }
func (rules) Convolution() rule          { return verifyConvolution }
func (rules) TriangularSolve() rule      { return verifyTriangularSolve }
func (rules) Tuple() rule                { return verifyTuple }
func (rules) GetTupleElement() rule      { return verifyGetTupleElement }
func (rules) AllGather() rule            { return verifyAllGather }
func (rules) AllReduce() rule            { return verifyAllReduce }
func (rules) ReduceScatter() rule        { return verifyReduceScatter }
func (rules) AllToAll() rule             { return verifyAllToAll }
func (rules) CollectiveBroadcast() rule  { return verifyCollectiveBroadcast }
func (rules) CollectivePermute() rule    { return verifyCollectivePermute }
func (rules) CollectiveReduce() rule     { return verifyCollectiveReduce }
func (rules) AsyncStart() rule           { return verifyAsyncStart }
func (rules) AsyncDone() rule            { return verifyAsyncDone }
func (rules) Send() rule                 { return verifySend }
func (rules) Recv() rule                 { return verifyRecv }
func (rules) Infeed() rule               { return verifyInfeed }
func (rules) Outfeed() rule              { return verifyOutfeed }
func (rules) CrossReplicaSum() rule      { return verifyCrossReplicaSum }
func (rules) TorchIndexSelect() rule     { return verifyTorchIndexSelect }
func (rules) BatchNormGrad() rule {
	return verifyBatchNorm(3, 2, true, "C1", "C2", []string{"C5", "C4", "C4", "C4", "C4"}, "C3")
}
func (rules) BatchNormInference() rule {
	return verifyBatchNorm(4, 0, false, "C1", "C2", []string{"C3", "C4", "C5", "C6"}, "C7")
}
func (rules) BatchNormTraining() rule {
	return verifyBatchNorm(2, 2, false, "C1", "C2", []string{"C3", "C4", "C5", "C6"}, "C7")
}
func (rules) OptimizationBarrier() rule { return verifyBarrier }

// Dynamic ops, and those that custom calls stand for.

func (rules) DynamicBroadcastInDim() rule  { return verifyDynamicBroadcastInDim }
func (rules) DynamicIota() rule            { return verifyDynamicIota }
func (rules) DynamicReshape() rule         { return verifyDynamicReshape }
func (rules) RealDynamicSlice() rule       { return verifyRealDynamicSlice }
func (rules) DynamicPad() rule             { return verifyDynamicPad }
func (rules) DynamicRNGBitGenerator() rule { return verifyDynamicBits }
func (rules) DynamicTopK() rule            { return verifyDynamicTopK }
func (rules) DynamicApproxTopK() rule      { return verifyApproxTopK }
func (rules) DynamicReduceWindow() rule    { return verifyDynamicReduceWindow }
func (rules) DynamicGather() rule          { return verifyDynamicGather }
func (rules) DynamicConv() rule            { return verifyDynamicConv }
