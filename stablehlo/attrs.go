package stablehlo

import (
	"slices"
	"strconv"

	"ltc/internal/lexeme"
	"ltc/mlir"
)

// The readers of attributes. Those of a module that [verify.Module] accepts have the form
// that their ops want. One that is missing reads as zero, nil or false, or as what the
// reader says.

func integer(op *mlir.Op, name string) int64 {
	n, _ := mlir.Int(op.Attrs.Get(name))
	return n
}

func integers(op *mlir.Op, name string) []int64 {
	list, _ := mlir.Ints(op.Attrs.Get(name))
	return list
}

// ones is integers with one for each dimension of op's window, which is 1 where nothing is
// said.
func ones(op *mlir.Op, name string) []int64 {
	list := integers(op, name)
	if list == nil {
		list = slices.Repeat([]int64{1}, windowRank(op))
	}
	return list
}

// paddings is integers with two for each dimension of op's window, which are 0 where
// nothing is said.
func paddings(op *mlir.Op, name string) []int64 {
	list := integers(op, name)
	if list == nil {
		list = make([]int64, 2*windowRank(op))
	}
	return list
}

// windowRank returns how many dimensions the window of an op has.
func windowRank(op *mlir.Op) int {
	t, _ := op.Operands[0].Type.(*mlir.TensorType)
	switch {
	case t == nil:
		return 0
	case op.Code == Convolution || op.Code == DynamicConv:
		return max(len(t.Shape)-2, 0)
	}
	return len(t.Shape)
}

func float(op *mlir.Op, name string) float64 {
	a, _ := op.Attrs.Get(name).(mlir.FloatAttr)
	x, _ := strconv.ParseFloat(a.Text, 64)
	return x
}

func flag(op *mlir.Op, name string) bool { return mlir.Flag(op.Attrs.Get(name)) }

func text(op *mlir.Op, name string) string {
	s, _ := op.Attrs.Get(name).(mlir.StringAttr)
	return string(s)
}

func enum(op *mlir.Op, name string) string { return mlir.Enum(op.Attrs.Get(name)) }

func dense(op *mlir.Op, name string) *mlir.DenseAttr {
	a, _ := op.Attrs.Get(name).(*mlir.DenseAttr)
	return a
}

func dot(op *mlir.Op, name string) DotDims {
	d, _ := ParseDot(op.Attrs.Get(name))
	return d
}

func gather(op *mlir.Op, name string) GatherDims {
	d, _ := ParseGather(op.Attrs.Get(name))
	return d
}

func scatter(op *mlir.Op, name string) ScatterDims {
	d, _ := ParseScatter(op.Attrs.Get(name))
	return d
}

// IsFunction reports whether an op is a mathematical function of one number, whose
// accuracy can be asked for. Parts of a compiler treat all of these alike, so that a row
// of the table is all that most of them need to know a new one.
func IsFunction(c mlir.Code) bool {
	return slices.ContainsFunc(Attrs(c), func(a OpAttr) bool { return a.Name == "result_accuracy" })
}

// AttrKind is what an attribute of an op holds.
type AttrKind string

// The kinds.
const (
	IntKind     AttrKind = "int"     // an integer
	IntsKind    AttrKind = "ints"    // integers, or truth values as 0 and 1
	OnesKind    AttrKind = "ones"    // integers, one for each dimension of a window: 1 where nothing is said
	PadsKind    AttrKind = "pads"    // integers, two for each dimension of a window: 0 where nothing is said
	FloatKind   AttrKind = "float"   // a floating-point number
	FlagKind    AttrKind = "flag"    // true or false, or a name without value
	TextKind    AttrKind = "text"    // a string
	EnumKind    AttrKind = "enum"    // one of some names
	DotKind     AttrKind = "dot"     // a [DotDims]
	GatherKind  AttrKind = "gather"  // a [GatherDims]
	ScatterKind AttrKind = "scatter" // a [ScatterDims]
	ConvKind    AttrKind = "conv"    // a [ConvDims]
	DenseKind   AttrKind = "dense"   // a [DenseAttr]
	OtherKind   AttrKind = ""
)

