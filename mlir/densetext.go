package mlir

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"ltc/internal/lexeme"
)

// hexFrom is the number of elements from which a literal is printed as a
// hexadecimal string, MLIR's own default.
const hexFrom = 100

// Dense returns the literal of the static type t with the values in data, in
// the form that [DenseAttr.Decode] gives them (not a splat's). Equal elements
// print as a splat, many as a hexadecimal string, all others as decimal text
// that reads back to the same bits. It returns nil when data has another size
// than t or t's values have no known form.
func Dense(t *TensorType, data []byte) *DenseAttr {
	size := elementSize(t.Elem)
	if size == 0 || !t.Static() || int64(len(data)) != t.Elements()*int64(size) {
		return nil
	}
	return &DenseAttr{Type: t, Literal: denseText(t, data, len(data) > 0 && allEqual(data, size))}
}

func denseText(t *TensorType, data []byte, splat bool) string {
	size := elementSize(t.Elem)
	switch {
	case len(data) == 0:
		return ""
	case splat:
		return string(appendElement(nil, data[:size], t.Elem))
	case len(data)/size > hexFrom:
		return string(appendHex(make([]byte, 0, 2*len(data)+4), data, t.Elem))
	}
	b, _ := appendList(nil, data, size, t)
	return string(b)
}

// appendHex prints raw bytes; of integers of fewer bits, the bits they have.
func appendHex(b, data []byte, elem Type) []byte {
	const digits = "0123456789ABCDEF"
	mask := byte(0xFF)
	if t, ok := elem.(IntegerType); ok && t.Width < 8 {
		mask = 1<<t.Width - 1
	}
	b = append(b, `"0x`...)
	for _, x := range data {
		x &= mask
		b = append(b, digits[x>>4], digits[x&15])
	}
	return append(b, '"')
}

// Text returns the literal as it prints: as the dialect's printer has it where the
// values are known, and as it was written where not.
func (a *DenseAttr) Text() string {
	if a.values == nil {
		return a.Literal
	}
	return denseText(a.Type, a.values, a.splat || a.Type.Elements() == 0 || len(a.values) > 0 && allEqual(a.values, elementSize(a.Type.Elem)))
}

func allEqual(data []byte, size int) bool {
	return bytes.Equal(data[size:], data[:len(data)-size])
}

// appendList prints data as nested lists of t's shape.
func appendList(b, data []byte, size int, t *TensorType) ([]byte, []byte) {
	if len(t.Shape) == 0 {
		return appendElement(b, data[:size], t.Elem), data[size:]
	}
	inner := &TensorType{Shape: t.Shape[1:], Elem: t.Elem}
	b = append(b, '[')
	for i := range t.Shape[0] {
		if i > 0 {
			b = append(b, ", "...)
		}
		b, data = appendList(b, data, size, inner)
	}
	return append(b, ']'), data
}

func appendElement(b, e []byte, t Type) []byte {
	if c, ok := t.(ComplexType); ok {
		half := len(e) / 2
		b = appendElement(append(b, '('), e[:half], c.Elem)
		b = appendElement(append(b, ','), e[half:], c.Elem)
		return append(b, ')')
	}
	bits := elementBits(e)
	switch t := t.(type) {
	case FloatType:
		return lexeme.AppendFloat(b, bits, t.Name)
	case IntegerType:
		if t.Width == 1 {
			return strconv.AppendBool(b, bits != 0)
		}
		if t.Sign == Unsigned {
			return strconv.AppendUint(b, bits, 10)
		}
	}
	shift := 64 - 8*len(e)
	return strconv.AppendInt(b, int64(bits<<shift)>>shift, 10)
}

// elementBits returns the bits of an element of 1, 2, 4 or 8 bytes.
func elementBits(e []byte) uint64 {
	switch len(e) {
	case 1:
		return uint64(e[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(e))
	case 4:
		return uint64(binary.LittleEndian.Uint32(e))
	}
	return binary.LittleEndian.Uint64(e)
}
