package verify

import (
	"ltc/mlir"
	"ltc/stablehlo"
)

// rule checks the types and the attributes of an op.
type rule func(v *verifier, op *mlir.Op)

// takes is a rule for the types of operands and results that the slots allow.
func takes(check func(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType), in, out slots) rule {
	return func(v *verifier, op *mlir.Op) {
		ins, outs := v.takes(op, in, out)
		check(v, op, ins, outs)
	}
}

// typed is takes for one result of the kinds out, and an operand for each of in.
func typed(check func(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType), out kinds, in ...kinds) rule {
	return takes(check, tensors(in...), tensors(out))
}

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

func (rules) Abs() rule {
	return typed(verifyAbs, kSigned|kFloat|kQuant, kSigned|kFloat|kComplex|kQuant)
}
func (rules) Ceil() rule                 { return verifySame(1, kFloat|kQuant) }
func (rules) Convert() rule              { return typed(verifySizes, kTensor, kTensor) }
func (rules) CountLeadingZeros() rule    { return verifySame(1, kInt) }
func (rules) Floor() rule                { return verifySame(1, kFloat|kQuant) }
func (rules) Imag() rule                 { return typed(verifyPart, kFloat, kFloat|kComplex) }
func (rules) Negate() rule               { return verifySame(1, kInt|kFloat|kComplex|kQuant) }
func (rules) Not() rule                  { return verifySame(1, kBool|kInt) }
func (rules) Popcnt() rule               { return verifySame(1, kInt) }
func (rules) Real() rule                 { return typed(verifyPart, kFloat, kFloat|kComplex) }
func (rules) RoundNearestAfz() rule      { return verifySame(1, kFloat|kQuant) }
func (rules) RoundNearestEven() rule     { return verifySame(1, kFloat|kQuant) }
func (rules) Sign() rule                 { return verifySame(1, kSigned|kFloat|kComplex|kQuant) }
func (rules) UniformQuantize() rule      { return typed(verifyUniformQuantize, kQuants, kFloat|kQuants) }
func (rules) UniformDequantize() rule    { return typed(verifyUniformDequantize, kFloat, kQuants) }
func (rules) Add() rule                  { return typed(verifyAdd, kAny, kAny, kAny) }
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
func (rules) IsFinite() rule             { return typed(verifySizes, kBool, kFloat|kQuant) }
func (rules) BitcastConvert() rule {
	return typed(verifyBitcast, kAny|kQuantBlock, kAny|kQuantBlock)
}
func (rules) Clamp() rule {
	return typed(verifyClamp, kPerTensor, kPerTensor, kPerTensor, kPerTensor)
}
func (rules) Select() rule         { return typed(verifySelect, kPerTensor, kBool, kPerTensor, kPerTensor) }
func (rules) Complex() rule        { return typed(verifyComplex, kComplex, kFloat, kFloat) }
func (rules) Compare() rule        { return typed(verifyCompare, kBool, kPerTensor, kPerTensor) }
func (rules) Constant() rule       { return typed(verifyConstant, kAny|kQuantBlock|kIndex) }
func (rules) Iota() rule           { return typed(verifyIota, kInt|kFloat|kComplex|kQuant) }
func (rules) BroadcastInDim() rule { return typed(verifyBroadcastInDim, kAny, kAny) }
func (rules) Broadcast() rule      { return typed(verifyBroadcast, kPerTensor, kPerTensor) }
func (rules) Reshape() rule        { return typed(verifyReshape, kAny, kAny) }
func (rules) Transpose() rule      { return typed(verifyTranspose, kAny, kAny) }
func (rules) Reverse() rule        { return typed(verifyReverse, kPerTensor, kPerTensor) }
func (rules) Slice() rule          { return typed(verifySlice, kPerTensor, kPerTensor) }
func (rules) DynamicSlice() rule {
	return takes(verifyDynamicSlice, slots{of(kPerTensor), {kinds: kInt, many: true}}, tensors(kPerTensor))
}
func (rules) DynamicUpdateSlice() rule {
	return takes(verifyDynamicUpdateSlice, slots{of(kPerTensor), of(kPerTensor), {kinds: kInt, many: true}}, tensors(kPerTensor))
}
func (rules) Concatenate() rule { return verifyConcatenate }
func (rules) Pad() rule {
	return takes(verifyPad, slots{of(kPerTensor), scalar(kPerTensor)}, tensors(kPerTensor))
}
func (rules) Reduce() rule     { return verifyReduce }
func (rules) DotGeneral() rule { return typed(verifyDotGeneral, kAny, kPerTensor, kAny) }
func (rules) Dot() rule        { return typed(verifyDot, kAny, kPerTensor, kAny) }
func (rules) Gather() rule     { return typed(verifyGather, kPerTensor, kPerTensor, kInt) }
func (rules) Scatter() rule    { return verifyScatter }
func (rules) Sort() rule       { return verifySort }
func (rules) If() rule         { return verifyIf }
func (rules) Case() rule       { return verifyCase }
func (rules) While() rule      { return verifyWhile }
func (rules) Composite() rule  { return verifyComposite }
func (rules) CustomCall() rule { return verifyCustomCall }
func (rules) GetDimensionSize() rule {
	return takes(verifyGetDimensionSize, tensors(kAny), slots{scalar(kSigned)})
}
func (rules) SetDimensionSize() rule {
	return takes(verifySetDimensionSize, slots{of(kPerTensor), scalar(kSigned)}, tensors(kPerTensor))
}
func (rules) Cholesky() rule {
	return typed(verifyCholesky, kFloat|kComplex|kQuant, kFloat|kComplex|kQuant)
}
func (rules) FFT() rule { return typed(verifyFft, kFloat|kComplex, kFloat|kComplex) }
func (rules) RNG() rule { return verifyRng }
func (rules) RNGBitGenerator() rule {
	return takes(verifyRngBitGenerator, tensors(kInt|kFloat), tensors(kInt|kFloat, kInt|kFloat))
}
func (rules) ReducePrecision() rule {
	return typed(verifyReducePrecision, kFloat|kQuant, kFloat|kQuant)
}
func (rules) Einsum() rule       { return verifyEinsum }
func (rules) UnaryEinsum() rule  { return verifyEinsum }
func (rules) ReplicaID() rule    { return takes(verifyID, nil, slots{scalar(kUnsigned)}) }
func (rules) PartitionID() rule  { return takes(verifyID, nil, slots{scalar(kUnsigned)}) }
func (rules) CreateToken() rule  { return verifyCreateToken }
func (rules) AfterAll() rule     { return verifyAfterAll }
func (rules) ReduceWindow() rule { return verifyReduceWindow }
func (rules) SelectAndScatter() rule {
	return takes(verifySelectAndScatter, slots{of(kPerTensor), of(kPerTensor), scalar(kPerTensor)}, tensors(kPerTensor))
}
func (rules) Map() rule                 { return verifyMap }
func (rules) Convolution() rule         { return typed(verifyConvolution, kAny, kPerTensor, kAny) }
func (rules) TriangularSolve() rule     { return verifyTriangularSolve }
func (rules) Tuple() rule               { return verifyTuple }
func (rules) GetTupleElement() rule     { return verifyGetTupleElement }
func (rules) AllGather() rule           { return verifyAllGather }
func (rules) AllReduce() rule           { return verifyAllReduce }
func (rules) ReduceScatter() rule       { return typed(verifyReduceScatter, kPerTensor, kPerTensor) }
func (rules) AllToAll() rule            { return verifyAllToAll }
func (rules) CollectiveBroadcast() rule { return verifyCollectiveBroadcast }
func (rules) CollectivePermute() rule {
	return takes(verifyCollectivePermute, slots{many(kPerTensor)}, slots{many(kPerTensor)})
}
func (rules) CollectiveReduce() rule { return verifyCollectiveReduce }
func (rules) AsyncStart() rule       { return verifyAsyncStart }
func (rules) AsyncDone() rule        { return verifyAsyncDone }
func (rules) Send() rule             { return verifySend }
func (rules) Recv() rule             { return verifyRecv }
func (rules) Infeed() rule           { return verifyInfeed }
func (rules) Outfeed() rule          { return verifyOutfeed }
func (rules) CrossReplicaSum() rule  { return typed(verifyCrossReplicaSum, kTensor, kTensor) }
func (rules) TorchIndexSelect() rule {
	return typed(verifyTorchIndexSelect, kTensor, kTensor, kInt)
}
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

