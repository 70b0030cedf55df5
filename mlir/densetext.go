package mlir

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
)

// hexFrom is the number of elements from which a literal is printed as a
// hexadecimal string, MLIR's own default.
const hexFrom = 100

// Dense returns the literal of the static type t with the values in data, in
// the form that [DenseAttr.Decode] gives them (not a splat's). Equal elements
// print as a splat, many as a hexadecimal string, all others as the shortest
// decimal text that reads back to the same bits. It returns nil when data has
// another size than t or t's values have no known form.
func Dense(t *TensorType, data []byte) *DenseAttr {
	size := elementSize(t.Elem)
	if size == 0 || !t.Static() || int64(len(data)) != t.Elements()*int64(size) {
		return nil
	}
	a := &DenseAttr{Type: t}
	var b []byte
	switch {
	case len(data) == 0:
	case allEqual(data, size):
		b = appendElement(b, data[:size], t.Elem)
	case len(data)/size > hexFrom:
		a.Literal = `"0x` + strings.ToUpper(hex.EncodeToString(data)) + `"`
		return a
	default:
		b, _ = appendList(b, data, size, t)
	}
	a.Literal = string(b)
	return a
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
	bits := uint64(0)
	switch len(e) {
	case 1:
		bits = uint64(e[0])
	case 2:
		bits = uint64(binary.LittleEndian.Uint16(e))
	case 4:
		bits = uint64(binary.LittleEndian.Uint32(e))
	default:
		bits = binary.LittleEndian.Uint64(e)
	}
	switch t := t.(type) {
	case FloatType:
		return appendFloat(b, bits, t)
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

// FloatText returns v as MLIR prints a number of type t, after rounding it to
// t; "" for a type that is not a float.
func FloatText(v float64, t FloatType) string {
	var bits uint64
	switch m, mini := miniFloats[t.Name]; {
	case t.Name == "f64":
		bits = math.Float64bits(v)
	case t.Name == "f32":
		bits = uint64(math.Float32bits(float32(v)))
	case mini:
		bits = m.Bits(v)
	default:
		return ""
	}
	return string(appendFloat(nil, bits, t))
}

// appendFloat prints like MLIR: six digits behind the point where they are
// exact, more where not, and the bits of what is no number.
func appendFloat(b []byte, bits uint64, t FloatType) []byte {
	var v float64
	m, mini := miniFloats[t.Name]
	width := 64
	switch {
	case mini:
		v, width = m.Value(bits), m.width
	case t.Name == "f32":
		v, width = float64(math.Float32frombits(uint32(bits))), 32
	default:
		v = math.Float64frombits(bits)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		s := strings.ToUpper(strconv.FormatUint(bits, 16))
		b = append(b, "0x"...)
		for range (width+3)/4 - len(s) {
			b = append(b, '0')
		}
		return append(b, s...)
	}
	from := len(b)
	for digits := 6; ; digits++ {
		b = strconv.AppendFloat(b[:from], v, 'e', digits, 64)
		if got, ok := floatBits(string(b[from:]), t); ok && got == bits || digits > 17 {
			return b
		}
	}
}
