package kit

import (
	"fmt"
	"strings"

	"ltc/backends/kit/kernel"
	"ltc/mlir"
	"ltc/stablehlo"
)

// opRow says what becomes of an op: one field is set, or kernel and parts, or claimed and left.
// docs/compiled.md is made from the rows.
type opRow struct {
	// apply is the op of kernels that the op is on each element.
	apply kernel.Op
	// kernel writes the kernel of a node.
	kernel rule
	// carried says that the kernel is of what carries its operands and results.
	carried bool
	// parts writes another kernel of that, which writes over parts of an operand.
	parts rule
	// structural says what the results are, for which there is no work to do.
	structural func(*translator, *mlir.Op) error
	// nodes adds several kernels, which compute the results together.
	nodes func(*translator, *mlir.Op) error
	// driven says how the host runs its regions, which are programs of kernels.
	driven string
	// replaced says which ops stand for it before there are kernels. Where that cannot be
	// it is left to the evaluator.
	replaced string
	// claimed asks the target whether it has code for the op, as a step. Where it has none
	// the op is left to the evaluator.
	claimed func(*translator, *mlir.Op) error
	// left says why it is no kernel, and who runs it.
	left *leftRow
}

func elementwise(op kernel.Op) opRow                       { return opRow{apply: op} }
func kernelBy(r rule) opRow                                { return opRow{kernel: r} }
func ofCarried(r rule) opRow                               { return opRow{kernel: r, carried: true} }
func structural(f func(*translator, *mlir.Op) error) opRow { return opRow{structural: f} }
func several(f func(*translator, *mlir.Op) error) opRow    { return opRow{nodes: f} }
func driven(how string) opRow                              { return opRow{driven: how} }
func replaced(by string) opRow                             { return opRow{replaced: by} }
func left(row leftRow) opRow                               { return opRow{left: &row} }
func claimed(ask func(*translator, *mlir.Op) error, row leftRow) opRow {
	return opRow{claimed: ask, left: &row}
}

// opTable has the row of each op, by code. Ops of CHLO become others of StableHLO, but for
// erf and scans that are kernels; so do dynamic ops, once their sizes are known. It is
// filled by init because rows of ops with regions lead back to it.
var opTable []opRow

func init() {
	opTable = stablehlo.Table[opRow](opRows{})
	for code := range mlir.Codes() {
		if op, ok := kernelOfCHLO(code); ok {
			opTable[code] = elementwise(op)
		}
	}
	opTable[stablehlo.CHLOScan] = kernelBy(scan_)
}

// kernelOfCHLO returns the op of kernels that an op of CHLO is on each element, if kernels have
// one that StableHLO has not.
func kernelOfCHLO(c mlir.Code) (op kernel.Op, ok bool) {
	name, chlo := strings.CutPrefix(c.String(), "chlo.")
	op, known := kernel.ParseOp(name)
	return op, chlo && known && op.Computes() && mlir.CodeOf("stablehlo."+name) == 0
}

// opRows are the rows.
type opRows struct{}

// Function is the row of a mathematical function: kernels have all of the dialect's.
func (opRows) Function(c mlir.Code) opRow {
	op, known := kernel.ParseOp(strings.TrimPrefix(c.String(), "stablehlo."))
	if !known {
		panic(fmt.Sprintf("kit: kernels do not have %v: run go generate ./backends/kit/kernel", c))
	}
	return elementwise(op)
}

