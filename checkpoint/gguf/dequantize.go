package gguf

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
)

// Dequantize writes the elements to dst in row-major order, as float32. The formulas are those of
// the functions dequantize_row_* of llama.cpp's ggml-quants.c. Each product and each sum rounds
// to float32. Integers and F64 round to the nearest float32. Dequantize returns an error if dst
// does not have the number of elements, or the file is closed.
func (t *Tensor) Dequantize(dst []float32) error {
	if n := t.Shape.Elements(); len(dst) != n {
		return fmt.Errorf("tensor %s has %s, the slice has %d", t.Name, diag.Count(n, "element"), len(dst))
	}
	if t.raw.Released() {
		return fmt.Errorf("tensor %s: %w", t.Name, soa.ErrReleased)
	}
	if len(dst) == 0 {
		return nil
	}
	src := unsafe.Slice((*byte)(t.raw.Base()), t.raw.Type.Bytes())
	Dequantize(dst, t.DType, src)
	soa.KeepAlive(t.raw)
	return nil
}

// Dequantize writes the elements of the blocks src to dst. It panics if src does not have as many
// blocks as dst has elements, or the package does not read d.
func Dequantize(dst []float32, d DType, src []byte) {
	block, n := d.Block(), d.BlockBytes()
	if block == 0 || len(dst)%block != 0 || len(src) != len(dst)/block*n {
		panic(fmt.Sprintf("gguf: %s of %v for %s", diag.Count(len(src), "byte"), d, diag.Count(len(dst), "element")))
	}
	decode := decoders[d]
	for len(dst) > 0 {
		decode(dst[:block], src[:n])
		dst, src = dst[block:], src[n:]
	}
}

// decoders write the elements of one block.
var decoders = map[DType]func(y []float32, b []byte){
	F32:  func(y []float32, b []byte) { y[0] = math.Float32frombits(binary.LittleEndian.Uint32(b)) },
	F16:  func(y []float32, b []byte) { y[0] = half(b) },
	BF16: func(y []float32, b []byte) { y[0] = types.BFloat16(binary.LittleEndian.Uint16(b)).Float32() },
	F64:  func(y []float32, b []byte) { y[0] = float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) },
	I8:   func(y []float32, b []byte) { y[0] = float32(int8(b[0])) },
	I16:  func(y []float32, b []byte) { y[0] = float32(int16(binary.LittleEndian.Uint16(b))) },
	I32:  func(y []float32, b []byte) { y[0] = float32(int32(binary.LittleEndian.Uint32(b))) },
	I64:  func(y []float32, b []byte) { y[0] = float32(int64(binary.LittleEndian.Uint64(b))) },
	Q4_0: q4_0, Q4_1: q4_1, Q5_0: q5_0, Q5_1: q5_1, Q8_0: q8_0, Q4_K: q4_K, Q5_K: q5_K, Q6_K: q6_K,
}

// half returns the number of 16 bits at the start of b.
func half(b []byte) float32 { return types.Float16(binary.LittleEndian.Uint16(b)).Float32() }

// affine returns d*q + m. The conversion keeps the compiler from fusing the two operations.
func affine(d, q, m float32) float32 { return float32(d*q) + m }

// q4_0: a scale, then 32 numbers of 4 bits minus 8. The low halves of the 16 bytes are the first
// 16 elements.
func q4_0(y []float32, b []byte) {
	d := half(b)
	for i, q := range b[2:18] {
		y[i] = float32(int(q&15)-8) * d
		y[i+16] = float32(int(q>>4)-8) * d
	}
}

// q4_1: a scale, a minimum, then 32 numbers of 4 bits.
func q4_1(y []float32, b []byte) {
	d, m := half(b), half(b[2:])
	for i, q := range b[4:20] {
		y[i] = affine(d, float32(q&15), m)
		y[i+16] = affine(d, float32(q>>4), m)
	}
}

