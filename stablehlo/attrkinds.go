package stablehlo

import "ltc/mlir"

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
