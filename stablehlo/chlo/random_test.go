package chlo

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// Whatever types an op is given: what the verifier accepts is still accepted
// once it is lowered, and reads back.
func TestLoweringAnyTypesKeepsModulesValid(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	names := slices.DeleteFunc(slices.Collect(mlir.Codes()), func(code mlir.Code) bool { return opTable[code].lower == nil })
	lowered := 0
	for range 8000 {
		name := names[r.Intn(len(names))]
		text := randomOp(r, name.String())
		m, err := stablehlo.Parse("random.mlir", text)
		require.NoError(t, err)
		if verify.Module(m) != nil {
			continue
		}
		Lower(m, nil)
		require.NoError(t, verify.Module(m), text)
		printed := mlir.Print(m)
		_, err = stablehlo.Parse("lowered.mlir", printed)
		require.NoError(t, err, text)
		if !strings.Contains(printed, "chlo.") {
			lowered++
		}
	}
	require.Greater(t, lowered, 80, "the types are too wild")
}

// randomOp is a function with one op, whose types are the same more often than
// not.
func randomOp(r *rand.Rand, name string) string {
	shapes := []string{"", "2x", "?x", "2x3x", "?x3x", "1x3x", "0x3x", "*x"}
	elems := []string{"f16", "f32", "f64", "f8E4M3FN", "i1", "i4", "i32", "ui64", "complex<f32>", "index", "!quant.uniform<i8:f32, 0.1:3>"}
	one := func(list []string) string { return list[r.Intn(len(list))] }
	shape, elem := one(shapes), one(elems)
	typ := func() string {
		switch r.Intn(6) {
		case 0:
			return "tensor<" + one(shapes) + one(elems) + ">"
		case 1:
			return "tensor<" + one(shapes) + elem + ">"
		}
		return "tensor<" + shape + elem + ">"
	}
	var params, args, ins []string
	for i := range 1 + r.Intn(3) {
		ins = append(ins, typ())
		args = append(args, fmt.Sprintf("%%a%d", i))
		params = append(params, args[i]+": "+ins[i])
	}
	results, outs := "%0", typ()
	if name == "chlo.top_k" {
		results, outs = "%0:2", outs+", tensor<"+one(shapes)+"i32>"
	}
	return fmt.Sprintf("func.func @main(%s) {\n  %s = %q(%s) %s : (%s) -> (%s)\n  return\n}", strings.Join(params, ", "),
		results, name, strings.Join(args, ", "), randomAttrs(r, name), strings.Join(ins, ", "), outs)
}

func randomAttrs(r *rand.Rand, name string) string {
	switch name {
	case "chlo.top_k":
		return fmt.Sprintf("{k = %d : i64}", r.Intn(4))
	case "chlo.constant_like":
		return "{value = 1 : i32}"
	case "chlo.broadcast_compare":
		return "{comparison_direction = #chlo<comparison_direction LT>}"
	case "chlo.ragged_dot":
		group := []string{"", ", rhs_group_dimensions = [0]"}[r.Intn(2)]
		return fmt.Sprintf("{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [%d], "+
			"rhs_contracting_dimensions = [%d], lhs_ragged_dimensions = [%d]%s>}", r.Intn(2), r.Intn(2), r.Intn(2), group)
	}
	return ""
}
