package stablehlo

import (
	"strings"

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
			t.Text = "stablehlo.future<" + mlir.JoinTypes(elems) + ">"
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
