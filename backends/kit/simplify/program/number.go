package program

import (
	"encoding/binary"
	"math"

	"ltc/internal/minifloat"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Literal returns the value of a constant; nil for what is none.
func Literal(v *mlir.Value) *mlir.DenseAttr {
	if v.Def == nil || v.Def.Code != stablehlo.Constant {
		return nil
	}
	a, _ := v.Def.Attrs.Get("value").(*mlir.DenseAttr)
	return a
}

// Element returns the element that all of v are, in the bytes of
// [mlir.DenseAttr.Decode]; nil if v is no constant or has several.
func Element(v *mlir.Value) []byte {
	a := Literal(v)
	if a == nil || a.Literal == "" || !a.Type.Static() || a.Type.Elements() != 1 && (a.Literal[0] == '[' || a.Literal[0] == '"') {
		return nil // splats are written as one number: see pass standard
	}
	data, splat, err := a.Decode()
	if err != nil || !splat && a.Type.Elements() != 1 {
		return nil
	}
	return data
}

// NumberOf is the value of the one element that all of v are, if it is an integer
// of up to 64 bits or a float; ok is false otherwise.
func NumberOf(v *mlir.Value) (x Number, ok bool) {
	data := Element(v)
	if data == nil {
		return Number{}, false
	}
	var wide [8]byte
	copy(wide[:], data)
	bits := binary.LittleEndian.Uint64(wide[:])
	switch elem := Literal(v).Type.Elem.(type) {
	case mlir.IntegerType:
		shift := 64 - 8*len(data)
		x.Int = int64(bits<<shift) >> shift
		if elem.Sign == mlir.Unsigned {
			x.Int = int64(bits)
		}
		return x, len(data) <= 8
	case mlir.FloatType:
		x.IsFloat = true
		switch elem.Name {
		case "f64":
			x.Float = math.Float64frombits(bits)
		case "f32":
			x.Float = float64(math.Float32frombits(uint32(bits)))
		default:
			m, _, mini := minifloat.Of(elem.Name)
			if !mini {
				return Number{}, false
			}
			x.Float = m.Value(bits)
		}
		return x, true
	}
	return Number{}, false
}

// Number is a number: a float, or an integer, an unsigned one of 64 bits modulo
// its range.
type Number struct {
	IsFloat bool
	Float   float64
	Int     int64
}

// Is reports whether x is the given integer; 0 is not -0.
func (x Number) Is(n int64) bool {
	if x.IsFloat {
		return x.Float == float64(n) && (n != 0 || !math.Signbit(x.Float))
	}
	return x.Int == n
}

// NegZero reports whether x is the float -0.
func (x Number) NegZero() bool { return x.IsFloat && x.Float == 0 && math.Signbit(x.Float) }
