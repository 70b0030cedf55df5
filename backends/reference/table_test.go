package reference

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
	"ltc/stablehlo"
)

// Ops of the dialect that the evaluator does not run by themselves.
var unprepared = map[mlir.Code]string{
	stablehlo.Return: "ends a block", stablehlo.DynamicTopK: "is lowered like those of CHLO", stablehlo.DynamicApproxTopK: "is lowered like those of CHLO",
}

// Ops without a rule for their results' shapes, though the text may leave
// these open.
var unshaped = map[mlir.Code]string{
	stablehlo.Return: "has no results", stablehlo.DynamicTopK: "is lowered like those of CHLO", stablehlo.DynamicApproxTopK: "is lowered like those of CHLO",
	stablehlo.Send: "a token", stablehlo.Outfeed: "a token", stablehlo.AfterAll: "a token", stablehlo.CreateToken: "a token",
	stablehlo.ReplicaID: "a scalar", stablehlo.PartitionID: "a scalar", stablehlo.GetDimensionSize: "a scalar",

	stablehlo.If: "what a region returns", stablehlo.Case: "what a region returns", stablehlo.While: "what a region returns",
	stablehlo.AsyncStart: "what a region returns", stablehlo.Composite: "what a function returns",
	stablehlo.Tuple: "the operands", stablehlo.OptimizationBarrier: "the operands", stablehlo.AsyncDone: "the operand",
	stablehlo.GetTupleElement: "a part of the operand",

	stablehlo.SetDimensionSize: "the shape is a value", stablehlo.RNG: "the shape is a value",

	stablehlo.Constant: "nothing but the text tells the shape", stablehlo.Iota: "nothing but the text tells the shape",
	stablehlo.BroadcastInDim: "nothing but the text tells the shape", stablehlo.RNGBitGenerator: "nothing but the text tells the shape",
	stablehlo.CustomCall: "nothing but the text tells the shape",
	stablehlo.Infeed:     "nothing but the text tells the shape", stablehlo.Recv: "nothing but the text tells the shape",
	stablehlo.AllGather: "the number of partners is known to the run", stablehlo.ReduceScatter: "the number of partners is known to the run",
	stablehlo.Einsum: "is of an older dialect, and refused with sizes left open", stablehlo.UnaryEinsum: "is of an older dialect, and refused with sizes left open",
}

// Every op of the dialect's table has a row here with a preparation and a
// shape rule, or stands in a list with the reason; and no list has more.
func TestRows(t *testing.T) {
	for code := range mlir.Codes() {
		if !strings.HasPrefix(code.String(), "stablehlo.") {
			continue
		}
		row, info := opTable[code], code.Info().Static
		_, exempt := unprepared[code]
		require.Equal(t, row.prepare == nil, exempt, "%s: a preparation, or else a reason for none", code)
		_, exempt = unshaped[code]
		require.Equal(t, row.shape == nil && info == nil, exempt, "%s: a shape rule, or else a reason for none", code)
		if info != nil {
			require.NotNil(t, opTable[info.Op].prepare, "%s becomes %s", code, info.Op)
		}
	}
	require.NotContains(t, opTable, mlir.Code(0), "the dialect's table has no such op")
	for _, list := range []map[mlir.Code]string{unprepared, unshaped} {
		for code, why := range list {
			require.NotZero(t, code, "the dialect's table has no such op")
			require.NotEmpty(t, why, code)
		}
	}
}
