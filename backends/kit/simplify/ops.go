package simplify

import (
	"ltc/mlir"
	"ltc/stablehlo"
)

// opRow is what the passes do with an op: a list of rules for each pass that goes by ops,
// of which the first that applies counts. [refine] has rules of its own.
type opRow struct {
	fold        folds
	standard    rules
	several     severalRule // of the pass standard
	quantized   rules
	complex     rules
	convert     rules
	choose      rules
	algebra     rules
	convolution rules
	parts       rules
	broadcast   rules
	reshape     rules
	transpose   rules
	dimensions  *dimensions // of the pass layout; nil of elementwise ops, and where they cannot be permuted
	slice       rules
	dot         rules
	reduce      rules
	// channelsFirst has the rules of the pass of that name.
	channelsFirst rules
	splitK        rules
}

// rules are tried in order.
type rules []rule

// folds says when an op of constants is evaluated. Elementwise ops always are.
type folds uint8

const (
	never     folds = iota
	moved           // its result has no elements but those of its first operand
	evaluated       // its operands and its result are small
)

// opTable has the row of each op, by code. It is filled by init because rules lead back
// to it.
var opTable []opRow

func init() {
	opTable = stablehlo.Table[opRow](opRows{})
	for code := range mlir.Codes() {
		if static := code.Info().Static; static != nil {
			opTable[code].standard = rules{staticOp}
			if static.Op != stablehlo.Convolution { // whose rule reads the padding
				opTable[code].quantized = opTable[static.Op].quantized
			}
		}
	}
}

// opRows are the rows. An empty one is of an op about which there is nothing to simplify.
type opRows struct{}

func (opRows) Function(c mlir.Code) opRow { return opRow{complex: complexFunctions[c]} }

