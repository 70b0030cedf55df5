package reference

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"ltc/ir/types"
)

func prepareConvert(b *builder, o *site) error {
	if err := o.arity(1, 1); err != nil {
		return err
	}
	if err := o.alike(); err != nil {
		return err
	}
	if o.in[0].dt == o.out[0].dt {
		b.alias(o, 0, o.in[0].slot)
		return nil
	}
	k := convertKernel(o.in[0].dt, o.out[0].dt)
	b.emit1(o, k)
	return nil
}

// convertKernel converts elements between any two types. Between types of the
// same size the result may be the memory of the operand.
func convertKernel(from, to dtype) kernel1 {
	switch {
	case from.isComplex() || to.isComplex():
		return convertComplex(from, to)
	case from.isMini():
		return miniTo(from, to)
	}
	switch from {
	case i1, u8, u2, u4:
		return convertFrom[uint8](to)
	case i8, i2, i4:
		return convertFrom[int8](to)
	case i16:
		return convertFrom[int16](to)
	case i32:
		return convertFrom[int32](to)
	case i64:
		return convertFrom[int64](to)
	case u16:
		return convertFrom[uint16](to)
	case u32:
		return convertFrom[uint32](to)
	case u64:
		return convertFrom[uint64](to)
	case f16:
		return widenThen[types.Float16](to)
	case bf16:
		return widenThen[types.BFloat16](to)
	case f32:
		return convertFrom[float32](to)
	default:
		return convertFrom[float64](to)
	}
}

func convertFrom[S number](to dtype) kernel1 {
	switch to {
	case i1:
		return erase1(func(o []uint8, a []S) {
			a = a[:len(o)]
			for i := range o {
				o[i] = bit(a[i] != 0)
			}
		})
	case i8:
		return erase1(toInt[S, int8]())
	case i16:
		return erase1(toInt[S, int16]())
	case i32:
		return erase1(toInt[S, int32]())
	case i64:
		return erase1(toInt[S, int64]())
	case u8:
		return erase1(toInt[S, uint8]())
	case u16:
		return erase1(toInt[S, uint16]())
	case u32:
		return erase1(toInt[S, uint32]())
	case u64:
		return erase1(toInt[S, uint64]())
	case f16:
		return erase1(func(o []types.Float16, a []S) {
			a = a[:len(o)]
			for i := range o {
				o[i] = types.ToFloat16(forRounding(a[i]))
			}
		})
	case bf16:
		return erase1(func(o []types.BFloat16, a []S) {
			a = a[:len(o)]
			for i := range o {
				o[i] = types.ToBFloat16(forRounding(a[i]))
			}
		})
	case f32:
		return erase1(cast[S, float32])
	case f64:
		return erase1(cast[S, float64])
	}
	if to.isSmallInt() {
		return toSmallInt[S](to)
	}
	return toMini[S](to)
}

func cast[S, D number](o []D, a []S) {
	a = a[:len(o)]
	for i := range o {
		o[i] = D(a[i])
	}
}

// forRounding returns a float64 that rounds to any narrower float as x does. Of
// integers of more than 53 bits that is not the nearest, which may lie half way
// between two floats where x does not: bits that are cut off leave the last one
// set (rounding to odd).
func forRounding[S number](x S) float64 {
	if unsafe.Sizeof(x) < 8 || isFloat[S]() {
		return float64(x)
	}
	u := uint64(x)
	if x < 0 {
		u = -u
	}
	cut := bits.Len64(u) - 53
	if cut <= 0 {
		return float64(x)
	}
	kept := u >> cut
	if kept<<cut != u {
		kept |= 1
	}
	f := math.Ldexp(float64(kept), cut)
	if x < 0 {
		return -f
	}
	return f
}

func isFloat[T number]() bool {
	half := 0.5
	return T(half) != 0
}

