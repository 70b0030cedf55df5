package simplify

import (
	"encoding/binary"
	"math"

	"ltc/internal/minifloat"
	"ltc/mlir"
	"ltc/stablehlo"
)

// literal returns the value of a constant; nil for what is none.
func literal(v *mlir.Value) *mlir.DenseAttr {
	if v.Def == nil || v.Def.Code != stablehlo.Constant {
		return nil
	}
	a, _ := v.Def.Attrs.Get("value").(*mlir.DenseAttr)
	return a
}

// element returns the element that all of v are, in the bytes of
// [mlir.DenseAttr.Decode]; nil if v is no constant or has several.
func element(v *mlir.Value) []byte {
	a := literal(v)
	if a == nil || a.Literal == "" || !a.Type.Static() || a.Type.Elements() != 1 && (a.Literal[0] == '[' || a.Literal[0] == '"') {
		return nil // splats are written as one number: see pass standard
	}
	data, splat, err := a.Decode()
	if err != nil || !splat && a.Type.Elements() != 1 {
		return nil
	}
	return data
}

// splat returns a constant of type t all of whose elements are element.
func (e *editor) splat(t *mlir.TensorType, element []byte) *mlir.Value {
	return e.emit(stablehlo.Constant, t, mlir.Dict{{Name: "value", Value: splatAttr(t, element)}})
}

func splatAttr(t *mlir.TensorType, element []byte) *mlir.DenseAttr {
	one := mlir.Dense(mlir.Tensor(t.Elem), element)
	if one == nil {
		panic(nonsense("a constant of " + t.String() + " from an element of another size"))
	}
	return &mlir.DenseAttr{Type: t, Literal: one.Literal}
}

// number is the value of the one element that all of v are, if it is an integer
// of up to 64 bits or a float; ok is false otherwise.
func number(v *mlir.Value) (x num, ok bool) {
	data := element(v)
	if data == nil {
		return num{}, false
	}
	var wide [8]byte
	copy(wide[:], data)
	bits := binary.LittleEndian.Uint64(wide[:])
	switch elem := tensorOf(v).Elem.(type) {
	case mlir.IntegerType:
		shift := 64 - 8*len(data)
		x.int = int64(bits<<shift) >> shift
		if elem.Sign == mlir.Unsigned {
			x.int = int64(bits)
		}
		return x, len(data) <= 8
	case mlir.FloatType:
		x.isFloat = true
		switch elem.Name {
		case "f64":
			x.float = math.Float64frombits(bits)
		case "f32":
			x.float = float64(math.Float32frombits(uint32(bits)))
		default:
			m, _, mini := minifloat.Of(elem.Name)
			if !mini {
				return num{}, false
			}
			x.float = m.Value(bits)
		}
		return x, true
	}
	return num{}, false
}

// num is a number: a float, or an integer, an unsigned one of 64 bits modulo
// its range.
type num struct {
	isFloat bool
	float   float64
	int     int64
}

// is reports whether x is the given integer; 0 is not -0.
func (x num) is(n int64) bool {
	if x.isFloat {
		return x.float == float64(n) && (n != 0 || !math.Signbit(x.float))
	}
	return x.int == n
}

// negZero reports whether x is the float -0.
func (x num) negZero() bool { return x.isFloat && x.float == 0 && math.Signbit(x.float) }

// bytesOf returns an integer or a float as an element of type elem, if that is
// a type of plain floats or of integers that holds it exactly.
func bytesOf(elem mlir.Type, x float64) ([]byte, bool) {
	switch t := elem.(type) {
	case mlir.IntegerType:
		if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
			return nil, false
		}
		n := int64(x)
		switch {
		case t.Width == 1 && (n < 0 || n > 1), t.Sign == mlir.Unsigned && n < 0:
			return nil, false
		case t.Width < 64 && t.Sign == mlir.Unsigned && n >= 1<<t.Width:
			return nil, false
		case t.Width < 64 && t.Width > 1 && t.Sign != mlir.Unsigned && (n < -1<<(t.Width-1) || n >= 1<<(t.Width-1)):
			return nil, false
		}
		return binary.LittleEndian.AppendUint64(nil, uint64(n))[:max(1, t.Width/8)], t.Width <= 8 || t.Width%8 == 0
	case mlir.FloatType:
		switch t.Name {
		case "f64":
			return binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)), true
		case "f32":
			return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(x))), float64(float32(x)) == x || math.IsNaN(x)
		case "f16", "bf16":
			m, _, _ := minifloat.Of(t.Name)
			bits := m.Bits(x)
			return binary.LittleEndian.AppendUint16(nil, uint16(bits)), m.Value(bits) == x
		}
	}
	return nil, false
}

// constant returns a splat of the number x; nil if t's elements cannot be x.
func (e *editor) constant(t *mlir.TensorType, x float64) *mlir.Value {
	b, ok := bytesOf(t.Elem, x)
	if !ok {
		return nil
	}
	return e.splat(t, b)
}

// bits returns a splat of integers of up to 64 bits, or of floats, with the given bits.
func (e *editor) bits(t *mlir.TensorType, x uint64) *mlir.Value {
	return e.splat(t, binary.LittleEndian.AppendUint64(nil, x)[:mlir.ElementBytes(t.Elem)])
}