func (opRows) Abs() opRow { return opRow{complex: rules{absComplex}, algebra: rules{absolute}} }
func (opRows) Add() opRow {
	return opRow{complex: rules{eachPart}, algebra: rules{constantRight, addition}, parts: rules{padSum}}
}
func (opRows) AfterAll() opRow           { return opRow{} }
func (opRows) AllGather() opRow          { return opRow{} }
func (opRows) AllReduce() opRow          { return opRow{} }
func (opRows) AllToAll() opRow           { return opRow{} }
func (opRows) And() opRow                { return opRow{algebra: rules{constantRight, idempotent, lattice}} }
func (opRows) AsyncDone() opRow          { return opRow{} }
func (opRows) AsyncStart() opRow         { return opRow{} }
func (opRows) Atan2() opRow              { return opRow{} }
func (opRows) BatchNormGrad() opRow      { return opRow{several: normGrad} }
func (opRows) BatchNormInference() opRow { return opRow{standard: rules{normInference}} }
func (opRows) BatchNormTraining() opRow  { return opRow{several: normTraining} }
func (opRows) BitcastConvert() opRow {
	return opRow{quantized: rules{bitcastStored}, fold: evaluated, convert: rules{bitcastTwice}}
}
func (opRows) Broadcast() opRow {
	return opRow{quantized: rules{onStored}, standard: rules{standardBroadcast}}
}
func (opRows) BroadcastInDim() opRow {
	return opRow{quantized: rules{onStored}, complex: rules{eachPart}, fold: moved, broadcast: rules{normalBroadcast}}
}
func (opRows) Case() opRow { return opRow{} }
func (opRows) Ceil() opRow { return opRow{algebra: rules{again}} }
func (opRows) Cholesky() opRow {
	return opRow{quantized: rules{onFloats}, complex: rules{choleskyComplex}}
}
func (opRows) Clamp() opRow               { return opRow{quantized: rules{onEither}, algebra: rules{clamp}} }
func (opRows) CollectiveBroadcast() opRow { return opRow{} }
func (opRows) CollectivePermute() opRow   { return opRow{} }
func (opRows) CollectiveReduce() opRow    { return opRow{} }
func (opRows) Compare() opRow {
	return opRow{quantized: rules{onFloats}, complex: rules{compareComplex}, algebra: rules{compareRight, comparison}}
}
func (opRows) Complex() opRow {
	return opRow{complex: rules{complexOfParts}}
}
func (opRows) Composite() opRow { return opRow{} }
func (opRows) Concatenate() opRow {
	return opRow{quantized: rules{onStored}, complex: rules{eachPart}, fold: evaluated, parts: rules{concatenateOne, concatenateFlat, concatenateSlices},
		dimensions: &dimensions{number: "dimension"}}
}
func (opRows) Constant() opRow {
	return opRow{quantized: rules{storedConstant}, complex: rules{partsOfConstant}}
}
func (opRows) Convert() opRow {
	return opRow{quantized: rules{convertFloat8, onFloats}, complex: rules{convertComplex}, convert: rules{convertTwice}}
}
func (opRows) Convolution() opRow {
	return opRow{quantized: rules{quantizedProduct}, complex: rules{bilinearComplex}, convolution: rules{normalConvolution}, channelsFirst: rules{padAsStored}}
}
func (opRows) CountLeadingZeros() opRow { return opRow{} }
func (opRows) CreateToken() opRow       { return opRow{} }
func (opRows) CrossReplicaSum() opRow   { return opRow{} }
func (opRows) CustomCall() opRow        { return opRow{} }
func (opRows) Divide() opRow            { return opRow{complex: rules{quotientComplex}, algebra: rules{quotient}} }
func (opRows) Dot() opRow               { return opRow{quantized: rules{onFloats}, standard: rules{standardDot}} }
func (opRows) DotGeneral() opRow {
	return opRow{quantized: rules{quantizedProduct}, complex: rules{bilinearComplex}, fold: evaluated, dot: rules{dotUnits, dotTranspose, dotMerged}, splitK: rules{splitRow}}
}
func (opRows) DynamicApproxTopK() opRow { return opRow{} }
func (opRows) DynamicSlice() opRow {
	return opRow{quantized: rules{onStored}, complex: rules{eachPart}, fold: evaluated, parts: rules{fixedSlice}}
}
func (opRows) DynamicTopK() opRow { return opRow{} }
func (opRows) DynamicUpdateSlice() opRow {
	return opRow{quantized: rules{onStored}, complex: rules{eachPart}, parts: rules{wholeUpdate}}
}
func (opRows) Einsum() opRow { return opRow{standard: rules{standardEinsum}} }
func (opRows) FFT() opRow    { return opRow{} }
func (opRows) Floor() opRow  { return opRow{algebra: rules{again}} }
func (opRows) Gather() opRow {
	return opRow{quantized: rules{onStored}, complex: rules{eachPart}, fold: evaluated, parts: rules{gatherOne}}
}
func (opRows) GetDimensionSize() opRow { return opRow{standard: rules{knownSize}} }
func (opRows) GetTupleElement() opRow  { return opRow{} }
func (opRows) If() opRow               { return opRow{} }
func (opRows) Imag() opRow             { return opRow{standard: rules{ofReal}, complex: rules{partOf}} }
func (opRows) Infeed() opRow           { return opRow{} }
func (opRows) Iota() opRow {
	return opRow{quantized: rules{onFloats}, complex: rules{iotaComplex}, standard: rules{standardIota},
		dimensions: &dimensions{number: "iota_dimension"}}
}
func (opRows) IsFinite() opRow { return opRow{quantized: rules{onFloats}} }
func (opRows) Map() opRow      { return opRow{standard: rules{standardMap}} }
func (opRows) Maximum() opRow {
	return opRow{quantized: rules{onEither}, complex: rules{extremeComplex}, algebra: rules{constantRight, idempotent, extremum}}
}
func (opRows) Minimum() opRow {
	return opRow{quantized: rules{onEither}, complex: rules{extremeComplex}, algebra: rules{constantRight, idempotent, extremum}}
}
func (opRows) Multiply() opRow {
	return opRow{complex: rules{productComplex}, algebra: rules{constantRight, product}}
}
func (opRows) Negate() opRow { return opRow{complex: rules{eachPart}, algebra: rules{twice, negation}} }
func (opRows) Not() opRow    { return opRow{algebra: rules{twice, notCompare}} }
func (opRows) OptimizationBarrier() opRow {
	return opRow{quantized: rules{onStored}, complex: rules{eachPart}}
}
func (opRows) Or() opRow      { return opRow{algebra: rules{constantRight, idempotent, lattice}} }
func (opRows) Outfeed() opRow { return opRow{} }
func (opRows) Pad() opRow {
	return opRow{quantized: rules{onStored}, complex: rules{eachPart}, fold: evaluated, parts: rules{padNothing, padPadded},
		dimensions: &dimensions{each: []string{"edge_padding_low", "edge_padding_high", "interior_padding"}}}
}
func (opRows) PartitionID() opRow     { return opRow{} }
func (opRows) Popcnt() opRow          { return opRow{} }
func (opRows) Power() opRow           { return opRow{complex: rules{powerComplex}, algebra: rules{power}} }
func (opRows) RNG() opRow             { return opRow{} }
func (opRows) RNGBitGenerator() opRow { return opRow{several: randomBits} }
func (opRows) Real() opRow            { return opRow{standard: rules{ofReal}, complex: rules{partOf}} }
func (opRows) Recv() opRow            { return opRow{} }
func (opRows) Reduce() opRow {
	return opRow{quantized: rules{extremesOfStored}, complex: rules{eachPartOfSums, productsComplex}, fold: evaluated, reduce: rules{reduceNone, reduceUnits, reduceReduced, reduceMoved, reduceRepeated}}
}
func (opRows) ReducePrecision() opRow {
	return opRow{quantized: rules{onFloats}, convert: rules{fullPrecision}, algebra: rules{lessPrecision}}
}
func (opRows) ReduceScatter() opRow { return opRow{} }
func (opRows) ReduceWindow() opRow {
	return opRow{quantized: rules{extremesOfStored}, complex: rules{eachPartOfSums}, fold: evaluated, reduce: rules{windowRepeated},
		dimensions: &dimensions{each: []string{"window_dimensions", "window_strides", "base_dilations", "window_dilations"}, pairs: []string{"padding"}, ordered: "window_dimensions"}}
}
func (opRows) Remainder() opRow { return opRow{} }
func (opRows) ReplicaID() opRow { return opRow{} }
func (opRows) Reshape() opRow {
	return opRow{quantized: rules{onStored}, complex: rules{eachPart}, fold: moved, reshape: rules{normalReshape}, dot: rules{dotSplit}}
}
func (opRows) Reverse() opRow {
	return opRow{quantized: rules{onStored}, complex: rules{eachPart}, fold: moved, parts: rules{reverseNothing},
		dimensions: &dimensions{numbers: []string{"dimensions"}}}
}
func (opRows) RoundNearestAfz() opRow  { return opRow{algebra: rules{again}} }
func (opRows) RoundNearestEven() opRow { return opRow{algebra: rules{again}} }
func (opRows) Scatter() opRow          { return opRow{complex: rules{eachPartOfSums}} }
func (opRows) Select() opRow {
	return opRow{quantized: rules{onEither}, complex: rules{eachPart}, choose: rules{chooseKnown, chooseAgain, chooseBool, chooseOrder}}
}
func (opRows) SelectAndScatter() opRow {
	return opRow{dimensions: &dimensions{each: []string{"window_dimensions", "window_strides"}, pairs: []string{"padding"}, ordered: "window_dimensions"}}
}
func (opRows) Send() opRow                 { return opRow{} }
func (opRows) SetDimensionSize() opRow     { return opRow{standard: rules{fullSize}} }
func (opRows) ShiftLeft() opRow            { return opRow{algebra: rules{shift}} }
func (opRows) ShiftRightArithmetic() opRow { return opRow{algebra: rules{shift}} }
func (opRows) ShiftRightLogical() opRow    { return opRow{algebra: rules{shift}} }
func (opRows) Sign() opRow                 { return opRow{complex: rules{signComplex}, algebra: rules{again}} }
func (opRows) Slice() opRow {
	return opRow{quantized: rules{onStored}, complex: rules{eachPart}, fold: moved, parts: rules{wholeSlice, sliceSlice, sliceRepeated, slicePiece, slicePadded}, slice: rules{sliceComputed},
		dimensions: &dimensions{each: []string{"start_indices", "limit_indices", "strides"}}}
}
func (opRows) Sort() opRow             { return opRow{} }
func (opRows) Subtract() opRow         { return opRow{complex: rules{eachPart}, algebra: rules{subtraction}} }
func (opRows) TorchIndexSelect() opRow { return opRow{standard: rules{standardIndexSelect}} }
func (opRows) Transpose() opRow {
	return opRow{quantized: rules{onStored}, complex: rules{eachPart}, fold: moved, reshape: rules{transposeMerged}, transpose: rules{normalTranspose}, dot: rules{exchange}, channelsFirst: rules{channelsFirstResult}}
}
func (opRows) TriangularSolve() opRow   { return opRow{complex: rules{triangularComplex}} }
func (opRows) Tuple() opRow             { return opRow{} }
func (opRows) UnaryEinsum() opRow       { return opRow{standard: rules{standardUnaryEinsum}} }
func (opRows) UniformDequantize() opRow { return opRow{quantized: rules{dequantizeStored}} }
func (opRows) UniformQuantize() opRow   { return opRow{quantized: rules{quantizeStored}} }
func (opRows) While() opRow             { return opRow{} }
func (opRows) Xor() opRow               { return opRow{algebra: rules{constantRight, exclusive}} }