// q5_0: a scale, the fifth bits of 32 numbers, and their lower 4 bits; minus 16.
func q5_0(y []float32, b []byte) {
	d, high := half(b), binary.LittleEndian.Uint32(b[2:])
	for i, q := range b[6:22] {
		y[i] = float32(int(uint32(q&15)|high>>i&1<<4)-16) * d
		y[i+16] = float32(int(uint32(q>>4)|high>>(i+16)&1<<4)-16) * d
	}
}

// q5_1: a scale, a minimum, the fifth bits of 32 numbers, and their lower 4 bits.
func q5_1(y []float32, b []byte) {
	d, m, high := half(b), half(b[2:]), binary.LittleEndian.Uint32(b[4:])
	for i, q := range b[8:24] {
		y[i] = affine(d, float32(uint32(q&15)|high>>i&1<<4), m)
		y[i+16] = affine(d, float32(uint32(q>>4)|high>>(i+16)&1<<4), m)
	}
}

// q8_0: a scale, then 32 signed bytes.
func q8_0(y []float32, b []byte) {
	d := half(b)
	for i, q := range b[2:34] {
		y[i] = float32(int8(q)) * d
	}
}

// scaleMin returns the scale and the minimum of sub-block j of 8, from 12 bytes with 6 bits for
// each: the first four lie whole, the bits of the others are split.
func scaleMin(j int, s []byte) (scale, minimum float32) {
	if j < 4 {
		return float32(s[j] & 63), float32(s[j+4] & 63)
	}
	return float32(s[j+4]&15 | s[j-4]>>6<<4), float32(s[j+4]>>4 | s[j]>>6<<4)
}

// q4_K: a scale of scales, a scale of minima, 8 scales and minima of 6 bits, and 256 numbers of 4
// bits. Each 32 bytes hold two sub-blocks of 32.
func q4_K(y []float32, b []byte) {
	d, dmin, s, qs := half(b), half(b[2:]), b[4:16], b[16:144]
	for j := 0; j < 8; j += 2 {
		s1, m1 := scaleMin(j, s)
		s2, m2 := scaleMin(j+1, s)
		d1, d2, m1, m2 := d*s1, d*s2, -(dmin * m1), -(dmin * m2)
		for i, q := range qs[16*j : 16*j+32] {
			y[32*j+i] = affine(d1, float32(q&15), m1)
			y[32*j+i+32] = affine(d2, float32(q>>4), m2)
		}
	}
}

// q5_K is q4_K with a fifth bit for each number: bit j of byte i of the 32 bytes before the
// numbers is that of element i of sub-block j.
func q5_K(y []float32, b []byte) {
	d, dmin, s, high, qs := half(b), half(b[2:]), b[4:16], b[16:48], b[48:176]
	for j := 0; j < 8; j += 2 {
		s1, m1 := scaleMin(j, s)
		s2, m2 := scaleMin(j+1, s)
		d1, d2, m1, m2 := d*s1, d*s2, -(dmin * m1), -(dmin * m2)
		for i, q := range qs[16*j : 16*j+32] {
			y[32*j+i] = affine(d1, float32(q&15|high[i]>>j&1<<4), m1)
			y[32*j+i+32] = affine(d2, float32(q>>4|high[i]>>(j+1)&1<<4), m2)
		}
	}
}

// q6_K: the lower 4 bits of 256 numbers, their upper 2 bits, 16 signed scales, and a scale of
// scales; minus 32. Each half of the block interleaves four runs of 32 elements.
func q6_K(y []float32, b []byte) {
	d := half(b[208:])
	for n := range 2 {
		y, low, high, s := y[128*n:], b[64*n:], b[128+32*n:], b[192+8*n:]
		for i := range 32 {
			q1 := low[i]&15 | high[i]&3<<4
			q2 := low[i+32]&15 | high[i]>>2&3<<4
			q3 := low[i]>>4 | high[i]>>4&3<<4
			q4 := low[i+32]>>4 | high[i]>>6&3<<4
			for k, q := range [...]byte{q1, q2, q3, q4} {
				y[32*k+i] = d * float32(int8(s[2*k+i/16])) * float32(int(q)-32)
			}
		}
	}
}