func (rules) DynamicBroadcastInDim() rule {
	return takes(verifyDynamicBroadcastInDim, slots{of(kAny), ranked(1, kInt|kIndex)}, tensors(kAny))
}
func (rules) DynamicIota() rule {
	return takes(verifyDynamicIota, slots{ranked(1, kInt|kIndex)}, tensors(kInt|kFloat|kComplex|kQuant))
}
func (rules) DynamicReshape() rule {
	return takes(verifyDynamicReshape, slots{of(kAny), ranked(1, kInt|kIndex)}, tensors(kAny))
}
func (rules) RealDynamicSlice() rule { return verifyRealDynamicSlice }
func (rules) DynamicPad() rule       { return verifyDynamicPad }
func (rules) DynamicRNGBitGenerator() rule {
	return takes(verifyDynamicBits, slots{ranked(1, kInt), ranked(1, kInt|kIndex)}, slots{ranked(1, kInt), of(kInt | kFloat)})
}
func (rules) DynamicTopK() rule {
	return takes(verifyDynamicTopK, slots{of(kInt | kFloat), scalar(kInt | kIndex)}, tensors(kInt|kFloat, kInt))
}
func (rules) DynamicApproxTopK() rule   { return verifyApproxTopK }
func (rules) DynamicReduceWindow() rule { return verifyDynamicReduceWindow }
func (rules) DynamicGather() rule {
	return takes(verifyDynamicGather, slots{of(kPerTensor), of(kInt), ranked(1, kInt)}, tensors(kPerTensor))
}
func (rules) DynamicConv() rule {
	return takes(verifyDynamicConv, slots{of(kPerTensor), of(kAny), ranked(2, kInt|kIndex)}, tensors(kAny))
}