// OpAttr is an attribute that an op has, or can have.
type OpAttr struct {
	Name string
	Kind AttrKind
}

// Attrs returns the attributes of an op's row, in its order.
func Attrs(c mlir.Code) []OpAttr {
	var all []OpAttr
	for _, name := range c.Props() {
		all = append(all, OpAttr{name, kindOfAttr(c.String(), name)})
	}
	return all
}

func kindOfAttr(op, name string) AttrKind {
	for _, key := range []string{op + " " + name, name} {
		if k, known := attrKinds[key]; known {
			return k
		}
	}
	if form, known := formOf(op, name); known {
		return formKinds[form&^optionalForm]
	}
	return OtherKind
}

// formKinds are the kinds of attributes of one form; attrKinds those of others. A name
// with an op before it is of that op alone.
var (
	formKinds = map[attrForm]AttrKind{
		i64Form: IntKind, i32Form: IntKind, f32Form: FloatKind, boolForm: FlagKind, unitForm: FlagKind,
		i64sForm: IntsKind, boolsForm: IntsKind, pairsForm: IntsKind, textForm: TextKind,
	}
	attrKinds = map[string]AttrKind{
		"comparison_direction": EnumKind, "compare_type": EnumKind, "fft_type": EnumKind, "rng_distribution": EnumKind,
		"rng_algorithm": EnumKind, "transpose_a": EnumKind,
		"window_strides": OnesKind, "base_dilations": OnesKind, "window_dilations": OnesKind, "lhs_dilation": OnesKind, "rhs_dilation": OnesKind,
		"stablehlo.select_and_scatter window_dimensions": OnesKind, "padding": PadsKind,
		"einsum_config": TextKind, "call_target_name": TextKind,
		"dot_dimension_numbers": DotKind, "scatter_dimension_numbers": ScatterKind,
		"dimension_numbers": GatherKind, "stablehlo.convolution dimension_numbers": ConvKind, "stablehlo.dynamic_conv dimension_numbers": ConvKind,
		"value": DenseKind, "k": IntKind, "is_reverse": FlagKind, "scan_dim_size": IntKind,
	}
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
		return f == symbolsForm && !slices.ContainsFunc(a, func(e mlir.Attribute) bool { s, ok := e.(mlir.SymbolAttr); return !ok || !lexeme.FlatSymbol(string(s)) })
	case mlir.StructAttr:
		return f == channelForm && a.Name == "stablehlo.channel_handle" || f == accuracyForm && a.Name == "stablehlo.result_accuracy" ||
			f == algorithmForm && a.Name == "stablehlo.dot_algorithm"
	case *mlir.DenseAttr:
		return f == pairsForm && a.Type.Elem == mlir.Type(mlir.I64)
	}
	return false
}

// ShapeAssertion is the target of the custom_call by which JAX checks the sizes
// of a program that leaves them open (jax.export with symbolic dimensions). Its
// first operand says whether they are as they must be. The others are numbers
// for its error_message, in which {0} is the first of them.
const ShapeAssertion = "shape_assertion"

// ShapeOperands returns which operands of a custom_call are the shapes of its results, by
// result, where a program leaves sizes open: those that indices_of_shape_operands names, the
// last ones. It is nil if there are none, and what a call does is not theirs to say.
func ShapeOperands(call *mlir.Op) []int {
	list, _ := mlir.Ints(call.Attrs.Get("indices_of_shape_operands"))
	if len(list) != len(call.Results) || len(list) > len(call.Operands) {
		return nil
	}
	operands := make([]int, len(list))
	for i, k := range list {
		if operands[i] = len(call.Operands) - len(list) + i; int64(operands[i]) != k {
			return nil
		}
	}
	return operands
}

// BackendConfig returns the parameters that a custom_call hands to the function that it
// calls: the dictionary backend_config, or mhlo.backend_config, which JAX writes. It is empty
// if there is none.
func BackendConfig(call *mlir.Op) mlir.Dict {
	config, ok := call.Attrs.Get("mhlo.backend_config").(mlir.DictAttr)
	if !ok {
		config, _ = call.Attrs.Get("backend_config").(mlir.DictAttr)
	}
	return mlir.Dict(config)
}
