package memory

import (
	"ltc/ir/types"
	"ltc/soa"
)

// Float returns element i of a dense view, which may be off the Go heap; of a complex number
// the real part.
func Float(v soa.View, i int) float64 {
	switch v.Type.DType {
	case types.Bool:
		if at[bool](v, i) {
			return 1
		}
		return 0
	case types.U8:
		return float64(at[uint8](v, i))
	case types.U16:
		return float64(at[uint16](v, i))
	case types.U32:
		return float64(at[uint32](v, i))
	case types.U64:
		return float64(at[uint64](v, i))
	case types.I8:
		return float64(at[int8](v, i))
	case types.I16:
		return float64(at[int16](v, i))
	case types.I32:
		return float64(at[int32](v, i))
	case types.I64:
		return float64(at[int64](v, i))
	case types.F16:
		return float64(at[types.Float16](v, i).Float32())
	case types.BF16:
		return float64(at[types.BFloat16](v, i).Float32())
	case types.F8E4M3FN:
		return float64(at[types.Float8E4M3FN](v, i).Float32())
	case types.F8E5M2:
		return float64(at[types.Float8E5M2](v, i).Float32())
	case types.F32:
		return float64(at[float32](v, i))
	case types.C64, types.C128:
		return real(Complex(v, i))
	}
	return at[float64](v, i)
}

// Complex returns element i of a dense view of complex numbers.
func Complex(v soa.View, i int) complex128 {
	if v.Type.DType == types.C64 {
		return complex128(at[complex64](v, i))
	}
	return at[complex128](v, i)
}

// at returns element i of a dense view.
func at[T soa.Element](v soa.View, i int) (x T) {
	soa.With(v, func(all []T) { x = all[i] })
	return x
}

// SetBits writes the bits of element i of a dense view. Those of a complex number are of its real
// part, and the imaginary part becomes 0.
func SetBits(v soa.View, i int, bits uint64) {
	if v.Type.DType.IsComplex() {
		v, i = v.Parts(), 2*i
		SetBits(v, i+1, 0)
	}
	switch v.Type.DType.Size() {
	case 1:
		soa.Bits[uint8](v)[i] = uint8(bits)
	case 2:
		soa.Bits[uint16](v)[i] = uint16(bits)
	case 4:
		soa.Bits[uint32](v)[i] = uint32(bits)
	case 8:
		soa.Bits[uint64](v)[i] = bits
	}
}

// OnHost returns a dense view of the same elements in memory that Go sees.
func OnHost(v soa.View) (soa.View, error) {
	if v.Remote() == nil && v.IsDense() {
		return v, nil
	}
	return Dense(v)
}

// Dense returns a dense copy of the elements in memory that Go sees.
func Dense(v soa.View) (soa.View, error) {
	dense := soa.Make(v.Type)
	return dense, soa.Copy(dense, v)
}
