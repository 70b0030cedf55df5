package simplify

import (
	"ltc/mlir"
	"ltc/stablehlo"
)

// convert leaves out conversions to the type that a value has, and of two in a
// row the first where it loses nothing. Bits that are read as another type and
// that again are read once.
func convert(s *state) bool { return s.rewrite(func(r *opRow) rules { return r.convert }) }

func convertTwice(e *editor, op *mlir.Op) *mlir.Value {
	x, to := op.Operands[0], resultType(op)
	if mlir.SameType(x.Type, to) {
		return x
	}
	if inner := def(x, stablehlo.Convert); inner != nil {
		from := tensorOf(inner.Operands[0])
		if a, b, c := formatOf(from.Elem), formatOf(tensorOf(x).Elem), formatOf(to.Elem); a.skips(b, c) {
			if mlir.SameType(from, to) {
				return inner.Operands[0]
			}
			return e.again(op, to, inner.Operands[0])
		}
	}
	return nil
}

// format is the numbers that an element type holds: of an integer type, the
// bits of its least and greatest number; of a float, mantissa and exponents.
type format struct {
	kind               formatKind
	negative           bool
	bits               int // of the magnitude; of a float, of the mantissa with the leading 1
	least, most, width int // exponents of a float
}

type formatKind uint8

const (
	otherFormat formatKind = iota
	intFormat
	floatFormat
)

func formatOf(elem mlir.Type) format {
	switch t := elem.(type) {
	case mlir.IntegerType:
		if t.Sign == mlir.Unsigned || t.Width == 1 {
			return format{kind: intFormat, bits: t.Width, width: t.Width}
		}
		return format{kind: intFormat, negative: true, bits: t.Width - 1, width: t.Width}
	case mlir.FloatType:
		return floatFormats[t.Name]
	}
	return format{}
}

var floatFormats = map[string]format{
	"f64":  {kind: floatFormat, negative: true, bits: 53, least: -1074, most: 1024},
	"f32":  {kind: floatFormat, negative: true, bits: 24, least: -149, most: 128},
	"f16":  {kind: floatFormat, negative: true, bits: 11, least: -24, most: 16},
	"bf16": {kind: floatFormat, negative: true, bits: 8, least: -133, most: 128},
}

// holds reports whether g has all numbers of f.
func (f format) holds(g format) bool {
	if f.kind == intFormat && g.kind == floatFormat {
		return false
	}
	return (f.negative || !g.negative) && f.bits >= g.bits &&
		(f.kind == intFormat || g.kind == intFormat || f.least <= g.least && f.most >= g.most)
}

// skips reports whether a conversion from a by way of b to c equals the conversion from
// a to c. It does if b has all of a's numbers, and the conversion of a number to c does
// not depend on the number's type. The type matters for a number that is too large for
// c: an integer is truncated, a float becomes the largest.
func (a format) skips(b, c format) bool {
	if a.kind == otherFormat || b.kind == otherFormat || c.kind == otherFormat || !b.holds(a) {
		return false
	}
	return a.kind == b.kind || c.kind == floatFormat || c.width == 1 || c.holds(a)
}

// bitcastTwice reads bits once; all three types are of one width. Computed floats that are
// taken by their bits and come back stay so: a product is rounded before it is part of a sum.
func bitcastTwice(e *editor, op *mlir.Op) *mlir.Value {
	x, to := op.Operands[0], resultType(op)
	if mlir.SameType(x.Type, to) {
		return x
	}
	inner := def(x, op.Code)
	if inner == nil {
		return nil
	}
	from := tensorOf(inner.Operands[0])
	if _, float := to.Elem.(mlir.FloatType); float && mlir.SameType(from, to) && inner.Operands[0].Def != nil {
		return nil
	}
	if len(from.Shape) == len(tensorOf(x).Shape) && len(to.Shape) == len(from.Shape) {
		return e.again(op, to, inner.Operands[0])
	}
	return nil
}
