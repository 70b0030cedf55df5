package checkpoint

import (
	"fmt"
	"unsafe"

	"ltc/ir/types"
	"ltc/soa"
)

// convertible reports whether elements of one dtype are converted to another: within floating-point
// numbers, within integers, within complex numbers.
func convertible(from, to types.DType) bool {
	float := func(d types.DType) bool { return d.IsFloat() || d.IsFloat8() }
	return from == to || float(from) && float(to) || from.IsInteger() && to.IsInteger() || from.IsComplex() && to.IsComplex()
}

// fill writes the elements of t to dst, a dense view of t's shape. Floating-point numbers round to
// the nearest, and an integer that does not fit is an error.
func (t *Tensor) fill(dst soa.View) error {
	if t.Quantized() {
		return t.dequantize(dst)
	}
	src, err := t.View()
	if err != nil {
		return err
	}
	if src.Type.DType == dst.Type.DType {
		return soa.Copy(dst, src)
	}
	if !src.IsDense() {
		dense := soa.Make(src.Type)
		if err := soa.Copy(dense, src); err != nil {
			return err
		}
		src = dense
	}
	i := convert(dst, src)
	soa.KeepAlive(src)
	if i >= 0 {
		return fmt.Errorf("tensor %s: element %d does not fit the variable's %v", t.Name, i, dst.Type.DType)
	}
	return nil
}

func (t *Tensor) dequantize(dst soa.View) error {
	f32 := dst
	if dst.Type.DType != types.F32 {
		f32 = soa.Make(types.Type{DType: types.F32, Shape: dst.Type.Shape})
	}
	var err error
	soa.With(f32, func(s []float32) { err = t.Blocks.Dequantize(s) })
	if err == nil && dst.Type.DType != types.F32 {
		convert(dst, f32)
	}
	return err
}

// slice returns the elements of a dense view of a dtype whose Go type is T.
func slice[T any](v soa.View) []T { return unsafe.Slice((*T)(v.Base()), v.Type.Elements()) }

// convert converts dense views of convertible dtypes and one shape. It returns the first element
// that does not fit, or -1.
func convert(dst, src soa.View) int {
	switch {
	case dst.Type.Elements() == 0:
	case src.Type.DType == types.C64:
		each(slice[complex128](dst), slice[complex64](src), func(x complex64) complex128 { return complex128(x) })
	case src.Type.DType == types.C128:
		each(slice[complex64](dst), slice[complex128](src), func(x complex128) complex64 { return complex64(x) })
	case src.Type.DType.IsFloat() || src.Type.DType.IsFloat8():
		convertFloats(dst, src)
	default:
		return convertIntegers(dst, src)
	}
	return -1
}

func each[D, S any](dst []D, src []S, f func(S) D) {
	for i, x := range src {
		dst[i] = f(x)
	}
}

func convertFloats(dst, src soa.View) {
	switch src.Type.DType {
	case types.F16:
		floats(dst, slice[types.Float16](src), func(x types.Float16) float64 { return float64(x.Float32()) })
	case types.BF16:
		floats(dst, slice[types.BFloat16](src), func(x types.BFloat16) float64 { return float64(x.Float32()) })
	case types.F8E4M3FN:
		floats(dst, slice[types.Float8E4M3FN](src), func(x types.Float8E4M3FN) float64 { return float64(x.Float32()) })
	case types.F8E5M2:
		floats(dst, slice[types.Float8E5M2](src), func(x types.Float8E5M2) float64 { return float64(x.Float32()) })
	case types.F32:
		floats(dst, slice[float32](src), func(x float32) float64 { return float64(x) })
	default:
		floats(dst, slice[float64](src), func(x float64) float64 { return x })
	}
}

// floats converts by way of float64, which holds every element exactly.
func floats[S any](dst soa.View, src []S, wide func(S) float64) {
	switch dst.Type.DType {
	case types.F16:
		each(slice[types.Float16](dst), src, func(x S) types.Float16 { return types.ToFloat16(wide(x)) })
	case types.BF16:
		each(slice[types.BFloat16](dst), src, func(x S) types.BFloat16 { return types.ToBFloat16(wide(x)) })
	case types.F8E4M3FN:
		each(slice[types.Float8E4M3FN](dst), src, func(x S) types.Float8E4M3FN { return types.ToFloat8E4M3FN(wide(x)) })
	case types.F8E5M2:
		each(slice[types.Float8E5M2](dst), src, func(x S) types.Float8E5M2 { return types.ToFloat8E5M2(wide(x)) })
	case types.F32:
		each(slice[float32](dst), src, func(x S) float32 { return float32(wide(x)) })
	default:
		each(slice[float64](dst), src, wide)
	}
}

type integer interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64
}

func convertIntegers(dst, src soa.View) int {
	switch src.Type.DType {
	case types.U8:
		return integersFrom(dst, slice[uint8](src))
	case types.U16:
		return integersFrom(dst, slice[uint16](src))
	case types.U32:
		return integersFrom(dst, slice[uint32](src))
	case types.U64:
		return integersFrom(dst, slice[uint64](src))
	case types.I8:
		return integersFrom(dst, slice[int8](src))
	case types.I16:
		return integersFrom(dst, slice[int16](src))
	case types.I32:
		return integersFrom(dst, slice[int32](src))
	default:
		return integersFrom(dst, slice[int64](src))
	}
}

func integersFrom[S integer](dst soa.View, src []S) int {
	switch dst.Type.DType {
	case types.U8:
		return integers(slice[uint8](dst), src)
	case types.U16:
		return integers(slice[uint16](dst), src)
	case types.U32:
		return integers(slice[uint32](dst), src)
	case types.U64:
		return integers(slice[uint64](dst), src)
	case types.I8:
		return integers(slice[int8](dst), src)
	case types.I16:
		return integers(slice[int16](dst), src)
	case types.I32:
		return integers(slice[int32](dst), src)
	default:
		return integers(slice[int64](dst), src)
	}
}

func integers[D, S integer](dst []D, src []S) int {
	for i, x := range src {
		if dst[i] = D(x); S(dst[i]) != x || (dst[i] < 0) != (x < 0) {
			return i
		}
	}
	return -1
}
