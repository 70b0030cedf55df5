package stablehlo

import "ltc/mlir"

// isDefault reports whether the op means the same without the attribute.
func isDefault(op *mlir.Op, e mlir.NamedAttr) bool {
	if e.Name == "result_accuracy" {
		a, ok := e.Value.(mlir.StructAttr)
		return ok && isDefaultAccuracy(a)
	}
	value := defaults[op.Code].Get(e.Name)
	return value != nil && value.String() == e.Value.String()
}

// defaults are the attributes that the dialect's printer leaves out, by op.
var defaults = map[mlir.Code]mlir.Dict{
	CustomCall: {
		{Name: "has_side_effect", Value: mlir.BoolAttr(false)}, {Name: "api_version", Value: mlir.IntegerAttr{Value: 1, Type: mlir.I32}},
		{Name: "called_computations", Value: mlir.ArrayAttr{}}, {Name: "output_operand_aliases", Value: mlir.ArrayAttr{}},
	},
	Composite: {{Name: "version", Value: mlir.IntegerAttr{Value: 0, Type: mlir.I32}}, {Name: "composite_attributes", Value: mlir.DictAttr{}}},
}

// isDefaultAccuracy reports whether a is of the mode DEFAULT, which has no
// tolerances.
func isDefaultAccuracy(a mlir.StructAttr) bool {
	m := a.Fields.Get("mode")
	return a.Name == "stablehlo.result_accuracy" && m != nil && m.String() == "#stablehlo.result_accuracy_mode<DEFAULT>"
}
