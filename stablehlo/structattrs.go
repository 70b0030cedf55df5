package stablehlo

import (
	"slices"
	"strconv"
	"strings"

	"ltc/mlir"
)

// structFields is which fields the structured attributes of StableHLO that are
// known here have. A text that gives one of them a field of another name, or
// one twice, is refused when it is read; others are kept as they stand.
var structFields = map[string][]string{
	"stablehlo.scatter": {"update_window_dims", "inserted_window_dims", "input_batching_dims", "scatter_indices_batching_dims",
		"scatter_dims_to_operand_dims", "index_vector_dim"},
	"stablehlo.gather": {"offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
		"start_index_map", "index_vector_dim"},
	"stablehlo.dot": {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions", "rhs_contracting_dimensions"},
	"stablehlo.dot_algorithm": {"lhs_precision_type", "rhs_precision_type", "accumulation_type", "lhs_component_count",
		"rhs_component_count", "num_primitive_operations", "allow_imprecise_accumulation"},
	"stablehlo.channel_handle":       {"handle", "type"},
	"stablehlo.result_accuracy":      {"atol", "rtol", "ulps", "mode"},
	"stablehlo.output_operand_alias": {"output_tuple_indices", "operand_index", "operand_tuple_indices"},
}

// attrProblem says what is wrong with an attribute in itself; "" if nothing.
func attrProblem(a mlir.Attribute) string {
	switch a := a.(type) {
	case mlir.StructAttr:
		switch a.Name {
		case "stablehlo.dot_algorithm":
			label, why := AlgorithmProblem(a)
			if label != "" {
				why += " (dot_general_" + strings.ToLower(label) + ")"
			}
			return why
		case "stablehlo.result_accuracy":
			return AccuracyProblem(a)
		case "stablehlo.channel_handle":
			for _, name := range structFields[a.Name] {
				if _, ok := mlir.Int(a.Fields.Get(name)); !ok {
					return "channel_handle should have " + name + " = a number"
				}
			}
		}
	case mlir.DialectAttr:
		if strings.HasPrefix(a.Text, "stablehlo.conv<") {
			if _, err := ParseConv(a); err != nil {
				return err.Error()
			}
		}
	}
	return ""
}

// AlgorithmProblem checks the types and counts of a dot algorithm; label is
// that of dot_general's rule.
func AlgorithmProblem(a mlir.StructAttr) (label, why string) {
	for i, name := range []string{"lhs_precision_type", "rhs_precision_type", "accumulation_type"} {
		t, _ := a.Fields.Get(name).(mlir.TypeAttr)
		if _, float := t.Type.(mlir.FloatType); !float {
			return []string{"I8", "I9", "I10"}[i], name + " of the algorithm should be a type of floats"
		}
	}
	for i, name := range []string{"lhs_component_count", "rhs_component_count", "num_primitive_operations"} {
		if n, ok := mlir.Int(a.Fields.Get(name)); !ok || n <= 0 {
			return []string{"C22", "C23", "C24"}[i], name + " of the algorithm should be a positive number"
		}
	}
	if !knownAlgorithm(a) {
		return "", "the algorithm is not one that any hardware is known to have: " + a.String()
	}
	return "", ""
}

// algorithms are those that hardware is known to have, by the types of operands
// and accumulation, with the counts of components and primitive operations. The
// specification's text counts the parts of split operands as components. Its
// implementation has one component each and tells algorithms apart by the operations.
var algorithms = map[[3]string][][3]int64{
	{"f16", "f16", "f16"}:    {{1, 1, 1}},
	{"f16", "f16", "f32"}:    {{1, 1, 1}},
	{"bf16", "bf16", "bf16"}: {{1, 1, 1}},
	{"bf16", "bf16", "f32"}:  {{1, 1, 1}, {1, 1, 3}, {1, 1, 6}, {1, 1, 9}, {2, 2, 3}, {3, 3, 6}, {3, 3, 9}},
	{"tf32", "tf32", "f32"}:  {{1, 1, 1}, {1, 1, 3}, {2, 2, 3}},
	{"f32", "f32", "f32"}:    {{1, 1, 1}},
	{"f64", "f64", "f64"}:    {{1, 1, 1}},
	{"f8", "f8", "f32"}:      {{1, 1, 1}}, // any two floats of 8 bits
}

// knownAlgorithm reports whether an algorithm whose fields are well formed is
// one of them. Accumulating with less precision is for operands of 8 bits.
func knownAlgorithm(a mlir.StructAttr) bool {
	var types [3]string
	for i, name := range []string{"lhs_precision_type", "rhs_precision_type", "accumulation_type"} {
		types[i] = a.Fields.Get(name).(mlir.TypeAttr).Type.String()
		if strings.HasPrefix(types[i], "f8") && types[i] != "f8E8M0FNU" && i < 2 {
			types[i] = "f8"
		}
	}
	var counts [3]int64
	for i, name := range []string{"lhs_component_count", "rhs_component_count", "num_primitive_operations"} {
		counts[i], _ = mlir.Int(a.Fields.Get(name))
	}
	imprecise := mlir.Flag(a.Fields.Get("allow_imprecise_accumulation"))
	return slices.Contains(algorithms[types], counts) && (!imprecise || types[0] == "f8")
}

// AccuracyProblem checks a mode and tolerances, which are for the mode
// TOLERANCE alone.
func AccuracyProblem(a mlir.StructAttr) string {
	mode := ""
	if m := a.Fields.Get("mode"); m == nil {
		return "result_accuracy should have a mode"
	} else {
		_, mode, _ = strings.Cut(strings.TrimSuffix(m.String(), ">"), "<")
		mode = mode[strings.LastIndexByte(mode, ' ')+1:]
	}
	for _, name := range []string{"atol", "rtol", "ulps"} {
		t := a.Fields.Get(name)
		f, isFloat := t.(mlir.FloatAttr)
		n, isInt := t.(mlir.IntegerAttr)
		x, _ := strconv.ParseFloat(f.Text, 64)
		if isFloat && x < 0 || isInt && n.Value < 0 {
			return "result_accuracy has a negative " + name
		}
		if mode != "" && mode != "TOLERANCE" && (isFloat && x != 0 || isInt && n.Value != 0) {
			return "result_accuracy has the mode " + mode + ", so its " + name + " should be 0"
		}
	}
	return ""
}