func (opRows) Abs() opRow       { return elementwise(kernel.Abs) }
func (opRows) Add() opRow       { return elementwise(kernel.Add) }
func (opRows) AfterAll() opRow  { return left(ordersEffects) }
func (opRows) AllGather() opRow { return left(otherProcesses) }
func (opRows) AllReduce() opRow { return left(otherProcesses) }
func (opRows) AllToAll() opRow  { return left(otherProcesses) }
func (opRows) And() opRow       { return elementwise(kernel.And) }
func (opRows) AsyncDone() opRow {
	return replaced("the op that its `async_start` runs, where that is no collective")
}
func (opRows) AsyncStart() opRow {
	return replaced("nothing: its op runs where `async_done` waits for it")
}
func (opRows) Atan2() opRow { return elementwise(kernel.Atan2) }
func (opRows) BatchNormGrad() opRow {
	return replaced("elementwise ops and `reduce`")
}
func (opRows) BatchNormInference() opRow { return replaced("elementwise ops") }
func (opRows) BatchNormTraining() opRow {
	return replaced("elementwise ops and `reduce`")
}
func (opRows) BitcastConvert() opRow { return elementwise(kernel.BitcastConvert) }
func (opRows) Broadcast() opRow      { return replaced("`broadcast_in_dim`") }
func (opRows) BroadcastInDim() opRow { return kernelBy(broadcast) }
func (opRows) Case() opRow           { return driven("one of the branches runs") }
func (opRows) Ceil() opRow           { return elementwise(kernel.Ceil) }
func (opRows) Cholesky() opRow {
	return claimed((*translator).cholesky, oneAfterOther)
}
func (opRows) Clamp() opRow               { return elementwise(kernel.Clamp) }
func (opRows) CollectiveBroadcast() opRow { return left(otherProcesses) }
func (opRows) CollectivePermute() opRow   { return left(otherProcesses) }
func (opRows) CollectiveReduce() opRow    { return left(otherProcesses) }
func (opRows) Compare() opRow             { return kernelBy(compare) }
func (opRows) Complex() opRow             { return ofCarried(complexOf) }
func (opRows) Composite() opRow {
	return replaced("its decomposition, unless the target has code for it or `cpu` a function of the host")
}
func (opRows) Concatenate() opRow       { return kernelBy(concatenate) }
func (opRows) Constant() opRow          { return structural((*translator).constant) }
func (opRows) Convert() opRow           { return elementwise(kernel.Convert) }
func (opRows) Convolution() opRow       { return kernelBy(convolution) }
func (opRows) CountLeadingZeros() opRow { return elementwise(kernel.CountLeadingZeros) }
func (opRows) CreateToken() opRow       { return left(ordersEffects) }
func (opRows) CrossReplicaSum() opRow   { return left(otherProcesses) }
func (opRows) CustomCall() opRow        { return left(functionOfHost) }
func (opRows) Divide() opRow            { return elementwise(kernel.Divide) }
func (opRows) Dot() opRow               { return replaced("`dot_general`") }
func (opRows) DotGeneral() opRow        { return kernelBy(dotGeneral) }
func (opRows) DynamicApproxTopK() opRow { return replaced("`sort` by its comparator, and `slice`") }
func (opRows) DynamicSlice() opRow      { return kernelBy(dynamicSlice) }
func (opRows) DynamicTopK() opRow {
	return replaced("`sort` of the elements and their indices, and `slice`")
}
func (opRows) DynamicUpdateSlice() opRow {
	return opRow{kernel: dynamicUpdateSlice, parts: updateInParts}
}
func (opRows) Einsum() opRow {
	return replaced("`dot_general` and `transpose`; with a letter in one operand alone that the result lacks, `multiply` and `reduce`")
}
func (opRows) FFT() opRow              { return several((*translator).fft) }
func (opRows) Floor() opRow            { return elementwise(kernel.Floor) }
func (opRows) Gather() opRow           { return kernelBy(gather) }
func (opRows) GetDimensionSize() opRow { return replaced("a constant") }
func (opRows) GetTupleElement() opRow {
	return replaced("the element, where the tuple is made in the program")
}
func (opRows) If() opRow       { return driven("one of two branches runs") }
func (opRows) Imag() opRow     { return ofCarried(partAt(1)) }
func (opRows) Infeed() opRow   { return left(worldOutside) }
func (opRows) Iota() opRow     { return kernelBy(iota_) }
func (opRows) IsFinite() opRow { return elementwise(kernel.IsFinite) }
func (opRows) Map() opRow {
	return replaced("the ops of its body, where they are elementwise or constants")
}
func (opRows) Maximum() opRow             { return elementwise(kernel.Maximum) }
func (opRows) Minimum() opRow             { return elementwise(kernel.Minimum) }
func (opRows) Multiply() opRow            { return elementwise(kernel.Multiply) }
func (opRows) Negate() opRow              { return elementwise(kernel.Negate) }
func (opRows) Not() opRow                 { return elementwise(kernel.Not) }
func (opRows) OptimizationBarrier() opRow { return structural((*translator).barrier) }
func (opRows) Or() opRow                  { return elementwise(kernel.Or) }
func (opRows) Outfeed() opRow             { return left(worldOutside) }
func (opRows) Pad() opRow                 { return kernelBy(pad) }
func (opRows) PartitionID() opRow         { return left(aboutProcesses) }
func (opRows) Popcnt() opRow              { return elementwise(kernel.Popcnt) }
func (opRows) Power() opRow               { return elementwise(kernel.Power) }
func (opRows) RNG() opRow                 { return left(sharedDraws) }
func (opRows) RNGBitGenerator() opRow {
	return replaced("integer ops on the numbers of its blocks, where no size is open")
}
func (opRows) Real() opRow   { return ofCarried(partAt(0)) }
func (opRows) Recv() opRow   { return left(worldOutside) }
func (opRows) Reduce() opRow { return kernelBy(reduce) }
func (opRows) ReducePrecision() opRow {
	return replaced("integer ops on the bits")
}
func (opRows) ReduceScatter() opRow    { return left(otherProcesses) }
func (opRows) ReduceWindow() opRow     { return kernelBy(reduceWindow) }
func (opRows) Remainder() opRow        { return elementwise(kernel.Remainder) }
func (opRows) ReplicaID() opRow        { return left(aboutProcesses) }
func (opRows) Reshape() opRow          { return structural((*translator).reshape) }
func (opRows) Reverse() opRow          { return kernelBy(reverse) }
func (opRows) RoundNearestAfz() opRow  { return elementwise(kernel.RoundNearestAfz) }
func (opRows) RoundNearestEven() opRow { return elementwise(kernel.RoundNearestEven) }
func (opRows) Scatter() opRow          { return kernelBy(scatter) }
func (opRows) Select() opRow           { return elementwise(kernel.Select) }
func (opRows) SelectAndScatter() opRow { return kernelBy(selectAndScatter) }
func (opRows) Send() opRow             { return left(worldOutside) }
func (opRows) SetDimensionSize() opRow {
	return replaced("its operand, where the size is the one it has")
}
func (opRows) ShiftLeft() opRow            { return elementwise(kernel.ShiftLeft) }
func (opRows) ShiftRightArithmetic() opRow { return elementwise(kernel.ShiftRightArithmetic) }
func (opRows) ShiftRightLogical() opRow    { return elementwise(kernel.ShiftRightLogical) }
func (opRows) Sign() opRow                 { return elementwise(kernel.Sign) }
func (opRows) Slice() opRow                { return kernelBy(slice) }
func (opRows) Sort() opRow {
	return claimed((*translator).sort, wholeRows)
}
func (opRows) Subtract() opRow         { return elementwise(kernel.Subtract) }
func (opRows) TorchIndexSelect() opRow { return replaced("`gather`") }
func (opRows) Transpose() opRow        { return kernelBy(transpose) }
func (opRows) TriangularSolve() opRow {
	return claimed((*translator).triangularSolve, oneAfterOther)
}
func (opRows) Tuple() opRow {
	return replaced("its elements, where nothing but `get_tuple_element` reads it")
}
func (opRows) UnaryEinsum() opRow {
	return replaced("`transpose`, `reduce`, and for diagonals `slice`")
}
func (opRows) UniformDequantize() opRow {
	return replaced("ops on the integers that store the elements and on floats")
}
func (opRows) UniformQuantize() opRow {
	return replaced("ops on the integers that store the elements and on floats")
}
func (opRows) While() opRow {
	return driven("the body runs as long as the condition says so; what it carries stays where it is; on `cpu`, short compiled kernels that follow each other run without the host")
}
func (opRows) Xor() opRow { return elementwise(kernel.Xor) }
