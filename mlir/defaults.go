package mlir

// isDefault reports whether the op means the same without the attribute.
func isDefault(op *Op, e NamedAttr) bool {
	if e.Name == "result_accuracy" {
		a, ok := e.Value.(StructAttr)
		return ok && isDefaultAccuracy(a)
	}
	of := defaults[op.Name()]
	return of != nil && of.Get(e.Name) != nil && of.Get(e.Name).String() == e.Value.String()
}

// defaults are the attributes that the dialect's printer leaves out, by op.
var defaults = map[string]Dict{
	"stablehlo.custom_call": {
		{"has_side_effect", BoolAttr(false)}, {"api_version", IntegerAttr{1, I32}},
		{"called_computations", ArrayAttr{}}, {"output_operand_aliases", ArrayAttr{}},
	},
	"stablehlo.composite": {{"version", IntegerAttr{0, I32}}, {"composite_attributes", DictAttr{}}},
}

// isDefaultAccuracy reports whether a is of the mode DEFAULT, which has no
// tolerances.
func isDefaultAccuracy(a StructAttr) bool {
	m := a.Fields.Get("mode")
	return a.Name == "stablehlo.result_accuracy" && m != nil && m.String() == "#stablehlo.result_accuracy_mode<DEFAULT>"
}