func toInt[S number, D integer]() func(o []D, a []S) {
	if !isFloat[S]() {
		return cast[S, D] // wraps
	}
	width := 8 * unsafe.Sizeof(D(0))
	lo, hi := D(0), ^D(0)
	if hi < 0 { // signed
		lo = D(1) << (width - 1)
		hi = ^lo
	}
	limit := math.Ldexp(1, int(width)) // the first value above hi
	if lo < 0 {
		limit = math.Ldexp(1, int(width)-1)
	}
	return func(o []D, a []S) {
		a = a[:len(o)]
		for i := range o {
			switch x := float64(a[i]); {
			case x != x:
				o[i] = 0
			case x >= limit:
				o[i] = hi
			case x <= float64(lo):
				o[i] = lo
			default:
				o[i] = D(x)
			}
		}
	}
}

// widenThen converts from a 16-bit type by way of f32.
func widenThen[H half](to dtype) kernel1 {
	if to == f32 {
		return erase1(func(o []float32, a []H) { widen(o, a) })
	}
	k, size := convertFrom[float32](to), to.size()
	return func(o, a unsafe.Pointer, n int) {
		in := unsafe.Slice((*H)(a), n)
		c := chunkPool.Get().(*chunks)
		for i := 0; i < n; i += chunk {
			m := min(chunk, n-i)
			widen(c.a[:m], in[i:])
			k(unsafe.Add(o, i*size), unsafe.Pointer(&c.a), m)
		}
		chunkPool.Put(c)
	}
}

// prepareBitcast reinterprets memory; as the lowest bits come first in it,
// that is so between types of different width too.
func prepareBitcast(b *builder, o *site) error {
	if err := o.arity(1, 1); err != nil {
		return err
	}
	in, out := o.in[0], o.out[0]
	wide, narrow := in.tensor, out
	if wide.dt.bits() < narrow.dt.bits() {
		wide, narrow = narrow, wide
	}
	want := slices.Clone(wide.shape)
	if ratio := wide.dt.bits() / narrow.dt.bits(); ratio > 1 {
		want = append(want, ratio)
	}
	if !slices.Equal(narrow.shape, want) || wide.dt.bits()%narrow.dt.bits() != 0 {
		return fmt.Errorf("%v%v and %v%v do not hold the same bits", in.dt, in.shape, out.dt, out.shape)
	}
	if in.dt.bits() < 8*in.dt.size() || out.dt.bits() < 8*out.dt.size() {
		r := b.result(o, 0)
		b.emit(func(f *frame) { repack(f, f.p[r], f.p[in.slot], out, in.tensor) })
		return nil
	}
	if sl := &b.code.slots[in.slot]; sl.splat && in.dt.size() != out.dt.size() { // equal elements, but not of the new size
		b.alias(o, 0, b.newSlot(slot{kind: constant, constant: sl.constant}))
		return nil
	}
	b.alias(o, 0, in.slot)
	return nil
}

// prepareIsFinite reports which elements are neither infinite nor NaN.
func prepareIsFinite(b *builder, o *site) error {
	if err := o.arity(1, 1); err != nil {
		return err
	}
	if err := o.alike(); err != nil || o.out[0].dt != i1 {
		return firstError(err, fmt.Errorf("the result has elements of %v, want i1", o.out[0].dt))
	}
	k := finiteKernel(o.in[0].dt)
	if k == nil {
		return unsupportedf("elements of type %v", o.in[0].dt)
	}
	b.emit1(o, k)
	return nil
}

func finiteKernel(d dtype) kernel1 {
	switch d {
	case f16:
		return erase1(finite[types.Float16](0x7c00))
	case bf16:
		return erase1(finite[types.BFloat16](0x7f80))
	case f32:
		return erase1(finite[uint32](0x7f800000))
	case f64:
		return erase1(finite[uint64](0x7ff0000000000000))
	}
	if d.isMini() {
		return miniFinite(d)
	}
	return nil
}

func finite[T integer](exponent T) func(o []uint8, a []T) {
	return func(o []uint8, a []T) {
		a = a[:len(o)]
		for i := range o {
			o[i] = bit(a[i]&exponent != exponent)
		}
	}
}
