// Package samples makes tensors to try programs with, and reads elements of
// any dtype one at a time. Its central function is [Make].
//
// The package imports only ltc/soa, ltc/ir/types and ltc/internal/diag.
package samples

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
)

// Kinds names what [Make] makes, for usage texts.
const Kinds = "zeros, iota or rand:SEED"

// Make returns a fresh dense tensor of type t; an error wrapping
// [soa.ErrMemory] when memory cannot hold it. spec is one of
//
//	zeros      0 or false
//	iota       0, 1, 2, … in row-major order; false, true, false, … for bool
//	rand:SEED  floating point: uniform in [-1, 1), signed integers: from -9 to
//	           9, unsigned: from 0 to 9, bool: either, complex: both parts uniform in
//	           [-1, 1); the same on every machine
func Make(t types.Type, spec string) (soa.View, error) {
	if err := t.Check(); err != nil {
		return soa.View{}, err
	}
	if err := soa.Fits(t.Bytes()); err != nil {
		return soa.View{}, fmt.Errorf("%v: %w", t, err)
	}
	v := soa.Make(t)
	switch kind, arg, _ := strings.Cut(spec, ":"); {
	case spec == "zeros":
		return v, nil
	case spec == "iota":
		for i := range t.Elements() {
			Set(v, i, float64(i))
		}
		return v, nil
	case kind == "rand":
		seed, err := strconv.ParseUint(arg, 10, 64)
		if err != nil {
			return soa.View{}, fmt.Errorf("%q: want rand: and a seed from 0 to 2^64-1", spec)
		}
		random(v, seed)
		return v, nil
	}
	return soa.View{}, fmt.Errorf("%q: want %s", spec, Kinds)
}

// random fills v. Each element, and each part of a complex number, takes one draw of a PCG
// seeded with (seed, 0).
func random(v soa.View, seed uint64) {
	v = v.Parts()
	pcg := rand.NewPCG(seed, 0)
	for i := range v.Type.Elements() {
		u := float64(pcg.Uint64()>>11) * 0x1p-53 // uniform in [0, 1)
		switch d := v.Type.DType; {
		case d.IsFloat() || d.IsFloat8():
			u = 2*u - 1
		case d.IsSigned():
			u = math.Floor(u*19) - 9
		case d.IsInteger():
			u = math.Floor(u * 10)
		default:
			u = math.Floor(u * 2)
		}
		Set(v, i, u)
	}
}

// Extreme replaces some elements of the dense view v: of floats by NaNs,
// infinities, zeros, the smallest and the largest numbers, of integers by the
// least, the greatest and -1. Of complex numbers it replaces parts. Which ones depends on the
// seed alone.
func Extreme(v soa.View, seed uint64) {
	v = v.Parts()
	d := v.Type.DType
	if d == types.Bool {
		return
	}
	size := 8 * uint(d.Size())
	sign := uint64(1) << (size - 1)
	bits := []uint64{0, sign, sign - 1, sign + 1, ^uint64(0), 1}
	if d.IsFloat() {
		one := v
		one.Type.Shape, one.Strides = nil, nil
		one = soa.Make(one.Type)
		Set(one, 0, math.Inf(1))
		inf := Bits(one, 0)
		half := inf ^ (inf << 1 & inf) // the lowest bit of the exponent
		bits = []uint64{0, sign, 1, sign | 1, inf, sign | inf, inf | 1, sign - 1, inf - 1, sign | (inf - 1), half, half - 1, sign | half}
	}
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range v.Type.Elements() {
		if r.IntN(6) == 0 {
			SetBits(v, i, bits[r.IntN(len(bits))])
		}
	}
}

// bytes returns the memory of element i of a dense view, in row-major order.
func bytes(v soa.View, i int) []byte {
	size := v.Type.DType.Size()
	return unsafe.Slice((*byte)(unsafe.Add(v.Base(), i*size)), size)
}

// Set stores x, converted to the dtype, in element i (row-major) of the dense
// view v: integers modulo their range, bools by x's lowest bit. The imaginary part of a complex
// number becomes 0.
func Set(v soa.View, i int, x float64) {
	if v.Type.DType.IsComplex() {
		SetComplex(v, i, complex(x, 0))
		return
	}
	var bits uint64
	switch v.Type.DType {
	case types.F64:
		bits = math.Float64bits(x)
	case types.F32:
		bits = uint64(math.Float32bits(float32(x)))
	case types.F16:
		bits = uint64(types.ToFloat16(x))
	case types.BF16:
		bits = uint64(types.ToBFloat16(x))
	case types.F8E4M3FN, types.F8E5M2:
		bits = uint64(types.Float8Bits(v.Type.DType, x))
	case types.Bool:
		bits = uint64(int64(x)) & 1
	default:
		bits = uint64(int64(x))
	}
	SetBits(v, i, bits)
}

// SetComplex stores z in element i (row-major) of the dense view v of complex numbers.
func SetComplex(v soa.View, i int, z complex128) {
	parts := v.Parts()
	Set(parts, 2*i, real(z))
	Set(parts, 2*i+1, imag(z))
}

// Bits returns the bits of element i (row-major) of the dense view v, which is not complex, in
// the lowest bits of the result.
func Bits(v soa.View, i int) uint64 {
	b := bytes(v, i)
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	}
	return binary.NativeEndian.Uint64(b)
}

// SetBits stores the lowest bits of bits in element i (row-major) of the dense
// view v.
func SetBits(v soa.View, i int, bits uint64) {
	switch b := bytes(v, i); len(b) {
	case 1:
		b[0] = uint8(bits)
	case 2:
		binary.NativeEndian.PutUint16(b, uint16(bits))
	case 4:
		binary.NativeEndian.PutUint32(b, uint32(bits))
	case 8:
		binary.NativeEndian.PutUint64(b, bits)
	}
}

// Float returns element i (row-major) of the dense floating-point view v.
func Float(v soa.View, i int) float64 {
	bits := Bits(v, i)
	switch v.Type.DType {
	case types.F64:
		return math.Float64frombits(bits)
	case types.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case types.F16:
		return float64(types.Float16(bits).Float32())
	case types.F8E4M3FN, types.F8E5M2:
		return float64(types.Float8Value(v.Type.DType, uint8(bits)))
	default:
		return float64(types.BFloat16(bits).Float32())
	}
}

// Dense returns v, or a dense copy of it.
func Dense(v soa.View) (soa.View, error) {
	if v.IsDense() {
		return v, nil
	}
	d := soa.Make(v.Type)
	return d, soa.Copy(d, v)
}

// Bytes returns a copy of the elements in row-major order, as they lie in memory.
func Bytes(v soa.View) ([]byte, error) {
	v, err := Dense(v)
	if err != nil {
		return nil, err
	}
	return slices.Clone(memory(v)), nil
}

// FromBytes returns a fresh dense tensor of type t whose elements are data in row-major
// order.
func FromBytes(t types.Type, data []byte) (soa.View, error) {
	if err := t.Check(); err != nil {
		return soa.View{}, err
	}
	if t.Bytes() != len(data) {
		return soa.View{}, fmt.Errorf("%v has %s, got %d", t, diag.Count(t.Bytes(), "byte"), len(data))
	}
	v := soa.Make(t)
	copy(memory(v), data)
	return v, nil
}

// memory returns that of a dense view.
func memory(v soa.View) []byte {
	if v.Type.Bytes() == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(v.Start()), v.Type.Bytes())
}
