package verify

import (
	"slices"
	"strings"

	"ltc/internal/minifloat"
	"ltc/mlir"
)

// kinds is a set of kinds of element types.
type kinds uint16

// The kinds. A signless integer counts as signed, as StableHLO reads it.
const (
	kBool kinds = 1 << iota
	kSigned
	kUnsigned
	kFloat
	kComplex
	kQuant      // quantized, with one scale for the tensor
	kQuantAxis  // quantized, with a scale for each slice along a dimension
	kQuantBlock // quantized, with a scale for each block: only moved whole, quantized and dequantized
	kIndex

	kInt       = kSigned | kUnsigned
	kTensor    = kBool | kInt | kFloat | kComplex
	kPerTensor = kTensor | kQuant
	kAny       = kPerTensor | kQuantAxis
	kQuants    = kQuant | kQuantAxis | kQuantBlock
)

var kindNames = []struct {
	kinds kinds
	name  string
}{
	{kAny | kQuantBlock, "any elements"}, {kAny, "elements that are not quantized by blocks"}, {kPerTensor, "elements that are not quantized per axis"}, {kTensor, "elements that are not quantized"},
	{kBool, "i1"}, {kInt, "integers"}, {kSigned, "signed integers"}, {kUnsigned, "unsigned integers"}, {kFloat, "floats"},
	{kComplex, "complex numbers"}, {kQuants, "quantized elements"}, {kQuant, "elements quantized per tensor"}, {kIndex, "index"},
}

// String lists the kinds as errors name them.
func (k kinds) String() string {
	var s []string
	for _, n := range kindNames {
		if k&n.kinds == n.kinds {
			s = append(s, n.name)
			k &^= n.kinds
		}
	}
	return strings.Join(s, ", ")
}

// kindOf returns the kind of an element type of the specification; 0 if it is
// none of them, such as si32 or i7.
func kindOf(t mlir.Type) kinds {
	switch t := t.(type) {
	case mlir.IntegerType:
		switch {
		case t == mlir.I1:
			return kBool
		case !slices.Contains([]int{2, 4, 8, 16, 32, 64}, t.Width):
			return 0
		case t.Sign == mlir.Unsigned:
			return kUnsigned
		case t.Sign == mlir.Signed:
			return 0
		}
		return kSigned
	case mlir.FloatType:
		if t.Name == "f80" || t.Name == "f128" {
			return 0
		}
		return kFloat
	case mlir.ComplexType:
		if t.Elem != mlir.Type(mlir.F32) && t.Elem != mlir.Type(mlir.F64) {
			return 0
		}
		return kComplex
	case mlir.IndexType:
		return kIndex
	case mlir.DialectType:
		switch {
		case !strings.HasPrefix(t.Text, "quant.uniform<"):
			return 0
		case !strings.Contains(t.Text, "{"):
			return kQuant
		}
		if head, _, _ := strings.Cut(t.Text, "{"); strings.HasSuffix(strings.TrimRight(head, " "), ":") {
			return kQuantBlock
		}
		return kQuantAxis
	}
	return 0
}

// quantOf is QuantOf for types that have been checked: nil if t is not
// quantized.
func quantOf(t mlir.Type) *mlir.QuantType {
	q, _ := mlir.QuantOf(t)
	return q
}

// sameElement reports whether two element types are the same, however
// quantized ones are written.
func sameElement(a, b mlir.Type) bool {
	if mlir.SameType(a, b) {
		return true
	}
	return sameParams(quantOf(a), quantOf(b)) && sameBaseline(a, b)
}

// sameParams reports whether scales and zero points are the same.
func sameParams(p, q *mlir.QuantType) bool {
	return p != nil && q != nil && slices.Equal(p.Scales, q.Scales) && slices.Equal(p.ZeroPoints, q.ZeroPoints) && slices.Equal(p.Grid, q.Grid)
}

// sameBaseline compares the specification's baseline_element_type: quantized
// types without their scales and zero points.
func sameBaseline(a, b mlir.Type) bool {
	if mlir.SameType(a, b) {
		return true
	}
	p, q := quantOf(a), quantOf(b)
	return p != nil && q != nil && p.Axis == q.Axis && slices.Equal(p.Blocks, q.Blocks) && sameStorage(p, q) && p.Expressed == q.Expressed
}

// sameAside compares types whose quantization dimension may differ, and where
// scales is false scales and zero points too (reshape_c1, broadcast_in_dim_c1).
func sameAside(a, b mlir.Type, scales bool) bool {
	if mlir.SameType(a, b) {
		return true
	}
	p, q := quantOf(a), quantOf(b)
	if p == nil || q == nil || (p.Axis < 0) != (q.Axis < 0) || !sameStorage(p, q) || p.Expressed != q.Expressed {
		return false
	}
	return sameParams(p, q) || !scales && p.Axis >= 0
}

func sameStorage(p, q *mlir.QuantType) bool {
	return p.Stored() == q.Stored() && p.Min == q.Min && p.Max == q.Max
}

// promotable is the specification's is_promotable: the same kind of number, at
// least as wide.
func promotable(from, to mlir.Type) bool {
	if mlir.SameType(from, to) {
		return true
	}
	if p, q := quantOf(from), quantOf(to); p != nil && q != nil {
		return p.Expressed == q.Expressed && p.Storage.Width <= q.Storage.Width
	}
	a, b := kindOf(from), kindOf(to)
	same := a == b && a&(kInt|kFloat|kComplex) != 0
	return same && bitWidth(from) <= bitWidth(to)
}

// bitWidth is the number of bits of an element, of a quantized one of its
// storage; 0 if unknown.
func bitWidth(t mlir.Type) int {
	switch t := t.(type) {
	case mlir.IntegerType:
		return t.Width
	case mlir.FloatType:
		if _, bits, ok := minifloat.Of(t.Name); ok {
			return bits
		}
		return 8 * mlir.ElementBytes(t)
	case mlir.ComplexType:
		return 2 * bitWidth(t.Elem)
	case mlir.DialectType:
		if q := quantOf(t); q != nil {
			return q.Storage.Width
		}
	}
	return 0
}

// complexPart is the type of the parts of a complex type, and other types
// themselves.
func complexPart(t mlir.Type) mlir.Type {
	if c, ok := t.(mlir.ComplexType); ok {
		return c.Elem
	}
	return t
}
