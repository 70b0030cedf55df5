package stablehlo

import (
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
	"ltc/mlir"
)

// canonical writes an attribute of StableHLO in one way. It drops what the dialect's
// printer leaves out, such as lists that are empty.
func canonical(a mlir.Attribute) mlir.Attribute {
	switch a := a.(type) {
	case mlir.StructAttr:
		return canonicalStruct(a)
	case mlir.DialectAttr:
		return canonicalText(a)
	}
	return a
}

func canonicalStruct(a mlir.StructAttr) mlir.Attribute {
	switch a.Name {
	case "stablehlo.type_extensions": // what bounds were called before
		if list, ok := mlir.Ints(a.Fields.Get("bounds")); ok && len(a.Fields) == 1 {
			return boundsAttr(list)
		}
	case "stablehlo.dot":
		if d, ok := ParseDot(a); ok {
			return d.Attr()
		}
	case "stablehlo.result_accuracy":
		if isDefaultAccuracy(a) && AccuracyProblem(a) == "" {
			return mlir.StructAttr{Name: a.Name, Fields: mlir.Dict{{Name: "mode", Value: a.Fields.Get("mode")}}}
		}
	case "stablehlo.gather":
		if d, ok := ParseGather(a); ok {
			return d.Attr()
		}
	case "stablehlo.scatter":
		if d, ok := ParseScatter(a); ok {
			return d.Attr()
		}
	}
	return a
}

// canonicalText is canonical for attributes in a syntax of their own.
func canonicalText(a mlir.DialectAttr) mlir.Attribute {
	switch name, body, _ := strings.Cut(a.Text, "<"); name {
	case "stablehlo.conv":
		if d, err := ParseConv(a); err == nil {
			if c := d.Attr(); c != nil {
				return c
			}
		}
	case "stablehlo.type_extensions": // what bounds were called before
		if _, list, ok := strings.Cut(body, "="); ok {
			list = strings.Trim(strings.TrimSuffix(list, ">"), " []")
			return canonicalBounds(mlir.DialectAttr{Text: "stablehlo.bounds<" + list + ">"})
		}
	case "stablehlo.bounds":
		return canonicalBounds(a)
	}
	return a
}

// canonicalType writes a type of StableHLO in one way.
func canonicalType(t mlir.DialectType) mlir.DialectType {
	switch {
	case strings.HasPrefix(t.Text, "stablehlo.future<"):
		if elems, ok := FutureElems(t); ok {
			t.Text = "stablehlo.future<" + diag.Join(elems, mlir.Type.String) + ">"
		}
	case t.Text == "stablehlo.token<>":
		t.Text = "stablehlo.token"
	}
	return t
}

// FutureElems returns the types that a !stablehlo.future<…> holds.
func FutureElems(t mlir.Type) ([]mlir.Type, bool) {
	d, ok := t.(mlir.DialectType)
	if !ok {
		return nil, false
	}
	inner, ok := strings.CutPrefix(d.Text, "stablehlo.future<")
	if !ok {
		return nil, false
	}
	// The types of a function that gives the same read the same.
	m, err := Parse("", "func.func private @f() -> ("+strings.TrimSuffix(inner, ">")+")")
	if err != nil || len(m.Ops) != 1 || m.Ops[0].FuncType() == nil {
		return nil, false
	}
	return m.Ops[0].FuncType().Outs, true
}

// canonicalBounds writes bounds in one way; other encodings stay.
func canonicalBounds(a mlir.Attribute) mlir.Attribute {
	list := Bounds(&mlir.TensorType{Encoding: a})
	if list == nil {
		return a
	}
	return boundsAttr(list)
}

func boundsAttr(list []int64) mlir.Attribute {
	return mlir.DialectAttr{Text: "stablehlo.bounds<" + diag.Join(list, lexeme.Size) + ">"}
}

// boundsText is what stands between the brackets of a tensor type's bounds.
func boundsText(t *mlir.TensorType) (string, bool) {
	if t.Encoding == nil {
		return "", false
	}
	s := t.Encoding.String()
	if rest, ok := strings.CutPrefix(s, "#stablehlo.bounds<"); ok {
		return strings.TrimSuffix(rest, ">"), true
	}
	return "", false
}

// Bounds returns the largest sizes of a tensor type's dimensions, Dynamic for one
// without; nil if its encoding is none of bounds.
func Bounds(t *mlir.TensorType) []int64 {
	text, ok := boundsText(t)
	if !ok {
		return nil
	}
	list := []int64{}
	if strings.TrimSpace(text) == "" {
		return list
	}
	for e := range strings.SplitSeq(text, ",") {
		e = strings.TrimSpace(e)
		n, err := strconv.ParseInt(e, 10, 64)
		if e == "?" {
			n = mlir.Dynamic
		} else if err != nil {
			return nil // other dialects' numbers are not read
		}
		list = append(list, n)
	}
	return list
}

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
