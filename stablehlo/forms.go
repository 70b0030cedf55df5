package stablehlo

import (
	"slices"

	"ltc/mlir"
)

// attrForm says how the value of a property is written.
type attrForm int

// The forms.
const (
	i64Form       attrForm = iota // 1 : i64
	i32Form                       // 1 : i32
	f32Form                       // 1.0 : f32
	boolForm                      // true or false
	unitForm                      // the name alone
	i64sForm                      // array<i64: 1, 2>
	boolsForm                     // array<i1: true, false>
	pairsForm                     // dense<[[1, 2]]> : tensor<1x2xi64>
	textForm                      // "text"
	symbolsForm                   // [@f, @g]
	channelForm                   // #stablehlo.channel_handle<…>
	accuracyForm                  // #stablehlo.result_accuracy<…>
	algorithmForm                 // #stablehlo.dot_algorithm<…>
	optionalForm  attrForm = 1 << 8
)

var attrFormNames = map[attrForm]string{
	i64Form: "an i64", i32Form: "an i32", f32Form: "an f32", boolForm: "a bool", unitForm: "a flag without value",
	i64sForm: "array<i64: …>", boolsForm: "array<i1: …>", pairsForm: "dense<…> of i64",
	textForm: "a string", symbolsForm: "a list of symbols", channelForm: "#stablehlo.channel_handle<…>",
	accuracyForm: "#stablehlo.result_accuracy<…>", algorithmForm: "#stablehlo.dot_algorithm<…>",
}

// attrForms has the form of each property of StableHLO that is written in one form
// only. Ops must give such a property unless its form is optional. A name with an
// op before it is of that op alone.
var attrForms = map[string]attrForm{
	"all_gather_dim": i64Form, "concat_dimension": i64Form, "split_dimension": i64Form, "split_count": i64Form,
	"scatter_dimension": i64Form, "dimension": i64Form, "iota_dimension": i64Form, "feature_index": i64Form,
	"batch_group_count": i64Form, "feature_group_count": i64Form, "dim": i64Form, "batch_dims": i64Form,
	"stablehlo.sort dimension": i64Form | optionalForm,
	"exponent_bits":            i32Form, "mantissa_bits": i32Form, "index": i32Form,
	"version":       i32Form | optionalForm,
	"api_version":   i32Form | optionalForm,
	"infeed_config": textForm | optionalForm, "outfeed_config": textForm | optionalForm,
	"called_computations": symbolsForm | optionalForm,
	"channel_handle":      channelForm | optionalForm,
	"result_accuracy":     accuracyForm | optionalForm,
	"algorithm":           algorithmForm | optionalForm,
	"epsilon":             f32Form,
	"lower":               boolForm, "left_side": boolForm, "unit_diagonal": boolForm,
	"stablehlo.cholesky lower": boolForm | optionalForm,
	"is_stable":                boolForm | optionalForm, "indices_are_sorted": boolForm | optionalForm, "unique_indices": boolForm | optionalForm,
	"has_side_effect": boolForm | optionalForm, "is_host_transfer": boolForm | optionalForm,
	"use_global_device_ids": unitForm | optionalForm, "has_dynamic_root": unitForm | optionalForm,
	"broadcast_dimensions": i64sForm, "broadcast_sizes": i64sForm, "permutation": i64sForm, "dimensions": i64sForm,
	"start_indices": i64sForm, "limit_indices": i64sForm, "strides": i64sForm, "slice_sizes": i64sForm, "fft_length": i64sForm,
	"edge_padding_low": i64sForm, "edge_padding_high": i64sForm, "interior_padding": i64sForm,
	"known_expanding_dimensions": i64sForm | optionalForm, "known_nonexpanding_dimensions": i64sForm | optionalForm,
	"window_dimensions": i64sForm, "window_strides": i64sForm | optionalForm,
	"base_dilations": i64sForm | optionalForm, "window_dilations": i64sForm | optionalForm,
	"lhs_dilation": i64sForm | optionalForm, "rhs_dilation": i64sForm | optionalForm,
	"window_reversal": boolsForm | optionalForm,
	"stablehlo.select_and_scatter window_dimensions": i64sForm | optionalForm,
	"padding":                            pairsForm | optionalForm,
	"source_target_pairs":                pairsForm,
	"stablehlo.send source_target_pairs": pairsForm | optionalForm,
	"stablehlo.recv source_target_pairs": pairsForm | optionalForm,
}

// FormProblem returns the form that a property of an op should have; "" if it has that
// form, or none of its own.
func FormProblem(op *mlir.Op, name string) string {
	form, known := formOf(op.Name(), name)
	a := op.Attrs.Get(name)
	if !known || a == nil && form&optionalForm != 0 {
		return ""
	}
	if form &^= optionalForm; form.has(a) {
		return ""
	}
	return attrFormNames[form]
}

// formOf returns the form of an attribute of an op; false if it has no form of its own.
func formOf(op, name string) (attrForm, bool) {
	f, known := attrForms[op+" "+name]
	if !known {
		f, known = attrForms[name]
	}
	return f, known
}

func (f attrForm) has(a mlir.Attribute) bool {
	switch a := a.(type) {
	case mlir.IntegerAttr:
		return f == i64Form && (a.Type == nil || a.Type == mlir.Type(mlir.I64)) || f == i32Form && a.Type == mlir.Type(mlir.I32)
	case mlir.FloatAttr:
		return f == f32Form && a.Type == mlir.Type(mlir.F32)
	case mlir.BoolAttr:
		return f == boolForm
	case mlir.UnitAttr:
		return f == unitForm
	case mlir.DenseArrayAttr:
		return f == i64sForm && a.Elem == mlir.Type(mlir.I64) || f == boolsForm && a.Elem == mlir.Type(mlir.I1)
	case mlir.StringAttr:
		return f == textForm
	case mlir.ArrayAttr:
		return f == symbolsForm && !slices.ContainsFunc(a, func(e mlir.Attribute) bool { s, ok := e.(mlir.SymbolAttr); return !ok || !mlir.FlatSymbol(string(s)) })
	case mlir.StructAttr:
		return f == channelForm && a.Name == "stablehlo.channel_handle" || f == accuracyForm && a.Name == "stablehlo.result_accuracy" ||
			f == algorithmForm && a.Name == "stablehlo.dot_algorithm"
	case *mlir.DenseAttr:
		return f == pairsForm && a.Type.Elem == mlir.Type(mlir.I64)
	}
	return false
}
