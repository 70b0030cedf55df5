package simplify

import (
	"encoding/binary"
	"math"

	"ltc/internal/minifloat"
	"ltc/mlir"
	"ltc/stablehlo"
)

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
