package conformance

import (
	"encoding/binary"
	"fmt"
	"math"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/internal/minifloat"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

// exported is a value in types that a caller of a program can hold.
type exported struct {
	of     *mlir.TensorType
	ops    []*mlir.Op    // that make them
	values []*mlir.Value // of the same shape, and of one type
	// element writes the bytes of an element as [mlir.DenseAttr.Decode] gives
	// them; its bits in the value's own order, with those of the parts of a
	// complex number one behind the other.
	element func(dst []byte, bits uint64) []byte
}

// export returns v as it is where a caller can hold its elements; otherwise
//
//   - integers of less than 8 bits converted to 32 bits, which holds them
//   - other floats of 8 bits with their bits as ui8, so that each NaN is itself
//   - narrower floats and tf32 converted to f32, which holds their values
//   - complex numbers as two results, the real and the imaginary part
func export(v *mlir.Value) (exported, error) {
	t, ok := v.Type.(*mlir.TensorType)
	if !ok || !t.Static() {
		return exported{}, fmt.Errorf("a value of type %v cannot be a result", v.Type)
	}
	if _, err := backends.TypeOf(t); err == nil {
		return exported{of: t, values: []*mlir.Value{v}, element: plain(t.Elem)}, nil
	}
	through := func(op mlir.Code, to mlir.Type, element func([]byte, uint64) []byte) (exported, error) {
		o := mlir.NewOp(op, []*mlir.Value{v}, mlir.Tensor(to, t.Shape...))
		return exported{of: t, ops: []*mlir.Op{o}, values: o.Results, element: element}, nil
	}
	switch e := t.Elem.(type) {
	case mlir.IntegerType:
		switch {
		case e.Width < 8 && e.Sign == mlir.Unsigned:
			return through(stablehlo.Convert, mlir.UI32, plain(e))
		case e.Width < 8:
			return through(stablehlo.Convert, mlir.I32, plain(e))
		}
	case mlir.FloatType:
		if f, bits, ok := minifloat.Of(e.Name); ok && bits == 8 {
			return through(stablehlo.BitcastConvert, mlir.UI8, plain(e))
		} else if ok {
			return through(stablehlo.Convert, mlir.F32, func(dst []byte, b uint64) []byte {
				return plain(e)(dst, f.Bits(float64(math.Float32frombits(uint32(b)))))
			})
		}
	case mlir.ComplexType:
		part := mlir.Tensor(e.Elem, t.Shape...)
		re := mlir.NewOp(stablehlo.Real, []*mlir.Value{v}, part)
		im := mlir.NewOp(stablehlo.Imag, []*mlir.Value{v}, part)
		return exported{
			of: t, ops: []*mlir.Op{re, im}, values: []*mlir.Value{re.Results[0], im.Results[0]}, element: plain(e.Elem),
		}, nil
	}
	return exported{}, fmt.Errorf("elements of type %v cannot be a result", t.Elem)
}

// read makes the bytes of the value from those of the values that were returned
// for it.
func (e exported) read(memory []*soa.Buffer) ([]byte, error) {
	held, err := elementOf(e.values[0].Type.(*mlir.TensorType).Elem)
	if err != nil {
		return nil, err
	}
	n := int(e.of.Elements())
	for _, m := range memory {
		if len(m.Bytes()) != n*held.size {
			return nil, fmt.Errorf("a result of type %v has %s", e.values[0].Type, diag.Count(len(m.Bytes()), "byte"))
		}
	}
	var data []byte
	for i := range n {
		for _, m := range memory {
			bits := uint64(0)
			for k, b := range m.Bytes()[i*held.size : (i+1)*held.size] {
				bits |= uint64(b) << (8 * k)
			}
			data = e.element(data, bits)
		}
	}
	return data, nil
}

// plain writes the lowest bits in as many bytes as an element of type t has.
func plain(t mlir.Type) func([]byte, uint64) []byte {
	size := 1
	if e, err := elementOf(t); err == nil {
		size = e.size
	}
	return func(dst []byte, bits uint64) []byte {
		return append(dst, binary.LittleEndian.AppendUint64(nil, bits)[:size]...)
	}
}
