package reference

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
)

// Ops of the dialect that the evaluator does not run by themselves.
var unprepared = map[string]string{
	"stablehlo.return": "ends a block", mlir.DynamicTopK: "is lowered like those of CHLO", mlir.ApproxTopK: "is lowered like those of CHLO",
}

// Ops without a rule for their results' shapes, though the text may leave
// these open.
var unshaped = map[string]string{
	"stablehlo.return": "has no results", mlir.DynamicTopK: "is lowered like those of CHLO", mlir.ApproxTopK: "is lowered like those of CHLO",
	"stablehlo.send": "a token", "stablehlo.outfeed": "a token", "stablehlo.after_all": "a token", "stablehlo.create_token": "a token",
	"stablehlo.replica_id": "a scalar", "stablehlo.partition_id": "a scalar", "stablehlo.get_dimension_size": "a scalar",

	"stablehlo.if": "what a region returns", "stablehlo.case": "what a region returns", "stablehlo.while": "what a region returns",
	"stablehlo.async_start": "what a region returns", "stablehlo.composite": "what a function returns",
	"stablehlo.tuple": "the operands", "stablehlo.optimization_barrier": "the operands", "stablehlo.async_done": "the operand",
	"stablehlo.get_tuple_element": "a part of the operand",

	"stablehlo.set_dimension_size": "the shape is a value", "stablehlo.rng": "the shape is a value",

	"stablehlo.constant": "nothing but the text tells the shape", "stablehlo.iota": "nothing but the text tells the shape",
	"stablehlo.broadcast_in_dim": "nothing but the text tells the shape", "stablehlo.rng_bit_generator": "nothing but the text tells the shape",
	"stablehlo.custom_call": "nothing but the text tells the shape",
	"stablehlo.infeed":      "nothing but the text tells the shape", "stablehlo.recv": "nothing but the text tells the shape",
	"stablehlo.all_gather": "the number of partners is known to the run", "stablehlo.reduce_scatter": "the number of partners is known to the run",
	"stablehlo.einsum": "is of an older dialect, and refused with sizes left open", "stablehlo.unary_einsum": "is of an older dialect, and refused with sizes left open",
}

// Every op of the dialect's table has a row here with a preparation and a
// shape rule, or stands in a list with the reason; and no list has more.
func TestRows(t *testing.T) {
	for _, name := range mlir.OpNames() {
		if !strings.HasPrefix(name, "stablehlo.") {
			continue
		}
		row, info := opTable[name], static(&mlir.Op{Name: name})
		_, exempt := unprepared[name]
		require.Equal(t, row.prepare == nil, exempt, "%s: a preparation, or else a reason for none", name)
		_, exempt = unshaped[name]
		require.Equal(t, row.shape == nil && info == nil, exempt, "%s: a shape rule, or else a reason for none", name)
		if info != nil {
			require.NotNil(t, opTable[info.Op].prepare, "%s becomes %s", name, info.Op)
		}
	}
	known := mlir.OpNames()
	for name := range opTable {
		require.Contains(t, known, name, "the dialect's table has no such op")
	}
	for _, list := range []map[string]string{unprepared, unshaped} {
		for name, why := range list {
			require.Contains(t, known, name, "the dialect's table has no such op")
			require.NotEmpty(t, why, name)
		}
	}
}
