package memory

import (
	"ltc/ir/types"
	"ltc/soa"
)

// Float returns element i of a dense view.
func Float(v soa.View, i int) float64 {
	switch v.Type.DType {
	case types.Bool, types.U8:
		return float64(soa.Bits[uint8](v)[i])
	case types.U16:
		return float64(soa.Slice[uint16](v)[i])
	case types.U32:
		return float64(soa.Slice[uint32](v)[i])
	case types.U64:
		return float64(soa.Slice[uint64](v)[i])
	case types.I8:
		return float64(soa.Slice[int8](v)[i])
	case types.I16:
		return float64(soa.Slice[int16](v)[i])
	case types.I32:
		return float64(soa.Slice[int32](v)[i])
	case types.I64:
		return float64(soa.Slice[int64](v)[i])
	case types.F16:
		return float64(soa.Slice[types.Float16](v)[i].Float32())
	case types.BF16:
		return float64(soa.Slice[types.BFloat16](v)[i].Float32())
	case types.F32:
		return float64(soa.Slice[float32](v)[i])
	}
	return soa.Slice[float64](v)[i]
}

// SetBits writes the bits of element i of a dense view.
func SetBits(v soa.View, i int, bits uint64) {
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
	here := soa.Make(v.Type)
	return here, soa.Copy(here, v)
}
